select id, b, lower(cast(r as varchar)), cast(m as varchar) from n order by id;
-- expect: 1|9007199254740993|nan|9999999999999999999999999999999999.9999
-- expect: 2|-9223372036854775808|-inf|-0.0001
-- expect: 3|0|-0.0|0.0000
select d = 0.30000000000000004::double from n where id = 1;
-- expect: true
select isnan(d) from n where id = 2;
-- expect: true
select d > 0 and d < 1e-300 from n where id = 3;
-- expect: true
select id, cast(small as decimal(18,0)) from n order by id;
-- expect: 1|12300
-- expect: 2|-100
-- expect: 3|NULL
