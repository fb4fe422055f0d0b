-- @source pg
insert into l select id + 10, i, t, d, n from l; insert into l2 values (2, '{{5,6},{7,8}}', '{{5,6},{7,8}}'); update l set i = array_append(i, 3) where id = 1;
