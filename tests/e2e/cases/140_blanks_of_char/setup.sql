-- @source pg
create table code (k char(5) primary key, v varchar(5), n int); insert into code values ('a', 'x ', 1), ('b', 'y', 1), ('ab cd', '', 1);
