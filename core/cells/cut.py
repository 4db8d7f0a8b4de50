"""The cutter: a closed triangle mesh cut by a complex of convex regions, exact between neighbours, or an error.

Triangles are clipped only by the regions that they touch (skin), inner faces are the partition's facets bounded by cut
segments and by the struts inside the body (spans, loops), and a cell is a connected piece of a region (components).
Nothing is welded by a tolerance. Time grows with the output and the size of the mesh.

Limitations: bodies whose shells overlap are reported only where the overlap shows at a strut or a facet; more than two
triangles at one body edge are refused when a facet crosses that edge.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..errors import CutError
from ..types import Body, Cells, Floats, Ints, Partition
from .checks import SLIVER, VOLUME_TOLERANCE, CutChecks
from .complex import HI, LO, Complex, as_complex
from .components import Sides, enclosing_component, join_sides
from .crumbs import units_of_cells
from .holes import Bonded, bond_faces, group_loops
from .locate import LOST, OUTSIDE, locate
from .loops import Loops, facet_loops, loop_areas
from .moments import cell_moments
from .prepared import Prepared, prepared
from .skin import DOUBTS, KEYS, LEAKS, Skin, Surface, cut_skin
from .spans import inside_spans


class _Pieces(NamedTuple):
    """Mass properties of the cells and the cell of each side."""

    cell: Ints  #: of outer faces, of loops seen from lo, of loops seen from hi
    region: Ints  #: of each cell
    volume: Floats
    centroid: Floats
    second: Floats
    outer_area: Floats


def cut(body: Body, partition: Partition, known: Prepared | None = None) -> Cells:
    """Cut a closed body into cells.

    Groups of the partition share a `unit`, and crumbs (thinner than 0.05 of the median) join the unit of the neighbour
    with the largest bond; cells themselves stay separate, so volumes sum to the body's. Who cuts a body again and again
    hands in what `prepared(body)` returned; that of another body is not used.
    Raises CutError, which names what fired, when any self-check fails: nothing wrong is ever returned.
    """
    cells, checks = cut_checked(body, partition, known)
    if cells is None:
        raise CutError("The cut failed: " + "; ".join(checks.faults()) + ".")
    return cells


def cut_checked(body: Body, partition: Partition, known: Prepared | None = None) -> tuple[Cells | None, CutChecks]:
    """As `cut`, but returns None and what the checks found instead of raising, where a count tells what is wrong.

    Raises CutError where the complex is no complex, or holes of inner faces and hollows have nothing around them.
    """
    cx = as_complex(partition)
    if known is None or known.body is not body:
        known = prepared(body)
    surface, checks = _surface(body, cx, known)
    if checks.faults():
        return None, checks
    skin, tally = cut_skin(cx, surface, known.edges, known.reach)
    checks = replace(checks, doubts=int(tally[DOUBTS]), keys=int(tally[KEYS]), outside=int(tally[LEAKS]))
    if checks.faults():
        return None, checks
    spans, alternation, votes = inside_spans(cx, skin, len(body.vertices))
    position = np.concatenate([body.vertices, skin.place[:, :3], partition.vertices[spans.inside]])
    loops, faults = facet_loops(cx, skin, spans, len(position))
    checks = replace(checks, alternation=alternation, votes=votes)
    checks = replace(checks, open_ends=int(faults[0]), conflicts=int(faults[1]), twins=int(faults[2]))
    if checks.faults():
        return None, checks
    signed, moment = loop_areas(loops, position, partition.facet_normal)
    bonded = group_loops(loops, signed, position, partition.facet_normal)
    sides = _sides(cx, surface, skin, loops)
    pieces = _pieces(sides, bonded, position, len(partition.site))
    checks = _check_volumes(known.volume, pieces, checks)
    if checks.faults():
        return None, checks
    measures = _bond_measures(loops, bonded, signed, moment, position, known.size)
    return _cells(partition, skin, loops, bonded, measures, pieces, position), checks


def _surface(body: Body, cx: Complex, known: Prepared) -> tuple[Surface, CutChecks]:
    """The body with the regions of its vertices, and what is wrong with it."""
    home, mixed = locate(cx, body.vertices, body.triangles)
    checks = CutChecks(
        open_edges=known.open_edges,
        hollow=int(not known.volume > 0.0),
        outside=int(np.count_nonzero((home == OUTSIDE) | (home == LOST))),
    )
    return Surface(body.vertices, body.triangles, known.triangle_edge, home, mixed), checks


def _sides(cx: Complex, surface: Surface, skin: Skin, loops: Loops) -> Sides:
    return Sides(
        start=skin.start,
        vertex=skin.corner,
        region=skin.region,
        loop_start=loops.start,
        loop_vertex=loops.vertex,
        loop_region=np.concatenate([cx.facet[loops.facet, LO], cx.facet[loops.facet, HI]]),
        home=surface.home,
        whole=len(surface.triangles) - len(surface.mixed),
    )


def _pieces(sides: Sides, bonded: Bonded, position: Floats, regions: int) -> _Pieces:
    """Connected components of all sides with holes and hollows joined to what is around them."""
    outer, count = len(sides.region), len(bonded.bond)
    around = bonded.outline[bonded.bond]
    holes = np.flatnonzero(around != np.arange(count))
    pairs = np.stack([holes, around[holes]], axis=1) + outer
    pairs = np.concatenate([pairs, pairs + count])
    pieces = _measured(sides, position, regions, pairs)
    hollows = _hollows(pieces, outer)
    if len(hollows):
        pieces = _measured(sides, position, regions, np.concatenate([pairs, _shells(pieces, sides, position, hollows)]))
    return pieces


def _measured(sides: Sides, position: Floats, regions: int, pairs: Ints) -> _Pieces:
    cell, region = join_sides(sides, regions, len(position), pairs)
    return _Pieces(cell, region, *cell_moments(sides, cell, position, len(region)))


def _hollows(pieces: _Pieces, outer: int) -> Ints:
    """Components of negative volume that no inner face bounds: shells around nothing inside one region."""
    bounded = np.zeros(len(pieces.volume), np.bool_)
    bounded[pieces.cell[outer:]] = True
    return np.flatnonzero((pieces.volume < 0.0) & ~bounded)


def _shells(pieces: _Pieces, sides: Sides, position: Floats, hollows: Ints) -> Ints:
    """Pairs of sides that join each hollow to the component around it in its region."""
    side_of = np.empty(len(pieces.volume), np.int64)
    side_of[pieces.cell[::-1]] = np.arange(len(pieces.cell))[::-1]  # the first side
    pairs = []
    for hollow in hollows:
        near = np.flatnonzero((pieces.region == pieces.region[hollow]) & (pieces.volume > 0.0))
        fans = {int(component): _fans(sides, pieces, position, int(component)) for component in near}
        point = position[_corners(sides, int(side_of[hollow]))[0]]
        pairs.append((side_of[hollow], side_of[enclosing_component(fans, point, pieces.volume)]))
    return np.array(pairs, np.int64).reshape(-1, 2)


def _corners(sides: Sides, side: int) -> Ints:
    """The corners of a side in its own sense."""
    outer, loops = len(sides.region), len(sides.loop_start) - 1
    if side < outer:
        corners: Ints = sides.vertex[sides.start[side] : sides.start[side + 1]]
        return corners
    loop = (side - outer) % loops
    corners = sides.loop_vertex[sides.loop_start[loop] : sides.loop_start[loop + 1]]
    return corners if side < outer + loops else corners[::-1]


def _fans(sides: Sides, pieces: _Pieces, position: Floats, component: int) -> Floats:
    """The surface of a component as triangles (n,3,3)."""
    fans = []
    for side in np.flatnonzero(pieces.cell == component):
        p = position[_corners(sides, int(side))]
        fans.append(np.stack([np.broadcast_to(p[0], p[2:].shape), p[1:-1], p[2:]], axis=1))
    return np.concatenate(fans)


def _check_volumes(whole: float, pieces: _Pieces, checks: CutChecks) -> CutChecks:
    error = abs(float(pieces.volume.sum()) - whole) / whole
    negative = int(np.count_nonzero(~(pieces.volume > 0.0)))
    return replace(checks, negative=negative, volume=int(not error <= VOLUME_TOLERANCE), volume_error=error)


def _cells(
    partition: Partition,
    skin: Skin,
    loops: Loops,
    bonded: Bonded,
    measures: tuple[Floats, Floats],
    pieces: _Pieces,
    position: Floats,
) -> Cells:
    """Put the parts together; vertices that nothing uses are left out."""
    outer = len(skin.triangle)
    inner_start, inner_vertex, inner_bond = bond_faces(loops, bonded, position, partition.facet_normal)
    vertices, outer_vertex, inner_vertex = used_vertices(position, skin.corner, inner_vertex)
    first_side = outer + bonded.outline
    bonds = np.stack([pieces.cell[first_side], pieces.cell[first_side + len(loops.facet)]], axis=1)
    area, centroid = measures
    unit, crumb = units_of_cells(bonds, area, pieces.volume, pieces.outer_area, partition.group[pieces.region])
    alone = np.bincount(pieces.region, minlength=len(partition.site))[pieces.region] == 1
    return Cells(
        vertices=vertices,
        outer_start=skin.start,
        outer_vertex=outer_vertex,
        outer_weight=skin.weight,
        outer_triangle=skin.triangle,
        outer_cell=pieces.cell[:outer].copy(),
        inner_start=inner_start,
        inner_vertex=inner_vertex,
        inner_bond=inner_bond,
        bond_cells=bonds,
        bond_area=area,
        bond_normal=partition.facet_normal[bonded.facet],
        bond_centroid=centroid,
        bond_strength=partition.facet_strength[bonded.facet],
        volume=pieces.volume,
        centroid=pieces.centroid,
        second_moment=pieces.second,
        region=pieces.region,
        site=np.where(alone[:, None], partition.site[pieces.region], pieces.centroid),
        unit=unit,
        crumb=crumb,
    )


def used_vertices(position: Floats, outer: Ints, inner: Ints) -> tuple[Floats, Ints, Ints]:
    """The vertices that corners use, and the corners with their new numbers."""
    used = np.zeros(len(position), np.bool_)
    used[outer] = True
    used[inner] = True
    if used.all():
        return position, outer, inner
    number = np.cumsum(used) - 1
    return position[used], number[outer], number[inner]


def _bond_measures(
    loops: Loops, bonded: Bonded, signed: Floats, moment: Floats, position: Floats, size: float
) -> tuple[Floats, Floats]:
    """Area and centroid of each bond; holes are subtracted by their sense of rotation. `size`: squared diagonal.

    Slivers whose area is round-off keep a positive area, and the middle of their corners for a centroid.
    """
    count = len(bonded.facet)
    area = np.bincount(bonded.bond, signed, count).astype(np.float64)  # empty counts are integers
    first = np.stack([np.bincount(bonded.bond, moment[:, k], count) for k in range(3)], axis=1)
    slivers = np.flatnonzero(area <= SLIVER * size)
    with np.errstate(divide="ignore", invalid="ignore"):
        centroid = first / area[:, None]
    for bond in slivers:
        loop = bonded.outline[bond]
        centroid[bond] = position[loops.vertex[loops.start[loop] : loops.start[loop + 1]]].mean(axis=0)
    return np.maximum(np.abs(area), 1e-30 * size), centroid
