-- @source pg
delete from bag where ctid = (select min(ctid) from bag where a = 1 and scale(a) = 1);
update bag set t = 'y' where ctid = (select min(ctid) from bag where a = 1 and scale(a) = 2);
delete from bag where ctid = (select min(ctid) from bag where a is null);
insert into bag values (1.0, 'x');
begin; insert into bag values (7, 'seven'), (7, 'seven'); delete from bag where ctid = (select max(ctid) from bag where a = 7); commit;
