"""The cutter: a closed triangle mesh cut by a complex of convex regions, exact between neighbours, or an error.

The body is divided (see division.py), and what it fell into is measured.

Limitations: bodies whose shells overlap are reported only where the overlap shows at a partition edge or a facet; more
than two triangles at one body edge are refused when a facet crosses that edge.
"""

from typing import NamedTuple

import numpy as np

from ..errors import CutError
from ..types import Body, Bools, Cells, Floats, Ints, Partition
from .checks import SLIVER, CutChecks
from .crumbs import region_sites, region_units
from .division import Division, divided
from .holes import bond_faces
from .prepared import Prepared


class _Measures(NamedTuple):
    """What is measured of a divided body."""

    bond_area: Floats
    bond_centroid: Floats
    unit: Ints
    crumb: Bools


def cut(body: Body, partition: Partition, known: Prepared | None = None) -> Cells:
    """Cut a closed body into cells.

    Groups of the partition share a `unit`, and crumbs (thinner than 0.05 of the median, or dropped by the partition)
    join the unit of the neighbour with the largest bond; cells themselves stay separate, so volumes sum to the body's.
    Who cuts a body again and again hands in what `prepared(body)` returned; that of another body is not used.
    Raises CutError, which names what fired, when any self-check fails: nothing wrong is ever returned.
    """
    return _or_error(*cut_checked(body, partition, known))


def divide(body: Body, partition: Partition, known: Prepared | None = None) -> Cells:
    """As `cut`, for who bends the cells and measures them then: bonds are not measured (nan), units are cells."""
    division, checks = divided(body, partition, known)
    return _or_error(None if division is None else _cells(partition, division, _unmeasured(division)), checks)


def _or_error(cells: Cells | None, checks: CutChecks) -> Cells:
    if cells is None:
        raise CutError("The cut failed: " + "; ".join(checks.faults()) + ".")
    return cells


def cut_checked(body: Body, partition: Partition, known: Prepared | None = None) -> tuple[Cells | None, CutChecks]:
    """As `cut`, but returns None and what the checks found instead of raising, where a count tells what is wrong.

    Raises CutError where the complex is no complex, or holes of inner faces and hollows have nothing around them.
    """
    division, checks = divided(body, partition, known)
    return None if division is None else _cells(partition, division, _measures(partition, division)), checks


def _unmeasured(division: Division) -> _Measures:
    bonds, cells = len(division.bonded.facet), len(division.pieces.volume)
    return _Measures(np.full(bonds, np.nan), np.full((bonds, 3), np.nan), np.arange(cells), np.zeros(cells, np.bool_))


def _measures(partition: Partition, division: Division) -> _Measures:
    area, centroid = _bond_measures(division)
    pieces = division.pieces
    unit, crumb = region_units(partition, pieces.region, division.bond_cells, area, pieces.volume, pieces.outer_area)
    return _Measures(area, centroid, unit, crumb)


def _cells(partition: Partition, division: Division, measures: _Measures) -> Cells:
    """Put the parts together; vertices that nothing uses are left out."""
    position, skin, loops = division.position, division.skin, division.loops
    bonded, pieces = division.bonded, division.pieces
    inner_start, inner_vertex, inner_bond = bond_faces(loops, bonded, position, partition.facet_normal)
    vertices, outer_vertex, inner_vertex = drop_unused_vertices(position, skin.corner, inner_vertex)
    return Cells(
        vertices=vertices,
        outer_start=skin.start,
        outer_vertex=outer_vertex,
        outer_weight=skin.weight,
        outer_triangle=skin.triangle,
        outer_cell=pieces.cell[: len(skin.triangle)].copy(),
        inner_start=inner_start,
        inner_vertex=inner_vertex,
        inner_bond=inner_bond,
        bond_cells=division.bond_cells,
        bond_area=measures.bond_area,
        bond_normal=partition.facet_normal[bonded.facet],
        bond_centroid=measures.bond_centroid,
        bond_strength=partition.facet_strength[bonded.facet],
        volume=pieces.volume,
        centroid=pieces.centroid,
        second_moment=pieces.second,
        region=pieces.region,
        site=region_sites(partition.site[pieces.region], pieces.region, pieces.centroid),
        unit=measures.unit,
        crumb=measures.crumb,
    )


def drop_unused_vertices(position: Floats, outer: Ints, inner: Ints) -> tuple[Floats, Ints, Ints]:
    """The vertices that corners use, and the corners with their new numbers."""
    used = np.zeros(len(position), np.bool_)
    used[outer] = True
    used[inner] = True
    if used.all():
        return position, outer, inner
    number = np.cumsum(used) - 1
    return position[used], number[outer], number[inner]


def _bond_measures(division: Division) -> tuple[Floats, Floats]:
    """Area and centroid of each bond; holes are subtracted by their sense of rotation.

    Slivers whose area is round-off keep a positive area, and the middle of their corners for a centroid.
    """
    loops, bonded, size = division.loops, division.bonded, division.size
    count = len(bonded.facet)
    area = np.bincount(bonded.bond, division.area, count).astype(np.float64)  # empty counts are integers
    first = np.stack([np.bincount(bonded.bond, division.moment[:, k], count) for k in range(3)], axis=1)
    slivers = np.flatnonzero(area <= SLIVER * size)
    with np.errstate(divide="ignore", invalid="ignore"):
        centroid = first / area[:, None]
    for bond in slivers:
        loop = bonded.outline[bond]
        corners = loops.vertex[loops.start[loop] : loops.start[loop + 1]]
        centroid[bond] = division.position[corners].mean(axis=0)
    return np.maximum(np.abs(area), 1e-30 * size), centroid
