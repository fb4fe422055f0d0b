select count(*), count(distinct id), sum(v) from c;
-- expect: 202|202|509
