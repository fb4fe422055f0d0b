-- @source pg
create table w (id int primary key, t text);
insert into w values (1, ''), (2, null), (3, 'NULL'), (4, '\N'), (5, '\.'), (6, E'a\tb\r\nc\\');
