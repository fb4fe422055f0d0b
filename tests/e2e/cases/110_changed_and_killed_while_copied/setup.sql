-- @source pg
create table big (id int primary key, v int, pad text); insert into big select g, 0, repeat('p', 200) from generate_series(1, 20000) g;
create table bag (a int, pad text); insert into bag select g, repeat('q', 200) from generate_series(1, 20000) g;
