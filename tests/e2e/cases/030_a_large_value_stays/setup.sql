-- @source pg
create table doc (id int primary key, n int, body text);
alter table doc alter body set storage external;
insert into doc select i, 0, repeat(chr(64 + i), 9000) from generate_series(1, 4) i;
