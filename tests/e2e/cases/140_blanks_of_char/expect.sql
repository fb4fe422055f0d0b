select length(k), k, v || '|', n from code order by k;
-- expect: 5|a    |x ||2
-- expect: 5|ab cd|||1
-- expect: 5|c    |x ||1
