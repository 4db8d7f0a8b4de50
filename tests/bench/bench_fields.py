"""How fast fields of strength are: each kind, and stacks of three, on twenty thousand bonds.

`run()` gives rows {case, ours_s}. A change of a field on pieces that are cut already costs this and the breaking.
"""

from collections.abc import Iterator

import numpy as np

from core.cutting.cut import cut
from core.cutting.units import units
from core.pieces.voronoi_complex import voronoi_complex
from core.strength.choice import FieldChoice
from core.strength.fields import FIELDS
from core.strength.fields.painted import PaintedParams
from core.strength.origin import Origin
from core.strength.stack import strengths_of
from core.types import Painted
from tests.bench.measure import seconds
from tests.shapes import bumpy_sphere

CELLS, RUNS = 3_000, 15
STACKS = (("size", "noise", "bands"), ("size", "turbulence", "cleaving"), ("size", "veins", "nodes"))


def run() -> Iterator[dict]:
    body = bumpy_sphere(5)
    sites = np.random.default_rng(0).uniform(-1.2, 1.2, (2 * CELLS, 3))
    cells = cut(body, voronoi_complex(sites, np.full(3, -1.2), np.full(3, 1.2)))
    graph = units(cells)
    paint = Painted("group", "Weak", np.random.default_rng(1).uniform(0.0, 1.0, (len(body.triangles), 3)))
    origin = Origin(body, np.eye(3), (paint,))
    for kinds in (*STACKS, *((method.id,) for method in FIELDS)):
        stack = tuple(_choice(kind) for kind in kinds)
        best = seconds(lambda fields=stack: strengths_of(origin, cells, graph, fields), RUNS)
        yield {"case": f"{' x '.join(kinds)} on {len(cells.bond_area)} bonds", "ours_s": best}


def _choice(kind: str) -> FieldChoice:
    params = FIELDS[kind].params
    return FieldChoice(kind, params(name="Weak") if params is PaintedParams else params())
