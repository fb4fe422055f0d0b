"""What a user can get wrong, and what a machine can do to us: each gets a message that says what, where and what to do, the
right exit code, and nothing is lost or left. Where the cause passes, the run goes on by itself."""

import os
import shutil
import sqlite3
import subprocess
import sys
import unittest
from pathlib import Path

from lib import compare, mirror_test, places, wait

SECRET = "s3cret-pässword"

HOLD_FILE = """
import sys
sys.path.insert(0, sys.argv[1])
import duckdb
held = duckdb.connect(sys.argv[2])
print('held', flush=True)
sys.stdin.read()
"""


class BadInput(mirror_test.MirrorTest):
    hba = ("host all with_password 127.0.0.1/32 scram-sha-256",)

    def setUp(self):
        super().setUp()
        self.sql("create table t (id int primary key, v text); insert into t select g, 'v' from generate_series(1, 500) g")

    def assert_refuses(self, engine, code, *said, seconds=60, options=()):
        """It ends with `code`, its message has all of `said`, and it is one line of prose, not a stack of them."""
        engine.start(*options)
        got = engine.wait_end(seconds)
        log = engine.log()
        codes = code if isinstance(code, tuple) else (code,)
        self.assertIn(got, codes, log)
        for words in said:
            alternatives = (words,) if isinstance(words, str) else words
            self.assertTrue(any(w.lower() in log.lower() for w in alternatives), f"nothing of {alternatives} in: {log}")
        self.assertNotIn(SECRET, log)
        return log

    def assert_nothing_left(self, engine):
        self.assert_source_clean()
        self.assertEqual(engine.left_on_disk(), [])

    # ---- The source ----

    def test_nothing_listens_there(self):
        port = places.free_port()
        engine = self.engine(source=f"postgresql://postgres@127.0.0.1:{port}/shop")
        self.assert_refuses(engine, 1, "127.0.0.1", str(port), ("refused", "cannot connect"), seconds=90)
        self.assert_nothing_left(engine)

    def test_no_such_host(self):
        engine = self.engine(source="postgresql://postgres@no-such-host.invalid/shop")
        self.assert_refuses(engine, 1, "no-such-host.invalid", seconds=90)
        self.assert_nothing_left(engine)

    def test_no_such_database(self):
        engine = self.engine(source=self.cluster.url("absent"))
        self.assert_refuses(engine, 1, 'database \\"absent\\"')
        self.assert_nothing_left(engine)

    def test_wrong_password(self):
        self.sql(f"do $$ begin create role with_password login replication superuser password '{SECRET}'; "
                 "exception when duplicate_object then end $$")
        engine = self.engine(source=self.cluster.url(self.database, "with_password", "wrong " + SECRET))
        self.assert_refuses(engine, 1, "with_password", "password")
        self.assert_nothing_left(engine)
        good = self.engine(source=self.cluster.url(self.database, "with_password"), folder=self.folder / "good",
                           environment={"PGPASSWORD": SECRET})
        good.start("--until-caught-up")
        self.assertEqual(good.wait_end(), 0, good.log())
        for place in [*good.state.rglob("*"), good.log_path()]:
            if place.is_file():
                self.assertNotIn(SECRET.encode(), place.read_bytes(), f"the password stands in {place}")
        good.drop("--from", good.source)
        self.assert_source_clean()

    def test_password_from_a_variable_and_from_a_file(self):
        self.sql(f"do $$ begin create role with_password login replication superuser password '{SECRET}'; "
                 "exception when duplicate_object then end $$")
        place = self.folder / "password"
        place.write_text(SECRET + "\n")
        place.chmod(0o600)
        for number, word in enumerate(("env:SHOP_PASSWORD", f"file:{place}")):
            url = f"postgresql://with_password:{word}@127.0.0.1:{self.cluster.port}/{self.database}"
            engine = self.engine(source=url, folder=self.folder / str(number), environment={"SHOP_PASSWORD": SECRET})
            engine.start("--until-caught-up")
            self.assertEqual(engine.wait_end(), 0, engine.log_tail())
            self.assert_equal_on_disk(engine)
            engine.drop("--from", url)
        self.assert_source_clean()

    def test_no_right_to_replicate(self):
        self.sql("do $$ begin create role plain login; exception when duplicate_object then end $$; grant select on t to plain")
        engine = self.engine(source=self.cluster.url(self.database, "plain"))
        self.assert_refuses(engine, 3, "plain", "REPLICATION")
        self.assert_nothing_left(engine)

    def test_no_right_to_read_a_table(self):
        self.sql("do $$ begin create role reader login replication; exception when duplicate_object then end $$;"
                 f"grant create on database {self.database} to reader; create table hidden (id int primary key)")
        engine = self.engine(source=self.cluster.url(self.database, "reader"))
        self.assert_refuses(engine, 3, ("hidden", "public.t"), ("grant", "own"))
        self.assert_nothing_left(engine)
        self.sql("drop owned by reader; drop role reader")

    def test_no_free_slot(self):
        count = int(self.value("show max_replication_slots"))
        self.sql(f"select pg_create_physical_replication_slot('taken_' || g) from generate_series(1, {count}) g")
        engine = self.engine()
        self.assert_refuses(engine, (1, 3), "slot", "max_replication_slots")
        self.assertEqual(len(self.cluster.slots()), count)
        self.sql("select pg_drop_replication_slot(slot_name) from pg_replication_slots")
        self.assert_nothing_left(engine)

    def test_an_open_transaction_blocks_slot_creation(self):
        with self.cluster.session(self.database) as other:
            pid = other.run("begin; insert into t values (-1, 'open'); select pg_backend_pid()").split()[-1]
            engine = self.engine().start()
            engine.wait_said(pid)
            self.assertTrue(engine.running())
            other.run("commit")
            self.finish(engine)

    def test_a_prepared_transaction_blocks_slot_creation(self):
        self.sql("begin; insert into t values (-2, 'prepared'); prepare transaction 'forgotten one'")
        engine = self.engine().start()
        engine.wait_said("forgotten one")
        self.sql("commit prepared 'forgotten one'")
        self.finish(engine)

    def test_interrupted_while_it_waits_for_a_slot(self):
        with self.cluster.session(self.database) as other:
            pid = other.run("begin; insert into t values (-1, 'open'); select pg_backend_pid()").split()[-1]
            engine = self.engine().start()
            engine.wait_said(pid)
            engine.stop()
            other.run("rollback")
        engine.drop("--from", engine.source)
        self.assert_nothing_left(engine)

    def test_the_slot_is_in_use_by_another(self):
        engine = self.engine().start()
        engine.wait_caught_up()
        engine.stop()
        slot = self.cluster.slots()[0]
        publication = self.cluster.publications(self.database)[0]
        thief = self.cluster.program("pg_recvlogical", "-d", self.database, "--slot", slot, "--start", "-f", "/dev/null",
                                     "-o", "proto_version=1", "-o", f"publication_names={publication}")
        try:
            wait.until(lambda: self.value("select active_pid from pg_replication_slots"), "the slot is taken", 20)
            pid = self.value("select active_pid from pg_replication_slots")
            engine.start()
            engine.wait_said(pid, 60)
        finally:
            thief.terminate()
            thief.communicate()
        self.sql("insert into t values (1000, 'after')")
        self.finish(engine)

    def test_the_slot_was_dropped(self):
        engine = self.engine().start()
        engine.wait_caught_up()
        engine.stop()
        self.sql("select pg_drop_replication_slot(slot_name) from pg_replication_slots")
        self.assert_refuses(engine, (1, 3), "slot", ("drop", "resync", "again"))
        self.assert_equal_on_disk(engine)
        engine.drop("--from", engine.source)
        self.assert_nothing_left(engine)

    def test_a_schema_change_that_cannot_be_followed_yet(self):
        """It stops before the commit that holds the change; everything before it is there."""
        engine = self.engine().start()
        engine.wait_caught_up()
        self.sql("insert into t values (1001, 'before')")
        self.sql("begin; alter table t add column w int default 7; insert into t values (1002, 'with', 1); commit")
        self.sql("insert into t values (1003, 'after', 2)")
        self.assertEqual(engine.wait_end(), 1, engine.log_tail())
        self.assertIn("public.t", engine.log())
        with compare.File(engine.file) as copy:
            self.assertEqual(copy.query("select id from t where id > 1000"), [["1001"]])
        engine.drop("--from", engine.source)
        self.assert_source_clean()

    # ---- What was typed ----

    def test_wrong_usage(self):
        engine = self.engine()
        for words in (["run"], ["run", "--from", "nonsense"], ["run", "--from", "oracle://h/d"], ["query"], ["frobnicate"],
                      ["run", "--from", engine.source, "--no-such-option"], ["wait", "--state", str(engine.state)],
                      ["run", "--from", engine.source, "--to", "paper:x"], ["run", "--from", engine.source, "--keyless", "maybe"]):
            with self.subTest(" ".join(words)):
                done = subprocess.run([engine.program, *words], capture_output=True, text=True, check=False, timeout=60,
                                      env=engine.environment, cwd=self.folder)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertNotEqual(done.stderr.strip(), "")
        self.assert_nothing_left(engine)

    def test_an_unknown_pattern_in_tables(self):
        engine = self.engine("--tables", "t,tabel*")
        self.assert_refuses(engine, (2, 3), "tabel*")
        self.assert_nothing_left(engine)

    def test_a_query_that_writes(self):
        engine = self.engine().start()
        engine.wait_caught_up()
        outside = self.folder / "out.csv"
        for sql in ("delete from t", "create table x (a int)", f"copy t to '{outside}'", "attach ':memory:' as m",
                    "select * from read_csv('/etc/passwd')", "install httpfs", "drop table t", "select 1; delete from t",
                    "update lockstep.mirrors set state_id = 0", "set memory_limit = '1GB'", "select * from '/etc/passwd'"):
            with self.subTest(sql):
                code, out, said = engine.call("query", sql)
                self.assertEqual(code, 1, f"{out}{said}")
                self.assertNotEqual(said.strip(), "")
        self.assertFalse(outside.exists())
        code, _, said = engine.call("query", "selec 1")
        self.assertEqual(code, 1)
        self.assertIn("selec", said)
        self.finish(engine)

    # ---- The destination ----

    def test_the_destination_file_is_locked(self):
        """The run waits for the other program and goes on when that has ended."""
        engine = self.engine()
        module_folder = str(places.where("python-duckdb"))
        with subprocess.Popen([sys.executable, "-c", HOLD_FILE, module_folder, str(engine.file)], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as holder:
            self.assertEqual(holder.stdout.readline().strip(), "held")
            engine.start()
            engine.wait_said(str(holder.pid), 60)
            self.assertTrue(engine.running(), engine.log_tail())
            holder.stdin.close()
            holder.wait()
        self.finish(engine)

    def test_the_destination_is_no_duckdb_file(self):
        engine = self.engine()
        engine.file.write_text("this is somebody's letter\n" * 1000)
        before = engine.file.read_bytes()
        self.assert_refuses(engine, (1, 3), "copy.duckdb", "duckdb")
        self.assertEqual(engine.file.read_bytes(), before)
        self.assert_nothing_left(engine)

    def test_the_destination_folder_is_not_there(self):
        engine = self.engine(destination=f"duckdb:{self.folder}/no/such/folder/copy.duckdb")
        self.assert_refuses(engine, (1, 2, 3), "no/such/folder")
        self.assert_nothing_left(engine)

    def test_the_destination_belongs_to_another_mirror(self):
        first = self.engine().start("--until-caught-up")
        self.assertEqual(first.wait_end(), 0, first.log())
        second = self.engine("--mirror", "other", folder=self.folder / "second", destination=first.destination)
        self.assert_refuses(second, (1, 3), "copy.duckdb", ("another", "belongs", "mirror"))
        self.assertEqual(len(self.cluster.slots()), 1)
        self.assertEqual(second.left_on_disk(), [])
        self.assert_equal_on_disk(first)
        first.start()
        self.finish(first)

    def test_the_destination_belongs_to_another_database(self):
        first = self.engine().start("--until-caught-up")
        self.assertEqual(first.wait_end(), 0, first.log())
        self.cluster.create("shop2")
        self.cluster.sql("create table t (id int primary key, v text)", "shop2")
        second = self.engine("--mirror", "shop", source=self.cluster.url("shop2"), folder=self.folder / "second",
                             destination=first.destination)
        self.assert_refuses(second, (1, 3), "copy.duckdb", ("another", "database", "belongs"))
        self.assertEqual(self.cluster.publications("shop2"), [])
        self.assertEqual(len(self.cluster.slots()), 1)
        first.start()
        self.finish(first)

    def test_the_destination_comes_from_a_newer_version(self):
        engine = self.engine().start("--until-caught-up")
        self.assertEqual(engine.wait_end(), 0, engine.log_tail())
        with places.duckdb_module().connect(str(engine.file)) as later:
            later.execute("update lockstep_internal.about set format = format + 1")
        self.assert_refuses(engine, (1, 3), "copy.duckdb", "newer")
        with places.duckdb_module().connect(str(engine.file)) as later:
            later.execute("update lockstep_internal.about set format = format - 1")
        engine.start()
        self.finish(engine)

    def test_the_users_own_table_is_not_overwritten(self):
        """A file that already has a table of that name, not made by us."""
        engine = self.engine()
        with places.duckdb_module().connect(str(engine.file)) as mine:
            mine.execute("create schema if not exists public; create table public.t (precious int); insert into public.t values (42)")
        self.assert_refuses(engine, (1, 3), "public.t")
        with compare.File(engine.file) as copy:
            self.assertEqual(copy.query("select precious from public.t"), [["42"]])
        self.assert_nothing_left(engine)

    # ---- The state folder ----

    def test_the_state_folder_belongs_to_another_mirror(self):
        first = self.engine().start("--until-caught-up")
        self.assertEqual(first.wait_end(), 0, first.log())
        first.options = ["--mirror", "other"]
        self.assert_refuses(first, (1, 2, 3), ("mirror", "belongs"), "shop")
        first.options = []
        first.start()
        self.finish(first)

    def test_the_state_folder_comes_from_a_newer_version(self):
        engine = self.engine().start("--until-caught-up")
        self.assertEqual(engine.wait_end(), 0, engine.log_tail())
        with sqlite3.connect(engine.state / "catalog.sqlite") as later:
            later.execute("pragma user_version = 99")
        self.assert_refuses(engine, 1, "catalog", "newer")

    def test_two_processes_on_one_mirror(self):
        first = self.engine().start()
        first.wait_caught_up()
        second = self.engine(folder=self.folder)
        second.runs = 10  # its own log
        self.assert_refuses(second, 1, ("running", "in use", "lock"), seconds=90)
        self.finish(first)

    def damage(self, engine, name, where):
        paths = sorted((p for p in engine.state.rglob(name) if p.is_file()), key=lambda p: p.stat().st_size)
        self.assertTrue(paths, f"no {name} in {[str(p) for p in engine.state.rglob('*')]}")
        content = bytearray(paths[-1].read_bytes())
        at = int(len(content) * where) if where < 1 else where
        content[at:at + 8] = bytes(b ^ 0x5A for b in content[at:at + 8])
        paths[-1].write_bytes(content)
        return paths[-1]

    def test_a_damaged_catalog(self):
        engine = self.engine().start("--until-caught-up")
        self.assertEqual(engine.wait_end(), 0, engine.log_tail())
        self.damage(engine, "catalog.sqlite", 16)
        self.damage(engine, "catalog.sqlite", 100)
        self.assert_refuses(engine, 1, "catalog")
        self.assert_equal_on_disk(engine)

    def test_a_damaged_journal(self):
        """Never cut in the middle and gone on: that would be a hole."""
        engine = self.engine().start()
        engine.wait_caught_up()
        engine.must("pause")
        self.sql("do $$ begin for i in 1..2000 loop update t set v = i::text where id = 1 + i % 500; commit; end loop; end $$")
        written = int(self.value("select pg_current_wal_insert_lsn() - '0/0'"))
        wait.until(lambda: int(self.value("select confirmed_flush_lsn - '0/0' from pg_replication_slots")) >= written,
                   "everything is in the journal", 60)
        engine.kill()
        journal = [p for p in engine.state.rglob("*") if p.is_file() and "journal" in str(p.relative_to(engine.state))]
        self.assertTrue(journal, "where is the journal?")
        self.damage(engine, max(journal, key=lambda p: p.stat().st_size).name, 0.5)
        engine.start()
        wait.until(lambda: not engine.running() or (engine.status() or {}).get("state") == "paused", "it has begun", 60)
        if engine.running():
            engine.must("resume")
        self.assertEqual(engine.wait_end(), 1, engine.log_tail())
        self.assertIn("journal", engine.log())

    def test_a_state_folder_that_cannot_be_written(self):
        engine = self.engine()
        engine.state = Path("/proc/lockstep")
        engine.start()
        self.assertIn(engine.wait_end(), (1, 2), engine.log_tail())
        self.assertIn("/proc/lockstep", engine.log())
        self.assert_source_clean()

    # ---- The disk ----

    @unittest.skipIf(os.geteuid() != 0, "mounting a small disk needs root")
    def test_a_full_disk(self):
        """The journal's disk fills while the destination is paused: nothing is lost, and it goes on when there is room."""
        small = self.folder / "small"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", small], check=False).returncode != 0:
            self.skipTest("mounting is not allowed here")
        self.addCleanup(subprocess.run, ["umount", "-l", str(small)], check=False)
        engine = self.engine()
        engine.state = small / "state"
        engine.start()
        engine.wait_caught_up()
        engine.must("pause")
        filler = small / "filler"
        filler.write_bytes(bytes(shutil.disk_usage(small).free - 5_000_000))
        self.sql("insert into t select g, repeat(md5(g::text), 20) from generate_series(1001, 20000) g")
        engine.wait_said("disk", 60)
        self.assertTrue(engine.running(), engine.log_tail())
        self.assertEqual(engine.status()["state"], "paused")
        filler.unlink()
        engine.must("resume")
        self.assert_equal_while_running(engine)
        engine.stop()
        engine.drop("--from", engine.source)
        self.assert_source_clean()


class NotLogical(mirror_test.MirrorTest):
    settings = {"wal_level": "replica"}

    def test_wal_level(self):
        self.sql("create table t (id int primary key)")
        engine = self.engine().start()
        self.assertEqual(engine.wait_end(), 3, engine.log_tail())
        self.assertIn("wal_level", engine.log())
        self.assertIn("logical", engine.log())
        self.assert_source_clean()
        self.assertEqual(engine.left_on_disk(), [])


class Tls(mirror_test.MirrorTest):
    tls = os.environ.get("POSTGRES", "15") == "15"  # the packaged PostgreSQL 18 is built without it
    hba = ("hostssl all all 127.0.0.1/32 trust", "host all only_tls 127.0.0.1/32 reject")

    def test_demanded_of_a_server_without_it(self):
        if self.tls:
            self.skipTest("this server has TLS")
        engine = self.engine(source=self.cluster.url(self.database, sslmode="require")).start()
        self.assertEqual(engine.wait_end(90), 1, engine.log_tail())
        self.assertIn("ssl", engine.log().lower())
        self.assertEqual(engine.left_on_disk(), [])

    @unittest.skipIf(not tls, "this PostgreSQL is built without TLS")
    def test_every_mode(self):
        self.sql("create table t (id int primary key); insert into t values (1)")
        ca = self.cluster.authority
        good = [dict(sslmode="require"), dict(sslmode="verify-ca", sslrootcert=ca),
                dict(host="localhost", sslmode="verify-full", sslrootcert=ca)]
        for number, parameters in enumerate(good):
            with self.subTest(parameters):
                url = self.cluster.url(self.database, **parameters)
                engine = self.engine(source=url, folder=self.folder / str(number)).start()
                engine.wait_caught_up()
                plain = self.value("select count(*) from pg_stat_ssl s join pg_stat_activity a using (pid) "
                                   f"where not s.ssl and a.datname = '{self.database}' and a.application_name like 'lockstep%'")
                self.assertEqual(plain, "0", "a connection of ours is not encrypted")
                self.finish(engine)

    @unittest.skipIf(not tls, "this PostgreSQL is built without TLS")
    def test_a_certificate_that_does_not_hold(self):
        for number, parameters in enumerate((dict(sslmode="verify-full", sslrootcert=self.cluster.authority),
                                             dict(sslmode="verify-full", sslrootcert="/no/such/file", host="localhost"))):
            with self.subTest(parameters):
                engine = self.engine(source=self.cluster.url(self.database, **parameters), folder=self.folder / f"bad{number}")
                engine.start()
                self.assertEqual(engine.wait_end(90), 1, engine.log_tail())
                self.assertIn("certificate", engine.log().lower())
                self.assertEqual(engine.left_on_disk(), [])


if __name__ == "__main__":
    mirror_test.main()
