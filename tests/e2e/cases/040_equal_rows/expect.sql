select cast(cast(a as decimal(18,2)) as varchar), t, count(*) from bag group by all order by 1, 2;
-- expect: 1.00|x|2
-- expect: 1.00|y|1
-- expect: 7.00|seven|1
-- expect: NULL|NULL|1
