"""A throw-away PostgreSQL server on a free port of the loopback address, and sessions on it."""

import os
import select
import signal
import subprocess
import time
from urllib.parse import quote

from . import places, wait

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "wal_level": "logical",
    "max_connections": "60",
    "max_wal_senders": "10",
    "max_replication_slots": "10",
    "max_prepared_transactions": "10",
    "shared_buffers": "128MB",
    "max_wal_size": "4GB",
    "fsync": "off",  # nothing here outlives the test, and no test cuts the power
    "timezone": "UTC",
    "wal_sender_timeout": "10s",
    "log_min_messages": "warning",
}


class SqlError(Exception):
    """What psql said."""


class Cluster:
    """One server. `version` is 15 or 18. `hba` are lines put before the one that trusts everybody."""

    def __init__(self, version=15, settings=None, hba=(), tls=False):
        self.bin = places.where(f"postgresql-{version}")
        if self.bin is None:
            raise FileNotFoundError(f"PostgreSQL {version} is not installed")
        self.version = int(version)
        self.prefix, self.user = places.unprivileged()
        self.folder = places.temporary_folder(f"pg{version}")
        self.data = self.folder / "data"
        self.host = "127.0.0.1"
        self.port = places.free_port()
        self.process = None
        try:
            self._create({**SETTINGS, **(settings or {})}, hba, tls)
            self.start()
        except BaseException:
            self.remove()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()

    # ---- Life ----

    def _create(self, settings, hba, tls):
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        self._run([self.bin / "initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C",
                   "--no-sync"])
        if tls:
            settings = {**settings, "ssl": "on", **self._make_certificate()}
        lines = [f"{name} = '{value}'" for name, value in settings.items()]
        lines += [f"port = {self.port}", f"unix_socket_directories = '{self.folder}'"]
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as conf:
            conf.write("\n".join(lines) + "\n")
        rules = self.data / "pg_hba.conf"
        rules.write_text("".join(f"{line}\n" for line in hba) + rules.read_text())

    def _make_certificate(self):
        """A certificate authority of our own and a server certificate for localhost, but not for 127.0.0.1."""
        def openssl(*words):
            self._run(["openssl", *words])
        at = self.folder
        (at / "san").write_text("subjectAltName=DNS:localhost\n")
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
                "-subj", "/CN=lockstep test authority", "-keyout", at / "ca.key", "-out", at / "ca.crt")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
                "-keyout", at / "server.key", "-out", at / "server.csr")
        openssl("x509", "-req", "-in", at / "server.csr", "-CA", at / "ca.crt", "-CAkey", at / "ca.key",
                "-CAcreateserial", "-days", "30", "-extfile", at / "san", "-out", at / "server.crt")
        self._run(["chmod", "600", at / "server.key"])
        self.authority = at / "ca.crt"
        return {"ssl_cert_file": at / "server.crt", "ssl_key_file": at / "server.key"}

    def _run(self, words):
        done = subprocess.run([*self.prefix, *map(str, words)], capture_output=True, text=True, check=False,
                              cwd=self.folder, env={**os.environ, "HOME": str(self.folder)})
        if done.returncode != 0:
            raise RuntimeError(f"{words[0]} failed: {done.stdout}{done.stderr}")

    def start(self):
        # The server dies with us, even when we are killed.
        prefix = [*self.prefix, "--pdeathsig=QUIT"] if self.prefix else []
        with open(self.folder / "server.log", "ab") as log:
            self.process = subprocess.Popen([*prefix, str(self.bin / "postgres"), "-D", str(self.data)],
                                            stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self.folder,
                                            start_new_session=True)
        wait.until(self._answers, f"PostgreSQL {self.version} answers", 60, describe=self.log_tail)

    def _answers(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"the server ended: {self.log_tail()}")
        return subprocess.run([self.bin / "psql", "-XAtqc", "select 1", self.url("postgres")], check=False,
                              capture_output=True).returncode == 0

    def log_tail(self, lines=20):
        return "\n".join((self.folder / "server.log").read_text(errors="replace").split("\n")[-lines:])

    def stop(self, how=signal.SIGINT):
        """SIGINT: as an administrator stops it. SIGQUIT: at once, as after a crash."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(timeout=60)
        self.process = None

    def remove(self):
        self.stop(signal.SIGQUIT)
        places.remove_folder(self.folder)

    # ---- Use ----

    def url(self, database, user="postgres", password=None, host=None, **parameters):
        word = f":{quote(password, safe='')}" if password else ""
        tail = "&".join(f"{name}={quote(str(value), safe='/')}" for name, value in parameters.items())
        return f"postgresql://{user}{word}@{host or self.host}:{self.port}/{quote(database)}{'?' + tail if tail else ''}"

    def create(self, database):
        """A fresh database, in place of an older one."""
        self.sql(f'drop database if exists "{database}" with (force)', "postgres")
        self.sql(f'create database "{database}"', "postgres")

    def sql(self, text, database, user="postgres"):
        """Runs statements; returns the rows of the only query among them as lists of text, None for NULL."""
        command = [self.bin / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-F", "\x1f", "-R", "\x1e", "-P", "null=\x1d",
                   "-f", "-", self.url(database, user)]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False,
                              env={**os.environ, "PGCLIENTENCODING": "UTF8"})
        if done.returncode != 0:
            raise SqlError(done.stderr.strip())
        if not done.stdout:
            return []
        out = done.stdout.removesuffix("\n")
        return [[None if cell == "\x1d" else cell for cell in row.split("\x1f")] for row in out.split("\x1e")]

    def value(self, text, database="postgres"):
        rows = self.sql(text, database)
        return rows[0][0] if rows else None

    def session(self, database, user="postgres", stop_on_error=True):
        return Session([self.bin / "psql", "-XAtq", "-v", f"ON_ERROR_STOP={int(stop_on_error)}",
                        self.url(database, user)])

    def program(self, name, *words, **how):
        """Starts one of the server's programs (pgbench, pg_recvlogical, …) as a child."""
        how = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, **how}
        return subprocess.Popen([str(self.bin / name), "-h", self.host, "-p", str(self.port), "-U", "postgres",
                                 *map(str, words)], **how)

    def pgbench(self, *words, seconds=600):
        child = self.program("pgbench", *words)
        out, _ = child.communicate(timeout=seconds)
        if child.returncode != 0:
            raise RuntimeError(f"pgbench failed: {out}")
        return out

    # ---- What lockstep leaves at the source ----

    def slots(self):
        return [row[0] for row in self.sql("select slot_name from pg_replication_slots order by 1", "postgres")]

    def publications(self, database):
        return [row[0] for row in self.sql("select pubname from pg_publication order by 1", database)]

    def identities(self, database):
        """Tables with REPLICA IDENTITY FULL, the one that lockstep may set."""
        return self.sql("select oid::regclass, relreplident from pg_class where relkind in ('r','p') "
                        "and relreplident = 'f' and relnamespace = 'public'::regnamespace order by 1", database)


class Session:
    """One psql that stays connected, for transactions that stay open."""

    def __init__(self, command):
        self.process = subprocess.Popen([*map(str, command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, env={**os.environ, "PGCLIENTENCODING": "UTF8"})
        self.marks = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def run(self, text, seconds=120):
        """Runs statements and returns what psql printed."""
        self.marks += 1
        mark = f"--- done {self.marks} ---"
        try:
            self.process.stdin.write(f"{text}\n;\n\\echo '{mark}'\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        said, deadline = b"", time.monotonic() + seconds
        while mark.encode() not in said:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise wait.TimedOut(f"psql took more than {seconds} s for: {text[:200]}")
            part = os.read(self.process.stdout.fileno(), 65536)
            if not part:
                raise SqlError(said.decode(errors="replace").strip() or "psql ended")
            said += part
        return said.decode(errors="replace").split(mark)[0].strip()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
