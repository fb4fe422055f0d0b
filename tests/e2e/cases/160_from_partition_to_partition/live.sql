-- @source pg
update m set region = 's' where region = 'n' and id <= 50;
update m set region = 'n', v = 9 where id = 99; delete from m where id = 1;
insert into m values (500, 'w', 1); insert into m values (501, 'n', 1);
