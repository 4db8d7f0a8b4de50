"""Cells that never part as few convex parts.

The cells of a unit become one part, the hull of them all, where that holds little that is not theirs; else they are
halved by a plane and each half is looked at again. How far a hull reaches beyond its cells is measured as in
`decomposition`: twice the depth under the hull of the middle of a chord, which runs from the middle of a face of the
cells along its normal until it leaves the hull. Candidates for the plane are that of the face with the largest gap
and those between its cell and the others: where cells bend inwards, some of them end. Best is what leaves the least
hulls.
"""

from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...geometry import packed
from ...record_arrays import read_only_view
from ...types import Bools, Cells, Floats, Ints
from .bond_adjacency import CellBonds
from .cell_corners import PAIRS, CellCorners, outer_planes, radii_of
from .convex_parts import ConvexParts, PartGeometry
from .decomposition import widest_gap
from .face_patches import face_areas
from .quick_hull import QuickHull, build_hulls

# Volume that a hull may have beyond that of its cells, in theirs; by eye: more leaves gaps where pieces touch, less
# makes more parts.
EXCESS = 0.2
_GOOD = 0.5  # share of EXCESS that the halves of a group may have together to be taken without a look at others; by eye
BETTER = 1.0 - 1e-6  # ratio of volumes that differ; of equal ones the first counts, whatever round-off says
_COVER = 0.98  # share of a face of merged cells behind which the matter of its adjacent part must lie; chosen
# Cosine between a chord and a normal below which the chord does not leave there; chosen, well above the round-off of a
# unit vector.
ALONG = 1e-9


class _Sides(NamedTuple):
    """The faces of each cell."""

    start: Ints  #: (C+1,)
    cell: Ints  #: (S,)
    other: Ints  #: (S,) the cell beyond, -1 where there is none
    normal: Floats  #: (S,3) unit, outwards; 0 for slivers
    middle: Floats  #: (S,3)
    known: Bools  #: (S,) whether there is a normal


class _Group(NamedTuple):
    """Some cells of a unit and the hull of them."""

    cells: Ints
    radius: float  #: of the box around their vertices [m]
    hull: QuickHull | None  #: None where they are flat
    volume: float  #: of the hull; infinite where there is none


class _Unit:
    """What is asked about the cells of all units."""

    def __init__(self, cells: Cells, corners: CellCorners, bonds: CellBonds) -> None:
        self.cells, self.corners, self.sides = cells, corners, _sides(cells, bonds)
        self._inside = np.zeros(len(cells.volume), np.bool_)  # scratch

    def groups(self, several: list[Ints]) -> list[_Group]:
        """Each of several lists of cells as a group."""
        if not several:
            return []
        members, count = np.concatenate(several), len(self.cells.vertices)
        first = self.corners.start[members]
        length = self.corners.start[members + 1] - first
        owner = np.repeat(np.repeat(np.arange(len(several)), [len(cells) for cells in several]), length)
        key = np.unique(owner * count + self.corners.vertex[packed.ranges(first, length)])
        place, start = self.cells.vertices[key % count], np.searchsorted(key // count, np.arange(len(several) + 1))
        radius = radii_of(place, start).tolist()
        return [
            _Group(cells, radius[k], hull, np.inf if hull is None else hull.volume)
            for k, (cells, hull) in enumerate(zip(several, build_hulls(place, start), strict=True))
        ]

    def of(self, group: _Group) -> tuple[Ints, Ints]:
        """The sides at which a group ends, and those between its cells."""
        sides = self.sides
        first = sides.start[group.cells]
        rows: Ints = packed.ranges(first, sides.start[group.cells + 1] - first)
        self._inside[group.cells] = True
        within: Bools = (sides.other[rows] >= 0) & self._inside[sides.other[rows]]
        self._inside[group.cells] = False
        return np.asarray(rows[~within]), np.asarray(rows[within])


def group_cells_of_units(cells: Cells, corners: CellCorners, bonds: CellBonds, tolerance: float, least: float) -> Ints:
    """The group (C,) of each cell, numbered by their first cells; all cells of a group are of one unit.

    The hull of a group of several cells has at most EXCESS of their volume more than they have, and gaps of at most
    `least` [m] or `tolerance` radii of the group.
    """
    start, order = packed.group_by_owner(cells.unit, int(cells.unit.max(initial=-1)) + 1)
    label = np.arange(len(cells.volume))
    unit = _Unit(cells, corners, bonds)
    ahead = unit.groups([order[start[u] : start[u + 1]] for u in np.flatnonzero(np.diff(start) > 1)])
    while ahead:
        group = ahead.pop()
        label[group.cells] = group.cells.min()
        if len(group.cells) == 1:
            continue
        ends, within = unit.of(group)
        gap, worst = _largest_gap(unit.sides, ends, group)
        room = max(least, tolerance * group.radius)
        if gap > room or group.volume > (1.0 + EXCESS) * cells.volume[group.cells].sum():
            ahead += _halves(unit, group, worst, within)
    return np.asarray(np.unique(label, return_inverse=True)[1].reshape(-1), np.int64)


def _sides(cells: Cells, bonds: CellBonds) -> _Sides:
    normal, _ = outer_planes(cells)
    corner = cells.vertices[cells.outer_vertex]
    middle = np.zeros((0, 3))
    if len(normal):
        middle = np.add.reduceat(corner, cells.outer_start[:-1]) / np.diff(cells.outer_start)[:, None]
    owner = np.concatenate([cells.outer_cell, packed.owners(bonds.start)])
    start, order = packed.group_by_owner(owner, len(cells.volume))
    other = np.concatenate([np.full(len(normal), -1), bonds.other])
    normal, middle = np.concatenate([normal, bonds.plane[:, :3]]), np.concatenate([middle, bonds.middle])
    known = np.abs(normal).sum(axis=1) > 0.0
    return _Sides(start, owner[order], other[order], normal[order], middle[order], known[order])


def _largest_gap(sides: _Sides, rows: Ints, group: _Group) -> tuple[float, int]:
    """The largest gap [m] over some sides, and where it is; infinite at the first one where there is no hull."""
    if group.hull is None or len(rows) == 0:
        return np.inf, int(sides.start[group.cells[0]])
    rows = rows[sides.known[rows]]
    if len(rows) == 0:
        return 0.0, int(sides.start[group.cells[0]])
    gap, worst = widest_gap(sides.middle[rows], sides.normal[rows], group.hull.plane)
    return gap, int(rows[worst])


def _halves(unit: _Unit, group: _Group, worst: int, within: Ints) -> list[_Group]:
    """The two halves of a group that leave the least hulls, by the side of a plane on which their centroids are."""
    sides, cells, least = unit.sides, group.cells, np.inf
    centroid = unit.cells.centroid[cells]
    best: list[_Group] = []
    tried: set[bytes] = set()
    own = within[(sides.cell[within] == sides.cell[worst]) | (sides.other[within] == sides.cell[worst])]
    for row in [worst, *own.tolist()]:
        above = ((centroid - sides.middle[row]) * sides.normal[row]).sum(axis=1) > 0.0
        key = (above ^ above[0]).tobytes()
        if key in tried or above.all() or not above.any():
            continue
        tried.add(key)
        halves = unit.groups([cells[above], cells[~above]])
        volume = halves[0].volume + halves[1].volume
        if volume < BETTER * least or not best:
            best, least = halves, volume
            if volume < (1.0 + _GOOD * EXCESS) * unit.cells.volume[cells].sum():
                break
    return best or _middle_halves(unit, group)


def _middle_halves(unit: _Unit, group: _Group) -> list[_Group]:
    """The two halves across the longest axis of the centroids."""
    centroid = unit.cells.centroid[group.cells]
    extent = np.ptp(centroid, axis=0)
    order = np.argsort(centroid[:, int((extent >= BETTER * extent.max()).argmax())], kind="stable")
    half = len(order) // 2
    return unit.groups([np.sort(group.cells[rows]) for rows in (order[:half], order[half:])])


def join_cells(cells: Cells, group: Ints) -> Cells:
    """The cells of each group (C,) as one, without the bonds between them; the faces are as they were.

    Of what is known about a cell, volumes are summed; the rest is that of the first one.
    """
    first = np.unique(group, return_index=True)[1]
    ends = group[cells.bond_cells]
    stays = ends[:, 0] != ends[:, 1]
    faces = np.flatnonzero(stays[cells.inner_bond])
    length = np.diff(cells.inner_start)[faces]
    return replace(
        cells,
        outer_cell=group[cells.outer_cell],
        inner_start=packed.packed_starts(length),
        inner_vertex=cells.inner_vertex[packed.ranges(cells.inner_start[faces], length)],
        inner_bond=(np.cumsum(stays) - 1)[cells.inner_bond[faces]],
        bond_cells=ends[stays],
        **{
            f"bond_{name}": getattr(cells, f"bond_{name}")[stays] for name in ("area", "normal", "centroid", "strength")
        },
        volume=np.bincount(group, cells.volume).astype(np.float64),
        **{
            name: getattr(cells, name)[first]
            for name in ("centroid", "second_moment", "region", "site", "unit", "crumb")
        },
    )


def with_cover_adjacency(shapes: ConvexParts, part_cell: Ints, bonds: CellBonds, merged: Bools) -> ConvexParts:
    """The same parts, where faces of merged cells have the adjacent part that lies behind all of them, or none.

    A bond counts for the face through which its chord leaves the part, with the area of its projection.
    """
    faces, geometry = shapes.faces.copy(), shapes.geometry
    first = np.full(len(merged), -1, np.int64)
    first[part_cell[::-1]] = np.arange(len(part_cell))[::-1]
    parts = np.flatnonzero(merged[part_cell])
    begin = geometry.parts.face[parts, 0]
    own = packed.ranges(begin, geometry.parts.face[parts, 1] - begin)
    faces.adjacent[own], faces.patch[own] = -1, 0
    many = np.diff(bonds.start)[part_cell[parts]]
    row = packed.ranges(bonds.start[part_cell[parts]], many)
    if len(row) == 0:
        return replace(shapes, faces=read_only_view(faces))
    face = _exits(bonds, row, np.repeat(parts, many), geometry)
    seen = bonds.area[row] * (geometry.faces.normal[face] * bonds.plane[row, :3]).sum(axis=1)
    pair, which = np.unique(face * len(merged) + bonds.other[row], return_inverse=True)
    face, other = pair // len(merged), pair % len(merged)
    covered = np.bincount(which.reshape(-1), seen) / face_areas(geometry)[face]
    order = np.lexsort((other, -covered, face))
    best = order[np.unique(face[order], return_index=True)[1]]
    best = best[covered[best] >= _COVER]
    faces.adjacent[face[best]] = first[other[best]]
    return replace(shapes, faces=read_only_view(faces))


def _exits(bonds: CellBonds, row: Ints, part: Ints, geometry: PartGeometry) -> Ints:
    """(n,) the face through which the chord from the middle of a bond along its normal leaves a part."""
    result = np.empty(len(row), np.int64)
    first = geometry.parts.face[part, 0]
    many = geometry.parts.face[part, 1] - first
    blocks = np.append(np.unique(np.cumsum(many) // PAIRS, return_index=True)[1], len(row))
    for begin, end in pairwise(blocks.tolist()):
        start, face = packed.packed_starts(many[begin:end]), packed.ranges(first[begin:end], many[begin:end])
        bond = np.repeat(row[begin:end], many[begin:end])
        n, offset, point, along = geometry.faces.normal[face], geometry.faces.offset[face], bonds.middle, bonds.plane
        rate = n[:, 0] * along[bond, 0] + n[:, 1] * along[bond, 1] + n[:, 2] * along[bond, 2]
        height = n[:, 0] * point[bond, 0] + n[:, 1] * point[bond, 1] + n[:, 2] * point[bond, 2] - offset
        with np.errstate(divide="ignore", invalid="ignore"):
            length = np.where(rate > ALONG, np.maximum(0.0, -height) / rate, np.inf)
        least = np.repeat(np.minimum.reduceat(length, start[:-1]), many[begin:end])
        ends = np.flatnonzero(length == least)
        result[begin:end] = face[ends[np.searchsorted(ends, start[:-1])]]
    return result
