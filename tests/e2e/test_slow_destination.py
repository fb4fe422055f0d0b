"""A destination that is slow or stands still costs disk at lockstep, never at the source."""

from lib import mirror_test, wait


class SlowDestination(mirror_test.MirrorTest):
    def confirmed(self):
        return int(self.value("select confirmed_flush_lsn - '0/0' from pg_replication_slots"))

    def test_the_slot_moves_on_while_the_destination_is_paused(self):
        self.sql("create table t (id int primary key, v text)")
        engine = self.engine().start()
        engine.wait_caught_up()
        engine.must("pause")
        engine.wait_state("paused")
        shown = engine.value("select count(*) from t")
        for i in range(3):
            before = self.confirmed()
            self.sql(f"insert into t select g, repeat('x', 100) from generate_series({i * 10000 + 1}, {i * 10000 + 10000}) g")
            written = int(self.value("select pg_current_wal_insert_lsn() - '0/0'"))
            wait.until(lambda: self.confirmed() >= written, "the slot's position passes what was written", 30,
                       describe=lambda: (before, self.confirmed(), written))
        self.assertEqual(engine.value("select count(*) from t"), shown, "a paused copy does not move")
        self.assertEqual(engine.status()["state"], "paused")
        engine.must("resume")
        self.finish(engine)

    def test_what_was_journalled_while_paused_survives_a_kill(self):
        self.sql("create table t (id int primary key, v text)")
        engine = self.engine().start()
        engine.wait_caught_up()
        engine.must("pause")
        self.sql("insert into t select g, 'x' from generate_series(1, 5000) g")
        written = int(self.value("select pg_current_wal_insert_lsn() - '0/0'"))
        wait.until(lambda: self.confirmed() >= written, "the slot's position passes what was written", 30)
        engine.kill()
        engine.start()
        if engine.wait_state("paused", "streaming", seconds=60)["state"] == "paused":
            engine.must("resume")
        self.finish(engine)

    def test_an_idle_database_does_not_hold_the_log(self):
        """Other databases write; ours is idle. Its slot must move on all the same."""
        self.sql("create table t (id int primary key)")
        engine = self.engine().start()
        engine.wait_caught_up()
        self.cluster.create("busy")
        self.cluster.sql("create table b as select g, repeat('x', 200) from generate_series(1, 20000) g", "busy")
        written = int(self.value("select pg_current_wal_insert_lsn() - '0/0'"))
        wait.until(lambda: self.confirmed() >= written, "the slot of the idle database moves on", 60)
        self.finish(engine)


if __name__ == "__main__":
    mirror_test.main()
