"""Scenarios in SQL: a folder with setup.sql, live.sql and expect.sql (docs: tests/e2e/cases/README.md)."""

import random
import re
import shlex

from . import compare, places, wait
from .cluster import SqlError
from .engine import Engine

DIRECTIVE = re.compile(r"^--\s*@([\w-]+)\s*(.*)$")
DATABASE = "case_db"


class Step:
    """Either SQL text, or a directive with its words."""

    def __init__(self, sql=None, verb=None, words=""):
        self.sql, self.verb, self.words = sql, verb, words


def read_steps(text):
    """The file as SQL parts and directives, in order."""
    steps, sql = [], []

    def flush():
        if "".join(sql).strip():
            steps.append(Step(sql="\n".join(sql)))
        sql.clear()
    for line in text.split("\n"):
        match = DIRECTIVE.match(line)
        if match:
            flush()
            steps.append(Step(verb=match.group(1), words=match.group(2).strip()))
        else:
            sql.append(line)
    flush()
    return steps


class Case:
    def __init__(self, folder):
        self.folder = folder
        self.name = folder.name
        self.setup = read_steps((folder / "setup.sql").read_text(encoding="utf-8"))
        self.live = read_steps((folder / "live.sql").read_text(encoding="utf-8"))
        self.expect = (folder / "expect.sql").read_text(encoding="utf-8")

    def words_of(self, verb):
        """The words of a directive of either file, or None."""
        return next((s.words for s in self.setup + self.live if s.verb == verb), None)

    def is_postgres(self):
        return self.words_of("source") == "pg"


def cases_in(folder):
    return [Case(path) for path in sorted(folder.iterdir()) if (path / "setup.sql").is_file()]


class Play:
    """Plays one case against a server; `problems` says afterwards what was not as expected."""

    def __init__(self, case, cluster, folder, pause_at="copy.snapshot_taken"):
        self.case = case
        self.cluster = cluster
        self.pause_at = pause_at
        self.problems = []
        self.kills = None
        self.chance = random.Random(case.name)
        role, _, password = (case.words_of("connect") or "postgres").partition(":")
        source = cluster.url(DATABASE, role, password or None)
        self.engine = Engine(source, folder, shlex.split(case.words_of("run") or ""))

    def play(self):
        self.cluster.create(DATABASE)
        for step in self.case.setup:
            if step.sql:
                self.cluster.sql(step.sql, DATABASE)
        ends = self.case.words_of("ends")
        session = self.cluster.session(DATABASE, stop_on_error=False)
        try:
            self._begin()
            for number, step in enumerate(self.case.live):
                if step.sql:
                    self._run_sql(session, step.sql)
                else:
                    self._obey(step, self.case.live[number + 1:])
            if ends is None:
                self._catch_up()
                self.engine.stop()
            else:
                self._must_end(*ends.split(None, 1))
            self._check()
        finally:
            session.close()
            self.engine.end()
            self._clean()
        return self.problems

    # ---- The engine ----

    def _begin(self):
        first = next((s for s in self.case.live if s.sql or s.verb not in ("source", "run", "ends", "connect")), None)
        if first is not None and first.verb == "during-snapshot":
            self._start_paused()
        else:
            self.engine.start()
            if self.case.words_of("no-wait-for-start") is None:
                self.engine.wait_caught_up()

    def _start_paused(self):
        self.engine.start(failpoint=f"{self.pause_at}=pause")

    def _catch_up(self):
        if not self.engine.running() and self.engine.process is None:
            self.engine.start()
        self.engine.resume()
        self.engine.wait_caught_up()

    def _must_end(self, code, words=""):
        got = self.engine.wait_end(60)
        if got != int(code) or words.lower() not in self.engine.log().lower():
            self.problems.append(f"should end with {code} and say '{words}'; ended with {got}: {self.engine.log()}")

    # ---- What live.sql says ----

    def _run_sql(self, session, sql):
        if self.kills:
            self._run_sql_between_kills(session, sql)
            return
        said = session.run(sql)
        if "ERROR:" in said:
            self.problems.append(f"live.sql: {said}")

    def _run_sql_between_kills(self, session, sql):
        self.kills -= 1
        self.engine.end()
        self.engine.start()
        wait.stays_true(lambda: True, self.chance.uniform(0, 0.5))  # the random moment is the point of it
        if "ERROR:" in (said := session.run(sql)):
            self.problems.append(f"live.sql: {said}")
        while self.kills > 0:
            self.kills -= 1
            wait.stays_true(lambda: True, self.chance.uniform(0, 1.5))
            self.engine.end()
            self.engine.start()

    def _obey(self, step, rest):
        verb, words = step.verb, step.words
        if verb == "sync":
            self.engine.wait_caught_up()
        elif verb == "engine":
            self._engine(words, rest)
        elif verb == "during-snapshot":
            self._reach_the_copy()
        elif verb == "kill-loop":
            self.kills = None if words == "end" else int(words)
        elif verb == "end":
            self.kills = None
        elif verb == "destination":
            self._at_destination(words)
        elif verb not in ("source", "run", "ends", "connect", "no-wait-for-start", "poll"):
            raise ValueError(f"{self.case.name}: unknown directive @{verb}")

    def _engine(self, word, rest):
        if word == "kill":
            if self.engine.process is not None:
                self.engine.kill()
        elif word == "stop":
            self.engine.stop()
        elif word == "start":
            following = next((s for s in rest), None)
            if following is not None and following.verb == "during-snapshot":
                self._start_paused()
            else:
                self.engine.start()
        else:
            raise ValueError(f"{self.case.name}: unknown @engine {word}")

    def _reach_the_copy(self):
        """Waits at the failpoint; or, when nothing is left to copy, for the end of the start."""
        def there():
            if not self.engine.running():
                raise AssertionError(f"lockstep ended: {self.engine.log()}")
            return f"failpoint {self.pause_at}\n" in self.engine.log() or (self.engine.status() or {}).get("state") == "streaming"
        wait.until(there, "the first copy is under way", 60, describe=self.engine.log)

    def _at_destination(self, sql):
        ran = self.engine.running()
        if ran:
            self.engine.stop()
        with places.duckdb_module().connect(str(self.engine.file)) as copy:
            copy.execute(sql)
        if ran:
            self.engine.start()

    # ---- The end ----

    def _check(self):
        with compare.File(self.engine.file) as copy:
            copy.connection.execute("USE public")
            self.problems += check_expectations(copy.connection, self.case.expect)

    def _clean(self):
        code, _, said = self.engine.call("drop", "--yes", "--from", self.engine.source)
        if code != 0:
            self.problems.append(f"drop: {said}")
        try:
            self.cluster.sql(f"select pg_terminate_backend(active_pid) from pg_replication_slots where active and database = '{DATABASE}'",
                             "postgres")
            for slot in self.cluster.slots():
                self.problems.append(f"slot {slot} is left")
                self.cluster.sql(f"select pg_drop_replication_slot('{slot}')", "postgres")
            for row in self.cluster.sql("select gid from pg_prepared_xacts", DATABASE):
                self.cluster.sql(f"rollback prepared '{row[0]}'", DATABASE)
        except SqlError as error:
            self.problems.append(f"clean up: {error}")


# ---- expect.sql ----

def check_expectations(connection, text):
    """Runs each statement and compares its rows with the `-- expect:` lines that follow it; returns what differs."""
    problems = []
    for sql, expected in read_expectations(text):
        try:
            got = [[cell(value) for value in row] for row in connection.execute(sql).fetchall()]
        except Exception as error:  # pylint: disable=broad-except
            problems.append(f"{sql}: {error}")
            continue
        if len(got) != len(expected) or not all(map(row_matches, expected, got)):
            problems.append(f"{sql}\n    expected {expected}\n    got      {['|'.join(row) for row in got]}")
    return problems


def read_expectations(text):
    blocks, statement = [], []
    for line in text.split("\n"):
        if line.startswith("-- expect:"):
            blocks[-1][1].append(line.removeprefix("-- expect:").removeprefix(" "))
        elif not line.startswith("--"):
            statement.append(line)
            if line.rstrip().endswith(";"):
                blocks.append(("\n".join(statement).strip(), []))
                statement = []
    return blocks


def cell(value):
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    return "NULL_TEXT" if value == "NULL" else str(value)


def row_matches(expected, got):
    if "|".join(got) == expected:
        return True
    cells = expected.split("|")
    return len(cells) == len(got) and all(map(cell_matches, cells, got))


def cell_matches(expected, got):
    if expected.startswith("ANYOF(") and expected.endswith(")"):
        return got in expected[6:-1].split(";")
    return expected == got
