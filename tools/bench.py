"""Run the benchmarks in tests/bench/, print a table, and write build/bench/<name>.jsonl.

A benchmark is a file bench_<name>.py with `run()`, which yields or returns mappings: `case` (text), `ours_s` (seconds
of CPU), and where there is something to compare with `reference` (text), `reference_s`; `peak_mib` where it is
measured. `ratio` is reference_s / ours_s: above 1, ours is faster. Each file runs in a process of its own.
"""

import argparse
import importlib.util
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BENCHES = ROOT / "tests" / "bench"
RESULTS = ROOT / "build" / "bench"
FIELDS = ("case", "ours_s", "reference", "reference_s", "ratio", "peak_mib")
ROW = "{:<52} {:>10} {:>28} {:>12} {:>8} {:>9}"
SECONDS = 900


def main() -> int:
    """Run one benchmark or all; 1 when one of them failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="?", help="cut runs bench_cut.py alone")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)  # set for the child process
    arguments = parser.parse_args()
    names = [path.stem.removeprefix("bench_") for path in sorted(BENCHES.glob("bench_*.py"))]
    if arguments.name and arguments.name not in names:
        parser.error(f"there is no benchmark {arguments.name}; choose one of {', '.join(names) or '(none yet)'}")
    if arguments.here:
        measure(arguments.name)
        return 0
    failed = [name for name in names if arguments.name in (None, name) and not _measured_in_a_child(name)]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def measure(name: str) -> None:
    """Run bench_<name>.py in this process, row by row to the screen and to its file."""
    sys.path.insert(0, str(ROOT))
    RESULTS.mkdir(parents=True, exist_ok=True)
    print(f"\n{name}\n" + ROW.format(*FIELDS), flush=True)
    with (RESULTS / f"{name}.jsonl").open("w", encoding="utf-8") as file:
        for result in _module(BENCHES / f"bench_{name}.py").run():
            row = complete(result)
            file.write(json.dumps(row) + "\n")
            file.flush()
            print(ROW.format(*(_text(row[field]) for field in FIELDS)), flush=True)


def complete(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result with all fields, those that were not measured as None. Raises ValueError for an unknown field."""
    unknown = set(result) - set(FIELDS)
    if unknown:
        raise ValueError(f"a benchmark gives {', '.join(FIELDS)}; {', '.join(sorted(unknown))} is not known")
    row = {field: result.get(field) for field in FIELDS}
    if row["ratio"] is None and row["reference_s"] is not None:
        row["ratio"] = row["reference_s"] / row["ours_s"]
    return row


def _measured_in_a_child(name: str) -> bool:
    try:
        return subprocess.run([sys.executable, __file__, name, "--here"], timeout=SECONDS).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _text(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    sys.exit(main())
