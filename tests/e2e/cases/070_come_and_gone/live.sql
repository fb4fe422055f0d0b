-- @source pg
do $$ begin for i in 1..300 loop insert into q values (1000 + i, 0); commit; update q set tries = i where id = 1000 + i; commit;
delete from q where id = 1000 + i; commit; end loop; end $$;
begin; insert into q select g, 1 from generate_series(2000, 4000) g; delete from q where id >= 2000; commit;
do $$ begin for i in 1..100 loop update q set tries = i where id = 3; end loop; end $$;
