-- @source pg
create table m (id int, region text, v int, primary key (id, region)) partition by list (region);
create table m_north partition of m for values in ('n'); create table m_rest partition of m default;
insert into m select g, case when g % 2 = 0 then 'n' else 's' end, 0 from generate_series(1, 100) g;
