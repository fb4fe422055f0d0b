select count(*), max(id), max(tries) from q;
-- expect: 10|10|100
