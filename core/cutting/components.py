"""Connected pieces: a region may hold several separate parts of the body, and each of them is a cell."""

from typing import NamedTuple

import numpy as np

from ..arithmetic.angles import arctan2
from ..arithmetic.products import dot, norm
from ..errors import CutError
from ..geometry.graph import join
from ..geometry.packed import group
from ..jit import device_inlined, njit_no_refs
from ..types import Floats, Ints


class CellSides(NamedTuple):
    """All face sides of all cells: the outer faces, then the loops seen from lo, then the loops seen from hi."""

    start: Ints  #: (faces+1,) corners of outer faces
    vertex: Ints
    region: Ints  #: (faces,)
    loop_start: Ints  #: (L+1,)
    loop_vertex: Ints
    loop_region: Ints  #: (2L,) of lo, then of hi
    home: Ints  #: (V,) region of each body vertex
    whole: int  #: the first outer faces are triangles of the body whose corners are all in their region


class _Sets(NamedTuple):
    """Union-find over body vertices and, after them, sides; a vertex of the cut counts once in each region."""

    parent: Ints  #: (V + cut,): the vertices stand for the sides that are whole
    region: Ints  #: (cut,) of sides that are not whole
    start: Ints  #: (R+1,) zeros
    order: Ints  #: (cut,) those sides sorted by region, counted from the first of them
    last: Ints  #: (positions,2) last region of which a side had the vertex, and the node of that side


@device_inlined
def _touch(sets: _Sets, home: Ints, v: int, region: int, node: int) -> None:
    """Join a side with what else has vertex v in the same region."""
    known = len(home)
    if v < known and home[v] == region:
        join(sets.parent, v, node)
    elif sets.last[v, 0] == region:
        join(sets.parent, sets.last[v, 1], node)
    else:
        sets.last[v, 0] = region
        sets.last[v, 1] = node


@njit_no_refs
def _join_sides(sides: CellSides, sets: _Sets, pairs: Ints, cell: Ints) -> int:
    """Fill `cell` with the number of each side's set; returns how many sets there are."""
    parent, faces, known, whole = sets.parent, len(sides.region), len(sides.home), sides.whole
    loops = len(sides.loop_start) - 1
    for face in range(whole):
        a = sides.vertex[3 * face]
        join(parent, a, sides.vertex[3 * face + 1])
        join(parent, a, sides.vertex[3 * face + 2])
    group(sets.region, sets.start, sets.order)
    for i in range(len(sets.order)):
        region = sets.region[sets.order[i]]
        node = known + sets.order[i]
        side = whole + sets.order[i]
        if side < faces:
            for at in range(sides.start[side], sides.start[side + 1]):
                _touch(sets, sides.home, sides.vertex[at], region, node)
        else:
            loop = (side - faces) % loops
            for at in range(sides.loop_start[loop], sides.loop_start[loop + 1]):
                _touch(sets, sides.home, sides.loop_vertex[at], region, node)
    for i in range(len(pairs)):
        a, b = pairs[i, 0], pairs[i, 1]
        a = known + a - whole if a >= whole else sides.vertex[3 * a]
        b = known + b - whole if b >= whole else sides.vertex[3 * b]
        join(parent, a, b)
    count = 0
    for node in range(len(parent)):  # a root comes before the rest of its set
        if parent[node] == node:
            parent[node] = count
            count += 1
        else:
            parent[node] = parent[parent[node]]
    for side in range(len(cell)):
        cell[side] = parent[known + side - whole if side >= whole else sides.vertex[3 * side]]
    return count


def join_sides(sides: CellSides, regions: int, positions: int, pairs: Ints) -> tuple[Ints, Ints]:
    """Component of each side (n,), and region of each component (C,), which never falls.

    Sides of one region that share one of the `positions` vertices are one component, and so are `pairs (.,2)` of sides.
    """
    count = len(sides.region) + len(sides.loop_region)
    cut = count - sides.whole
    sets = _Sets(
        parent=np.arange(len(sides.home) + cut),
        region=np.concatenate([sides.region[sides.whole :], sides.loop_region]),
        start=np.zeros(regions + 1, np.int64),
        order=np.empty(cut, np.int64),
        last=np.full((positions, 2), -1, np.int64),
    )
    label = np.empty(count, np.int64)
    region = np.full(_join_sides(sides, sets, pairs, label), -1, np.int64)  # -1 stays where a vertex has no triangle
    region[label[: len(sides.region)]] = sides.region
    region[label[len(sides.region) :]] = sides.loop_region
    order = np.argsort(region, kind="stable")
    alone = int(np.count_nonzero(region < 0))
    number = np.empty(len(region), np.int64)
    number[order] = np.arange(-alone, len(region) - alone)
    return number[label], region[order[alone:]]


def _solid_angle(triangles: Floats, point: Floats) -> float:
    """Signed solid angle of triangles (n,3,3) seen from a point (van Oosterom and Strackee 1983, eq. 8)."""
    r = triangles - point
    length = norm(r)
    a, b, c = r[:, 0], r[:, 1], r[:, 2]
    volume = dot(a, np.cross(b, c))
    along = length[:, 0] * length[:, 1] * length[:, 2]
    along = along + dot(a, b) * length[:, 2] + dot(b, c) * length[:, 0]
    along = along + dot(a, c) * length[:, 1]
    return float(2.0 * arctan2(volume, along).sum())


def enclosing_component(shells: dict[int, Floats], point: Floats, volume: Floats) -> int:
    """The smallest of the `shells` (component -> triangles (n,3,3)) around a point.

    Raises CutError where there is none.
    """
    inside = [key for key, triangles in shells.items() if _solid_angle(triangles, point) > 2.0 * np.pi]
    if not inside:
        raise CutError("A hollow of the mesh has no wall around it; its faces may point the wrong way.")
    return min(inside, key=lambda key: float(volume[key]))
