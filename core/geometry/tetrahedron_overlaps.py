"""How much of tetrahedra lies inside of a closed mesh: the volume, its centre, and the surface within.

The winding number of a point is the sum of signed crossings of a ray from it with the triangles (see `inside`). So its
integral over a tetrahedron is a sum over triangles: of each the volume of the tetrahedron that lies below it, in the
column that it casts along the ray. That is a tetrahedron cut by four half-spaces, which the kernel divides into smaller
tetrahedra. Every term is a continuous function of all corners: nothing has to be decided where things touch, lie in one
plane or share a corner, and the error is round-off.

Limitations: the mesh is closed. What winds twice around a place counts twice.
"""

from typing import NamedTuple

import numpy as np

from ..jit import device_inlined, device_no_refs, njit_no_refs, sealed_floats
from ..types import Floats, Ints
from .bvh import Tree, TreeNodes, leaf_entries

#: Tetrahedra that wait to be cut, at the most: one, and two more for each of four cuts.
_WAITING = 9
#: Triangles that wait, at the most: one, and one more for each of four cuts.
_WAITING_TRIANGLES = 5


class _ClipScratch(NamedTuple):
    """Room to cut one tetrahedron and one triangle; T triangles in a tree of depth D."""

    node: Ints  #: (D+2,) nodes that wait
    tetrahedra: Floats  #: (9,4,3) that wait, seen from the first corner of the whole [m]
    triangles: Floats  #: (5,3,3)
    level: Ints  #: (9,) half-spaces by which each was cut
    column: Floats  #: (4,4) half-spaces: normals and offsets, positive inside
    faces: Floats  #: (4,4) of the whole tetrahedron
    wedge: Floats  #: (6,3) two triangles, between whose corners a body lies
    value: Floats  #: (4,) of corners in a half-space
    corner: Ints  #: (4,) corners, those inside first
    cross: Floats  #: (3,) twice the area of a triangle, along its normal


def overlap_with_mesh(tree: Tree, tetrahedra: Floats) -> tuple[Floats, Floats, Floats]:
    """Volume (n,) [m^3] of what tetrahedra (n,4,3) share with a closed mesh, its centre (n,3) [m], and the surface.

    The last is the area (n,3) [m^2] of the mesh within each tetrahedron, as the sum of its outward normals. The centre
    is that of the tetrahedron where they share nothing.
    """
    corners = sealed_floats(np.asarray(tetrahedra, np.float64).reshape(-1, 4, 3))
    middle = 0.25 * (corners[:, 0] + corners[:, 1] + corners[:, 2] + corners[:, 3])
    found = np.zeros((len(corners), 7))
    up = int(np.argmin(tree.high[1] - tree.low[1]))
    scratch = _ClipScratch(
        np.empty(tree.depth + 2, np.int64), np.empty((_WAITING, 4, 3)), np.empty((_WAITING_TRIANGLES, 3, 3)),
        np.empty(_WAITING, np.int64), np.empty((4, 4)), np.empty((4, 4)), np.empty((6, 3)), np.empty(4),
        np.empty(4, np.int64), np.empty(3),
    )  # fmt: skip
    _overlap(tree.nodes, corners, up, scratch, found)
    volume = found[:, 0]
    there = volume != 0.0
    away = found[:, 1:4] / np.where(there, volume, 1.0)[:, None]
    return volume, np.where(there[:, None], corners[:, 0] + away, middle), found[:, 4:]


@njit_no_refs
def _overlap(tree: TreeNodes, tetrahedra: Floats, up: int, scratch: _ClipScratch, found: Floats) -> None:
    """Add volume, first moment from the first corner, and area up in `found (n,7)`, with rays along axis `up`."""
    corners, low, high, depth = tree
    stack, total, leaves = scratch.node, len(corners), 1 << depth
    u, v = (up + 1) % 3, (up + 2) % 3
    for n in range(len(tetrahedra)):
        u_low, u_high = _extent_of_four(tetrahedra, n, u)
        v_low, v_high = _extent_of_four(tetrahedra, n, v)
        bottom, top_most = _extent_of_four(tetrahedra, n, up)
        _face_planes(tetrahedra, n, scratch.faces)
        stack[0] = 1
        top = 1
        while top > 0:
            top -= 1
            node = stack[top]
            if low[node, u] > u_high or high[node, u] < u_low or low[node, v] > v_high or high[node, v] < v_low:
                continue
            if high[node, up] < bottom:
                continue
            if node < leaves:
                stack[top], stack[top + 1] = 2 * node, 2 * node + 1
                top += 2
                continue
            begin, end = leaf_entries(node - leaves, depth, total)
            for e in range(begin, end):
                _column_planes(corners, e, tetrahedra, n, up, scratch.column, scratch.cross)
                _add_below(tetrahedra, n, 1.0 if scratch.cross[up] > 0.0 else -1.0, scratch, found)
                if low[node, up] <= top_most:
                    _add_area(corners, e, tetrahedra, n, scratch, found)


@device_inlined
def _extent_of_four(tetrahedra: Floats, n: int, axis: int) -> tuple[float, float]:
    a, b, c, d = tetrahedra[n, 0, axis], tetrahedra[n, 1, axis], tetrahedra[n, 2, axis], tetrahedra[n, 3, axis]
    return min(a, b, c, d), max(a, b, c, d)


@device_no_refs
def _face_planes(tetrahedra: Floats, n: int, planes: Floats) -> None:
    """The half-spaces whose intersection tetrahedron n is, seen from its first corner."""
    for k in range(4):
        a, b, c = (k + 1) % 4, (k + 2) % 4, (k + 3) % 4
        offset, inside = 0.0, 0.0
        for i in range(3):
            j, m = (i + 1) % 3, (i + 2) % 3
            ab_j, ab_m = tetrahedra[n, b, j] - tetrahedra[n, a, j], tetrahedra[n, b, m] - tetrahedra[n, a, m]
            ac_j, ac_m = tetrahedra[n, c, j] - tetrahedra[n, a, j], tetrahedra[n, c, m] - tetrahedra[n, a, m]
            planes[k, i] = ab_j * ac_m - ab_m * ac_j
            offset -= planes[k, i] * (tetrahedra[n, a, i] - tetrahedra[n, 0, i])
            inside += planes[k, i] * (tetrahedra[n, k, i] - tetrahedra[n, a, i])
        planes[k, 3] = offset
        if inside < 0.0:  # whichever way round its corners run
            for i in range(4):
                planes[k, i] = -planes[k, i]


@device_no_refs
def _column_planes(corners: Floats, e: int, tetrahedra: Floats, n: int, up: int, planes: Floats, cross: Floats) -> None:
    """The half-spaces of the column below triangle e, seen from the first corner of tetrahedron n; and its normal."""
    for i in range(3):
        j, m = (i + 1) % 3, (i + 2) % 3
        ab_j, ab_m = corners[e, 1, j] - corners[e, 0, j], corners[e, 1, m] - corners[e, 0, m]
        ac_j, ac_m = corners[e, 2, j] - corners[e, 0, j], corners[e, 2, m] - corners[e, 0, m]
        cross[i] = ab_j * ac_m - ab_m * ac_j
    u, v = (up + 1) % 3, (up + 2) % 3
    sign = 1.0 if cross[up] > 0.0 else -1.0
    offset = 0.0
    for i in range(3):
        planes[3, i] = -sign * cross[i]
        offset -= planes[3, i] * (corners[e, 0, i] - tetrahedra[n, 0, i])
    planes[3, 3] = offset
    for k in range(3):
        m = (k + 1) % 3
        along_u, along_v = corners[e, m, u] - corners[e, k, u], corners[e, m, v] - corners[e, k, v]
        planes[k, up] = 0.0
        planes[k, u], planes[k, v] = -sign * along_v, sign * along_u
        at_u, at_v = corners[e, k, u] - tetrahedra[n, 0, u], corners[e, k, v] - tetrahedra[n, 0, v]
        planes[k, 3] = -(planes[k, u] * at_u + planes[k, v] * at_v)


@device_no_refs
def _add_below(tetrahedra: Floats, n: int, sign: float, scratch: _ClipScratch, found: Floats) -> None:
    """Add what of tetrahedron n lies in the column, divided until each part lies in all of its half-spaces."""
    if scratch.cross[0] == 0.0 and scratch.cross[1] == 0.0 and scratch.cross[2] == 0.0:
        return
    waiting, level = scratch.tetrahedra, scratch.level
    for k in range(4):
        for i in range(3):
            waiting[0, k, i] = tetrahedra[n, k, i] - tetrahedra[n, 0, i]
    level[0] = 0
    top = 1
    while top > 0:
        top -= 1
        if level[top] < 4:
            top = _cut_tetrahedron(top, scratch)
            continue
        size = sign * _part_volume(waiting, top)
        found[n, 0] += size
        for i in range(3):
            middle = waiting[top, 0, i] + waiting[top, 1, i] + waiting[top, 2, i] + waiting[top, 3, i]
            found[n, 1 + i] += 0.25 * size * middle


@device_inlined
def _part_volume(waiting: Floats, row: int) -> float:
    volume = 0.0
    for i in range(3):
        j, m = (i + 1) % 3, (i + 2) % 3
        b_j, b_m = waiting[row, 2, j] - waiting[row, 0, j], waiting[row, 2, m] - waiting[row, 0, m]
        c_j, c_m = waiting[row, 3, j] - waiting[row, 0, j], waiting[row, 3, m] - waiting[row, 0, m]
        volume += (waiting[row, 1, i] - waiting[row, 0, i]) * (b_j * c_m - b_m * c_j)
    return abs(volume) / 6.0


@device_no_refs
def _cut_tetrahedron(row: int, scratch: _ClipScratch) -> int:
    """Leave of a waiting tetrahedron, in its place and behind, what lies in its next half-space; how many wait then."""
    waiting, level, wedge = scratch.tetrahedra, scratch.level, scratch.wedge
    inside = _sort_corners(waiting, row, 4, scratch.column, level[row], scratch.value, scratch.corner)
    a, b, c, d = scratch.corner[0], scratch.corner[1], scratch.corner[2], scratch.corner[3]
    if inside == 0:
        return row
    level[row] += 1
    if inside == 4:
        return row + 1
    if inside == 1:
        for k in range(1, 4):
            _pass(waiting, row, scratch.value, a, scratch.corner[k], wedge, k)
        for i in range(3):
            waiting[row, 0, i] = waiting[row, a, i]
            for k in range(1, 4):
                waiting[row, k, i] = wedge[k, i]
        return row + 1
    if inside == 2:
        for i in range(3):
            wedge[0, i], wedge[3, i] = waiting[row, a, i], waiting[row, b, i]
        _pass(waiting, row, scratch.value, a, c, wedge, 1)
        _pass(waiting, row, scratch.value, a, d, wedge, 2)
        _pass(waiting, row, scratch.value, b, c, wedge, 4)
        _pass(waiting, row, scratch.value, b, d, wedge, 5)
    else:
        for k in range(3):
            for i in range(3):
                wedge[k, i] = waiting[row, scratch.corner[k], i]
            _pass(waiting, row, scratch.value, scratch.corner[k], d, wedge, 3 + k)
    for part in range(3):  # a wedge is three tetrahedra, each of four corners in a row
        level[row + part] = level[row]
        for k in range(4):
            for i in range(3):
                waiting[row + part, k, i] = wedge[part + k, i]
    return row + 3


@device_inlined
def _sort_corners(
    waiting: Floats, row: int, count: int, planes: Floats, plane: int, value: Floats, corner: Ints
) -> int:
    """Bring the corners that lie in a half-space to the front, with the order kept; how many these are."""
    inside = 0
    for k in range(count):
        value[k] = planes[plane, 3]
        for i in range(3):
            value[k] += planes[plane, i] * waiting[row, k, i]
        if value[k] > 0.0:
            corner[inside] = k
            inside += 1
    outside = inside
    for k in range(count):
        if not value[k] > 0.0:
            corner[outside] = k
            outside += 1
    return inside


@device_inlined
def _pass(waiting: Floats, row: int, value: Floats, a: int, b: int, out: Floats, k: int) -> None:
    """Put where the side from corner a, which is inside, to b leaves the half-space."""
    share = value[a] / (value[a] - value[b])
    for i in range(3):
        out[k, i] = waiting[row, a, i] + share * (waiting[row, b, i] - waiting[row, a, i])


@device_no_refs
def _add_area(corners: Floats, e: int, tetrahedra: Floats, n: int, scratch: _ClipScratch, found: Floats) -> None:
    """Add the area of triangle e that lies in tetrahedron n, along its normal."""
    cross, waiting, level = scratch.cross, scratch.triangles, scratch.level
    twice = np.sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2])
    if twice == 0.0:
        return
    for k in range(3):
        for i in range(3):
            waiting[0, k, i] = corners[e, k, i] - tetrahedra[n, 0, i]
    level[0] = 0
    top = 1
    while top > 0:
        top -= 1
        if level[top] < 4:
            top = _cut_triangle(top, scratch)
            continue
        square = 0.0
        for i in range(3):
            j, m = (i + 1) % 3, (i + 2) % 3
            ab_j, ab_m = waiting[top, 1, j] - waiting[top, 0, j], waiting[top, 1, m] - waiting[top, 0, m]
            ac_j, ac_m = waiting[top, 2, j] - waiting[top, 0, j], waiting[top, 2, m] - waiting[top, 0, m]
            part = ab_j * ac_m - ab_m * ac_j
            square += part * part
        share = 0.5 * np.sqrt(square) / twice
        for i in range(3):
            found[n, 4 + i] += share * cross[i]


@device_no_refs
def _cut_triangle(row: int, scratch: _ClipScratch) -> int:
    """As `_cut_tetrahedron`, of a waiting triangle and the faces of the tetrahedron."""
    waiting, level, wedge = scratch.triangles, scratch.level, scratch.wedge
    inside = _sort_corners(waiting, row, 3, scratch.faces, level[row], scratch.value, scratch.corner)
    a, b, c = scratch.corner[0], scratch.corner[1], scratch.corner[2]
    if inside == 0:
        return row
    level[row] += 1
    if inside == 3:
        return row + 1
    if inside == 1:
        _pass(waiting, row, scratch.value, a, b, wedge, 0)
        _pass(waiting, row, scratch.value, a, c, wedge, 1)
        for i in range(3):
            waiting[row, 0, i] = waiting[row, a, i]
            waiting[row, 1, i], waiting[row, 2, i] = wedge[0, i], wedge[1, i]
        return row + 1
    _pass(waiting, row, scratch.value, a, c, wedge, 0)
    _pass(waiting, row, scratch.value, b, c, wedge, 1)
    level[row + 1] = level[row]
    for i in range(3):
        first, second = waiting[row, a, i], waiting[row, b, i]
        waiting[row, 0, i], waiting[row, 1, i], waiting[row, 2, i] = first, second, wedge[1, i]
        waiting[row + 1, 0, i], waiting[row + 1, 1, i], waiting[row + 1, 2, i] = first, wedge[1, i], wedge[0, i]
    return row + 2
