-- @source pg
do $$ begin for i in 1..40 loop update ver set n = i; commit; end loop; end $$;
-- @engine stop
update ver set n = 50;
-- @engine start
update ver set n = n + 1;
-- @engine kill
update ver set n = n + 1 where id % 2 = 0; update ver set n = n + 1 where id % 2 = 1;
-- @engine start
update ver set n = n + 1;
