-- @source pg
-- @kill-loop 4
do $$ begin for i in 1..2000 loop update k set v = v + 1 where id = 1 + i % 50; insert into bag values (i, 'x'); commit; end loop; end $$;
-- @end
insert into bag values (0, 'last');
