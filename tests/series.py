"""Cases by the number, run in Blender: a child process takes some at a time, since a fault may take Blender down.

The case that a child dies in counts as a crash. A series is a package under `tests` with a module `case` that has
`run_case(seed, number)`, and a module `run` that calls `main`.
"""

import argparse
import importlib
import json
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from threading import Timer
from typing import Any

#: Cases for one child; seconds that one may take on the average before the child is ended, and those for its start, in
#: which kernels may have to be compiled.
CHUNK, PATIENCE, START = 100, 20, 300
#: Kind of a case that ends with a fault.
CRASH = "CRASH"


@dataclass(frozen=True)
class Outcome:
    """What became of a case."""

    seed: int
    number: int
    kind: str  #: bad ones are in capitals
    text: str  #: what changed, or the sentence of the refusal
    seconds: float
    data: dict[str, Any] = field(default_factory=dict)  #: what was measured

    def is_bad(self) -> bool:
        """Whether somebody has to look at it."""
        return self.kind.isupper()


def outcome_of(seed: int, number: int, tried: Callable[[], tuple[str, str, dict[str, Any]]]) -> Outcome:
    """What `tried` says of a case: kind, text and data, or the fault that it ended with."""
    began = time.perf_counter()
    try:
        kind, text, data = tried()
    except Exception:
        kind, text, data = CRASH, traceback.format_exc(limit=-5), {}
    return Outcome(seed, number, kind, text, time.perf_counter() - began, data)


def replay(series: str, seed: int, number: int) -> str:
    """The command that runs a case again."""
    return f"python -m tests.{series}.run --seed {seed} --start {number} --cases 1 --verbose"


def outcomes(series: str, seed: int, first: int, count: int) -> Iterator[Outcome]:
    """What became of each case, in order."""
    number = first
    while number < first + count:
        last = number
        for outcome in _child(series, seed, number, min(CHUNK, first + count - number)):
            number = outcome.number + 1
            yield outcome
        if number < min(last + CHUNK, first + count):
            yield Outcome(seed, number, CRASH, "Blender ended", 0.0)
            number += 1


def _child(series: str, seed: int, first: int, count: int) -> Iterator[Outcome]:
    command = [sys.executable, "-m", f"tests.{series}.run", "--child", "--seed", str(seed)]
    command += ["--start", str(first), "--cases", str(count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        late = Timer(START + PATIENCE * count, child.kill)
        late.start()
        try:
            yield from (Outcome(**json.loads(line[5:])) for line in child.stdout or () if line.startswith("CASE "))
        finally:
            late.cancel()
            child.kill()


def _work(series: str, seed: int, first: int, count: int) -> None:
    """What a child does."""
    from tools import checkout

    checkout.enable()
    run_case = importlib.import_module(f"tests.{series}.case").run_case
    for number in range(first, first + count):
        print(f"CASE {json.dumps(asdict(run_case(seed, number)))}", flush=True)
    checkout.disable()


def main(series: str, doc: str, cases: int, table: Callable[[Sequence[Outcome]], str] | None = None) -> int:
    """Run a series as the command line says, `cases` by default, and tell what became of it; 1 where a case is bad."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=cases)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--verbose", action="store_true", help="print every case")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        _work(series, chosen.seed, chosen.start, chosen.cases)
        return 0
    found = []
    for outcome in outcomes(series, chosen.seed, chosen.start, chosen.cases):
        found.append(outcome)
        if chosen.verbose or outcome.is_bad():
            print(f"{outcome.number} {outcome.kind} {outcome.seconds:.2f} s {outcome.text}", flush=True)
    if table is not None:
        print(table(found))
    count = Counter(outcome.kind for outcome in found)
    print(", ".join(f"{number} {kind}" for kind, number in sorted(count.items())))
    print(f"{sum(outcome.seconds for outcome in found):.0f} s")
    bad = [outcome for outcome in found if outcome.is_bad()]
    for outcome in bad:
        print(f"{outcome.kind}: {replay(series, outcome.seed, outcome.number)}")
    return int(bool(bad) or len(found) < chosen.cases)
