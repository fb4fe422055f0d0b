-- @source pg
begin; update seat set seat = 0 where guest = 'ann'; update seat set seat = 1 where guest = 'bob'; update seat set seat = 2 where guest = 'cid';
update seat set seat = 3 where guest = 'ann'; commit;
begin; update seat set hall = 3 where guest = 'dot'; insert into seat values (2, 1, 'eve'); delete from seat where guest = 'eve';
insert into seat values (2, 1, 'fay'); commit;
begin; delete from seat where guest = 'bob'; insert into seat values (1, 1, 'bob again'); commit;
