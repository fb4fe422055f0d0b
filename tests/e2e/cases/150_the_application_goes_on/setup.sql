-- @source pg
create table nokey (a int, t text); insert into nokey values (1, 'x'), (2, 'y');
create table late (id int primary key deferrable initially deferred, t text); insert into late values (1, 'x'), (2, 'y');
create table half (id int, t text); create unique index half_id on half (id) where id > 0; insert into half values (1, 'x'), (2, 'y');
