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
from ..geometry.mesh_edges import mesh_edges, unbalanced_edges
from ..types import Body, Cells, Floats, Ints, Partition
from .checks import VOLUME_TOLERANCE, CutChecks
from .complex import HI, LO, Complex, as_complex
from .components import enclosing_component, join_faces
from .crumbs import units_of_cells
from .holes import Bonded, bond_faces, group_loops
from .locate import locate
from .loops import Loops, facet_loops, loop_areas
from .moments import cell_moments, triangle_volume
from .packed import grouped
from .skin import DOUBTS, KEYS, LEAKS, Skin, Surface, cut_skin
from .spans import inside_spans

SLIVER = 1e-13  #: a bond of less area, relative to the squared diagonal, has no reliable centroid


class _Sides(NamedTuple):
    """All face sides: outer faces, loops seen from lo, loops seen from hi."""

    start: Ints  #: corners of outer faces and loops, packed together
    vertex: Ints
    face: Ints  #: (n,) row of `start`
    flip: Ints  #: (n,) -1 where the corners run backwards
    region: Ints  #: (n,)
    order: Ints  #: (n,) sides sorted by region


class _Pieces(NamedTuple):
    """Mass properties of the cells and the cell of each side."""

    cell: Ints
    volume: Floats
    centroid: Floats
    second: Floats
    outer_area: Floats


def cut(body: Body, partition: Partition) -> Cells:
    """Cut a closed body into cells.

    Groups of the partition share a `unit`, and crumbs (thinner than 0.05 of the median) join the unit of the neighbour
    with the largest bond; cells themselves stay separate, so volumes sum to the body's.
    Raises CutError, which names what fired, when any self-check fails: nothing wrong is ever returned.
    """
    cells, checks = cut_checked(body, partition)
    if cells is None:
        raise CutError("The cut failed: " + "; ".join(checks.faults()) + ".")
    return cells


def cut_checked(body: Body, partition: Partition) -> tuple[Cells | None, CutChecks]:
    """As `cut`, but returns None and what the checks found instead of raising, where a count tells what is wrong.

    Raises CutError where the complex is no complex, or holes of inner faces and hollows have nothing around them.
    """
    cx = as_complex(partition)
    whole = float(triangle_volume(body.vertices, body.triangles))
    surface, edges, checks = _surface(body, cx, whole)
    if checks.faults():
        return None, checks
    skin, tally = cut_skin(cx, surface, edges, float(np.abs(body.vertices).max()))
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
    area, moment = loop_areas(loops.start, loops.vertex, position)
    signed = np.einsum("ij,ij->i", area, partition.facet_normal[loops.facet])
    bonded = group_loops(loops, signed, position, partition.facet_normal)
    sides = _sides(cx, skin, loops, len(partition.region_start) - 1)
    pieces = _pieces(sides, loops, bonded, position, len(skin.triangle))
    checks = _check_volumes(whole, pieces, checks)
    if checks.faults():
        return None, checks
    return _cells(partition, skin, loops, bonded, sides, pieces, position, signed, moment), checks


def _surface(body: Body, cx: Complex, whole: float) -> tuple[Surface, int, CutChecks]:
    """The body with its edges and the regions of its vertices, its number of edges, and what is wrong with it."""
    edges, triangle_edge = mesh_edges(body.triangles, len(body.vertices))
    home = locate(cx, body.vertices, body.triangles)
    used = np.zeros(len(body.vertices), np.bool_)
    used[body.triangles] = True
    checks = CutChecks(
        open_edges=unbalanced_edges(body.triangles, edges, triangle_edge),
        hollow=int(not whole > 0.0),
        outside=int(np.count_nonzero(home[used] < 0)),
    )
    return Surface(body.vertices, body.triangles, triangle_edge, home), len(edges), checks


def _sides(cx: Complex, skin: Skin, loops: Loops, regions: int) -> _Sides:
    outer, inner = len(skin.triangle), len(loops.facet)
    lo, hi = cx.facet[loops.facet, LO], cx.facet[loops.facet, HI]
    loop_face = np.arange(outer, outer + inner)
    region = np.concatenate([skin.region, lo, hi])
    return _Sides(
        start=np.concatenate([[0], skin.end, loops.start[1:] + len(skin.corner)]),
        vertex=np.concatenate([skin.corner, loops.vertex]),
        face=np.concatenate([np.arange(outer), loop_face, loop_face]),
        flip=np.concatenate([np.ones(outer + inner, np.int64), np.full(inner, -1)]),
        region=region,
        order=grouped(region, regions)[1],
    )


def _pieces(sides: _Sides, loops: Loops, bonded: Bonded, position: Floats, outer: int) -> _Pieces:
    """Connected components of all sides with holes and hollows joined to what is around them."""
    count = len(loops.facet)
    around = bonded.outline[bonded.bond]
    holes = np.flatnonzero(around != np.arange(count))
    pairs = np.stack([holes, around[holes]], axis=1) + outer
    pairs = np.concatenate([pairs, pairs + count])
    pieces = _measured(sides, position, outer, pairs)
    hollows = _hollows(pieces, sides, outer)
    if len(hollows):
        pieces = _measured(sides, position, outer, np.concatenate([pairs, _shells(pieces, sides, position, hollows)]))
    return pieces


def _measured(sides: _Sides, position: Floats, outer: int, pairs: Ints) -> _Pieces:
    cell = join_faces(sides.start, sides.vertex, sides.face, sides.region, sides.order, len(position), pairs)
    count = int(cell.max()) + 1
    return _Pieces(cell, *cell_moments(sides.start, sides.vertex, sides.face, sides.flip, cell, position, outer, count))


def _hollows(pieces: _Pieces, sides: _Sides, outer: int) -> Ints:
    """Components of negative volume that no inner face bounds: shells around nothing inside one region."""
    bounded = np.zeros(len(pieces.volume), np.bool_)
    bounded[pieces.cell[outer:]] = True
    return np.flatnonzero((pieces.volume < 0.0) & ~bounded)


def _shells(pieces: _Pieces, sides: _Sides, position: Floats, hollows: Ints) -> Ints:
    """Pairs of sides that join each hollow to the component around it in its region."""
    side_of = np.full(len(pieces.volume), -1, np.int64)
    side_of[pieces.cell[::-1]] = np.arange(len(pieces.cell))[::-1]
    region_of = sides.region[side_of]
    pairs = []
    for hollow in hollows:
        near = np.flatnonzero((region_of == region_of[hollow]) & (pieces.volume > 0.0))
        fans = {int(component): _fans(sides, pieces, position, int(component)) for component in near}
        point = position[sides.vertex[sides.start[sides.face[side_of[hollow]]]]]
        pairs.append((side_of[hollow], side_of[enclosing_component(fans, point, pieces.volume)]))
    return np.array(pairs, np.int64).reshape(-1, 2)


def _fans(sides: _Sides, pieces: _Pieces, position: Floats, component: int) -> Floats:
    """The surface of a component as triangles (n,3,3)."""
    fans = []
    for side in np.flatnonzero(pieces.cell == component):
        face = sides.face[side]
        corners = sides.vertex[sides.start[face] : sides.start[face + 1]][:: sides.flip[side]]
        p = position[corners]
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
    sides: _Sides,
    pieces: _Pieces,
    position: Floats,
    signed: Floats,
    moment: Floats,
) -> Cells:
    """Put the parts together; vertices that nothing uses are left out."""
    outer, count = len(skin.triangle), len(pieces.volume)
    inner_start, inner_vertex, inner_bond = bond_faces(loops, bonded, position, partition.facet_normal)
    used = np.zeros(len(position), np.bool_)
    used[skin.corner] = True
    used[inner_vertex] = True
    number = np.cumsum(used) - 1
    first_side = outer + bonded.outline
    bonds = np.stack([pieces.cell[first_side], pieces.cell[first_side + len(loops.facet)]], axis=1)
    area, centroid, normal = _bond_measures(partition, loops, bonded, signed, moment, position)
    region = np.empty(count, np.int64)
    region[pieces.cell] = sides.region
    unit, crumb = units_of_cells(bonds, area, pieces.volume, pieces.outer_area, partition.group[region])
    alone = np.bincount(region, minlength=len(partition.site))[region] == 1
    return Cells(
        vertices=position[used],
        outer_start=sides.start[: outer + 1],
        outer_vertex=number[skin.corner],
        outer_weight=skin.weight,
        outer_triangle=skin.triangle,
        outer_cell=pieces.cell[:outer],
        inner_start=inner_start,
        inner_vertex=number[inner_vertex],
        inner_bond=inner_bond,
        bond_cells=bonds,
        bond_area=area,
        bond_normal=normal,
        bond_centroid=centroid,
        bond_strength=partition.facet_strength[bonded.facet],
        volume=pieces.volume,
        centroid=pieces.centroid,
        second_moment=pieces.second,
        region=region,
        site=np.where(alone[:, None], partition.site[region], pieces.centroid),
        unit=unit,
        crumb=crumb,
    )


def _bond_measures(
    partition: Partition, loops: Loops, bonded: Bonded, signed: Floats, moment: Floats, position: Floats
) -> tuple[Floats, Floats, Floats]:
    """Area, centroid and unit normal of each bond; holes are subtracted by their sense of rotation.

    Slivers whose area is round-off keep a positive area, and the middle of their corners for a centroid.
    """
    count = len(bonded.facet)
    normal = partition.facet_normal[bonded.facet]
    area = np.bincount(bonded.bond, signed, count).astype(np.float64)  # empty counts are integers
    along = np.einsum("li,lij->lj", partition.facet_normal[loops.facet], moment)
    first = np.stack([np.bincount(bonded.bond, along[:, k], count) for k in range(3)], axis=1)
    size = float(np.square(np.ptp(position, axis=0)).sum())
    slivers = np.flatnonzero(area <= SLIVER * size)
    with np.errstate(divide="ignore", invalid="ignore"):
        centroid = first / area[:, None]
    for bond in slivers:
        loop = bonded.outline[bond]
        centroid[bond] = position[loops.vertex[loops.start[loop] : loops.start[loop + 1]]].mean(axis=0)
    return np.maximum(np.abs(area), 1e-30 * size), centroid, normal
