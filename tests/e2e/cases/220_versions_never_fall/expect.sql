select count(*), min(n), max(n) from ver;
-- expect: 500|53|53
