-- @source pg
create table l (id int primary key, i int[], t text[], d date[], n numeric(6,2)[]); create table l2 (id int primary key, m int[][], undeclared int[]);
insert into l values (1, '{1,null}', '{"",NULL,"NULL","a,b","{}","\""}', '{2024-02-29,infinity}', '{0.10,null}'), (2, '{}', null, '{}', '{}');
insert into l2 values (1, '{{1,2},{3,4}}', '{{1,2},{3,4}}');
