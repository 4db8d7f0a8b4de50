"""Break things in many random files: `python -m tests.fuzz_scenes.run --cases 10000 --seed 1 [--start 0] [--verbose]`.

A child process takes some cases at a time, since a fault may take Blender down with it: the case that a child dies in
counts as a crash. Prints what became of them, names each bad case by the command that replays it, and ends with
status 1 if there is one.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

#: Cases for one child; seconds that one may take on the average before the child is ended, and those for its start, in
#: which kernels may have to be compiled.
CHUNK, PATIENCE, START = 100, 20, 300


def outcomes(seed: int, first: int, count: int) -> Iterator[dict]:
    """What became of each case, in order."""
    number = first
    while number < first + count:
        last = number
        for outcome in _child(seed, number, min(CHUNK, first + count - number)):
            number = outcome["number"] + 1
            yield outcome
        if number < min(last + CHUNK, first + count):
            replay = f"python -m tests.fuzz_scenes.run --seed {seed} --start {number} --cases 1 --verbose"
            yield {"number": number, "kind": "CRASH", "text": "Blender ended", "seconds": 0.0, "replay": replay}
            number += 1


def _child(seed: int, first: int, count: int) -> Iterator[dict]:
    command = [sys.executable, "-m", "tests.fuzz_scenes.run", "--child", "--seed", str(seed)]
    command += ["--start", str(first), "--cases", str(count)]
    try:
        ended = subprocess.run(
            command, stdout=subprocess.PIPE, text=True, timeout=START + PATIENCE * count, check=False
        )
        lines = ended.stdout
    except subprocess.TimeoutExpired as late:
        lines = (late.stdout or b"").decode()
    yield from (json.loads(line[5:]) for line in lines.splitlines() if line.startswith("CASE "))


def work(seed: int, first: int, count: int) -> None:
    """What a child does."""
    from tools import checkout

    checkout.enable()
    from .case import run_case

    for number in range(first, first + count):
        o = run_case(seed, number)
        row = {"number": number, "kind": o.kind, "text": o.text, "seconds": o.seconds, "replay": o.replay()}
        print(f"CASE {json.dumps(row)}", flush=True)
    checkout.disable()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--verbose", action="store_true", help="print every case")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        work(chosen.seed, chosen.start, chosen.cases)
        return 0
    found = []
    for row in outcomes(chosen.seed, chosen.start, chosen.cases):
        found.append(row)
        if chosen.verbose or row["kind"].isupper():
            print(f"{row['number']} {row['kind']} {row['seconds']:.2f} s {row['text']}", flush=True)
    count = Counter(row["kind"] for row in found)
    print(", ".join(f"{number} {kind}" for kind, number in sorted(count.items())))
    print(f"{sum(row['seconds'] for row in found):.0f} s")
    bad = [row for row in found if row["kind"].isupper()]
    for row in bad:
        print(f"{row['kind']}: {row['replay']}")
    return int(bool(bad) or len(found) < chosen.cases)


if __name__ == "__main__":
    sys.exit(main())
