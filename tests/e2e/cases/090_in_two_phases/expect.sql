select id, v from acc order by id;
-- expect: 1|11
-- expect: 2|20
