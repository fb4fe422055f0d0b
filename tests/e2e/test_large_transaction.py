"""A transaction that is larger than memory: streamed while it is open, dropped when it aborts, shown whole or not at all."""

import threading
from pathlib import Path

from lib import mirror_test
from lib.engine import Refused

PEAK_MB_MAX = 700


class LargeTransaction(mirror_test.MirrorTest):
    settings = {"logical_decoding_work_mem": "64kB", "max_wal_size": "8GB"}

    def peak_mb(self, engine):
        for line in Path(f"/proc/{engine.process.pid}/status").read_text().split("\n"):
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) // 1024
        return 0

    def watch(self, engine, sql, into, stop):
        while not stop.is_set():
            try:
                into.add(tuple(engine.query(sql)[0]))
            except Refused as refused:
                into.add(("refused", refused.said))

    def update_everything(self, rows, options=()):
        self.sql(f"create table t (id int primary key, v int not null, pad text);"
                 f"insert into t select g, 0, repeat(md5(g::text), 3) from generate_series(1, {rows}) g;"
                 f"create table side (id int primary key, v int); insert into side values (1, 0)")
        engine = self.engine(*options).start()
        engine.wait_caught_up(300)
        seen, stop = set(), threading.Event()
        watcher = threading.Thread(target=self.watch, daemon=True,
                                   args=(engine, "select min(v), max(v), (select v from side) from t", seen, stop))
        watcher.start()
        try:
            self.sql("begin; update t set v = v + 1; update side set v = 1; commit")
            engine.wait_caught_up(600)
        finally:
            stop.set()
            watcher.join()
        peak = self.peak_mb(engine)
        print(f"  {rows} updates in one transaction: peak {peak} MB")
        self.assertLessEqual(seen, {("0", "0", "0"), ("1", "1", "1")}, "half a transaction was visible")
        self.assertLess(peak, PEAK_MB_MAX)
        self.finish(engine)

    @mirror_test.short
    def test_it_is_shown_whole(self):
        self.update_everything(200_000, ("--memory", "200MB"))

    @mirror_test.long
    def test_two_million_updates_are_shown_whole(self):
        self.update_everything(2_000_000, ("--memory", "300MB"))

    @mirror_test.short
    def test_savepoints_and_aborts_leave_nothing(self):
        self.sql("create table h (id int primary key, pad text); create table k (a int, pad text)")
        engine = self.engine().start()
        engine.wait_caught_up()
        fill = "insert into {} select g, repeat(md5(g::text), 20) from generate_series({}, {}) g;"
        self.sql("begin;" + fill.format("h", 1, 5000) + "savepoint a;" + fill.format("h", 10001, 15000) + fill.format("k", 1, 500)
                 + "savepoint b; update h set pad = 'bad' where id <= 100; rollback to a;" + fill.format("k", 501, 600)
                 + "savepoint c;" + fill.format("h", 20001, 20005) + "release c; commit;"
                 + "begin;" + fill.format("h", 30001, 35000) + "rollback;"
                 + "begin; truncate h; rollback; begin; delete from h where id = 1; insert into h values (1, 'again'); commit")
        self.finish(engine)

    @mirror_test.short
    def test_two_of_them_side_by_side(self):
        """Their blocks arrive interleaved; the order that counts is that of their commits."""
        self.sql("create table h (id int primary key, v int); insert into h select g, 0 from generate_series(1, 20000) g")
        engine = self.engine().start()
        engine.wait_caught_up()
        with self.cluster.session(self.database) as one, self.cluster.session(self.database) as two:
            one.run("begin; update h set v = 1 where id % 2 = 0")
            two.run("begin; update h set v = 2 where id % 2 = 1")
            one.run("insert into h select g, 1 from generate_series(30001, 32000) g")
            two.run("savepoint s; update h set v = 3 where id % 2 = 1; rollback to s")
            two.run("commit")
            self.sql("update h set v = v + 10 where id % 2 = 1")
            one.run("commit")
        self.finish(engine)

    @mirror_test.short
    def test_killed_while_one_is_open(self):
        """After a reconnect the server sends the open transaction again from its first change."""
        self.sql("create table h (id int primary key, v int)")
        engine = self.engine().start()
        engine.wait_caught_up()
        with self.cluster.session(self.database) as writer:
            writer.run("begin; insert into h select g, 0 from generate_series(1, 20000) g")
            engine.kill()
            engine.start()
            writer.run("update h set v = 1 where id <= 10000")
            engine.wait_state("streaming")
            writer.run("update h set v = 2 where id > 15000; commit")
        self.finish(engine)


if __name__ == "__main__":
    mirror_test.main()
