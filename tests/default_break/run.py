"""Break each primitive of Blender as each material at three sizes: `python -m tests.default_break.run [--verbose]`.

Prints the share of the pieces that part by material and size, names each break that nobody sees by the command that
runs it again, and ends with status 1 if there is one.
"""

import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from tests.series import Outcome, main

#: Ten primitives at three sizes as each material, see case.py, which asks for Blender.
CASES = 30 * len(list((Path(__file__).parents[2] / "presets" / "brittle").glob("*.toml")))


def table(found: Sequence[Outcome]) -> str:
    """Shares in percent of the pieces that part, the least and the mean over the primitives, by material and size."""
    shares: dict[tuple[str, float], list[float]] = defaultdict(list)
    for outcome in found:
        if "share" in outcome.data:
            shares[outcome.data["preset"], outcome.data["size"]].append(100.0 * outcome.data["share"])
    sizes = sorted({size for _, size in shares})
    rows = [f"{'% that part: least, mean':30}" + "".join(f"{size:>12} m" for size in sizes)]
    for preset in dict.fromkeys(preset for preset, _ in shares):
        cells = (shares[preset, size] or [0.0] for size in sizes)
        rows.append(f"{preset:30}" + "".join(f"{min(cell):8.0f}{sum(cell) / len(cell):6.0f}" for cell in cells))
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main("default_break", __doc__, CASES, table))
