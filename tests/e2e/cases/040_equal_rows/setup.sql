-- @source pg
create table bag (a numeric, t text);
insert into bag values (1.0, 'x'), (1.0, 'x'), (1.00, 'x'), (null, null), (null, null);
