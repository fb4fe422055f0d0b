select count(*), sum(v), min(v), max(v) from k;
-- expect: 50|2000|40|40
select count(*), count(distinct n) from bag;
-- expect: 2001|2001
