select id, cast(wall as varchar), epoch_us(instant) from clock where id <> 2 order by id;
-- expect: 1|1999-12-31 23:59:59.999999|946664999999999
-- expect: 3|2024-03-31 02:30:00|1729992600000000
select cast(wall as varchar), epoch_us(instant) < -2205000000000000, replace(replace(cast(day as varchar), '(', ''), ')', '') from clock where id = 2;
-- expect: 1900-02-01 00:00:00|true|0044-03-15 BC
select cast(day as varchar) from clock where id in (1, 3) order by id;
-- expect: 1999-12-31
-- expect: infinity
