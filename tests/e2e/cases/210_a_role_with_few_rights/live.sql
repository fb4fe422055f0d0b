-- @source pg
insert into o values (2, 'y'); update o set v = 'z' where id = 1; delete from bag where ctid = (select min(ctid) from bag);
