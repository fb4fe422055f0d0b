-- @source pg
create table c (id int primary key, v int); insert into c values (0, 0);
