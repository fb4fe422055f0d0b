-- @source pg
create table clock (id int primary key, wall timestamp, instant timestamptz, day date, t timetz);
set timezone = 'Asia/Kolkata'; insert into clock values (1, '1999-12-31 23:59:59.999999', '1999-12-31 23:59:59.999999', '1999-12-31', '01:00+05:30');
