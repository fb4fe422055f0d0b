-- @source pg
insert into w select id + 10, t from w;
update w set t = null where id = 1;
update w set t = '' where id = 2;
