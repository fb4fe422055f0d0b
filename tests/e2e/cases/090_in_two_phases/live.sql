-- @source pg
begin; update acc set v = 10 where id = 1; prepare transaction 'yes';
begin; insert into acc values (3, 3); prepare transaction 'no';
update acc set v = 20 where id = 2;
-- @sync
-- @engine kill
commit prepared 'yes';
-- @engine start
rollback prepared 'no'; update acc set v = v + 1 where id = 1;
