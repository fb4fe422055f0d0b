select id, cast(i as varchar), len(t), t[1], t[2], t[3], t[4], t[5], t[6] from l where id in (1, 11) order by id;
-- expect: 1|[1, NULL, 3]|6||NULL|NULL_TEXT|a,b|{}|"
-- expect: 11|[1, NULL]|6||NULL|NULL_TEXT|a,b|{}|"
select id, t is null, len(i), len(n) from l where id in (2, 12) order by id;
-- expect: 2|true|0|0
-- expect: 12|true|0|0
select id, cast(m as varchar), cast(undeclared as varchar) from l2 order by id;
-- expect: 1|[[1, 2], [3, 4]]|ANYOF([[1, 2], [3, 4]];{{1,2},{3,4}})
-- expect: 2|[[5, 6], [7, 8]]|ANYOF([[5, 6], [7, 8]];{{5,6},{7,8}})
