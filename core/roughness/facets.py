"""Planar facets with fixed, subdivided borders, cut into well-shaped triangles with points inside.

Each facet is laid into its plane (`facet_planes` in geometry) and gets points of a lattice (`interior_lattice`). The
lattice is joined to the border at once where that works (`lattice_band`). Elsewhere ears are clipped (`ears`), and
points inserted one beside the other. Edges are flipped until they are Delaunay (`delaunay`), and fins taken away
(`fins`).
Points keep away from the border, since the slivers beside it would fold once space is bent. The lattice belongs to the
facet's own frame: a facet gives the same triangles whatever others are there.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arithmetic.products import apply
from ..geometry import packed
from ..geometry.facet_planes import FacetPlanes, project_facets
from ..jit import device_inlined, njit_no_refs, sealed_ints
from ..planar.blind_filling import fill_blindly, repeats_edge
from ..planar.delaunay import NO_TRIANGLE, ZERO, insert, settle
from ..planar.ears import ClippedEars, ClippingRoom, PolygonLoops, clip_ears, clipping_room
from ..planar.fins import remove_fins
from ..planar.interior_lattice import KEEP, ROW_DISTANCE, lattice_points
from ..planar.lattice_band import LATTICE_DIRECTIONS, close_band, triangulate_lattice
from ..types import Floats, Frozen, Ints

#: Edges that wait for a test; what finds no place is found in the next round over all; 256 was tried before.
STACK = 1024


class _FacetLoops(NamedTuple):
    """What is to be meshed: L loops of F facets, of N corners."""

    bounds: Ints  #: (F+1,) of the loops of each facet
    start: Ints  #: (L+1,) of the corners of each loop
    order: Ints  #: (L,) the loops of each facet, its outline first
    half: Ints  #: (N,) numbers of the corners
    piece: Ints  #: (N,) -1 for all: of no piece
    vertex: Ints  #: (N,) rows of the positions
    side: Ints  #: (N,2) planar pieces of outer skin before and after each corner, or -1
    point: Floats  #: (N,2) in the planes of the facets [m]
    frame: Floats  #: (F,3) first point of a lattice, and the altitude that is round-off [m]
    room: Ints  #: (F,3) rows and columns of the lattice, and a bound of the points inside


class _Scratch(NamedTuple):
    """Room to work in that every facet overwrites."""

    at: Floats  #: (.,2) points of the facet
    ears: ClippingRoom
    tables: Ints  #: (3,.) ends and twins of the half-edges, and a stack
    number: Ints  #: (.,) the point at each place of the lattice
    edge: Ints  #: (.,LATTICE_DIRECTIONS) half-edges of the lattice


class _Meshed(NamedTuple):
    """What is filled."""

    interior: Floats  #: (.,2) points inside of facets
    triangle: Ints  #: (.,) corners of triangles, three after three
    sizes: Ints  #: (F,2) points inside and triangles of each facet


@dataclass(frozen=True, eq=False, slots=True)
class FacetMeshes(Frozen):
    """Triangles of facets, and the points inside of facets that they use."""

    interior: Floats  #: (M,3) new points in the planes of their facets [m]
    interior_facet: Ints  #: (M,) facet of each, never falls
    #: (T,3) numbers below V are rows of `position`, V + i is interior point i; counter-clockwise about the normal
    triangles: Ints
    triangle_start: Ints  #: (F+1,) bounds of the triangles of each facet


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
    bounds = np.searchsorted(loop_facet, np.arange(len(normal) + 1))
    start, before = loop_start[bounds], _previous(loop_start)
    plane = project_facets(start, loop_vertex, position, normal)
    last = plane.point[before]
    cross = last[:, 0] * plane.point[:, 1] - last[:, 1] * plane.point[:, 0]
    area = np.asarray(np.bincount(packed.owners(loop_start), 0.5 * cross, minlength=len(loop_start) - 1), np.float64)
    order = _from_the_right(loop_start, bounds, plane.point, area)
    low, shape = _lattices(plane, spacing)
    own, loops, lattice = np.diff(start), np.diff(bounds), shape.prod(axis=1)
    whole = np.bincount(packed.owners(bounds), np.abs(area), minlength=len(normal))
    inside = np.where(lattice > 0, np.minimum(whole / (ROW_DISTANCE * spacing * spacing), lattice), 0.0)
    points = inside.astype(np.int64) + own + 2 * loops  # each fin may need a point
    triangles = own + 2 * (loops + points)
    places = int((shape + 2).prod(axis=1).max(initial=0))
    outlines = _FacetLoops(
        bounds=sealed_ints(bounds),
        start=sealed_ints(loop_start),
        order=sealed_ints(order),
        half=np.arange(len(loop_vertex)),
        piece=np.full(len(loop_vertex), -1),
        vertex=sealed_ints(loop_vertex),
        side=np.stack([loop_side[before], loop_side], axis=1),
        point=plane.point,
        frame=np.column_stack([low, plane.flat]),
        room=np.column_stack([shape, points]),
    )
    scratch = _Scratch(
        at=np.empty((int((2 * (own + loops) + points).max(initial=0)), 2)),
        ears=clipping_room(int((own + 2 * loops).max(initial=0))),
        tables=np.empty((3, 3 * int(triangles.max(initial=0)) + STACK), np.int64),
        number=np.empty(places, np.int64),
        edge=np.empty((places, LATTICE_DIRECTIONS), np.int64),
    )
    made = _Meshed(
        interior=np.empty((int(points.sum()), 2)),
        triangle=np.empty(3 * int(triangles.sum()), np.int64),
        sizes=np.zeros((len(normal), 2), np.int64),
    )
    _mesh_all(outlines, float(spacing), len(position), scratch, made)
    owner = np.repeat(np.arange(len(normal)), made.sizes[:, 0])
    interior = made.interior[: len(owner)]
    lifted = plane.origin[owner] + apply(np.swapaxes(plane.axes, 1, 2)[owner], interior)
    start = packed.packed_starts(made.sizes[:, 1])
    return FacetMeshes(lifted, owner, made.triangle[: 3 * start[-1]].reshape(-1, 3).copy(), start)


def _previous(loop_start: Ints) -> Ints:
    """(N,) the corner before each corner of its loop."""
    previous = np.arange(-1, int(loop_start[-1]) - 1)
    filled = np.diff(loop_start) > 0
    previous[loop_start[:-1][filled]] = loop_start[1:][filled] - 1
    return previous


def _from_the_right(loop_start: Ints, bounds: Ints, point: Floats, area: Floats) -> Ints:
    """The loops (L,), of each facet the outline first, and then its holes from right to left."""
    order = np.arange(len(area))
    for f in np.flatnonzero(np.diff(bounds) > 1):
        own = order[bounds[f] : bounds[f + 1]]
        right = np.array([point[loop_start[k] : loop_start[k + 1], 0].max(initial=-np.inf) for k in own])
        right[np.argmax(area[own])] = np.inf
        order[bounds[f] : bounds[f + 1]] = own[np.argsort(-right, kind="stable")]
    return order


def _lattices(plane: FacetPlanes, spacing: float) -> tuple[Floats, Ints]:
    """First point (F,2), rows and columns (F,2) of a lattice in the middle of each facet."""
    step = spacing * np.array([1.0, ROW_DISTANCE])
    if not np.isfinite(spacing) or spacing <= 0.0:
        return plane.low.copy(), np.zeros((len(plane.low), 2), np.int64)
    room = plane.extent - 2.0 * KEEP * spacing
    size = np.where(room >= 0.0, np.floor(room / step) + 1.0, 0.0)
    low = plane.low + 0.5 * (plane.extent - (size - 1.0) * step)
    low[:, 0] -= 0.25 * spacing
    size[:, 0] = np.where(size[:, 0] > 0.0, size[:, 0] + 1.0, 0.0)  # rows are moved by a quarter this way or that
    return low, np.ascontiguousarray(size[:, ::-1].astype(np.int64))


@njit_no_refs
def _mesh_all(facets: _FacetLoops, spacing: float, vertices: int, scratch: _Scratch, made: _Meshed) -> None:
    """Mesh facet by facet; numbers of `vertices` and more are points inside."""
    bounds, loop_start, order, half, piece, loop_vertex, side, point, frame, room = facets
    at, clipping, tables, number, edge = scratch
    interior, triangle, count = made
    polygons = PolygonLoops(order, loop_start, half, point, piece)
    tip, twin, stack = tables[0], tables[1], tables[2, :STACK]
    points = corners = 0
    for f in range(len(count)):
        loop = loop_start[bounds[f] : bounds[f + 1] + 1]
        first, n = loop[0], loop[len(loop) - 1] - loop[0]
        if n < 3:
            continue
        for i in range(n):
            at[i, 0], at[i, 1] = point[first + i, 0], point[first + i, 1]
        flat, rows, columns, limit = frame[f, 2], room[f, 0], room[f, 1], n + room[f, 2]
        free = lattice_points(at[:limit], loop, frame[f], rows, columns, spacing, number, n)
        begin = halves = NO_TRIANGLE
        if free > n and len(loop) == 2:
            begin = triangulate_lattice(number, edge, rows, columns, tip, twin)
        if begin >= 0:
            halves = close_band(at, n, number, edge, columns, tip, twin, begin, flat)
        joined = halves >= 0
        if not joined:
            begin = ZERO
            own, ears = (bounds[f], bounds[f + 1]), ClippedEars(tip, twin)
            halves, _ = clip_ears(polygons, own, flat, ZERO, clipping, ears, ZERO)
            _pair_sides(tip, twin, halves, first, tables[2])
        settle(at, tip, twin, stack, ZERO, begin, halves, flat)
        if not joined:
            last, free, e = free, n, ZERO
            for p in range(n, last):
                at[free, 0], at[free, 1] = at[p, 0], at[p, 1]
                if insert(at, tip, twin, halves, free, e, stack, flat):
                    e = halves
                    halves += 6
                    free += 1
        filled = remove_fins(at[:limit], tip, twin, halves, side[first : first + n], free, flat)
        halves += 6 * (filled - free)
        if not joined and repeats_edge(tip, halves, n, clipping.bin_corner, tables[2]):
            nodes = fill_blindly(at, loop, clipping.bin_corner, tip)
            filled, halves = n + nodes, 9 * nodes - 6
        count[f, 0], count[f, 1] = filled - n, halves // 3
        for e in range(halves):
            v = tip[e]
            triangle[corners + e] = loop_vertex[first + v] if v < n else vertices + points + v - n
        corners += halves
        for p in range(n, filled):
            interior[points + p - n, 0], interior[points + p - n, 1] = at[p, 0], at[p, 1]
        points += filled - n


@device_inlined
def _pair_sides(tip: Ints, twin: Ints, halves: int, first: int, seen: Ints) -> None:
    """Make twins of the numbers of inner sides, each of which is there twice; corners are counted from the facet's."""
    for e in range(halves):
        seen[e] = -1
    for e in range(halves):
        tip[e] -= first
        side = twin[e]
        if side >= 0:
            other = seen[side]
            twin[e] = other
            if other >= 0:
                twin[other] = e
            seen[side] = e
