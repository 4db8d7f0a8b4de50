"""Planar facets with fixed, subdivided borders, cut into well-shaped triangles with points inside.

Each facet is laid into its plane: ears are clipped (`ear_clipping_2d`), edges flipped until they are Delaunay, points
of a triangular lattice inserted one beside the other (`interior_lattice_2d`, `delaunay_2d`), and fins taken away
(`fins_2d`). Holes are joined to the outline first (`bridges_2d`).
Points keep away from the border, since the slivers beside it would fold once space is bent. The lattice belongs to the
facet's own frame: a facet gives the same triangles whatever others are there.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...jit import lean, sealed_ints
from ...types import Bools, Floats, Frozen, Ints
from .. import packed
from .bridges_2d import BORDER, bridged
from .delaunay_2d import ZERO, insert, make_delaunay
from .ear_clipping_2d import COLUMNS, clip_ears, fill_blindly, is_doubtful, repeats_edge
from .fins_2d import remove_fins
from .interior_lattice_2d import KEEP, ROW, lattice_points

FLAT = 1e-12  #: altitude that is round-off, relative to the extent of the facet
ROUND_OFF = 1e-15  #: the same relative to the largest coordinate
STACK = 256  #: edges that wait for a test; what finds no place is found in the next round over all


@dataclass(frozen=True, eq=False, slots=True)
class FacetMeshes(Frozen):
    """Triangles of facets, and the points inside of facets that they use."""

    interior: Floats  #: (M,3) new points in the planes of their facets [m]
    interior_facet: Ints  #: (M,) facet of each, never falls
    #: (T,3) numbers below V are rows of `position`, V + i is interior point i; counter-clockwise about the normal
    triangles: Ints
    triangle_start: Ints  #: (F+1,) bounds of the triangles of each facet


class _Plane(NamedTuple):
    """Facets laid into their planes."""

    point: Floats  #: (N,2) corners
    origin: Floats  #: (F,3)
    axes: Floats  #: (F,2,3)
    flat: Floats  #: (F,) altitude that is round-off
    area: Floats  #: (L,) of each loop, signed
    low: Floats  #: (F,2) smallest coordinates
    extent: Floats  #: (F,2)


def facet_meshes(
    loop_start: Ints,
    loop_vertex: Ints,
    loop_facet: Ints,
    loop_side: Ints,
    position: Floats,
    normal: Floats,
    spacing: float,
) -> FacetMeshes:
    """Cut facets into triangles with points about `spacing` [m] apart.

    `loop_start (L+1,)` bounds the corners `loop_vertex (N,)`, rows of `position (V,3)`, of each loop; `loop_facet (L,)`
    never falls. The loop around a facet runs counter-clockwise about its unit normal `normal (F,3)`, those of holes
    clockwise. `loop_side (N,)` names the planar piece of outer skin along which the border runs from each corner to the
    next; -1 inside of the body.

    A facet of n corners with h holes and m points inside gets n - 2 + 2h + 2m triangles, one of less than 3 corners
    none. Border edges are kept. No point lies nearer to the border than `KEEP` of the spacing, but for those that split
    fins. Where a border touches or crosses itself, triangles may be flat or turned over, and points may lie on the
    border, but triangles still fill it edge by edge.
    """
    facets = len(normal)
    bounds = np.searchsorted(loop_facet, np.arange(facets + 1))
    start = loop_start[bounds]
    plane = _laid_out(loop_start, loop_vertex, start, position, normal)
    ring_start, around, behind = _rings(loop_start, bounds, plane)
    low, shape = _lattices(plane, spacing)
    own = np.diff(start)
    area = np.bincount(np.repeat(np.arange(facets), np.diff(bounds)), np.abs(plane.area), minlength=facets)
    inside = np.where(shape.prod(axis=1) > 0, np.minimum(area / (ROW * spacing**2), shape.prod(axis=1)), 0.0)
    points = inside.astype(np.int64) + own + 2 * np.diff(bounds)  # each fin may need a point
    triangles = own + 2 * (np.diff(bounds) + points)
    most = int(triangles.max(initial=0))
    interior = np.empty((int(points.sum()), 2))
    triangle = np.empty((int(triangles.sum()), 3), np.int64)
    count = np.zeros((facets, 2), np.int64)
    _mesh_all(
        sealed_ints(bounds),
        sealed_ints(loop_start),
        sealed_ints(ring_start),
        sealed_ints(around),
        sealed_ints(behind),
        sealed_ints(loop_vertex),
        np.stack([loop_side[_previous(loop_start)], loop_side], axis=1),
        plane.point,
        plane.flat,
        low,
        shape,
        points,
        float(spacing),
        len(position),
        np.empty((int((own + points).max(initial=0)), 2)),
        np.empty((int((own + 2 * np.diff(bounds)).max(initial=0)), COLUMNS), np.int64),
        np.empty((3, 3 * most + STACK), np.int64),
        np.empty(2 * int(shape.prod(axis=1).max(initial=0)), np.bool_),
        interior,
        triangle,
        count,
    )
    owner = np.repeat(np.arange(facets), count[:, 0])
    interior = interior[: len(owner)]
    lifted = plane.origin[owner] + np.einsum("mk,mkx->mx", interior, plane.axes[owner])
    start = packed.starts(count[:, 1])
    return FacetMeshes(lifted, owner, triangle[: start[-1]].copy(), start)


def _laid_out(loop_start: Ints, loop_vertex: Ints, start: Ints, position: Floats, normal: Floats) -> _Plane:
    """Corners in the planes of their facets: the origin is the first one, x points to the farthest from there."""
    facets = len(normal)
    present = np.flatnonzero(np.diff(start) > 0)
    owner = packed.owners(start)
    corner = position[loop_vertex]
    origin, axis = np.zeros((facets, 3)), np.zeros((facets, 3))
    extent, reach = np.zeros(facets), np.zeros(facets)
    low, high = np.zeros((facets, 2)), np.zeros((facets, 2))
    if len(present):
        origin[present] = corner[start[present]]
        reach[present] = np.maximum.reduceat(np.abs(corner).max(axis=1), start[present])
    corner = corner - origin[owner]
    square = np.einsum("nx,nx->n", corner, corner)
    if len(present):
        extent[present] = np.maximum.reduceat(square, start[present])
    far = np.flatnonzero(square == extent[owner])[::-1]
    axis[owner[far]] = corner[far]  # of equals the first one is written last
    axes = _axes(axis, normal)
    point = np.einsum("nx,nkx->nk", corner, axes[owner])
    if len(present):
        low[present] = np.minimum.reduceat(point, start[present])
        high[present] = np.maximum.reduceat(point, start[present])
    last = point[_previous(loop_start)]
    cross = last[:, 0] * point[:, 1] - last[:, 1] * point[:, 0]
    area: Floats = np.zeros(len(loop_start) - 1)
    np.add.at(area, packed.owners(loop_start), 0.5 * cross)
    flat = FLAT * np.sqrt(extent) + ROUND_OFF * reach
    return _Plane(point, origin, axes, flat, area, low, high - low)


def _previous(loop_start: Ints) -> Ints:
    """(N,) the corner before each corner of its loop."""
    previous = np.arange(-1, int(loop_start[-1]) - 1)
    filled = np.diff(loop_start) > 0
    previous[loop_start[:-1][filled]] = loop_start[1:][filled] - 1
    return previous


def _axes(along: Floats, normal: Floats) -> Floats:
    """(F,2,3) unit vectors across the normals, the first as near to `along (F,3)` as can be."""
    other = np.zeros((len(normal), 3))
    other[np.arange(len(normal)), np.argmin(np.abs(normal), axis=1)] = 1.0
    square = np.einsum("fx,fx->f", along, along)[:, None]
    for _ in range(2):  # the second time for what round-off left of the normal
        along = along - normal * np.einsum("fx,fx->f", along, normal)[:, None]
    lost = np.einsum("fx,fx->f", along, along)[:, None] <= 1e-12 * square
    x = np.where(lost, np.cross(normal, other), along)
    length = np.linalg.norm(x, axis=1, keepdims=True)
    x = x / np.where(length > 0.0, length, 1.0)
    return np.stack([x, np.cross(normal, x)], axis=1)


def _outlines(bounds: Ints, area: Floats) -> Ints:
    """(F,) the loop around each facet, counted from its first: the one with the largest area."""
    owner = packed.owners(bounds)
    order = np.lexsort((-np.arange(len(area)), area, owner))
    filled = np.diff(bounds) > 0
    outline = np.zeros(len(bounds) - 1, np.int64)
    outline[filled] = order[bounds[1:][filled] - 1] - bounds[:-1][filled]
    return outline


def _rings(loop_start: Ints, bounds: Ints, plane: _Plane) -> tuple[Ints, Ints, Ints]:
    """Start (F+1,), corners of the facet and bridges of one ring around each facet."""
    start = loop_start[bounds]
    size = np.diff(start)
    holed = np.flatnonzero(np.diff(bounds) > 1)
    outline = _outlines(bounds, plane.area)
    rings = [
        bridged(plane.point[start[f] : start[f + 1]], loop_start[bounds[f] : bounds[f + 1] + 1] - start[f], outline[f])
        for f in holed
    ]
    size[holed] = [len(around) for around, _ in rings]
    first = packed.starts(size)
    around, behind = packed.ranges(np.zeros(len(size), np.int64), size), np.full(first[-1], BORDER)
    for f, (own, bridge) in zip(holed, rings, strict=True):
        around[first[f] : first[f + 1]], behind[first[f] : first[f + 1]] = own, bridge
    return first, around, behind


def _lattices(plane: _Plane, spacing: float) -> tuple[Floats, Ints]:
    """First point (F,2), rows and columns (F,2) of a lattice in the middle of each facet."""
    step = spacing * np.array([1.0, ROW])
    if not np.isfinite(spacing) or spacing <= 0.0:
        return plane.low, np.zeros((len(plane.low), 2), np.int64)
    room = plane.extent - 2.0 * KEEP * spacing
    size = np.where(room >= 0.0, np.floor(room / step) + 1.0, 0.0)
    low = plane.low + 0.5 * (plane.extent - (size - 1.0) * step)
    low[:, 0] -= 0.25 * spacing
    size[:, 0] = np.where(size[:, 0] > 0.0, size[:, 0] + 1.0, 0.0)  # rows are moved by a quarter this way or that
    return low, np.ascontiguousarray(size[:, ::-1].astype(np.int64))


@lean
def _mesh_all(
    bounds: Ints,
    loop_start: Ints,
    ring_start: Ints,
    around: Ints,
    behind: Ints,
    loop_vertex: Ints,
    side: Ints,
    point: Floats,
    flat: Floats,
    low: Floats,
    shape: Ints,
    room: Ints,
    spacing: float,
    vertices: int,
    at: Floats,
    ring: Ints,
    tables: Ints,
    marks: Bools,
    interior: Floats,
    triangle: Ints,
    count: Ints,
) -> None:
    """Mesh facet by facet. `room (F,)` bounds the points inside of each; `at` to `marks` are room to work in."""
    tip, mate, stack = tables[0], tables[1], tables[2, :STACK]
    points = triangles = 0
    for f in range(len(count)):
        loop = loop_start[bounds[f] : bounds[f + 1] + 1]
        first, n = loop[0], loop[len(loop) - 1] - loop[0]
        if n < 3:
            continue
        for i in range(n):
            at[i, 0], at[i, 1] = point[first + i, 0], point[first + i, 1]
        nodes = around[ring_start[f] : ring_start[f + 1]]
        halves = clip_ears(at, n, nodes, behind[ring_start[f] : ring_start[f + 1]], ring, tip, mate, flat[f])
        make_delaunay(at, tip, mate, halves, stack, flat[f])
        doubtful = len(loop) > 2 or is_doubtful(at, tip, halves, flat[f])
        free = n
        begin, e = n, ZERO
        last = lattice_points(at[: n + room[f]], loop, low[f], shape[f, 0], shape[f, 1], spacing, marks, begin)
        for p in range(begin, last):
            at[free, 0], at[free, 1] = at[p, 0], at[p, 1]
            if insert(at, tip, mate, halves, free, e, stack, flat[f]):
                e = halves
                halves += 6
                free += 1
        filled = remove_fins(at[: n + room[f]], tip, mate, halves, side[first : first + n], free, flat[f])
        halves += 6 * (filled - free)
        if doubtful and repeats_edge(tip, halves, n, ring, tables[2]):
            fill_blindly(at, n, nodes, tip)
            filled, halves = n + len(nodes), 9 * len(nodes) - 6
        count[f, 0], count[f, 1] = filled - n, halves // 3
        for e in range(halves):
            v = tip[e]
            triangle[triangles + e // 3, e % 3] = loop_vertex[first + v] if v < n else vertices + points + v - n
        triangles += halves // 3
        for p in range(n, filled):
            interior[points + p - n, 0], interior[points + p - n, 1] = at[p, 0], at[p, 1]
        points += filled - n
