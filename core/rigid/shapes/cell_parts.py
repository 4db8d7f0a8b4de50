"""The convex parts of the cells of a cut body.

Cells that never part share parts where that is nearly as exact, see `unit_parts`. For all others:
A cell lies in a convex region of the pattern, so its hull does too: hulls of different cells meet in the planes of
their bonds and never overlap, and inner faces are exact. A cell is split only where the body's own skin is concave
in it, or where its region is not convex after all, as those of an artist's own pattern need not be. Faces in the plane
of a bond take the bond's normal, the same bits on both sides.

Limitation: cells without a volume become plates (see `hull_points`), which overlap their neighbours by half of their
thickness, a two-thousandth of their size.
"""

from collections.abc import Generator

import numpy as np

from ...fragments.face_triangles import face_triangles
from ...geometry import packed
from ...geometry.mesh import diagonal
from ...stepwise import result_of
from ...types import Bools, Cells, Floats, Ints
from .bond_adjacency import CellBonds, bonds_of_cells, with_bond_adjacency
from .cell_corners import CellCorners, corners_of_cells, heights_above, outer_planes, radii_of, radius_of
from .convex_hulls import make_convex_parts
from .convex_parts import ConvexParts
from .decomposition import Decomposition, decompose_steps
from .solids import make_solid
from .split_adjacency import ON, on_planes, with_split_adjacency
from .unit_parts import group_cells_of_units, join_cells, with_cover_adjacency

# Gap between a cell and its parts that is left, in radii of the cell; by eye: what is smaller is not seen to hover, and
# costs parts.
CELL_TOLERANCE = 0.02
FINEST = 0.002  # gap that is left in any cell, in diagonals of the whole body: small chips need no finer shape; by eye
PARTS = 32  # of a cell at most; by time, which grows with the pairs that touch
_LOOK = 40_000  # faces times vertices of a cell that are compared to learn whether it is convex; by time


def make_cell_parts(cells: Cells) -> tuple[ConvexParts, Ints]:
    """`cell_part_steps`, run to their end at once."""
    return result_of(cell_part_steps(cells))


def cell_part_steps(cells: Cells) -> Generator[None, None, tuple[ConvexParts, Ints]]:
    """The parts of all cells and a cell (P,) of each part, in ascending order: the first of those that it is made of.

    Cells of one unit may share a part, see `unit_parts`; those of different units never do. Faces between two units,
    and between two parts of one, have an adjacent part. A cell without a corner has no part.
    """
    least = FINEST * diagonal(cells.vertices)
    corners, bonds = corners_of_cells(cells), bonds_of_cells(cells)
    group = group_cells_of_units(cells, corners, bonds, CELL_TOLERANCE, least)
    yield
    first, merged = np.unique(group, return_index=True)[1], np.bincount(group) > 1
    if merged.any():
        cells = join_cells(cells, group)
        corners, bonds = corners_of_cells(cells), bonds_of_cells(cells)
    limit = _limits(cells, corners)
    dented = _dented(cells, corners, bonds, limit, ~merged)
    concave = dented | _concave(cells, corners, limit, ~(merged | dented))
    yield
    splits = (yield from _splits(cells, least, concave, dented)) if concave.any() else {}
    points: list[Floats] = []
    keep: list[Ints | None] = []
    owner: list[int] = []
    split_rows: list[tuple[int, Decomposition, float]] = []
    for c in range(len(cells.volume)):
        rows = slice(int(corners.start[c]), int(corners.start[c + 1]))
        found = splits.get(c)
        if found is not None and len(found.points) > 1:
            split_rows.append((len(points), found, float(limit[c])))
            points += found.points
            keep += [_kept(found, k, bonds, c) for k in range(len(found.points))]
            owner += [c] * len(found.points)
        elif rows.stop > rows.start:
            points.append(cells.vertices[corners.vertex[rows]])
            keep.append(np.flatnonzero(corners.bonded[rows]))
            owner.append(c)
    part_cell = np.array(owner, np.int64)
    shapes = make_convex_parts(points, keep)
    yield
    shapes = yield from with_split_adjacency(shapes, split_rows)
    yield
    shapes = yield from with_bond_adjacency(shapes, part_cell, bonds, limit, merged)
    yield
    return with_cover_adjacency(shapes, part_cell, bonds, merged), first[part_cell]


def concave_faces(cells: Cells) -> int:
    """Number of outer faces of the cells that are concave by them, as far as parts follow that: a measure of work."""
    corners = corners_of_cells(cells)
    concave = _concave(cells, corners, _limits(cells, corners), np.ones(len(cells.volume), np.bool_))
    return int(concave[cells.outer_cell].sum())


def _limits(cells: Cells, corners: CellCorners) -> Floats:
    """(C,) the gap that is left between each cell and its parts [m]."""
    return np.maximum(
        FINEST * diagonal(cells.vertices), CELL_TOLERANCE * radii_of(cells.vertices[corners.vertex], corners.start)
    )


def _concave(cells: Cells, corners: CellCorners, limit: Floats, which: Bools) -> Bools:
    """Those of the cells `which` (C,) with a vertex beyond the plane of an outer face, by more than the `limit` (C,).

    Where that would take long, `split` finds out faster.
    """
    normal, point = outer_planes(cells)
    pairs = np.diff(corners.start) * np.bincount(cells.outer_cell, minlength=len(which))
    large = which & (pairs > _LOOK)
    rows = np.flatnonzero((which & ~large)[cells.outer_cell])
    plane = np.column_stack([normal[rows], (normal[rows] * point[rows]).sum(axis=1)])
    return large | _beyond(cells, corners, limit, cells.outer_cell[rows], plane)


def _dented(cells: Cells, corners: CellCorners, bonds: CellBonds, limit: Floats, which: Bools) -> Bools:
    """Those of the cells `which` (C,) with a vertex beyond the plane of a bond, by more than the `limit` (C,)."""
    owner = packed.owners(bonds.start)
    rows = np.flatnonzero(which[owner])
    return _beyond(cells, corners, limit, owner[rows], bonds.plane[rows])


def _beyond(cells: Cells, corners: CellCorners, limit: Floats, cell: Ints, plane: Floats) -> Bools:
    result = np.zeros(len(limit), np.bool_)
    result[cell[heights_above(cells.vertices, corners, cell, plane) > limit[cell]]] = True
    return result


def _splits(
    cells: Cells, least: float, concave: Bools, dented: Bools
) -> Generator[None, None, dict[int, Decomposition]]:
    """The `concave (C,)` cells as convex parts. Unless they are dented, their inner faces count as corners of hulls
    only: no gap is measured on them.
    """
    outer = np.flatnonzero(concave[cells.outer_cell])
    inner = np.flatnonzero(concave[cells.bond_cells[cells.inner_bond]].any(axis=1))
    skin, skin_face = face_triangles(cells, outer, inner=False)
    wall, wall_face = face_triangles(cells, inner, inner=True)
    sides = cells.bond_cells[cells.inner_bond[inner]]
    triangles = np.concatenate([skin, wall, wall[:, ::-1]])
    cell = np.concatenate([cells.outer_cell[outer][skin_face], sides[wall_face, 0], sides[wall_face, 1]])
    start, order = packed.group_by_owner(cell, len(concave))
    result = {}
    for c in np.flatnonzero(concave).tolist():
        own = order[start[c] : start[c + 1]]
        solid = make_solid(cells.vertices, triangles[own], (own < len(skin)) | dented[c])
        result[c] = yield from decompose_steps(solid, max(least, CELL_TOLERANCE * radius_of(solid.vertices)), PARTS)
        yield
    return result


def _kept(found: Decomposition, part: int, bonds: CellBonds, cell: int) -> Ints:
    """Points of a part that lie on bonds or on splitting planes: its neighbours have them too."""
    own = found.plane[[plane for plane, _ in found.sides[part]]]
    planes = np.concatenate([bonds.plane[bonds.start[cell] : bonds.start[cell + 1]], own])
    points = found.points[part]
    return on_planes(points, planes, ON * float(np.sqrt(np.square(np.ptp(points, axis=0)).sum())))
