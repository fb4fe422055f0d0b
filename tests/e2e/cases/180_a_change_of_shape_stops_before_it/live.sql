-- @source pg
insert into s values (2, 'two'); insert into t values (1);
begin; insert into t values (2); alter table s add column w int not null default 5; insert into s values (3, 'three', 3); commit;
insert into t values (3);
-- @ends 1 public.s
