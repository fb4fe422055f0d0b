-- @source pg
-- @connect small_role:pw
do $$ begin create role small_role login replication password 'pw'; exception when duplicate_object then null; end $$;
do $$ begin execute format('grant create on database %I to small_role', current_database()); end $$;
create table o (id int primary key, v text); alter table o owner to small_role;
create table bag (a int); alter table bag owner to small_role; insert into o values (1, 'x'); insert into bag values (1), (1);
