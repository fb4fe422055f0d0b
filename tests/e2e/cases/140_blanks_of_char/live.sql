-- @source pg
insert into code values ('c', 'x ', 1); update code set n = 2 where k = 'a'; delete from code where k = 'b';
