"""Sheets get a second side and a rim: their two sides are pushed apart.

Every fan of sides (`seams`) becomes a vertex, moved by its own offset (`offsets`); where the two sides part, at
borders, a rim joins them. Moebius strips, fins and walls that meet in a T need no case of their own. Where k sheets end
together, their k rims leave a polygon of k corners, which is closed as well.

Limitation: a sheet that is bent more sharply than it is thick crosses itself; `geometry.arrangement` resolves that.
"""

from typing import NamedTuple

import numpy as np

from ..geometry.graph import connected_labels
from ..geometry.mesh import edge_table, is_manifold
from ..geometry.rings import rings
from ..types import Bools, Floats, Ints, Made
from .offsets import OffsetFaces, fan_offsets, measure_offset_faces
from .seams import Wedges, find_fans, wedges


class Thickened(NamedTuple):
    """A closed mesh around a sheet, n triangles facing outward."""

    vertices: Floats  #: (V,3) [m]
    triangles: Ints  #: (n,3) first a front for each face of the sheet, then a back for each, then what joins them
    parent: Ints  #: (n,) face of the sheet; of a rim, the one at the border
    #: (n,3) corner 0, 1, 2 of the parent at which each corner was: values of corners carry over. A rim, and what fills
    #: a skin at the end of a fin, has one corner of its parent twice or three times.
    corner: Ints
    made: Ints  #: (n,) a `Made`: OWN in front, BACK, RIM; what fills a skin counts as a part of it
    one_sided: int  #: components without a front of their own, which can only grow to both sides


class _Part(NamedTuple):
    """Some triangles of the result, with the fields of `Thickened`; parent and corner as slots."""

    triangles: Ints  #: (n,3) fans
    slot: Ints  #: (n,3) slot of the parent's corner at which each corner was
    made: Ints  #: (n,)


def thicken(vertices: Floats, triangles: Ints, thickness: float, *, centred: bool = False) -> Thickened:
    """Give a sheet thickness [m].

    Parameters: `vertices (V,3)` [m]; `triangles (T,3)` with three different vertices each, in any orientation, no two
    of the same three.
    Not centred, the front stays where it is, bit by bit, and the back is moved behind it; the front is the side of a
    component that more of its area faces. Components with one side only (Moebius strips) or with edges of more than
    two faces (fins, walls that meet) are centred always: both sides move by half.
    Raises IndexError for a vertex that does not exist, ValueError for a thickness that is no length, for a triangle
    with a repeated vertex, and where the result is not closed.
    """
    vertices, triangles = np.asarray(vertices, np.float64), np.asarray(triangles, np.int64).reshape(-1, 3)
    if not (np.isfinite(thickness) and thickness > 0.0):
        raise ValueError(f"a thickness of {thickness} is no length")
    around = rings(vertices, triangles)
    faces = measure_offset_faces(vertices, triangles, around.edges)
    found = wedges(triangles, around)
    fan, opened = find_fans(triangles, found, faces.angle)
    front, two_sided, one_sided = _fronts(faces.area, found)
    inward = two_sided & (not centred)
    way = thickness * np.where(inward[:, None], front[:, None] != [0, 1], 0.5)  # (T,2) of each side
    points = _moved(vertices, triangles, way, faces, fan, found, opened)
    centres, polygons = _polygons(triangles, fan, found, opened)
    parts = [*_skins(fan, front), *_rims(fan, front, found, opened), polygons]
    made = np.concatenate([part.made for part in parts])
    slot = np.concatenate([part.slot for part in parts])
    result = np.concatenate([part.triangles for part in parts])
    _require_closed(result)
    points = np.concatenate([points, vertices[centres]])
    return Thickened(points, result, slot[:, 0] // 6, slot % 3, made, one_sided)


def _require_closed(triangles: Ints) -> None:
    if not is_manifold(edge_table(triangles)):
        raise ValueError("the thickened sheet is not closed")


def _fronts(area: Floats, found: Wedges) -> tuple[Ints, Bools, int]:
    """The front (T,), 0 or 1, of each face, whether its component has a front of its own (T,), and how many have none.

    Without one, the front is that of the face as it is.
    """
    across = ~found.border
    a, b = found.a[across, 0] // 3, found.b[across, 0] // 3
    sheet = connected_labels(2 * len(area), np.stack([a, b], axis=1))
    component = connected_labels(len(area), np.stack([a, b], axis=1) // 2)
    uses = np.bincount(found.edge)
    tangled = sheet[0::2] == sheet[1::2]
    tangled[a[uses[found.edge[across]] > 2] // 2] = True
    without = np.bincount(component, tangled) > 0
    faced = np.bincount(sheet[1::2], area, len(sheet))
    before, behind = faced[sheet[1::2]], faced[sheet[0::2]]
    tie = (before == behind) & (sheet[1::2] < sheet[0::2])  # the first face of the component decides
    front = np.where((before < behind) | tie, 0, 1)
    two_sided = ~without[component]
    return np.where(two_sided, front, 1), two_sided, int(without.sum())


def _moved(
    vertices: Floats, triangles: Ints, way: Floats, faces: OffsetFaces, fan: Ints, found: Wedges, opened: Bools
) -> Floats:
    """Where the fans (F,3) go, of which each side goes its `way (T,2)`, the same within a fan."""
    count = fan.max(initial=-1) + 1
    vertex, step, ends = np.empty(count, np.int64), np.empty(count), np.zeros(count, np.bool_)
    vertex[fan] = np.repeat(triangles, 2, axis=0).reshape(-1)
    step[fan] = np.repeat(way.reshape(-1), 3)
    ends[fan[found.a[opened]]] = ends[fan[found.b[opened]]] = True
    ends &= ~np.isin(vertex, vertex[fan[found.a[np.bincount(found.edge)[found.edge] > 2]]])
    _, kind = np.unique(step, return_inverse=True)
    meeting = np.where(ends, vertex + len(vertices) * kind, -1)
    side = np.flatnonzero(way.reshape(-1))
    offset = fan_offsets(fan.reshape(-1, 3)[side], side, faces, meeting)
    moved = np.flatnonzero(step)
    points = vertices[vertex]
    points[moved] += step[moved, None] * offset[moved]
    return points


def _skins(fan: Ints, front: Ints) -> list[_Part]:
    """The front and the back of each face."""
    parts = []
    for side, made in ((front, Made.OWN), (1 - front, Made.BACK)):
        first = 6 * np.arange(len(front)) + 3 * side
        slot = first[:, None] + np.where(side[:, None] == 1, [0, 1, 2], [0, 2, 1])
        parts.append(_Part(fan[slot], slot, np.full(len(front), made)))
    return parts


def _rims(fan: Ints, front: Ints, found: Wedges, opened: Bools) -> list[_Part]:
    """Two triangles at each wedge that is open; one where it is open at one end only.

    Those where a fan was split lie in the skin and pass for a part of it.
    """
    rows = opened.any(axis=1)
    a, b = found.a[rows], found.b[rows]
    (a0, a1), (b0, b1) = fan[a].T, fan[b].T
    before = front[a[:, 0] // 6] == a[:, 0] // 3 % 2
    made = np.where(found.border[rows], Made.RIM, np.where(before, Made.OWN, Made.BACK))
    first, second = a0 != b0, a1 != b1
    return [
        _Part(np.stack([a1, a0, b0], axis=1)[first], a[first][:, [1, 0, 0]], made[first]),
        _Part(np.stack([a1, b0, b1], axis=1)[second], a[second][:, [1, 0, 1]], made[second]),
    ]


def _polygons(triangles: Ints, fan: Ints, found: Wedges, opened: Bools) -> tuple[Ints, _Part]:
    """What rims leave open at vertices: the vertices (n,) in the middle of polygons, and the triangles of these.

    Each fan that ends at borders ends at two of them, so the open ends of rims make rings of fans. Those of two fans
    are closed already; larger ones are about as wide as the sheet is thick, with the vertex in their middle.
    """
    low, high = opened.T
    start = np.concatenate([fan[found.b[low, 0]], fan[found.a[high, 1]]])
    end = np.concatenate([fan[found.a[low, 0]], fan[found.b[high, 1]]])
    slot = np.concatenate([found.a[low, 0], found.a[high, 1]])
    following = np.full(fan.max(initial=-1) + 1, -1)
    following[start] = end
    rest = following[end] != start
    start, end, slot = start[rest], end[rest], slot[rest]
    ring = connected_labels(len(following), np.stack([start, end], axis=1))[start]
    size = np.bincount(ring)[ring]
    first = np.full(len(following), len(following))
    np.minimum.at(first, ring, start)
    three = (size == 3) & (first[ring] == start)
    wide = size > 3
    which, centre = np.unique(ring[wide], return_inverse=True)
    middle = np.empty(len(which), np.int64)
    middle[centre] = triangles.reshape(-1)[slot[wide] // 6 * 3 + slot[wide] % 3]
    closing = [np.stack([start, end, following[end]], axis=1)[three]]
    closing.append(np.stack([len(following) + centre, start[wide], end[wide]], axis=1))
    at = np.concatenate([slot[three], slot[wide]])
    return middle, _Part(np.concatenate(closing), np.stack([at, at, at], axis=1), np.full(len(at), Made.RIM))
