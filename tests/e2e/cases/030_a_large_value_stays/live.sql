-- @source pg
update doc set n = 1 where id = 1;
update doc set id = 22 where id = 2;
begin; update doc set id = -3 where id = 3; update doc set id = 3 where id = 4; update doc set id = 4 where id = -3; commit;
insert into doc values (5, 0, repeat('E', 9000));
update doc set n = 5 where id = 5;
begin; update doc set body = null where id = 1; update doc set n = n + 1 where id = 1; commit;
