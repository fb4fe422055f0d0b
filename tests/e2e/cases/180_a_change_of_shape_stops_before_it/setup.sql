-- @source pg
create table s (id int primary key, v text); create table t (id int primary key); insert into s values (1, 'one');
