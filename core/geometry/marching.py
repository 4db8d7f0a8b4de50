"""The surface around the points that triangles wind about at least half: marching tetrahedra on a grid.

Each cell of the grid is six tetrahedra around its diagonal (Kuhn 1960; Freudenthal 1942), which fit face to face, so
the surface is closed and 2-manifold whatever the signs at the grid's points (Doi and Koide 1991). Every vertex lies on
an edge of a tetrahedron, strictly between its ends, every triangle in its tetrahedron: nothing can cross.

The winding number is evaluated near the triangles, and where the surface leaves them to close a gap it is followed from
cell to cell. A vertex goes where the edge of its tetrahedron meets the triangles; in a gap, where the winding number
between them is 1/2 by linear interpolation.
"""

from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jit import device_inlined, njit_no_refs, sealed_floats, sealed_ints
from ..types import Floats, Ints
from .mesh import bounds
from .vectors import triangle_side
from .winding import Winding, winding_at, winding_tree
from .winding_crossings import find_last_crossings

Bytes = NDArray[np.int8]
_Numbers = NDArray[np.int32]

_UNKNOWN, OUT, IN, WANTED = 0, 1, 2, 3  # what is known of a point of the grid
#: Where the grid begins before the box, in cells: more than one, and no fraction that meets an artist's own grid.
#: Chosen.
AHEAD = np.array([1.3819660, 1.5857864, 1.2679492])
#: Share of an edge of the grid within which no vertex lies, at either end: keeps triangles from being slivers. By eye.
END = 0.01
EDGE_SLACK = 1e-6  # of a cell, for round-off in what a triangle touches; chosen
# Doubled area below which a triangle touches nothing, relative to the square of its longest extent; chosen, well above
# round-off.
_THIN = 1e-9
#: Bounds the memory.
VOXELS_AT_ONCE = 1 << 16

#: Corners of the six tetrahedra as bits x, y, z of the cell's corner, the first three positively oriented.
PATHS = np.array(
    [[0, 1 << a, 1 << a | 1 << b, 7] for a, b in ((0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2))], dtype=np.int64
)


def _cases() -> Ints:
    """What a positively oriented tetrahedron holds, by the bits of its corners inside: number of vertices, their edges.

    Counter-clockwise from outside: with one corner i of an even order i, j, k, m inside ij, ik, im; with i and j inside
    ik, im, jm, jk; reversed with i alone outside. Lower corner first.
    """
    cases = np.zeros((16, 9), dtype=np.int64)
    even = [p for p in permutations(range(4)) if sum(p[a] > p[b] for a in range(4) for b in range(a + 1, 4)) % 2 == 0]
    for i, j, k, m in even:
        for inside, edges in (
            ((i,), ((i, j), (i, k), (i, m))),
            ((j, k, m), ((i, m), (i, k), (i, j))),
            ((i, j), ((i, k), (i, m), (j, m), (j, k))),
        ):
            flat = [corner for edge in edges for corner in sorted(edge)]
            cases[sum(1 << corner for corner in inside), : len(flat) + 1] = [len(edges), *flat]
    return cases


CASES = _cases()


class Marched(NamedTuple):
    """A closed surface of V vertices and T triangles."""

    vertices: Floats  #: (V,3) [m]
    triangles: Ints  #: (T,3) outward
    hit: Ints  #: (V,) the input triangle on which the vertex lies, -1 in a gap
    cell: float  #: side of a cell of the grid [m]


class _Grid(NamedTuple):
    low: Floats  #: (3,) first point [m]
    cell: float  #: [m]
    points: tuple[int, int, int]  #: along each axis


class _KnownPoints(NamedTuple):
    """The points of a grid whose winding number is known."""

    place: Ints  #: (R,) their places in the grid, ascending
    value: Floats  #: (R,) winding numbers
    row: _Numbers  #: row here of each point of the grid, -1 for others
    ny: int  #: points along the second and third axis
    nz: int


def marched(vertices: Floats, triangles: Ints, resolution: int) -> Marched:
    """The surface of the points with a winding number of at least 1/2, on `resolution` cells along the longest side.

    At least one triangle, of some extent; all coordinates finite. The surface may be empty. What is narrower than a
    cell, matter or gap, may vanish or not as the grid happens to lie. Memory: 5 bytes a point of the grid and some
    300 bytes a triangle of the surface. Raises ValueError for a resolution below 2 and for a mesh without finite
    extent.
    """
    low, high = bounds(vertices[triangles.reshape(-1)])
    cell = float((high - low).max()) / resolution if resolution >= 2 else 0.0
    if not 0.0 < cell < np.inf:
        raise ValueError("a surface needs some extent, and a grid at least two cells")
    x, y, z = ((high - low) / cell + AHEAD + 3.0).astype(np.int64)
    grid = _Grid(low - AHEAD * cell, cell, (int(x), int(y), int(z)))
    tree = winding_tree((vertices - grid.low) / cell, triangles)
    place, value = _sampled(tree, grid)
    row = np.full(x * y * z, -1, np.int32)
    row[place] = np.arange(len(place), dtype=np.int32)
    slot = np.full((len(place), 7), -1, np.int32)
    sealed = sealed_floats(value)
    known = _KnownPoints(place, sealed, row, *grid.points[1:])
    ends = np.empty((_edges(known, slot, np.empty((0, 2), np.int64)), 2), np.int64)
    _edges(known, slot, ends)
    points, hit = _crossed(tree, grid, place, value, ends)
    corner, none = np.zeros(4, np.int64), np.empty((0, 3), np.int64)
    faces = np.empty((_march(known, slot, points, corner, none), 3), np.int64)
    _march(known, slot, points, corner, faces)
    return Marched(grid.low + cell * points, faces, hit, cell)


def _sampled(tree: Winding, grid: _Grid) -> tuple[Ints, Floats]:
    """The points of the grid that matter, in ascending order, and the winding number there; 0 on the grid's border.

    All cells that touch a triangle, and all around edges that change sides. That finds all of the surface: around a
    closed part of it off the triangles the winding number would fall outward everywhere; but there it is harmonic, and
    its flux through any closed surface is 0, since triangles are layers of dipoles.
    """
    state = np.zeros(grid.points, np.int8)
    for axis in range(3):
        state[(slice(None),) * axis + ([0, -1],)] = OUT
    flat = state.reshape(-1)
    border = np.flatnonzero(flat)
    _touch(tree.tree.corners, flat, *grid.points)
    found, values = [border], [np.zeros(len(border))]
    wanted = np.flatnonzero(flat == WANTED)
    while len(wanted) > 0:
        value = winding_at(tree, _place(wanted, grid))
        flat[wanted] = np.where(value >= 0.5, IN, OUT)
        found.append(wanted)
        values.append(value)
        buffer = np.empty(26 * len(wanted), np.int64)
        wanted = buffer[: _follow(sealed_ints(wanted), flat, *grid.points, buffer)].copy()
    place, value = np.concatenate(found), np.concatenate(values)
    order = np.argsort(place, kind="stable")
    return sealed_ints(place[order]), value[order]


def _place(points: Ints, grid: _Grid) -> Floats:
    """Coordinates (n,3) of points of the grid, in cells."""
    return np.stack(np.unravel_index(points, grid.points), axis=1).astype(np.float64)


def _crossed(tree: Winding, grid: _Grid, place: Ints, value: Floats, ends: Ints) -> tuple[Floats, Ints]:
    """Where edges between rows `ends (n,2)`, inside and outside, cross the surface: (n,3) [cells], and the triangle."""
    points, hit = np.empty((len(ends), 3)), np.empty(len(ends), np.int64)
    for first in range(0, len(ends), VOXELS_AT_ONCE):
        rows = ends[first : first + VOXELS_AT_ONCE]
        p, q = (_place(place[rows[:, k]], grid) for k in range(2))
        share, hit[first : first + VOXELS_AT_ONCE] = find_last_crossings(tree.tree, p, q, value[rows])
        points[first : first + VOXELS_AT_ONCE] = p + np.clip(share, END, 1.0 - END)[:, None] * (q - p)
    return points, hit


@njit_no_refs
def _touch(corners: Floats, state: Bytes, nx: int, ny: int, nz: int) -> None:
    """Want the corners of all cells that a triangle touches, where nothing is known yet; corners in cells.

    Column by column along the axis nearest to the triangle's normal.
    """
    stride = (ny * nz, nz, 1)
    for e in range(len(corners)):
        ux, uy, uz = triangle_side(corners, e, 1)
        vx, vy, vz = triangle_side(corners, e, 2)
        normal = (uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx)
        w = 0 if abs(normal[0]) >= abs(normal[1]) and abs(normal[0]) >= abs(normal[2]) else 1
        if abs(normal[2]) > abs(normal[w]):
            w = 2
        extent = max(abs(ux), abs(uy), abs(uz), abs(vx), abs(vy), abs(vz))
        if abs(normal[w]) <= _THIN * extent * extent:
            continue
        u, v = (w + 1) % 3, (w + 2) % 3
        u_slope, v_slope, turn = normal[u] / normal[w], normal[v] / normal[w], 1.0 if normal[w] > 0.0 else -1.0
        half = 0.5 * (abs(u_slope) + abs(v_slope)) + EDGE_SLACK
        u_low, u_high = _range(corners, e, u)
        v_low, v_high = _range(corners, e, v)
        w_low, w_high = _range(corners, e, w)
        for i in range(int(u_low), int(u_high) + 1):
            for j in range(int(v_low), int(v_high) + 1):
                if not _over(corners, e, u, v, i + 0.5, j + 0.5, turn):
                    continue
                middle = (
                    corners[e, 0, w] - u_slope * (i + 0.5 - corners[e, 0, u]) - v_slope * (j + 0.5 - corners[e, 0, v])
                )
                for k in range(int(max(middle - half, w_low)), int(min(middle + half, w_high)) + 1):
                    base = i * stride[u] + j * stride[v] + k * stride[w]
                    for c in range(8):
                        point = base + (c & 1) * stride[0] + (c >> 1 & 1) * stride[1] + (c >> 2) * stride[2]
                        if state[point] == _UNKNOWN:
                            state[point] = WANTED


@device_inlined
def _range(corners: Floats, e: int, k: int) -> tuple[float, float]:
    """Extent of a triangle along an axis, and a little more; the grid begins more than a cell before it."""
    a, b, c = corners[e, 0, k], corners[e, 1, k], corners[e, 2, k]
    return min(a, b, c) - EDGE_SLACK, max(a, b, c) + EDGE_SLACK


@device_inlined
def _over(corners: Floats, e: int, u: int, v: int, x: float, y: float, turn: float) -> bool:
    """Whether the square of a cell around (x, y) may meet the triangle, both projected; no side separates them."""
    for k in range(3):
        m = (k + 1) % 3
        du, dv = corners[e, m, u] - corners[e, k, u], corners[e, m, v] - corners[e, k, v]
        height = turn * (du * (y - corners[e, k, v]) - dv * (x - corners[e, k, u]))
        if height + (0.5 + EDGE_SLACK) * (abs(du) + abs(dv)) < 0.0:
            return False
    return True


@njit_no_refs
def _follow(fresh: Ints, state: Bytes, nx: int, ny: int, nz: int, found: Ints) -> int:
    """Fill `found` with unknown corners of the cells around edges that end in a fresh point and change sides.

    Such an edge never lies on the border of the grid, where all points are outside: its cells exist.
    """
    count = 0
    for n in range(len(fresh)):
        v = fresh[n]
        for d in range(1, 8):
            step = (d & 1) * ny * nz + (d >> 1 & 1) * nz + (d >> 2)
            for side in range(2):
                base = v - side * step
                other = state[base + (1 - side) * step]
                if other == state[v] or (other != IN and other != OUT):
                    continue
                for e in range(8):
                    if e & d != 0:
                        continue
                    cell = base - (e & 1) * ny * nz - (e >> 1 & 1) * nz - (e >> 2)
                    for c in range(8):
                        point = cell + (c & 1) * ny * nz + (c >> 1 & 1) * nz + (c >> 2)
                        if state[point] == _UNKNOWN:
                            state[point] = WANTED
                            found[count] = point
                            count += 1
    return count


@njit_no_refs
def _edges(known: _KnownPoints, slot: _Numbers, ends: Ints) -> int:
    """The number of edges that change sides; where `ends` has room, their rows inside and outside.

    `slot` gets their numbers, at the row of the lower end and the direction (bits x, y, z) less 1.
    """
    place, value, row, ny, nz = known
    count, total = 0, len(row)
    for r in range(len(place)):
        for d in range(1, 8):
            point = place[r] + (d & 1) * ny * nz + (d >> 1 & 1) * nz + (d >> 2)
            other = row[point] if point < total else -1
            if other < 0 or (value[r] >= 0.5) == (value[other] >= 0.5):
                continue
            if count < len(ends):
                slot[r, d - 1] = count
                ends[count, 0], ends[count, 1] = (r, other) if value[r] >= 0.5 else (other, r)
            count += 1
    return count


@njit_no_refs
def _march(known: _KnownPoints, slot: _Numbers, points: Floats, corner: Ints, faces: Ints) -> int:
    """The number of triangles in all tetrahedra; where `faces (n,3)` has room, their vertices. `corner` is scratch."""
    place, value, row, ny, nz = known
    count, total = 0, len(row)
    for r in range(len(place)):
        whole, within = True, 0
        for c in range(8):
            point = place[r] + (c & 1) * ny * nz + (c >> 1 & 1) * nz + (c >> 2)
            other = row[point] if point < total else -1
            whole = whole and other >= 0
            if whole and value[other] >= 0.5:
                within |= 1 << c
        if not whole or within == 0 or within == 255:
            continue
        for t in range(6):
            side = 0
            for k in range(4):
                side |= (within >> PATHS[t, k] & 1) << k
            if side == 0 or side == 15:
                continue
            if count + CASES[side, 0] - 2 > len(faces):
                count += CASES[side, 0] - 2
                continue
            for k in range(CASES[side, 0]):
                corner[k] = _vertex(place[r], row, slot, t, side, k, ny, nz)
            a, b, c, d = corner[0], corner[1], corner[2], corner[3]
            if t >= 3:  # negatively oriented
                a, c = c, a
            if CASES[side, 0] == 4:
                if _square(points, b, d) < _square(points, a, c):
                    a, b, c, d = b, c, d, a
                faces[count, 0], faces[count, 1], faces[count, 2] = a, c, d
                count += 1
            faces[count, 0], faces[count, 1], faces[count, 2] = a, b, c
            count += 1
    return count


@device_inlined
def _vertex(base: int, row: _Numbers, slot: _Numbers, t: int, side: int, k: int, ny: int, nz: int) -> int:
    """The k-th vertex of the surface in tetrahedron t of the cell whose lowest point is `base`."""
    low, high = PATHS[t, CASES[side, 2 * k + 1]], PATHS[t, CASES[side, 2 * k + 2]]
    return int(slot[row[base + (low & 1) * ny * nz + (low >> 1 & 1) * nz + (low >> 2)], (low ^ high) - 1])


@device_inlined
def _square(points: Floats, a: int, b: int) -> float:
    x, y, z = points[a, 0] - points[b, 0], points[a, 1] - points[b, 1], points[a, 2] - points[b, 2]
    return float(x * x + y * y + z * z)
