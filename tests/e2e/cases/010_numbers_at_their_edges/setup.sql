-- @source pg
create table n (id int primary key, b bigint, r real, d double precision, m numeric(38,4), small numeric(4,-2));
insert into n values (1, 9007199254740993, 'NaN', '-Infinity', 9999999999999999999999999999999999.9999, 12345);
