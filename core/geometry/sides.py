"""Which sides of triangles look into one space: two sides per triangle, glued around each edge by angle.

Every triangle has a side behind it (against its normal) and one in front. Around an edge, the side of a triangle that
looks to rising angle is glued to the side of the next triangle that looks to falling angle; where an edge has one
triangle only, its own two sides are glued: one walks around the border. Groups of glued sides are closed surfaces,
however torn, tangled or turned the triangles are: a chamber seen from inside, an edge-connected part seen from outside,
both sides of a sheet. The same unions on the corners of sides give fans: the vertices of surfaces that meet nowhere.

Of an edge-connected part that does not cross itself, each space that it bounds has exactly one group. Those of chambers
enclose a positive volume, that of the outside the negative of their sum, and that of a sheet nothing.
"""

from typing import NamedTuple

import numpy as np

from ..jit import device_inlined, njit_no_refs, sealed_floats, sealed_ints
from ..types import Bools, Floats, Ints
from .graph import connected_labels, join
from .rings import HalfEdgeRings, rings


class Sides(NamedTuple):
    """Of T triangles, two sides each: [0] behind the triangle, against its normal, and [1] in front."""

    group: Ints  #: (T,2) group of each side, 0..G-1 in the order of their first sides
    fan: Ints  #: (T,2,3) fan of each corner of each side; sides glued at an edge share those at its two ends
    fan_vertex: Ints  #: (F,) the vertex at which each fan is
    volume: Floats  #: (G,) signed volume [m^3] that each group encloses
    component: Ints  #: (G,) edge-connected component of each group, 0.. in the order of their first groups


class _Numbered(NamedTuple):
    """Room for what `_number` finds: for one group a side and one fan a corner of it."""

    group: Ints  #: (2T,) of each side
    fan: Ints  #: (6T,) of each corner of a side
    begin: Ints  #: (2T,) first triangle of each group
    fan_vertex: Ints  #: (6T,)
    volume: Floats  #: (2T,) of each group [m^3]
    sizes: Ints  #: (2,) numbers of groups and fans


def sides(vertices: Floats, triangles: Ints) -> Sides:
    """The side groups of triangles (T,3). Errors as for `rings`."""
    return glued(vertices, triangles, rings(vertices, triangles))


def glued(vertices: Floats, triangles: Ints, around: HalfEdgeRings, keep: Bools | None = None) -> Sides:
    """The side groups of those triangles that are kept (T,), sorted as `around` says.

    Sides that are not kept have groups and fans -1. Raises ValueError for arrays that do not fit, IndexError for a
    vertex that does not exist.
    """
    count = len(triangles)
    if len(around.edges.of_half) != 3 * count or (keep is not None and keep.shape != (count,)):
        raise ValueError("each triangle needs three half-edges and, where some are kept, a choice")
    if count > 0 and (triangles.min() < 0 or triangles.max() >= len(vertices)):
        raise IndexError("a triangle has a vertex that does not exist")
    kept = np.ones(count, np.bool_) if keep is None else np.array(keep, np.bool_)
    following, groups, fans = np.arange(3 * count), np.arange(2 * count), np.arange(6 * count)
    made = _Numbered(
        group=np.empty(2 * count, np.int64),
        fan=np.empty(6 * count, np.int64),
        begin=np.empty(2 * count, np.int64),
        fan_vertex=np.empty(6 * count, np.int64),
        volume=np.zeros(2 * count),
        sizes=np.zeros(2, np.int64),
    )
    corners, sizes = sealed_ints(triangles), made.sizes
    _follow(sealed_ints(around.start), sealed_ints(around.half), kept, following)
    _glue(corners, kept, following, groups, fans)
    _number(sealed_floats(vertices), corners, kept, groups, fans, made)
    pairs = np.sort(made.group.reshape(-1, 2)[kept], axis=1)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return Sides(
        made.group.reshape(-1, 2),
        made.fan.reshape(-1, 2, 3),
        made.fan_vertex[: sizes[1]].copy(),
        made.volume[: sizes[0]].copy(),
        connected_labels(int(sizes[0]), pairs),
    )


@njit_no_refs
def _follow(start: Ints, half: Ints, kept: Bools, following: Ints) -> None:
    """The next half-edge by rising angle `following (3T,)`, which holds each one itself."""
    for ring in range(len(start) - 1):
        begin, before = -1, -1
        for at in range(start[ring], start[ring + 1]):
            if kept[half[at] // 3]:
                if before < 0:
                    begin = half[at]
                else:
                    following[before] = half[at]
                before = half[at]
        if before >= 0:
            following[before] = begin


@njit_no_refs
def _glue(triangles: Ints, kept: Bools, following: Ints, groups: Ints, fans: Ints) -> None:
    """Join sides in `groups (2T,)` and their corners in `fans (6T,)`.

    The side at a half-edge that looks to rising angle is glued to that at the next one that looks to falling angle.
    """
    for a in range(len(following)):
        b = following[a]
        s, t = a // 3, b // 3
        if not kept[s]:
            continue
        k, n = a % 3, (a + 1) % 3
        m, o = b % 3, (b + 1) % 3
        # The side in front looks to rising angle where the half-edge runs from the smaller to the larger vertex.
        x, y = 2 * s, 2 * t
        if triangles[s, k] < triangles[s, n]:
            x += 1
        else:
            k, n = n, k
        if triangles[t, m] > triangles[t, o]:
            y += 1
            m, o = o, m
        join(groups, x, y)
        join(fans, 3 * x + k, 3 * y + m)
        join(fans, 3 * x + n, 3 * y + o)


@njit_no_refs
def _number(vertices: Floats, triangles: Ints, kept: Bools, groups: Ints, fans: Ints, made: _Numbered) -> None:
    """Number groups and fans in the order of their first members, and add up the volumes.

    In a set the first member is the root, and every other one has a parent before it. The volume of a group is a sum
    of tetrahedra about a corner of its first triangle.
    """
    group, fan, begin, fan_vertex, volume, sizes = made
    for side in range(len(groups)):
        t = side // 2
        if not kept[t]:
            group[side] = -1
            for k in range(3):
                fan[3 * side + k] = -1
            continue
        if groups[side] == side:
            group[side] = sizes[0]
            begin[sizes[0]] = t
            sizes[0] += 1
        else:
            group[side] = group[groups[side]]
        for k in range(3):
            corner = 3 * side + k
            if fans[corner] == corner:
                fan[corner] = sizes[1]
                fan_vertex[sizes[1]] = triangles[t, k]
                sizes[1] += 1
            else:
                fan[corner] = fan[fans[corner]]
        if side % 2 == 1 and group[side] != group[side - 1]:
            volume[group[side - 1]] += _tetrahedron(vertices, triangles, t, triangles[begin[group[side - 1]], 0])
            volume[group[side]] -= _tetrahedron(vertices, triangles, t, triangles[begin[group[side]], 0])


@device_inlined
def _tetrahedron(vertices: Floats, triangles: Ints, t: int, origin: int) -> float:
    """Signed volume between vertex `origin` and a triangle."""
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    ox, oy, oz = vertices[origin, 0], vertices[origin, 1], vertices[origin, 2]
    ax, ay, az = vertices[a, 0] - ox, vertices[a, 1] - oy, vertices[a, 2] - oz
    bx, by, bz = vertices[b, 0] - ox, vertices[b, 1] - oy, vertices[b, 2] - oz
    cx, cy, cz = vertices[c, 0] - ox, vertices[c, 1] - oy, vertices[c, 2] - oz
    return float(ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)) / 6.0
