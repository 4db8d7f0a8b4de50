"""Where rough faces pierce each other: edges that pass through a triangle of the same cell.

Cell by cell, triangles are put one after the other into the boxes of a uniform grid, and each is held against those
that are there already: thin sheets that lie upon each other share boxes, but have grids of their own. An edge pierces a
triangle where its ends lie on both sides of the triangle's plane, and the line between them passes inside of its
sides, all by more than a margin: touching is no piercing, nor is lying in one plane.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..geometry import packed
from ..geometry.bvh import boxes_meet
from ..jit import device_inlined, njit_no_refs, sealed_floats, sealed_ints
from ..types import Cells, Floats, Ints

PIERCING_MARGIN = 1e-9  #: of the longest side of the triangle; chosen, well above round-off
_SPACING = 1.2  #: of the grid, relative to the mean of the longest sides of the boxes around its triangles; by time
_THIN = 1e-6  #: height of a triangle, relative to its longest side, below which its plane tells nothing; chosen
#: Boxes of a grid, and rows of its lists, for each triangle at most: where there would be more the grid gets coarser.
#: By memory.
_BOXES, ENTRIES = 4, 12
_LEAST = 64  #: and so many more of both; for grids of few triangles

_TINY = float(np.finfo(np.float64).tiny)

_Shorts = NDArray[np.int32]
_Vector: TypeAlias = tuple[float, float, float]


class _Faces(NamedTuple):
    """The triangles of all cells."""

    vertices: Floats  #: (V,3)
    triangles: Ints  #: (T,3)
    owner: Ints  #: (T,2) see `piercings`
    box: Floats  #: (T,6) low and high of the box around each
    start: Ints  #: (C+1,) bounds of the triangles of each cell
    member: Ints  #: (.,) triangles, cell by cell


class _Grid(NamedTuple):
    """A uniform grid around the triangles of a cell."""

    low: _Vector  #: its corner
    spacing: float
    number: tuple[int, int, int]  #: of boxes along each axis


class _Scratch(NamedTuple):
    """Room to work in that every cell overwrites."""

    head: _Shorts  #: (.,) first row of `link` for each box of a grid
    link: _Shorts  #: (.,2) a triangle, and the next row
    stamp: _Shorts  #: (T,) the last turn that met each triangle, -1 at first


def piercings(vertices: Floats, triangles: Ints, owner: Ints) -> Ints:
    """Edges that pierce a triangle of their own cell, as sorted rows (n,3): the triangle, and the edge's ends a < b.

    Args:
        vertices: (V,3) positions [m].
        triangles: (T,3) with vertices in common where they meet; edges pierce no triangle that has one of their ends.
        owner: (T,2) the two cells that each triangle bounds, -1 for none.

    Each pair of an edge and a triangle is there once, however many triangles have the edge.

    """
    vertices, triangles, owner = sealed_floats(vertices), sealed_ints(triangles), sealed_ints(owner)
    start, member = _of_cells(owner)
    most = int(np.diff(start).max(initial=0))
    box = np.empty((len(triangles), 6))
    _boxes(vertices, triangles, box)
    faces = _Faces(vertices, triangles, owner, box, start, member)
    scratch = _Scratch(
        head=np.empty(_BOXES * most + _LEAST, np.int32),
        link=np.empty((ENTRIES * most + _LEAST, 2), np.int32),
        stamp=np.full(len(box), -1, np.int32),
    )
    found = np.empty((1024, 3), np.int64)
    count = _search(faces, scratch, found)
    if count > len(found):
        found = np.empty((count, 3), np.int64)
        scratch.stamp[:] = -1
        count = _search(faces, scratch, found)
    unique: Ints = np.unique(found[:count], axis=0)
    return unique


def _of_cells(owner: Ints) -> tuple[Ints, Ints]:
    """`start (C+1,)` and the triangles of each cell, once each."""
    sides = np.concatenate([owner[:, 0], np.where(owner[:, 1] == owner[:, 0], -1, owner[:, 1])])
    real = np.flatnonzero(sides >= 0)
    start, order = packed.group_by_owner(sides[real], int(owner.max(initial=-1)) + 1)
    return start, sealed_ints(real[order] % max(len(owner), 1))


def pierced_places(cells: Cells) -> int:
    """How many edges of inner faces pierce another one of their cell; faces of more than three corners are fans."""
    triangles, face = packed.fan_triangles(cells.inner_start, cells.inner_vertex)
    return len(piercings(cells.vertices, triangles, cells.bond_cells[cells.inner_bond[face]]))


@njit_no_refs
def _boxes(vertices: Floats, triangles: Ints, box: Floats) -> None:
    """The box (T,6) around each triangle, low then high."""
    for t in range(len(triangles)):
        for k in range(3):
            a, b, c = vertices[triangles[t, 0], k], vertices[triangles[t, 1], k], vertices[triangles[t, 2], k]
            box[t, k] = min(a, b, c)
            box[t, k + 3] = max(a, b, c)


@njit_no_refs
def _search(faces: _Faces, scratch: _Scratch, found: Ints) -> int:
    """Fill `found` with piercings, some of them twice; how many there are, of which those that fit are written."""
    start, member, head, stamp = faces.start, faces.member, scratch.head, scratch.stamp
    count = 0
    for cell in range(len(start) - 1):
        size = start[cell + 1] - start[cell]
        if size < 2:
            continue
        low, span, spacing = _fitted_grid(faces, cell)
        while True:
            nx, ny, nz = span[0] / spacing + 1.0, span[1] / spacing + 1.0, span[2] / spacing + 1.0
            if nx * ny * nz > _BOXES * size + _LEAST:
                spacing *= 1.2
                continue
            number = (int(nx), int(ny), int(nz))
            for at in range(number[0] * number[1] * number[2]):
                head[at] = -1
            after = _search_cell(faces, cell, _Grid(low, spacing, number), scratch, found, count)
            if after >= 0:
                count = after
                break
            spacing *= 1.5
            for at in range(start[cell], start[cell + 1]):
                stamp[member[at]] = -1
    return count


@device_inlined
def _fitted_grid(faces: _Faces, cell: int) -> tuple[_Vector, _Vector, float]:
    """The lower corner of a grid around the boxes of a cell's triangles, how far it reaches, and its spacing."""
    box, member = faces.box, faces.member
    first, end = faces.start[cell], faces.start[cell + 1]
    total = 0.0
    x, y, z = np.inf, np.inf, np.inf
    far_x, far_y, far_z = -np.inf, -np.inf, -np.inf
    for at in range(first, end):
        b = box[member[at]]
        x, y, z = min(x, b[0]), min(y, b[1]), min(z, b[2])
        far_x, far_y, far_z = max(far_x, b[3]), max(far_y, b[4]), max(far_z, b[5])
        total += max(b[3] - b[0], b[4] - b[1], b[5] - b[2])
    span = (far_x - x, far_y - y, far_z - z)
    spacing = max(_SPACING * total / (end - first), 1e-6 * max(span[0], span[1], span[2]), _TINY)
    return (x, y, z), span, spacing


@device_inlined
def _search_cell(faces: _Faces, cell: int, grid: _Grid, scratch: _Scratch, found: Ints, count: int) -> int:
    """Go on with `found` for the triangles of one cell; -1 where they would take too many rows of `link`."""
    vertices, triangles, owner, box, start, member = faces
    low, spacing, number = grid
    head, link, stamp = scratch
    first, end = start[cell], start[cell + 1]
    rows, most = 0, ENTRIES * (end - first) + _LEAST
    for turn in range(first, end):
        i = member[turn]
        x0, x1 = int((box[i, 0] - low[0]) / spacing), int((box[i, 3] - low[0]) / spacing)
        y0, y1 = int((box[i, 1] - low[1]) / spacing), int((box[i, 4] - low[1]) / spacing)
        z0, z1 = int((box[i, 2] - low[2]) / spacing), int((box[i, 5] - low[2]) / spacing)
        nx, ny, nz = _normal(vertices, triangles, i)
        longest = _longest(vertices, triangles, i)
        thin = _THIN * longest * longest
        if nx * nx + ny * ny + nz * nz <= thin * thin:
            nx, ny, nz = 0.0, 0.0, 0.0
        large = (x1 - x0 + 1) * (y1 - y0 + 1) * (z1 - z0 + 1) > 8
        for x in range(x0, x1 + 1):
            for y in range(y0, y1 + 1):
                for z in range(z0, z1 + 1):
                    if large and _misses(faces, i, (nx, ny, nz), grid, (x, y, z)):
                        continue
                    at = (x * number[1] + y) * number[2] + z
                    row = head[at]
                    while row >= 0:
                        j = link[row, 0]
                        row = link[row, 1]
                        if stamp[j] != turn and boxes_meet(box, i, j):
                            stamp[j] = turn
                            if not _met_before(owner, cell, i, j) and _astride(vertices, triangles, i, nx, ny, nz, j):
                                count = _pierce(vertices, triangles, i, j, found, count)
                    if rows == most:
                        return -1
                    link[rows, 0], link[rows, 1] = i, head[at]
                    head[at] = rows
                    rows += 1
    return count


@device_inlined
def _misses(faces: _Faces, i: int, normal: _Vector, grid: _Grid, at: tuple[int, int, int]) -> bool:
    """Whether the plane of triangle i with a normal, 0 where it is thin, passes by a box of the grid."""
    vertices, triangles = faces.vertices, faces.triangles
    (nx, ny, nz), (x, y, z), low, spacing = normal, at, grid.low, grid.spacing
    a, half = triangles[i, 0], 0.500001 * spacing
    off = nx * (low[0] + (x + 0.5) * spacing - vertices[a, 0])
    off += ny * (low[1] + (y + 0.5) * spacing - vertices[a, 1])
    off += nz * (low[2] + (z + 0.5) * spacing - vertices[a, 2])
    return bool(abs(off) > half * (abs(nx) + abs(ny) + abs(nz)))


@device_inlined
def _normal(vertices: Floats, triangles: Ints, t: int) -> tuple[float, float, float]:
    """Cross product of two sides of a triangle."""
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    ux, uy, uz = vertices[b, 0] - vertices[a, 0], vertices[b, 1] - vertices[a, 1], vertices[b, 2] - vertices[a, 2]
    vx, vy, vz = vertices[c, 0] - vertices[a, 0], vertices[c, 1] - vertices[a, 1], vertices[c, 2] - vertices[a, 2]
    return uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx


@device_inlined
def _met_before(owner: Ints, cell: int, i: int, j: int) -> bool:
    """Whether two triangles of a cell are both of another one before it, too."""
    other = owner[i, 0] if owner[i, 1] == cell else owner[i, 1]
    return bool((other >= 0) & (other < cell) & ((other == owner[j, 0]) | (other == owner[j, 1])))


@device_inlined
def _astride(vertices: Floats, triangles: Ints, i: int, nx: float, ny: float, nz: float, j: int) -> bool:
    """Whether triangle j has corners on both sides of the plane of i, with the normal n; most pairs end here.

    Thin triangles, with n = 0, have all others astride.
    """
    a, b, c = triangles[i, 0], triangles[i, 1], triangles[i, 2]
    ox, oy, oz = vertices[a, 0], vertices[a, 1], vertices[a, 2]
    least, most = 0.0, 0.0
    for k in range(3):
        v = triangles[j, k]
        off = nx * (vertices[v, 0] - ox) + ny * (vertices[v, 1] - oy) + nz * (vertices[v, 2] - oz)
        off = 0.0 if (v == a) | (v == b) | (v == c) else off
        least, most = min(least, off), max(most, off)
    return bool(((least < 0.0) & (most > 0.0)) | ((nx == 0.0) & (ny == 0.0) & (nz == 0.0)))


@device_inlined
def _pierce(vertices: Floats, triangles: Ints, i: int, j: int, found: Ints, count: int) -> int:
    """Add the edges of each of two triangles that pierce the other one; the new count."""
    for turn in range(2):
        t, other = (i, j) if turn == 0 else (j, i)
        nx, ny, nz = _normal(vertices, triangles, t)
        square = nx * nx + ny * ny + nz * nz
        margin = PIERCING_MARGIN * _longest(vertices, triangles, t)
        least = margin * np.sqrt(square)
        o = triangles[t, 0]
        ox, oy, oz = vertices[o, 0], vertices[o, 1], vertices[o, 2]
        b = triangles[other, 2]
        off = nx * (vertices[b, 0] - ox) + ny * (vertices[b, 1] - oy) + nz * (vertices[b, 2] - oz)
        free = _not_of(triangles, t, b)
        for k in range(3):
            a, before, first = b, off, free
            b = triangles[other, k]
            off = nx * (vertices[b, 0] - ox) + ny * (vertices[b, 1] - oy) + nz * (vertices[b, 2] - oz)
            free = _not_of(triangles, t, b)
            if first and free and min(before, off) < -least and max(before, off) > least:
                s = before / (before - off)
                x = vertices[a, 0] + s * (vertices[b, 0] - vertices[a, 0])
                y = vertices[a, 1] + s * (vertices[b, 1] - vertices[a, 1])
                z = vertices[a, 2] + s * (vertices[b, 2] - vertices[a, 2])
                if _inside(vertices, triangles, t, (nx, ny, nz), (x, y, z), least):
                    if count < len(found):
                        found[count, 0], found[count, 1], found[count, 2] = t, min(a, b), max(a, b)
                    count += 1
    return count


@device_inlined
def _not_of(triangles: Ints, t: int, v: int) -> bool:
    return bool((v != triangles[t, 0]) & (v != triangles[t, 1]) & (v != triangles[t, 2]))


@device_inlined
def _longest(vertices: Floats, triangles: Ints, t: int) -> float:
    """Length of the longest side of a triangle."""
    square = 0.0
    for k in range(3):
        a, b = triangles[t, k - 1], triangles[t, k]
        x, y, z = vertices[b, 0] - vertices[a, 0], vertices[b, 1] - vertices[a, 1], vertices[b, 2] - vertices[a, 2]
        square = max(square, x * x + y * y + z * z)
    return float(np.sqrt(square))


@device_inlined
def _inside(vertices: Floats, triangles: Ints, t: int, normal: _Vector, point: _Vector, least: float) -> bool:
    """Whether a point of the plane of t lies on the inner side of all sides, by more than the margin.

    `least` is the margin times the length of the normal.
    """
    (nx, ny, nz), (x, y, z) = normal, point
    inside = True
    for k in range(3):
        a, b = triangles[t, k - 1], triangles[t, k]
        ux, uy, uz = vertices[b, 0] - vertices[a, 0], vertices[b, 1] - vertices[a, 1], vertices[b, 2] - vertices[a, 2]
        wx, wy, wz = x - vertices[a, 0], y - vertices[a, 1], z - vertices[a, 2]
        turn = nx * (uy * wz - uz * wy) + ny * (uz * wx - ux * wz) + nz * (ux * wy - uy * wx)
        inside &= turn > least * np.sqrt(ux * ux + uy * uy + uz * uz)
    return inside
