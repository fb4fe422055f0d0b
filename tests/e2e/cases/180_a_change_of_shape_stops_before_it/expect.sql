select id, v from s order by id;
-- expect: 1|one
-- expect: 2|two
select count(*) from t;
-- expect: 1
