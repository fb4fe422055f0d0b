select count(*), count(*) filter (where region = 'n') from m;
-- expect: 101|27
