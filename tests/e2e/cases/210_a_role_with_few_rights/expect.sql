select id, v from o order by id;
-- expect: 1|z
-- expect: 2|y
select count(*) from bag;
-- expect: 1
