-- A small shop. Every event of its life is one transaction that also raises version.n, so a state of all tables has a
-- number that both sides can be asked for.

create type order_status as enum ('placed', 'paid', 'shipped', 'cancelled');
create table version (id int primary key, n bigint not null);
create table customers (
  id bigint generated always as identity primary key,
  name text not null,
  email text,
  tags text[] not null default '{}',
  profile jsonb,
  joined_at timestamptz not null default now());
create table stock (
  sku text primary key,
  title text not null,
  price numeric(10,2) not null,
  on_hand int not null,
  moved_at timestamptz);
create table orders (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  status order_status not null default 'placed',
  total numeric(12,2) not null default 0,
  note text,
  placed_at timestamptz not null default now());
create table order_lines (
  order_id bigint not null references orders on delete cascade,
  line int not null,
  sku text not null references stock,
  quantity int not null,
  price numeric(10,2) not null,
  primary key (order_id, line));
create table payments (
  id bigint generated always as identity primary key,
  order_id bigint not null references orders on delete cascade,
  amount numeric(12,2) not null,
  refunded boolean not null default false,
  details jsonb,
  paid_at timestamptz not null default now());

insert into version values (1, 0);
insert into customers (name, email, tags, profile)
select 'Customer ' || i, case when i % 7 > 0 then 'c' || i || '@example.org' end,
  case i % 3 when 0 then '{}' when 1 then array['new'] else array['regular', 'news,letter', null] end,
  case when i % 5 > 0 then jsonb_build_object('language', (array['de','en','fr'])[1 + i % 3], 'points', i * 10) end
from generate_series(1, 1000) i;
insert into stock select 'sku-' || i, 'Article ' || i, (100 + i * 37 % 9000) / 100.0, 10000, null from generate_series(1, 200) i;

-- One sale: order, lines, stock.
create procedure place_order() language plpgsql as $$
declare o bigint; lines int := 1 + floor(random() * 4);
begin
  insert into orders (customer_id, note)
  values (1 + floor(random() * 1000), case when random() < 0.1 then E'Ring the "back" door,\nplease \u00e9' end) returning id into o;
  insert into order_lines
  select o, i, s.sku, 1 + floor(random() * 3), s.price
  from (select sku, price, row_number() over () as i from stock order by random() limit lines) s;
  update stock s set on_hand = s.on_hand - l.quantity, moved_at = now()
  from order_lines l where l.order_id = o and l.sku = s.sku;
  update orders set total = (select sum(quantity * price) from order_lines where order_id = o) where id = o;
end $$;

-- The newest unpaid order is paid.
create procedure pay() language plpgsql as $$
declare o record;
begin
  select id, total into o from orders where status = 'placed' order by id desc limit 1;
  if not found then call place_order(); return; end if;
  update orders set status = 'paid' where id = o.id;
  insert into payments (order_id, amount, details) values (o.id, o.total, jsonb_build_object('by', 'card', 'tries', 1));
end $$;

-- An order is cancelled: goods and money go back. Or an old cancelled one is forgotten.
create procedure cancel() language plpgsql as $$
declare o bigint;
begin
  select id into o from orders where status = 'cancelled' and random() < 0.5 order by id limit 1;
  if found then delete from orders where id = o; return; end if;
  select id into o from orders where status in ('placed', 'paid') order by random() limit 1;
  update orders set status = 'cancelled' where id = o;
  update stock s set on_hand = s.on_hand + l.quantity, moved_at = now()
  from order_lines l where l.order_id = o and l.sku = s.sku;
  update payments set refunded = true where order_id = o;
end $$;

create procedure live_one_moment() language plpgsql as $$
declare dice double precision := random();
begin
  update version set n = n + 1;
  if dice < 0.5 then call place_order();
  elsif dice < 0.8 then call pay();
  elsif dice < 0.9 then call cancel();
  else update customers set tags = array_append(tags, 'seen'), profile = coalesce(profile, '{}') || '{"seen": true}'
    where id = 1 + floor(random() * 1000);
  end if;
end $$;

do $$ begin for i in 1..200 loop call live_one_moment(); end loop; end $$;
