-- @source pg
begin; insert into part select g, repeat('a', 400) from generate_series(1, 4000) g;
savepoint one; insert into part select g, repeat('b', 400) from generate_series(10001, 14000) g; insert into note values (1);
savepoint two; update part set pad = 'wrong' where id <= 50; rollback to two; insert into note values (2); rollback to one;
savepoint three; insert into note values (3); release three;
delete from part where id % 2 = 0; commit;
begin; insert into part select g, repeat('c', 400) from generate_series(20001, 24000) g; rollback;
