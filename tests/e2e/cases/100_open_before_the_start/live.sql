-- @source pg
-- @no-wait-for-start
select pg_sleep(1.5);
insert into early values (3, 'during');
commit prepared 'early';
insert into early values (4, 'after');
