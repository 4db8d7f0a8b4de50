"""How benchmarks measure: CPU seconds, memory in a fresh process, growth."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
#: Prints the largest memory [MiB] that the process holds in `work`, less what it holds before it (Linux only).
CHILD = """
def held(what):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(what)) / 1024
{prepare}
with open("/proc/self/clear_refs", "w") as peak:
    peak.write("5")  # forgets the peak of the preparation
before = held("VmRSS")
{work}
print(held("VmHWM") - before)
"""


def seconds(work: Callable[[], object], runs: int = 3, *, warm_up: bool = True) -> float:
    """Best CPU time of several runs."""
    if warm_up:
        work()
    times = []
    for _ in range(runs):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def extra_mib(prepare: str, work: str) -> float:
    """The memory [MiB] that statements `work` need beyond what a fresh process holds after `prepare`."""
    code = CHILD.format(prepare=prepare, work=work)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=600, check=True
    )
    return float(done.stdout)


def told_by(module: str, *arguments: str, limit: float) -> dict[str, Any]:
    """The last line, JSON, that `python -m module` prints in a process of its own within `limit` [s]."""
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=limit, check=True)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def growth(sizes: Sequence[int], times: Sequence[float]) -> float:
    """The exponent x of time ~ size^x, by a straight line through the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
