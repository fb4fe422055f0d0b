"""What lockstep makes at the source and on disk is gone after `drop`, and after a first run that failed."""

import signal

from lib import compare, mirror_test


class LeavesNothing(mirror_test.MirrorTest):
    def setUp(self):
        super().setUp()
        self.sql("create table t (id int primary key, v int); insert into t select g, g from generate_series(1, 1000) g;"
                 "create table k (a int, b text); insert into k values (1, 'x'), (1, 'x')")

    def assert_nothing_left(self, engine):
        self.assert_source_clean()
        self.assertEqual(engine.left_on_disk(), [])
        strays = sorted(p.name for p in self.folder.iterdir() if not p.name.startswith(("copy.duckdb", "run-", "state", "tmp", "xdg")))
        self.assertEqual(strays, [])

    def test_drop_while_stopped(self):
        engine = self.engine().start()
        engine.wait_caught_up()
        self.assertEqual(self.cluster.identities(self.database), [["k", "f"]])
        engine.stop()
        engine.drop("--from", engine.source)
        self.assert_nothing_left(engine)
        self.assert_equal_on_disk(engine)
        with compare.File(engine.file) as copy:
            self.assertEqual(copy.query("select count(*) from duckdb_tables() where schema_name like 'lockstep%'"), [["0"]])

    def test_drop_without_a_password_needs_no_source(self):
        """The server trusts us, so what the mirror remembers of its source is enough."""
        engine = self.engine().start()
        engine.wait_caught_up()
        engine.stop()
        engine.drop()
        self.assert_nothing_left(engine)

    def test_drop_after_a_kill_and_twice(self):
        engine = self.engine().start()
        engine.wait_caught_up()
        engine.kill()
        engine.drop("--from", engine.source)
        self.assert_nothing_left(engine)
        code, _, said = engine.call("drop", "--yes", "--from", engine.source)
        self.assertIn(code, (0, 1, 2), said)
        self.assert_nothing_left(engine)

    def test_drop_asks_first(self):
        engine = self.engine().start()
        engine.wait_caught_up()
        engine.stop()
        code, _, said = engine.call("drop", "--from", engine.source)
        self.assertEqual(code, 2, said)
        self.assertEqual(len(self.cluster.slots()), 1)
        engine.drop("--from", engine.source)

    def test_an_identity_of_the_user_stays(self):
        self.sql("alter table t replica identity full")
        engine = self.engine().start()
        engine.wait_caught_up()
        engine.stop()
        engine.drop("--from", engine.source)
        self.assertEqual(self.cluster.identities(self.database), [["t", "f"]])
        self.sql("alter table t replica identity default")

    def test_a_first_run_that_fails(self):
        for failpoint in ("setup.publication_created", "setup.slot_created", "copy.range_loading"):
            with self.subTest(failpoint):
                engine = self.engine(folder=self.folder / failpoint)
                engine.start(failpoint=f"{failpoint}=fail")
                self.assertEqual(engine.wait_end(), 1, engine.log_tail())
                self.assertIn("failpoint", engine.log())
                self.assert_source_clean()
                self.assertEqual(engine.left_on_disk(), [])

    def test_a_first_run_that_is_interrupted_goes_on_later(self):
        """Ctrl-C in the middle of the copy is no failure: the next run goes on, or begins again, and gets there."""
        engine = self.engine().start(failpoint="copy.snapshot_taken=pause")
        engine.wait_paused_at("copy.snapshot_taken")
        engine.process.send_signal(signal.SIGINT)
        engine.resume()
        self.assertEqual(engine.wait_end(), 0, engine.log_tail())
        engine.start()
        self.finish(engine)

    def test_a_new_copy_after_drop_replaces_the_old_one(self):
        engine = self.engine().start("--until-caught-up")
        self.assertEqual(engine.wait_end(), 0, engine.log_tail())
        engine.drop("--from", engine.source)
        self.sql("update t set v = -1; insert into k values (2, 'y')")
        engine.start()
        self.finish(engine)


if __name__ == "__main__":
    mirror_test.main()
