"""What one run of a program cost: wall time, its processor time, the server's processor time, its peak memory."""

import os
import re
import statistics
import subprocess
import threading
import time
from pathlib import Path

from lib import wait

TICKS = os.sysconf("SC_CLK_TCK")


class Cost:
    def __init__(self, wall, cpu, server_cpu, peak_mb):
        self.wall, self.cpu, self.server_cpu, self.peak_mb = wall, cpu, server_cpu, peak_mb


def stat(pid):
    """The numbers of /proc/PID/stat, from the state on; nothing when the process is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def server_processes(cluster):
    """The postmaster's living children."""
    pids = [entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return {pid: fields for pid in pids if (fields := stat(pid)) and int(fields[1]) == cluster.process.pid}


def server_cpu(cluster):
    """Seconds of the postmaster, of its living children, and of those that have ended."""
    ticks = sum(map(int, stat(cluster.process.pid)[11:15]))
    return (ticks + sum(sum(map(int, fields[11:13])) for fields in server_processes(cluster).values())) / TICKS


class Peak(threading.Thread):
    """Watches the most memory that a process has had. Not ru_maxrss: that begins with what we had at the fork."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.status, self.mb, self.enough = Path(f"/proc/{pid}/status"), 0, threading.Event()
        self.start()

    def run(self):
        while not self.enough.wait(0.01):
            try:
                found = re.search(r"VmHWM:\s+(\d+) kB", self.status.read_text())
            except (FileNotFoundError, ProcessLookupError):
                return
            if found:
                self.mb = int(found.group(1)) // 1024

    def stop(self):
        self.enough.set()
        self.join()
        return self.mb


def run(command, cluster, log, environment=None):
    """Runs it to its end; it must end with 0."""
    there = set(server_processes(cluster))
    before, begin = server_cpu(cluster), time.monotonic()
    with open(log, "wb") as out:
        child = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                 env=environment)
        peak = Peak(child.pid)
        _, status, used = os.wait4(child.pid, 0)
    wall = time.monotonic() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    peak_mb = peak.stop()
    # What the server did for it counts once its processes have ended.
    wait.until(lambda: not set(server_processes(cluster)) - there, "the server's processes end", 10)
    if child.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {child.returncode}: {Path(log).read_text(errors='replace')[-2000:]}")
    return Cost(wall, used.ru_utime + used.ru_stime, server_cpu(cluster) - before, peak_mb)


def median(costs):
    return Cost(*(statistics.median(getattr(c, part) for c in costs) for part in ("wall", "cpu", "server_cpu", "peak_mb")))


def spread(costs):
    return f"{min(c.wall for c in costs):.2f}-{max(c.wall for c in costs):.2f}"


def alternate(repeats, *runs):
    """Runs each in turn, so that a noisy minute hits all alike. Returns a list of costs for each."""
    costs = [[] for _ in runs]
    for _ in range(repeats):
        for number, one in enumerate(runs):
            costs[number].append(one())
    return costs


def machine():
    model = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().split("\n")
                  if line.startswith("model name")), "unknown processor")
    memory = int(Path("/proc/meminfo").read_text().split()[1]) // (1024 * 1024)
    system = next((line.split("=", 1)[1].strip('"') for line in Path("/etc/os-release").read_text().split("\n")
                   if line.startswith("PRETTY_NAME=")), "unknown system")
    return f"{os.cpu_count()} processors ({model}), {memory} GiB, {system}, Linux {os.uname().release}"
