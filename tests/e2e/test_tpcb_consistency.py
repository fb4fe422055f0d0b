"""TPC-B moves money between accounts, tellers and branches, and writes each move down. In every state that PostgreSQL ever
had the four sums agree; so they must in every answer that lockstep gives, through any number of `kill -9`."""

import random
import threading
import time

from lib import mirror_test, wait
from lib.engine import Refused

SUMS = """
select (select sum(abalance) from pgbench_accounts), (select sum(tbalance) from pgbench_tellers),
  (select sum(bbalance) from pgbench_branches), (select coalesce(sum(delta), 0) from pgbench_history)"""


class Asker(threading.Thread):
    """Asks for the four sums all along. A refusal is fine only while the process was down or starting."""

    def __init__(self, engine):
        super().__init__(daemon=True)
        self.engine = engine
        self.up = True          # set by the one who kills
        self.downs = 0
        self.answers = []
        self.wrong = []
        self.refused_while_up = []
        self.enough = threading.Event()
        self.start()

    def run(self):
        while not self.enough.is_set():
            up_before, downs_before = self.up, self.downs
            try:
                row = self.engine.query(SUMS)[0]
            except Refused as refused:
                if up_before and self.up and downs_before == self.downs:
                    self.refused_while_up.append(refused.said)
                continue
            self.answers.append(tuple(row))
            if len(set(row)) != 1:
                self.wrong.append(row)

    def finish(self):
        self.enough.set()
        self.join()


class TpcbConsistency(mirror_test.MirrorTest):
    database = "bank"

    def run_the_bank(self, *, keyed, scale, seconds, kills, answers, states):
        self.cluster.pgbench("-i", "-q", "-s", scale, self.database)
        if keyed:
            self.sql("alter table pgbench_history add column id bigserial primary key")
        engine = self.engine().start()
        engine.wait_caught_up(300)
        bank = self.cluster.program("pgbench", "-n", "-c", 2, "-T", seconds, "-b", "tpcb-like", self.database)
        asker = Asker(engine)
        try:
            self.kill_now_and_then(engine, asker, kills, seconds)
            out, _ = bank.communicate(timeout=seconds + 120)
            self.assertEqual(bank.returncode, 0, out)
            engine.wait_caught_up(300)
            wait.until(lambda: len(asker.answers) >= answers, f"{answers} answers", 120)
        finally:
            asker.finish()
            bank.kill()
            bank.wait()
        print(f"  {len(asker.answers)} answers with {len(set(asker.answers))} states through {kills} kills")
        self.assertEqual(asker.wrong, [], "answers that are no state of the bank")
        self.assertEqual(asker.refused_while_up, [], "refused while the process was up")
        self.assertGreaterEqual(len(set(asker.answers)), states)
        self.no_history_twice(engine, keyed)
        self.finish(engine)

    def kill_now_and_then(self, engine, asker, kills, seconds):
        chance = random.Random(20)  # the same moments in every run, as far as the machine allows
        begin = time.monotonic()
        for moment in sorted(chance.uniform(0.05, 0.95) * seconds for _ in range(kills)):
            time.sleep(max(0.0, begin + moment - time.monotonic()))  # the moment itself is what is tested
            asker.up, asker.downs = False, asker.downs + 1
            engine.kill()
            engine.start()
            wait.until(engine.status, "it answers again", 60, describe=engine.log_tail)
            wait.until(lambda: (engine.status() or {}).get("state") == "streaming", "it streams again", 60, describe=engine.log_tail)
            asker.up = True

    def no_history_twice(self, engine, keyed):
        if keyed:
            engine.wait_caught_up()
            self.assertEqual(engine.query("select id from pgbench_history group by id having count(*) > 1"), [])
        self.assertEqual(engine.value("select count(*) from pgbench_history"), self.value("select count(*) from pgbench_history"))

    @mirror_test.short
    def test_every_answer_balances_through_kills(self):
        self.run_the_bank(keyed=True, scale=2, seconds=12, kills=4, answers=60, states=15)

    @mirror_test.short
    def test_every_answer_balances_without_a_key(self):
        self.run_the_bank(keyed=False, scale=1, seconds=8, kills=3, answers=40, states=10)

    @mirror_test.long
    def test_at_full_size(self):
        self.run_the_bank(keyed=True, scale=20, seconds=60, kills=10, answers=200, states=50)

    @mirror_test.long
    def test_at_full_size_without_a_key(self):
        self.run_the_bank(keyed=False, scale=20, seconds=60, kills=10, answers=200, states=50)


if __name__ == "__main__":
    mirror_test.main()
