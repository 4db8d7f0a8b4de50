"""Run many fuzz cases: `python -m tests.fuzz.run --cases 10000 --seed 1 [--start 0] [--processes 2] [--verbose]`.

Prints a table of what became of them, names each bad case by the command that replays it, and ends with status 1 if
there is one.
"""

import argparse
import multiprocessing
import sys
from collections import Counter
from collections.abc import Iterable, Iterator

from .case import BAD, KINDS, REFUSED, Outcome, run_case


def outcomes(seed: int, numbers: Iterable[int], processes: int) -> Iterator[Outcome]:
    """The outcome of each case, in order."""
    jobs = [(seed, number) for number in numbers]
    if processes <= 1:
        yield from (run_case(*job) for job in jobs)
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap(_run, jobs, chunksize=8)


def _run(job: tuple[int, int]) -> Outcome:
    return run_case(*job)


def table(found: list[Outcome]) -> str:
    """How many cases ended in each way, by kind of pattern."""
    names = sorted({name_of(o.pattern) for o in found})
    count = Counter((name_of(o.pattern), o.kind) for o in found)
    head = f"{'pattern':22}" + "".join(f"{kind:>16}" for kind in KINDS)
    rows = [f"{name:22}" + "".join(f"{count[name, kind]:16}" for kind in KINDS) for name in names]
    total = f"{'all':22}" + "".join(f"{sum(o.kind == kind for o in found):16}" for kind in KINDS)
    return "\n".join([head, *rows, total])


def name_of(pattern: str) -> str:
    return pattern.split("(")[0].split(" jitter")[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="print every case")
    chosen = parser.parse_args()
    found = []
    for o in outcomes(chosen.seed, range(chosen.start, chosen.start + chosen.cases), chosen.processes):
        found.append(o)
        if chosen.verbose or o.kind in BAD or o.kind == REFUSED:
            print(
                f"{o.number} {o.kind} [{o.body}] [{o.pattern}] {o.cells} cells {o.seconds:.2f} s {o.text}", flush=True
            )
        elif len(found) % 250 == 0:
            print(f"{len(found)} cases", flush=True)
    print(table(found))
    slowest = max(found, key=lambda o: o.seconds)
    print(f"{sum(o.cells for o in found)} cells, {sum(o.seconds for o in found):.0f} s")
    print(f"the slowest took {slowest.seconds:.1f} s: {slowest.replay()}")
    for o in found:
        if o.kind in BAD:
            print(f"{o.kind}: {o.replay()}")
    return int(any(o.kind in BAD for o in found))


if __name__ == "__main__":
    sys.exit(main())
