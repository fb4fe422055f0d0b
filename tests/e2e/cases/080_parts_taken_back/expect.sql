select count(*), min(id), max(id), count(*) filter (where pad = 'wrong') from part;
-- expect: 2000|1|3999|0
select id from note;
-- expect: 3
