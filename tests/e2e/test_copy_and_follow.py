"""One command copies every table and follows every commit; the copy is equal in every column and only shows true states."""

from lib import mirror_test, shop, wait

# One table a family of types; `setup` rows are copied, the same rows come again through the stream with other keys.
TYPES = """
create type mood as enum ('happy', 'so so', 'sad');
create domain amount as numeric(9,3) check (value >= 0);
create type pair as (a int, b text);
create table numbers (id int primary key, i2 smallint, i4 int, i8 bigint, o oid, f4 real, f8 double precision,
  n numeric(20,4), free numeric, b boolean, d amount);
create table words (id int primary key, t text, v varchar(40), c char(8), n name, m mood, b bytea, u uuid, j json, jb jsonb);
create table times (id int primary key, d date, t time, tz timetz, ts timestamp, tstz timestamptz, i interval);
create table lists (id int primary key, i int[], t text[], n numeric(10,2)[], ts timestamptz[], m mood[], u uuid[]);
create table others (id int primary key, bits bit(5), vb bit varying, ip inet, net cidr, mac macaddr, cash money, r int4range,
  p pair, vec tsvector, pt point, lsn pg_lsn);
create table "Mixed Case" (id int primary key, "Größe" text, "select" int, "with ""quotes"" in" text);
create table two_keys (a int, b text, v text, primary key (a, b));
create table keyless (a int, t text);
create table by_index (code text not null, v int);
create unique index by_index_code on by_index (code);
alter table by_index replica identity using index by_index_code;
create table only_insert (at timestamptz default now(), what text);
create table empty (id int primary key, v text);
create table big_text (id int primary key, n int, doc text);
alter table big_text alter doc set storage external;
"""

ROWS = """
insert into numbers values
 ({k}+1, -32768, -2147483648, -9223372036854775808, 4294967295, 'nan', 'infinity', -9999999999999999.9999, 123456789.0123456789, true, 0),
 ({k}+2, 32767, 2147483647, 9223372036854775807, 0, 1.17549435e-38, 4.9406564584124654e-324, 0.0001, 0.5, false, 1.125),
 ({k}+3, 0, 0, 0, 1, '-0', 0.1::float8 + 0.2::float8, 0, -1, null, 999999.999),
 ({k}+4, null, null, null, null, null, null, null, null, null, null);
insert into words values
 ({k}+1, '', '', '', 'n', 'so so', '', '00000000-0000-0000-0000-000000000000', '{{"a" : 1,  "a":2}}', '{{"a":1.50}}'),
 ({k}+2, E'tab\\there\\nline\\\\N "quoted", ''single''', 'x  ', 'pad', 'NULL', 'sad', '\\x00ff5c', gen_random_uuid(), 'null', '[]'),
 ({k}+3, E'\\U0001F600 e\\u0301 \\u05D0', 'NULL', 'blank  ', '', 'happy', null, null, '"\\u00e9"', '{{"k": [null, true, "x"]}}'),
 ({k}+4, null, null, null, null, null, null, null, null, null),
 ({k}+5, E'\\x01\\x7f', '\\N', '\\.', '', null, '\\x01', null, '1e400', '12345678901234567890.123');
insert into times values
 ({k}+1, '0001-01-01', '00:00', '00:00+00', '0001-01-01 00:00', '0001-01-01 00:00+00', '0'),
 ({k}+2, '9999-12-31', '24:00', '23:59:59.999999-11', '9999-12-31 23:59:59.999999', '9999-12-31 23:59:59.999999+00', '1 year 2 mons 3 days 04:05:06.789'),
 ({k}+3, 'infinity', '23:59:59.999999', '02:00+05:30', 'infinity', '-infinity', '-1 mons +2 days -03:00:00'),
 ({k}+4, '1900-01-01', null, null, '2024-03-10 02:30:00', '2024-11-03 01:30:00-04', '25 hours'),
 ({k}+5, null, null, null, null, null, null);
insert into lists values
 ({k}+1, '{{1,null,3}}', '{{a,NULL,"NULL","x,y","{{z}}","q\\"q","b\\\\s",""}}', '{{1.10,null}}', '{{"2024-01-01 00:00+00"}}', '{{happy,null}}', '{{00000000-0000-0000-0000-000000000001}}'),
 ({k}+2, '{{}}', null, '{{}}', '{{}}', null, '{{}}');
insert into others values
 ({k}+1, b'10101', b'1', '192.168.0.1/24', '10.0.0.0/8', '08:00:2b:01:02:03', 1234.56, '[1,5)', '(1,"x,""y")', 'a fat cat', '(1.5,-2)', '0/16B3748'),
 ({k}+2, null, null, '::1', null, null, -0.01, 'empty', null, '', null, null);
insert into "Mixed Case" values ({k}+1, 'groß', 5, 'q"q'), ({k}+2, null, null, null);
insert into two_keys values ({k}+1, 'a', 'x'), ({k}+1, 'A', 'y'), ({k}+2, '', null);
insert into keyless values (1, 'same'), (1, 'same'), (2, null), ({k}, 'other');
insert into by_index values ('{k}-a', 1), ('{k}-b', null);
insert into only_insert (what) select 'w' || i from generate_series(1, 50) i;
insert into big_text select {k}+i, 0, (select string_agg(md5(({k}+i*1000+g)::text), '') from generate_series(1, 400) g) from generate_series(1, 3) i;
"""

CHANGES = """
update numbers set f8 = -f8, n = n + 0.0001 where id % 1000 < 3;
update words set c = 'new', t = 'changed' where id % 1000 = 1;
delete from times where id % 1000 = 4;
update lists set i = i || 9, t = null where id % 1000 = 1;
update others set ip = '2001:db8::/32', vb = b'' where id % 1000 = 2;
update "Mixed Case" set "select" = coalesce("select", 0) + 1;
update two_keys set b = b || '!' where a = 1;
delete from keyless where ctid = (select min(ctid) from keyless where a = 1);
update keyless set t = 'one of two' where ctid = (select min(ctid) from keyless where a = 1);
update by_index set v = 7;
update by_index set code = 'moved-' || code where v = 7;
update big_text set n = n + 1;
update big_text set id = id + 500 where id % 1000 = 2;
insert into empty select i, 'v' from generate_series(1, 10) i;
begin; truncate empty; insert into empty values (99, 'after'); commit;
begin; delete from two_keys; rollback;
begin; update two_keys set a = -1 where a = 1; update two_keys set a = 1 where a = 2; update two_keys set a = 2 where a = -1; commit;
"""


class CopyAndFollow(mirror_test.MirrorTest):
    def test_every_type_arrives_equal_on_both_paths(self):
        self.sql(TYPES + ROWS.format(k=0))
        engine = self.engine().start()
        engine.wait_caught_up()
        self.sql(ROWS.format(k=1000) + CHANGES)
        self.finish(engine)

    def test_partitions_arrive_with_all_their_rows(self):
        self.sql("""
          create table events (id int, day date, v text, primary key (id, day)) partition by range (day);
          create table events_1 partition of events for values from ('2024-01-01') to ('2024-02-01');
          create table events_2 partition of events for values from ('2024-02-01') to ('2024-03-01');
          insert into events select i, '2024-01-01'::date + i % 60, 'v' || i from generate_series(1, 500) i where i % 60 < 59;
          create table plain (id int primary key)""")
        engine = self.engine().start()
        engine.wait_caught_up()
        self.sql("""
          insert into events values (1001, '2024-01-05', 'new'), (1002, '2024-02-05', 'new');
          update events set day = '2024-02-20' where id = 1001;
          delete from events where id < 10;
          insert into plain values (1)""")
        self.finish(engine)

    def test_the_shop_is_copied_while_it_sells(self):
        """Every answer is a state that the shop was in, from the first one, and the versions never fall."""
        self.sql(shop.SCHEMA)
        with shop.Writer(self.cluster, self.database, clients=2) as writer:
            engine = self.engine().start()
            engine.wait_caught_up()
            seen = []
            while len({row[0] for row in seen}) < 20:
                seen += engine.query(shop.REPORT)
            self.assertEqual(writer.stop(), "")
        for row in seen:
            self.assertTrue(shop.sound(row), f"not a true state: {dict(zip(shop.COLUMNS, row))}")
        versions = [int(row[0]) for row in seen]
        self.assertEqual(versions, sorted(versions))
        self.finish(engine)

    def test_a_commit_is_visible_within_a_second(self):
        self.sql("create table t (id int primary key, v int); insert into t values (1, 0)")
        engine = self.engine().start()
        engine.wait_caught_up()
        for i in range(1, 6):
            self.sql(f"update t set v = {i} where id = 1")
            wait.until(lambda i=i: engine.value("select v from t") == str(i), f"v = {i} is visible", 5, every=0.01)
        self.finish(engine)

    def test_until_caught_up_ends_and_keeps_the_slot(self):
        self.sql(shop.SCHEMA)
        engine = self.engine().start("--until-caught-up")
        self.assertEqual(engine.wait_end(), 0, engine.log_tail())
        self.assert_equal_on_disk(engine)
        self.assertEqual(len(self.cluster.slots()), 1)
        self.assertIn("slot", engine.log())
        self.sql("call live_one_moment(); call live_one_moment()")
        engine.start("--until-caught-up")
        self.assertEqual(engine.wait_end(), 0, engine.log_tail())
        self.assert_equal_on_disk(engine)
        engine.drop("--from", engine.source)
        self.assert_source_clean()

    def test_wait_for_a_position_and_for_a_state(self):
        self.sql("create table t (id int primary key)")
        engine = self.engine().start()
        engine.wait_caught_up()
        before = int(engine.status()["applied"]["state_id"])
        self.sql("insert into t values (1)")
        position = self.value("select pg_current_wal_insert_lsn()")
        engine.must("wait", "--position", position, "--timeout", 30)
        self.assertEqual(engine.value("select count(*) from t"), "1")
        engine.must("wait", "--state-id", before + 1, "--timeout", 30)
        code, _, _ = engine.call("wait", "--state-id", before + 1_000_000, "--timeout", 1)
        self.assertEqual(code, 4)
        self.finish(engine)

    def test_only_the_chosen_tables(self):
        self.sql("create table a1 (id int primary key); create table a2 (id int primary key); create table b (id int primary key);"
                 "insert into a1 values (1); insert into a2 values (1); insert into b values (1)")
        engine = self.engine("--tables", "a*", "--exclude", "a2").start()
        engine.wait_caught_up()
        self.sql("insert into a1 values (2); insert into a2 values (2); insert into b values (2)")
        engine.wait_caught_up()
        self.assertEqual(engine.query("select table_name from information_schema.tables where table_schema = 'public'"), [["a1"]])
        self.finish(engine, tables=["a1"])

    def test_keyless_tables_may_be_left_out(self):
        self.sql("create table k (a int); create table t (id int primary key); insert into k values (1)")
        engine = self.engine("--keyless", "leave-out").start()
        engine.wait_caught_up()
        self.assertEqual(engine.table("k")["state"], "left_out")
        self.assertEqual(self.cluster.identities(self.database), [])
        self.sql("update k set a = 2; delete from k; insert into t values (1)")  # the application is not harmed
        self.finish(engine, tables=["t"])


if __name__ == "__main__":
    mirror_test.main()
