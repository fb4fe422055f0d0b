"""What one run of a program cost: wall time, its processor time, the server's processor time, its peak memory."""

import os
import statistics
import subprocess
import time
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


class Cost:
    def __init__(self, wall, cpu, server_cpu, peak_mb):
        self.wall, self.cpu, self.server_cpu, self.peak_mb = wall, cpu, server_cpu, peak_mb


def server_cpu(cluster):
    """Seconds of the postmaster, of its living children, and of those that have ended."""
    def stat(pid):
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except FileNotFoundError:
            return None
    own = stat(cluster.process.pid)
    ticks = sum(map(int, own[11:15]))
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := stat(entry.name)) and int(fields[1]) == cluster.process.pid:
            ticks += sum(map(int, fields[11:13]))
    return ticks / TICKS


def run(command, cluster, log, environment=None):
    """Runs it to its end; it must end with 0."""
    before, begin = server_cpu(cluster), time.monotonic()
    with open(log, "wb") as out:
        child = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                 env=environment)
        _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - begin
    if child.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {child.returncode}: {Path(log).read_text(errors='replace')[-2000:]}")
    return Cost(wall, used.ru_utime + used.ru_stime, server_cpu(cluster) - before, used.ru_maxrss // 1024)


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
