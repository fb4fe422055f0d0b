-- @source pg
create table g (id int primary key, a int, twice int generated always as (a * 2) stored); insert into g (id, a) values (1, 1), (2, 2);
