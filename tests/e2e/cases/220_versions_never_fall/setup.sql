-- @source pg
create table ver (id int primary key, n int); insert into ver select g, 0 from generate_series(1, 500) g;
