-- @source pg
set timezone = 'America/Sao_Paulo'; set datestyle = 'German, DMY'; insert into clock values (2, '01.02.1900 00:00', '01.02.1900 00:00', '01.02.1900', '24:00:00-03');
set timezone = 'Europe/Berlin'; set datestyle = 'ISO'; insert into clock values (3, '2024-03-31 02:30', '2024-10-27 02:30+01', 'infinity', null);
set timezone = 'UTC'; set intervalstyle = 'iso_8601'; update clock set day = '0044-03-15 BC' where id = 2;
