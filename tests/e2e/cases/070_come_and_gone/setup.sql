-- @source pg
create table q (id int primary key, tries int); insert into q select g, 0 from generate_series(1, 10) g;
