select * from nokey;
-- expect: 1|z
select * from late;
-- expect: 1|z
select * from half;
-- expect: 1|z
