-- @source pg
create table k (id int primary key, v int); create table bag (n int, t text);
insert into k select g, 0 from generate_series(1, 50) g;
