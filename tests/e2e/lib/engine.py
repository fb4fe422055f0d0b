"""lockstep as a child process: started, watched, asked, killed."""

import json
import os
import signal
import subprocess
import time

from . import places, wait


class Refused(Exception):
    """lockstep ended with an error; `code` and what it said."""

    def __init__(self, command, code, said):
        super().__init__(f"{command} ended with {code}: {said.strip()}")
        self.code = code
        self.said = said


class Engine:
    """One mirror: its folder holds the state (`state/`), the copy (`copy.duckdb`) and what each run said (`run-N.log`)."""

    def __init__(self, source, folder, options=(), destination=None, environment=None):
        self.source = source
        self.folder = folder
        self.options = list(options)
        self.file = folder / "copy.duckdb"
        self.destination = destination or f"duckdb:{self.file}"
        self.state = folder / "state"
        self.program = places.lockstep_program()
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("PG", "LOCKSTEP_FAILPOINT"))}
        self.environment.update({"HOME": str(folder), "XDG_STATE_HOME": str(folder / "xdg"), "TMPDIR": str(folder / "tmp"),
                                 **(environment or {})})
        (folder / "tmp").mkdir(parents=True, exist_ok=True)
        self.process = None
        self.runs = 0

    # ---- The running process ----

    def start(self, *options, failpoint=None, environment=None):
        """Starts `lockstep run` and returns at once."""
        assert self.process is None, "it runs already"
        env = {**self.environment, **(environment or {})}
        self.resume_file = self.folder / f"resume-{self.runs + 1}"
        if failpoint:
            env.update(LOCKSTEP_FAILPOINT=failpoint, LOCKSTEP_FAILPOINT_RESUME=str(self.resume_file))
        self.runs += 1
        with open(self.log_path(), "wb") as log:
            self.process = subprocess.Popen(
                [self.program, "run", "--from", self.source, "--to", self.destination, "--state", str(self.state),
                 *self.options, *options], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env, cwd=self.folder)
        return self

    def log_path(self):
        return self.folder / f"run-{self.runs}.log"

    def log(self):
        """What the newest run has said so far."""
        return self.log_path().read_text(errors="replace") if self.runs else ""

    def log_tail(self, lines=25):
        """Its end, for messages."""
        return "\n".join(self.log().split("\n")[-lines:])

    def running(self):
        return self.process is not None and self.process.poll() is None

    def resume(self):
        """Lets a run go on that waits at a failpoint."""
        self.resume_file.touch()

    def wait_paused_at(self, failpoint, seconds=60):
        wait.until(lambda: f"failpoint {failpoint}\n" in self.log() or self._fail_if_ended(), f"failpoint {failpoint}",
                   seconds, describe=self.log_tail)

    def wait_said(self, text, seconds=60):
        wait.until(lambda: text.lower() in self.log().lower() or self._fail_if_ended(text), f"it says '{text}'", seconds,
                   describe=self.log_tail)

    def _fail_if_ended(self, text=None):
        if not self.running() and not (text and text.lower() in self.log().lower()):
            raise AssertionError(f"lockstep ended with {self.process.poll()}: {self.log_tail()}")
        return False

    def wait_end(self, seconds=60):
        """Waits for the process to end by itself; returns its exit code (-9: killed)."""
        try:
            code = self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired as slow:
            raise wait.TimedOut(f"still running after {seconds} s: {self.log_tail()}") from slow
        self.process = None
        return code

    def kill(self):
        """kill -9."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process = None

    def stop(self, how=signal.SIGTERM, seconds=60):
        """As Ctrl-C or a service manager stops it; it must end with 0."""
        self.process.send_signal(how)
        code = self.wait_end(seconds)
        if code != 0:
            raise Refused("run", code, self.log_tail())

    def end(self):
        """Whatever state it is in: gone afterwards. For tear-downs."""
        if self.process is not None:
            if self.process.poll() is None:
                self.process.kill()
            self.process.wait()
            self.process = None

    # ---- The other verbs ----

    def call(self, verb, *words, seconds=120, environment=None):
        """Runs another verb on this mirror; returns (exit code, stdout, stderr)."""
        done = subprocess.run([self.program, verb, "--state", str(self.state), *map(str, words)], capture_output=True,
                              text=True, check=False, timeout=seconds, env={**self.environment, **(environment or {})},
                              cwd=self.folder, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout, done.stderr

    def must(self, verb, *words, **how):
        code, out, err = self.call(verb, *words, **how)
        if code != 0:
            raise Refused(f"{verb} {' '.join(map(str, words))}", code, out + err)
        return out

    def status(self):
        """The answer of `status --json`, or None while there is none."""
        code, out, _ = self.call("status", "--json")
        try:
            return json.loads(out) if code == 0 else None
        except json.JSONDecodeError:
            return None

    def table(self, name):
        """The entry of one table in the status."""
        for entry in (self.status() or {}).get("tables", []):
            if entry["name"] in (name, f"public.{name}"):
                return entry
        return None

    def wait_caught_up(self, seconds=120):
        """Until the copy shows everything that is committed at the source by now."""
        deadline = time.monotonic() + seconds
        while True:
            # In short spells, because `wait` itself is patient with a process that is not there.
            left = min(5, max(1, int(deadline - time.monotonic())))
            code, out, err = self.call("wait", "--caught-up", "--timeout", left, seconds=seconds + 30)
            if code == 0:
                return
            if not self.running() or time.monotonic() >= deadline or code == 2:
                raise wait.TimedOut(f"not caught up (wait: {code} {out}{err}); run {'goes on' if self.running() else 'ended'}: "
                                    f"{self.log_tail()}\nstatus: {self.status()}")

    def wait_state(self, *states, seconds=60):
        def there():
            now = self.status()
            return now if now and now["state"] in states else None
        return wait.until(there, f"state is {' or '.join(states)}", seconds, describe=lambda: f"{self.status()} {self.log_tail()}")

    def query(self, sql):
        """Rows of `lockstep query`, each a list of text cells or None."""
        return parse_json_rows(self.must("query", sql, "--format", "json"))

    def value(self, sql):
        return self.query(sql)[0][0]

    def drop(self, *words):
        return self.must("drop", "--yes", *words)

    def left_on_disk(self):
        """Files of lockstep's own in its folders; the copy and our logs are none."""
        ours = [self.state, self.folder / "xdg", self.folder / "tmp"]
        return [str(p) for root in ours for p in ([root] if root.is_file() else root.rglob("*")) if not p.is_dir()]


def parse_json_rows(text):
    """The rows of an array of objects, or of one object a line; numbers keep their digits."""
    def keep(number):
        return number
    text = text.strip()
    if not text:
        return []
    if text.startswith("["):
        rows = json.loads(text, parse_float=keep, parse_int=keep)
    else:
        rows = [json.loads(line, parse_float=keep, parse_int=keep) for line in text.split("\n")]
    return [[cell_text(cell) for cell in (row.values() if isinstance(row, dict) else row)] for row in rows]


def cell_text(cell):
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return json.dumps(cell)
