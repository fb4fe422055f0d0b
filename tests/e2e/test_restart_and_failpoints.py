"""`kill -9` at every step whose interruption matters. Right afterwards the copy is a true state or not there yet; started
again it gets to the end with each row once; and what a killed run left at the source can be dropped."""

import subprocess

from lib import compare, mirror_test, places, wait

# Every transaction raises v.n, and adds as many rows to log (keyless) and big. So in every state of the source:
INVARIANT = "select (select n from v), (select count(*) from log), (select count(*) from steps), (select count(*) from steps where n > 0)"

TABLES = """
create table v (id int primary key, n int not null);
create table log (n int, what text);
create table steps (n int primary key, pad text);
create table big (id int primary key, x int not null, pad text);
insert into v values (1, 0);
insert into big select g, 0, repeat(md5(g::text), 3) from generate_series(1, {big}) g;
create procedure step() language plpgsql as $$ declare m int; begin
  update v set n = n + 1 returning n into m;
  insert into log values (m, 'step'); insert into steps values (m, repeat('s', 50)); end $$;
do $$ begin for i in 1..20 loop call step(); commit; end loop; end $$;
"""

# These are passed when a mirror is made; later at most when a journal segment is full.
FIRST_RUN = ("setup.", "copy.", "publish.", "catalog.", "journal.segment_created")
# These take more than a journal segment, or a transaction that does not fit into memory.
HEAVY = ("apply.chunk_written", "journal.before_trim")
# These are passed at the end of a mirror only.
DROP = ("drop.",)


def all_failpoints():
    done = subprocess.run([places.lockstep_program(), "version", "--failpoints"], capture_output=True, text=True, check=True)
    return [line.strip() for line in done.stdout.split("\n") if "." in line]


class RestartAndFailpoints(mirror_test.MirrorTest):
    settings = {"logical_decoding_work_mem": "64kB"}

    def prepare(self, big=2000):
        self.cluster.create(self.database)
        self.sql(TABLES.format(big=big))

    def assert_true_state_on_disk(self, engine):
        """What a reader would find in the file that the killed process left."""
        if not engine.file.exists():
            return "no file"
        with compare.File(engine.file) as copy:
            there = {row[0] for row in copy.query("select table_name from information_schema.tables where table_schema = 'public' and "
                                                    "not starts_with(table_name, '__lockstep_copy_')")}
            if not there:
                return "nothing published"
            self.assertEqual(there, {"v", "log", "steps", "big"}, "a part of the tables is visible")
            row = copy.query(INVARIANT)[0]
            self.assertEqual(len(set(row)), 1, f"not a true state: {row}")
            same = copy.query("select count(distinct x) from big")[0][0]
            self.assertEqual(same, "1", "half of the large transaction is visible")
            return f"n = {row[0]}"

    def work(self):
        """What the application does while the engine is up: small steps and one transaction larger than memory."""
        self.sql("do $$ begin for i in 1..30 loop call step(); commit; end loop; end $$")
        self.sql("begin; update big set x = x + 1; call step(); commit")
        self.sql("do $$ begin for i in 1..10 loop call step(); commit; end loop; end $$")

    def kill_at(self, engine, failpoint):
        """Works until the failpoint has killed the process; that it died proves that the point was passed."""
        rounds = 0
        heavy = failpoint.startswith(HEAVY)

        def died():
            nonlocal rounds
            if engine.running() and rounds < 8:
                rounds += 1
                if heavy:  # about 80 MB
                    self.sql("begin; update big set x = x + 1, pad = repeat(md5(x::text), 1300); call step(); commit")
                self.work()
            return not engine.running()
        wait.until(died, f"killed at {failpoint}", 90, every=0.2, describe=lambda: (engine.status(), engine.log_tail()))
        self.assertEqual(engine.wait_end(), -9, engine.log_tail())
        self.assertIn(f"failpoint {failpoint.split(':')[0]}\n", engine.log())

    def one_failpoint(self, failpoint):
        self.prepare()
        options = () if failpoint.startswith("journal.before_trim") else ("--memory", "100MB")
        engine = self.engine(*options, folder=self.folder / failpoint.replace(":", "-"))
        if failpoint.startswith(DROP):
            engine.start().wait_caught_up()
            engine.stop()
            code, _, said = engine.call("drop", "--yes", "--from", engine.source,
                                        environment={"LOCKSTEP_FAILPOINT": f"{failpoint}=kill"})
            self.assertEqual(code, -9, said)
            engine.drop("--from", engine.source)
            self.assert_source_clean()
            self.assertEqual(engine.left_on_disk(), [])
            return "dropped in two goes"
        if not failpoint.startswith(FIRST_RUN):
            engine.start().wait_caught_up()
            engine.stop()
        engine.start(failpoint=f"{failpoint}=kill")
        self.kill_at(engine, failpoint)
        state = self.assert_true_state_on_disk(engine)
        self.sql("update big set pad = 'short' where length(pad) > 1000")
        self.work()
        engine.start()
        self.finish(engine)
        return state

    def check_all(self, nth):
        for name in all_failpoints():
            failpoint = name if nth == 1 else f"{name}:{nth}"
            with self.subTest(failpoint):
                print(f"  killed at {failpoint}: {self.one_failpoint(failpoint)}", flush=True)

    @mirror_test.short
    def test_killed_at_every_failpoint(self):
        self.check_all(1)

    @mirror_test.short
    def test_a_first_run_killed_and_dropped_leaves_nothing(self):
        for failpoint in ("setup.publication_created", "setup.slot_created", "setup.recorded", "copy.range_loaded",
                          "publish.before_commit"):
            with self.subTest(failpoint):
                self.prepare(big=200)
                engine = self.engine(folder=self.folder / failpoint)
                engine.start(failpoint=f"{failpoint}=kill")
                self.assertEqual(engine.wait_end(), -9, engine.log_tail())
                engine.drop("--from", engine.source)
                self.assert_source_clean()
                self.assertEqual(engine.left_on_disk(), [])

    @mirror_test.short
    def test_killed_twice_in_the_copy(self):
        self.prepare(big=20000)
        engine = self.engine()
        for failpoint in ("copy.range_loaded=kill", "copy.range_loading:2=kill", "copy.complete=kill"):
            engine.start(failpoint=failpoint)
            self.assertEqual(engine.wait_end(), -9, engine.log_tail())
            self.assert_true_state_on_disk(engine)
            self.sql("call step(); update big set x = x + 1; delete from big where id % 100 = 7; update log set what = 'seen' where n % 2 = 0")
        engine.start()
        self.finish(engine)

    @mirror_test.short
    def test_the_server_restarts_and_cuts_every_connection(self):
        self.prepare()
        engine = self.engine().start()
        engine.wait_caught_up()
        for _ in range(3):
            self.sql("call step()")
            self.cluster.sql("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() "
                             "and backend_type in ('walsender', 'client backend')", "postgres")
            self.sql("call step()")
        engine.wait_caught_up()
        self.cluster.stop()
        self.assertTrue(engine.running(), engine.log_tail())
        self.cluster.start()
        self.work()
        self.finish(engine)

    @mirror_test.short
    def test_stopped_and_started_many_times(self):
        self.prepare()
        engine = self.engine()
        for _ in range(5):
            engine.start()
            self.work()
            engine.wait_state("streaming")
            engine.stop()
            self.assert_true_state_on_disk(engine)
        engine.start()
        self.finish(engine)

    @mirror_test.long
    def test_killed_at_the_third_passing(self):
        # Passed once in a mirror's life, or once a start.
        once = ("setup.", "drop.", "copy.snapshot_taken", "copy.complete", "publish.")
        for name in all_failpoints():
            if not name.startswith(once):
                with self.subTest(name):
                    print(f"  killed at {name}:3: {self.one_failpoint(name + ':3')}", flush=True)


if __name__ == "__main__":
    mirror_test.main()
