select (select string_agg(id, ',' order by id) from parent), (select string_agg(id, ',' order by id) from child);
-- expect: 3|5
select id, v from other order by id;
-- expect: 2|21
-- expect: 9|91
