"""Which faces a cut body has, and whose they are: a closed triangle mesh divided by a complex of convex regions.

Triangles are clipped only by the regions that they touch (skin), inner faces are the partition's facets bounded by cut
segments and by the partition edges inside the body (inside_intervals, loops), and a cell is a connected piece of a
region (components). Nothing is welded by a tolerance. Time grows with the output and the size of the mesh.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..types import Body, Floats, Ints, Partition
from .checks import VOLUME_TOLERANCE, CutChecks
from .complex import Complex, as_complex
from .components import CellSides, enclosing_component, join_sides
from .holes import Bonded, group_loops
from .inside_intervals import find_inside_intervals
from .locate import LOST, OUTSIDE, locate
from .loops import FacetLoops, facet_loops, loop_areas
from .moments import cell_moments
from .prepared import Prepared, prepared
from .skin import BodySurface, CutSkin, cut_skin


class DividedCells(NamedTuple):
    """Mass properties of the cells and the cell of each side."""

    cell: Ints  #: of outer faces, of loops seen from lo, of loops seen from hi
    region: Ints  #: of each cell
    volume: Floats
    centroid: Floats
    second: Floats
    outer_area: Floats


class Division(NamedTuple):
    """A body divided by a partition, with what its checks have measured."""

    position: Floats  #: (V,3) the body's vertices, new ones of the skin, partition vertices inside of the body
    skin: CutSkin
    loops: FacetLoops
    area: Floats  #: (L,) of each loop along the normal of its facet
    moment: Floats  #: (L,3) first moment of this area
    bonded: Bonded
    pieces: DividedCells
    bond_cells: Ints  #: (B,2) the cells on the sides lo and hi of each bond
    size: float  #: squared diagonal of the body


def divided(body: Body, partition: Partition, known: Prepared | None = None) -> tuple[Division | None, CutChecks]:
    """Divide a body; None where a self-check fails. `known` is what `prepared` returned, if for this body.

    Raises CutError where the complex is no complex, or holes of inner faces and hollows have nothing around them.
    """
    cx = as_complex(partition)
    if known is None or known.body is not body:
        known = prepared(body)
    surface, checks = _surface(body, cx, known)
    if checks.faults():
        return None, checks
    skin, tally = cut_skin(cx, surface, known.edges, known.reach)
    checks = replace(checks, doubts=int(tally.doubts), keys=int(tally.keys), outside=int(tally.leaks))
    if checks.faults():
        return None, checks
    intervals, alternation, votes = find_inside_intervals(cx, skin, len(body.vertices))
    position = np.concatenate([body.vertices, skin.vertex["position"], partition.vertices[intervals.inside]])
    loops, faults = facet_loops(cx, skin, intervals, len(position))
    checks = replace(checks, alternation=alternation, votes=votes)
    checks = replace(checks, open_ends=int(faults.open_ends), conflicts=int(faults.conflicts), twins=int(faults.twins))
    if checks.faults():
        return None, checks
    area, moment = loop_areas(loops, position, partition.facet_normal)
    bonded = group_loops(loops, area, position, partition.facet_normal)
    sides = _sides(cx, surface, skin, loops)
    pieces = _pieces(sides, bonded, position, len(partition.site))
    checks = _check_volumes(known.volume, pieces, checks)
    if checks.faults():
        return None, checks
    first = len(skin.triangle) + bonded.outline
    bond_cells = np.stack([pieces.cell[first], pieces.cell[first + len(loops.facet)]], axis=1)
    return Division(position, skin, loops, area, moment, bonded, pieces, bond_cells, known.size), checks


def _surface(body: Body, cx: Complex, known: Prepared) -> tuple[BodySurface, CutChecks]:
    """The body with the regions of its vertices, and what is wrong with it."""
    home, mixed = locate(cx, body.vertices, body.triangles, known.region)
    checks = CutChecks(
        open_edges=known.open_edges,
        hollow=int(not known.volume > 0.0),
        outside=int(np.count_nonzero((home == OUTSIDE) | (home == LOST))),
    )
    return BodySurface(body.vertices, body.triangles, known.triangle_edge, home, mixed), checks


def _sides(cx: Complex, surface: BodySurface, skin: CutSkin, loops: FacetLoops) -> CellSides:
    return CellSides(
        start=skin.start,
        vertex=skin.corner,
        region=skin.region,
        loop_start=loops.start,
        loop_vertex=loops.vertex,
        loop_region=np.concatenate([cx.facet["lo"][loops.facet], cx.facet["hi"][loops.facet]]),
        home=surface.home,
        whole=len(surface.triangles) - len(surface.mixed),
    )


def _pieces(sides: CellSides, bonded: Bonded, position: Floats, regions: int) -> DividedCells:
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


def _measured(sides: CellSides, position: Floats, regions: int, pairs: Ints) -> DividedCells:
    cell, region = join_sides(sides, regions, len(position), pairs)
    return DividedCells(cell, region, *cell_moments(sides, cell, position, len(region)))


def _hollows(pieces: DividedCells, outer: int) -> Ints:
    """Components of negative volume that no inner face bounds: shells around nothing inside one region."""
    bounded = np.zeros(len(pieces.volume), np.bool_)
    bounded[pieces.cell[outer:]] = True
    return np.flatnonzero((pieces.volume < 0.0) & ~bounded)


def _shells(pieces: DividedCells, sides: CellSides, position: Floats, hollows: Ints) -> Ints:
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


def _corners(sides: CellSides, side: int) -> Ints:
    """The corners of a side in its own sense."""
    outer, loops = len(sides.region), len(sides.loop_start) - 1
    if side < outer:
        corners: Ints = sides.vertex[sides.start[side] : sides.start[side + 1]]
        return corners
    loop = (side - outer) % loops
    corners = sides.loop_vertex[sides.loop_start[loop] : sides.loop_start[loop + 1]]
    return corners if side < outer + loops else corners[::-1]


def _fans(sides: CellSides, pieces: DividedCells, position: Floats, component: int) -> Floats:
    """The surface of a component as triangles (n,3,3)."""
    fans = []
    for side in np.flatnonzero(pieces.cell == component):
        p = position[_corners(sides, int(side))]
        fans.append(np.stack([np.broadcast_to(p[0], p[2:].shape), p[1:-1], p[2:]], axis=1))
    return np.concatenate(fans)


def _check_volumes(whole: float, pieces: DividedCells, checks: CutChecks) -> CutChecks:
    error = abs(float(pieces.volume.sum()) - whole) / whole
    negative = int(np.count_nonzero(~(pieces.volume > 0.0)))
    return replace(checks, negative=negative, volume=int(not error <= VOLUME_TOLERANCE), volume_error=error)
