-- @source pg
create table seat (hall int, seat int, guest text, primary key (hall, seat));
insert into seat values (1, 1, 'ann'), (1, 2, 'bob'), (1, 3, 'cid'), (2, 1, 'dot');
