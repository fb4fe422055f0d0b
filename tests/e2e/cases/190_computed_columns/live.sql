-- @source pg
insert into g (id, a) values (3, 3); update g set a = 10 where id = 1;
