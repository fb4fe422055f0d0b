-- @source pg
create table early (id int primary key, v text); insert into early values (1, 'old');
begin; insert into early values (2, 'waited'); update early set v = 'new' where id = 1; prepare transaction 'early';
