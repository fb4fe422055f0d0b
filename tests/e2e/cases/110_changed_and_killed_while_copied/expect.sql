select count(*), sum(v), max(id) from big;
-- expect: 15001|3758|200000
select count(*), count(distinct a), count(*) filter (where pad = 'again') from bag;
-- expect: 19902|19901|2
