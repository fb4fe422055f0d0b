-- @source pg
create table acc (id int primary key, v int); insert into acc values (1, 1), (2, 2);
