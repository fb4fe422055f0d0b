-- @source pg
insert into n values (2, -9223372036854775808, '-Infinity', 'NaN', -0.0001, -51), (3, 0, '-0', 5e-324, 0, null);
update n set d = 0.1::float8 + 0.2 where id = 1;
