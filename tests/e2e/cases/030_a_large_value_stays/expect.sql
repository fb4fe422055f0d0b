select id, n, length(body), left(body, 1) from doc order by id;
-- expect: 1|2|NULL|NULL
-- expect: 3|0|9000|D
-- expect: 4|0|9000|C
-- expect: 5|5|9000|E
-- expect: 22|0|9000|B
