-- @source pg
create table part (id int primary key, pad text); create table note (id int primary key);
