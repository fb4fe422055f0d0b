select id, v from early order by id;
-- expect: 1|new
-- expect: 2|waited
-- expect: 3|during
-- expect: 4|after
