-- @source pg
insert into child values (2, 2); truncate parent cascade; insert into parent values (3);
begin; update other set v = 10; truncate other; insert into other values (2, 20), (9, 90); update other set v = v + 1; commit;
begin; truncate parent, child, other; rollback;
begin; insert into child values (5, 3); savepoint s; truncate child; rollback to s; commit;
