"""Where programs lie, and temporary folders that another user may read."""

import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def where(what):
    """The folder of one server's programs (scripts/deps where …), or None when it is not installed."""
    done = subprocess.run([ROOT / "scripts/deps", "where", what], capture_output=True, text=True, check=False)
    return Path(done.stdout.strip()) if done.returncode == 0 else None


def lockstep_program():
    """The program under test: $LOCKSTEP, or the newest build."""
    named = os.environ.get("LOCKSTEP")
    if named:
        return named
    built = [p for p in ROOT.glob("build/*/lockstep") if p.is_file()]
    if not built:
        sys.exit("no lockstep program: set LOCKSTEP, or run `make build`")
    return str(max(built, key=lambda p: p.stat().st_mtime))


def unprivileged():
    """The words in front of a command that must not run as root, and the user that it will be."""
    if os.geteuid() != 0:
        return [], None
    user = pwd.getpwnam("postgres")
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--inh-caps=-all"], user


def temporary_folder(what):
    """A new folder; everybody may look into it, because servers run as another user than the tests of root."""
    folder = Path(tempfile.mkdtemp(prefix=f"lockstep-{what}-"))
    folder.chmod(0o755)
    return folder


def remove_folder(folder):
    shutil.rmtree(folder, ignore_errors=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def duckdb_module():
    """DuckDB's own Python package, of DuckDB 2.0: a reader of the copy that shares no code with lockstep."""
    folder = where("python-duckdb")
    if folder is None:
        sys.exit("DuckDB's Python package is not installed; run: scripts/deps test")
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    import duckdb  # pylint: disable=import-outside-toplevel
    return duckdb
