-- @source pg
create table parent (id int primary key); create table child (id int primary key, parent int references parent);
create table other (id int primary key, v int);
insert into parent values (1), (2); insert into child values (1, 1); insert into other values (1, 1), (2, 2);
