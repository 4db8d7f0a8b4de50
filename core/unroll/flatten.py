"""A body laid flat by a chart: its triangles made small enough that they stay nearly flat where the chart puts them.

The chart bends straight edges, little on the wall that it follows and much near its axis, its centre, or across from
its origin. So no bound serves: each side of a triangle is looked at where it would be farthest from what it should be,
in its middle.
"""

from dataclasses import replace

import numpy as np

from ..arithmetic.products import dot, multiply, norm
from ..cutting.complex import Complex
from ..errors import InputError
from ..geometry.charts import Chart, rolled, unrolled
from ..roughness.bend import Bend, flattened
from ..roughness.bisection import Bisection, ShortTable, roomy
from ..roughness.refine import Refined, refined
from ..roughness.rough import Grain
from ..types import Body, Floats, Ints

#: Triangles beyond those of the body that laying it flat may take. Chosen: seconds; walls of the tests take thousands.
_MOST_NEW = 1_000_000
TOO_WIDE = "The pattern cannot be bent around the mesh: some of its faces are too wide."


def flatten(body: Body, chart: Chart, tolerance: float, guess: Floats | None = None) -> Refined:
    """Halve triangles of a body until each of their sides is bent by less than `tolerance` [m] at its middle.

    `flat` is by the chart alone; `guess (V,3)` are flat points near the vertices, which say on what side of the seam of
    a cylinder they are. Raises InputError where the chart has no image.
    """
    mesh, flat = Bisection(body.vertices, body.triangles), unrolled(chart, body.vertices, guess)
    suspects = np.arange(mesh.triangles, dtype=np.int32)
    while len(worst := suspects[_bent_sides(mesh, flat, chart, suspects, tolerance)]):
        if mesh.triangles > len(body.triangles) + _MOST_NEW:
            raise InputError(TOO_WIDE)
        first = mesh.points
        ends, suspects = mesh.halve(worst)
        flat = roomy(flat, first, mesh.points)
        middle = 0.5 * (flat[ends[:, 0]] + flat[ends[:, 1]])
        flat[first : mesh.points] = unrolled(chart, mesh.vertices[first : mesh.points], middle)
    made = mesh.result()
    return Refined(mesh.vertices[made.vertex], flat[made.vertex], made.triangles, made.source, made.weight)


def _bent_sides(mesh: Bisection, flat: Floats, chart: Chart, rows: ShortTable, tolerance: float) -> Ints:
    """Which of the triangles have a side whose middle lies too far from where its flat image has it."""
    corner = mesh.triangle["corner"][rows]
    a, b = corner.ravel().astype(np.int64), np.roll(corner, -1, axis=1).ravel()
    key, row = np.unique(a * mesh.points + b, return_inverse=True)
    a, b = key // mesh.points, key % mesh.points
    real, image = (0.5 * (place[a] + place[b]) for place in (mesh.vertices, flat))
    off = rolled(chart, image) - real
    away = dot(off, off)
    return np.flatnonzero((away > tolerance * tolerance)[row].reshape(-1, 3).any(axis=1))


def refine_flattened(first: Refined, bend: Bend, cx: Complex, grain: Grain) -> Refined:
    """A body that is laid flat, with smaller triangles where the noise of the bend matters; see `refined`."""
    if not len(bend.octave):
        return first

    def flatten(bend: Bend, real: Floats, guess: Floats | None) -> Floats:
        return flattened(bend, real, first.flat if guess is None else guess)

    # Distances from cracks are those of flat space, which may be many times those of real space.
    wide = _stretch(first)
    body = Body(first.vertices, first.triangles, first.source)
    bend = replace(bend, noise_curvature=wide * bend.noise_curvature, reach=wide * bend.reach)
    fine = refined(body, bend, cx, wide * grain.tolerance, wide * grain.everywhere, flatten, grain.at_partition_edges)
    # Both are dyadic, so their product is exact.
    weight = multiply(fine.weight, first.weight[fine.source])
    return replace(fine, source=first.source[fine.source], weight=weight)


def _stretch(flat: Refined) -> float:
    """The largest ratio of a side's length in flat space to that in real space, or 1."""
    ends = np.concatenate([flat.triangles[:, [k, (k + 1) % 3]] for k in range(3)])
    long, short = (norm(place[ends[:, 1]] - place[ends[:, 0]]) for place in (flat.flat, flat.vertices))
    return float((long[short > 0.0] / short[short > 0.0]).max(initial=1.0))
