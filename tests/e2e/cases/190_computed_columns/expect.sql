select id, a from g order by id;
-- expect: 1|10
-- expect: 2|2
-- expect: 3|3
