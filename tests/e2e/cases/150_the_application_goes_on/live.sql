-- @source pg
update nokey set t = 'z' where a = 1; delete from nokey where a = 2;
update late set t = 'z' where id = 1; delete from late where id = 2;
update half set t = 'z' where id = 1; delete from half where id = 2;
