"""Cells put together from triangles that know their region and where they come from, with every promise checked."""

from typing import NamedTuple, Protocol

import numpy as np

from ..arithmetic.products import dot, multiply, norm
from ..errors import CutError
from ..geometry import packed
from ..geometry.barycentric import ON_SIDE, barycentric
from ..geometry.graph import connected_labels
from ..geometry.inside import winding_number
from ..geometry.mesh import cross_rows
from ..geometry.mesh import volume as mesh_volume
from ..types import Body, Bools, Cells, Floats, Ints
from .checks import SLIVER, VOLUME_TOLERANCE
from .components import enclosing_component
from .crumbs import Regions, region_sites, region_units

#: Places at which is looked for matter within matter. Chosen by time: overlaps of less than some thousandth of what is
#: new may be missed.
_PROBES = 4096


class LabelledTriangles(NamedTuple):
    """Triangles of all pieces, outward from their region."""

    position: Floats  #: (V,3)
    triangle: Ints  #: (n,3)
    region: Ints  #: (n,)
    skin: Bools  #: (n,) whether it is part of the body's surface
    face: Ints  #: (n,) body triangle, or twice the wall (bond of the walls) plus 1 on its hi side


class _Walls(Protocol):
    """What is known of the W walls, of the `Cells` of a pattern or any other division of space."""

    @property
    def region(self) -> Ints:
        """(C,) region of each cell."""

    @property
    def bond_cells(self) -> Ints:
        """(W,2) cells on the lo and hi side."""

    @property
    def bond_normal(self) -> Floats:
        """(W,3) unit, from lo to hi."""

    @property
    def bond_strength(self) -> Floats:
        """(W,) relative to the material's own [1]."""


class _Faces(NamedTuple):
    """Polygons, packed."""

    start: Ints
    vertex: Ints
    row: Ints  #: (.,) a triangle of the labelled triangles that each came from


def assemble_cells(body: Body, regions: Regions, walls: _Walls, labelled: LabelledTriangles) -> Cells:
    """Cells of the labelled triangles; `walls` says which regions each wall parts, its normal and strength.

    Raises CutError where the two sides of a wall differ, matter is counted twice, or volumes do not sum to the body's.
    """
    labelled = _whole(labelled)
    lo = np.flatnonzero(~labelled.skin & (labelled.face % 2 == 0))
    _check_once(body, labelled.position[labelled.triangle[lo]])
    _check_wall_borders(labelled, lo)
    cell, volume, centroid, second = _pieces(labelled)
    _check_volumes(mesh_volume(body.vertices, body.triangles), volume)
    region = np.empty(len(volume), np.int64)
    region[cell] = labelled.region
    outer = _polygons(
        labelled, np.flatnonzero(labelled.skin), labelled.region * len(body.triangles) + labelled.face, convex=True
    )
    bond_of = _patches(labelled, lo)
    inner = _polygons(labelled, lo, bond_of)
    bond, first = bond_of[inner.row], np.unique(bond_of[inner.row], return_index=True)[1]
    wall = labelled.face[inner.row] // 2
    beyond = walls.region[walls.bond_cells[wall[first], 1]]
    bonds = np.stack(
        [cell[inner.row[first]], _cells_at(labelled, cell, beyond, inner.vertex[inner.start[first]])], axis=1
    )
    area, middle = _bond_measures(labelled, lo, bond_of[lo], walls.bond_normal[wall[first]])
    surface = np.bincount(cell[labelled.skin], _areas(labelled.position[labelled.triangle[labelled.skin]]), len(volume))
    unit, crumb = region_units(regions, region, bonds, area, volume, surface.astype(np.float64))
    return Cells(
        vertices=labelled.position,
        outer_start=outer.start,
        outer_vertex=outer.vertex,
        outer_weight=_weights(body, labelled, outer),
        outer_triangle=labelled.face[outer.row],
        outer_cell=cell[outer.row],
        inner_start=inner.start,
        inner_vertex=inner.vertex,
        inner_bond=bond,
        bond_cells=bonds,
        bond_area=area,
        bond_normal=walls.bond_normal[wall[first]],
        bond_centroid=middle,
        bond_strength=walls.bond_strength[wall[first]],
        volume=volume,
        centroid=centroid,
        second_moment=second,
        region=region,
        site=region_sites(regions.site[region], region, centroid),
        unit=unit,
        crumb=crumb,
    )


def _whole(labelled: LabelledTriangles) -> LabelledTriangles:
    """Without triangles that have lost a corner, and without points that no triangle uses."""
    t = labelled.triangle
    keep = (t[:, 0] != t[:, 1]) & (t[:, 1] != t[:, 2]) & (t[:, 2] != t[:, 0])
    used, corner = np.unique(t[keep], return_inverse=True)
    return LabelledTriangles(
        labelled.position[used],
        corner.reshape(-1, 3).astype(np.int64),
        labelled.region[keep],
        labelled.skin[keep],
        labelled.face[keep],
    )


def _patches(labelled: LabelledTriangles, rows: Ints) -> Ints:
    """Number (n,) of the connected part of its wall that each triangle of `rows` belongs to; -1 for the others."""
    start = labelled.triangle[rows].ravel()
    end = labelled.triangle[rows][:, [1, 2, 0]].ravel()
    count = len(labelled.position)
    key = np.stack([np.repeat(labelled.face[rows], 3), np.minimum(start, end) * count + np.maximum(start, end)])
    order = np.lexsort(key)
    same = np.all(key[:, order[1:]] == key[:, order[:-1]], axis=0)
    pairs = np.stack([order[:-1][same], order[1:][same]], axis=1) // 3
    number = np.full(len(labelled.triangle), -1)
    number[rows] = connected_labels(len(rows), pairs)
    return number


def _border(labelled: LabelledTriangles, rows: Ints, group: Ints) -> tuple[Ints, Ints, Ints]:
    """Directed edges of the triangles `rows` whose opposite is not in the same group: group, start, end; sorted."""
    start = labelled.triangle[rows].ravel()
    end = labelled.triangle[rows][:, [1, 2, 0]].ravel()
    owner = np.repeat(group, 3)
    low, high = np.minimum(start, end), np.maximum(start, end)
    order = np.lexsort((high, low, owner))
    owner, low, high = owner[order], low[order], high[order]
    turn = np.where(start[order] == low, 1, -1)
    first = np.ones(len(order), np.bool_)
    first[1:] = (owner[1:] != owner[:-1]) | (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    at = np.flatnonzero(first)
    net = np.add.reduceat(turn, at) if len(at) else np.zeros(0, np.int64)
    owner, low, high = (np.repeat(table[at], np.abs(net)) for table in (owner, low, high))
    ahead = np.repeat(net > 0, np.abs(net))
    return owner, np.where(ahead, low, high), np.where(ahead, high, low)


def _check_wall_borders(labelled: LabelledTriangles, lo: Ints) -> None:
    """Both sides of every wall must have the same border, run through in opposite directions."""
    hi = np.flatnonzero(~labelled.skin & (labelled.face % 2 == 1))
    wall, start, end = _border(labelled, lo, labelled.face[lo] // 2)
    other, begin, finish = _border(labelled, hi, labelled.face[hi] // 2)
    mine, theirs = np.lexsort((end, start, wall)), np.lexsort((begin, finish, other))
    equal = len(wall) == len(other) and all(
        np.array_equal(a[mine], b[theirs]) for a, b in ((wall, other), (start, finish), (end, begin))
    )
    if not equal:
        raise CutError(
            "The second method finds walls whose two sides differ: the mesh may have details too small to cut. "
            "Merge its vertices by distance, or apply a Remesh modifier."
        )


def _polygons(labelled: LabelledTriangles, rows: Ints, group: Ints, convex: bool = False) -> _Faces:
    """One polygon for each group of triangles that has one simple border, the triangles themselves for the others.

    Outer faces must be convex, as they are in convex regions: those of other shapes stay triangles.
    """
    group = group[rows]
    order = np.argsort(group, kind="stable")
    rows, group = rows[order], group[order]
    begins = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]])) if len(rows) else np.zeros(0, np.int64)
    size = np.diff(np.append(begins, len(rows)))
    loops = _simple_loops(*_border(labelled, rows, np.repeat(np.arange(len(begins)), size)), size)
    corners, owner = [], []
    for at, count, loop in zip(begins.tolist(), size.tolist(), loops, strict=True):
        if loop is not None and (not convex or count < 2 or _is_convex(labelled.position[loop])):
            corners.append(loop)
            owner.append(rows[at])
        else:
            corners.extend(labelled.triangle[rows[at : at + count]].tolist())
            owner.extend(rows[at : at + count])
    start = packed.packed_starts(np.array([len(c) for c in corners], np.int64))
    vertex = np.concatenate([np.zeros(0, np.int64), *(np.asarray(c, np.int64) for c in corners)])
    return _Faces(start, vertex, np.array(owner, np.int64))


def _is_convex(place: Floats) -> bool:
    """Whether a flat ring of corners (n,3) turns to one side only, to round-off."""
    side = np.roll(place, -1, axis=0) - place
    turn = cross_rows(np.roll(side, 1, axis=0), side)
    normal = cross_rows(place - place[0], side).sum(axis=0)
    return bool(np.all(dot(turn, normal) >= -ON_SIDE * dot(normal, normal)))


def _simple_loops(owner: Ints, start: Ints, end: Ints, size: Ints) -> list[list[int] | None]:
    """The border of each group as a list of corners, None where it is not one loop without repeated corners."""
    bounds = np.searchsorted(owner, np.arange(len(size) + 1)).tolist()
    starts, ends = start.tolist(), end.tolist()
    loops: list[list[int] | None] = []
    for group, count in enumerate(size.tolist()):
        first, last = bounds[group], bounds[group + 1]
        following = dict(zip(starts[first:last], ends[first:last], strict=True))
        # A disc of n triangles without inner corners has n + 2 border edges; a lone triangle always is one.
        loop = [starts[first]] if last > first else []
        while loop and len(loop) < last - first and (ahead := following.get(loop[-1], loop[0])) != loop[0]:
            loop.append(ahead)
        whole = len(following) == last - first == len(loop) >= 3 and following[loop[-1]] == loop[0]
        loops.append(loop if whole and len(loop) <= count + 2 else None)
    return loops


def _pieces(labelled: LabelledTriangles) -> tuple[Ints, Floats, Floats, Floats]:
    """Cell of each triangle, and volume, centroid and second moment of each cell.

    Triangles of one region that share a point are one cell, and so are a hollow and what is around it; a hollow may
    hold another region that touches the skin nowhere.
    """
    count = len(labelled.position)
    key, node = np.unique((labelled.region[:, None] * count + labelled.triangle).ravel(), return_inverse=True)
    node = node.reshape(-1, 3).astype(np.int64)
    links = np.concatenate([node[:, :2], node[:, 1:]])
    cell = connected_labels(len(key), links)[node[:, 0]]
    measures = _moments(labelled, cell)
    hollow = np.flatnonzero(measures[0] < 0.0)
    if len(hollow):
        links = np.concatenate([links, node[_shells(labelled, cell, measures[0], hollow), 0]])
        cell = connected_labels(len(key), links)[node[:, 0]]
        measures = _moments(labelled, cell)
    return cell, *measures


def _shells(labelled: LabelledTriangles, cell: Ints, volume: Floats, hollow: Ints) -> Ints:
    """Pairs of triangles that join each hollow to the piece around it in its region."""
    first = np.unique(cell, return_index=True)[1]
    pairs = []
    for inside in hollow:
        near = np.unique(cell[labelled.region == labelled.region[first[inside]]])
        shells = {int(k): labelled.position[labelled.triangle[cell == k]] for k in near if volume[k] > 0.0}
        point = labelled.position[labelled.triangle[first[inside], 0]]
        pairs.append((first[inside], first[enclosing_component(shells, point, volume)]))
    return np.array(pairs, np.int64)


def _moments(labelled: LabelledTriangles, cell: Ints) -> tuple[Floats, Floats, Floats]:
    """Volume (C,), centroid (C,3), second moment (C,3,3) about it: sums of tetrahedra from a point of each cell."""
    count = int(cell.max()) + 1
    corner = labelled.position[labelled.triangle]
    origin = np.zeros((count, 3))
    origin[cell] = corner[:, 0]
    p = corner - origin[cell][:, None]
    size = dot(p[:, 0], cross_rows(p[:, 1], p[:, 2])) / 6.0
    total = p.sum(axis=1)
    volume = np.bincount(cell, size, count).astype(np.float64)
    first = np.stack([np.bincount(cell, size * total[:, k] / 4.0, count) for k in range(3)], axis=1)
    product = (multiply(np.swapaxes(p, 1, 2), p) + total[:, :, None] * total[:, None, :]) * (size / 20.0)[:, None, None]
    second = np.stack([np.bincount(cell, column, count) for column in product.reshape(-1, 9).T], axis=1)
    centroid = first / np.where(volume != 0.0, volume, 1.0)[:, None]
    second = second.reshape(-1, 3, 3) - volume[:, None, None] * centroid[:, :, None] * centroid[:, None, :]
    return volume, centroid + origin, second


def _cells_at(labelled: LabelledTriangles, cell: Ints, region: Ints, point: Ints) -> Ints:
    """The cell of each region that has the given point."""
    count = len(labelled.position)
    key, row = np.unique((labelled.region[:, None] * count + labelled.triangle).ravel(), return_index=True)
    return np.asarray(cell[row[np.searchsorted(key, region * count + point)] // 3])


def _areas(corner: Floats) -> Floats:
    """Area of triangles (n,3,3)."""
    normal = cross_rows(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    return np.asarray(0.5 * norm(normal))


def _check_volumes(whole: float, volume: Floats) -> None:
    if not abs(float(volume.sum()) - whole) <= VOLUME_TOLERANCE * whole or not np.all(volume > 0.0):
        raise CutError(
            "The volumes of the pieces do not sum to that of the mesh, not even by the second method: "
            "apply a Remesh modifier, or try another seed."
        )


def _check_once(body: Body, corner: Floats) -> None:
    """Matter must be there once: the mesh winds once around the middle of the larger triangles (n,3,3) of walls."""
    area = _areas(corner)
    wide = np.flatnonzero(area > 1e-6 * area.max(initial=0.0))
    wide = wide[:: max(1, len(wide) // _PROBES)]
    if np.any(winding_number(body.vertices, body.triangles, corner[wide].mean(axis=1)) > 1):
        raise CutError("Parts of the mesh lie inside each other: unite them with a Boolean modifier (Union).")


def _bond_measures(labelled: LabelledTriangles, rows: Ints, bond: Ints, normal: Floats) -> tuple[Floats, Floats]:
    """Area and centroid of each bond (B,) from the triangles on its lo side; slivers keep a positive area."""
    count = len(normal)
    corner = labelled.position[labelled.triangle[rows]]
    vector = 0.5 * cross_rows(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    part = dot(vector, normal[bond])
    area = np.bincount(bond, part, count).astype(np.float64)
    middle = np.zeros((count, 3))
    middle[bond] = corner.mean(axis=1)
    arm = corner.mean(axis=1) - middle[bond]
    first = np.stack([np.bincount(bond, part * arm[:, k], count) for k in range(3)], axis=1)
    size = float(np.square(np.ptp(labelled.position, axis=0)).sum())
    wide = area > SLIVER * size
    middle[wide] += first[wide] / area[wide, None]
    return np.maximum(np.abs(area), 1e-30 * size), middle


def _weights(body: Body, labelled: LabelledTriangles, outer: _Faces) -> Floats:
    """Barycentric coordinates (N,3) of each corner in its body triangle; exact on corners, on sides along the side."""
    corner = body.vertices[body.triangles[np.repeat(labelled.face[outer.row], np.diff(outer.start))]]
    near = ON_SIDE * float(norm(np.ptp(body.vertices, axis=0)))
    return barycentric(corner, labelled.position[outer.vertex], near)
