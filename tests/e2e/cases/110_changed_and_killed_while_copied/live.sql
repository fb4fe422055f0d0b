-- @source pg
-- @during-snapshot
update big set v = 1 where id % 4 = 0; delete from bag where a <= 100; update big set id = id + 100000 where id <= 10;
-- @engine kill
delete from big where id between 15001 and 20000; insert into bag values (1, 'again'), (1, 'again');
-- @engine start
-- @during-snapshot
update big set v = v + 1 where id = 11;
-- @engine kill
-- @engine start
insert into big values (200000, 7, 'end');
