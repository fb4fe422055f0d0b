-- @source pg
do $$ begin for i in 1..4 loop insert into c select g, i from generate_series(i * 100, i * 100 + 49) g; commit;
perform pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database(); commit; perform pg_sleep(0.4); end loop; end $$;
insert into c values (9999, 9);
