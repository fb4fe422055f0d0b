select hall, seat, guest from seat order by all;
-- expect: 1|1|bob again
-- expect: 1|2|cid
-- expect: 1|3|ann
-- expect: 2|1|fay
-- expect: 3|1|dot
