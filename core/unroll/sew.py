"""Cells of parts that were cut apart and then broken independently, put together again along flat faces.

On both sides of each such face other cracks end. The two subdivisions are laid over each other; each face of the
overlay lies in one cell of either side and becomes a bond. See slit.py for how the sides are told apart.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arithmetic.products import apply
from ..cutting.holes import Bonded, bond_faces
from ..cutting.loops import FacetLoops
from ..cutting.parts import side_by_side
from ..errors import CutError
from ..geometry import packed
from ..geometry.mesh import plane_axes
from ..types import Body, Bools, Cells, Floats
from .insert import inserted
from .overlay import OverlayFaces, check_areas, crossings, faces_between, split_at_crossings
from .sewn_units import sewn_units
from .shared_outline import BEYOND_OUTLINE, UNCLEAR, Between, Border, EdgePieces, border, coincident, outline
from .slit import new_face

_SAME = 1e-12  #: points nearer than this are one, relative to the largest coordinate; ten thousand roundings


def traced(cells: Cells, part: Body) -> Cells:
    """The cells of a part of a slit body, with outer faces in terms of the slit body, or of the new faces."""
    corner_triangle = np.repeat(cells.outer_triangle, np.diff(cells.outer_start))
    weight = apply(np.swapaxes(part.weight, 1, 2)[corner_triangle], cells.outer_weight)
    total = weight.sum(axis=1, keepdims=True)
    weight /= np.where(total > 0.0, total, 1.0)
    return replace(cells, outer_triangle=part.source[cells.outer_triangle], outer_weight=weight)


def unsewn(parts: Sequence[Cells]) -> Cells:
    """The cells of several parts in one diagram, without a bond between them. Outer triangles are left as they are."""
    regions = np.cumsum([0] + [int(part.region.max()) + 1 for part in parts])
    moved = [replace(part, region=part.region + first) for part, first in zip(parts, regions[:-1], strict=True)]
    return side_by_side(moved, np.zeros(len(parts), np.int64))


def sewn(cells: Cells, plane: Floats, plug: Bools | None = None) -> Cells:
    """Join cells over flat faces whose two sides are outer faces on `new_face(2 p)` and `new_face(2 p + 1)`.

    plane (P,4): unit normal, out of the first side, and offset [m]; plug (C,) cells that never part from what is
    around them. No cell changes its shape; vertices are added on edges. Cells that have each other as the partner of
    the largest area over a plane share a unit, and each plug cell has the unit of a neighbour.
    Raises CutError where the sides do not cover the same polygons, or where round-off would decide: cut them by
    other patterns.
    """
    old = len(cells.bond_cells)
    for p in range(len(plane)):
        cells = _sewn_pair(cells, p, plane[p, :3])
    if (cells.outer_triangle < 0).any():
        raise CutError(UNCLEAR)
    cells = _compact(cells)
    if not _closed(cells):
        raise CutError(UNCLEAR)
    return replace(cells, unit=sewn_units(cells, old, np.zeros(len(cells.volume), np.bool_) if plug is None else plug))


def _sewn_pair(cells: Cells, pair: int, normal: Floats) -> Cells:
    reach = float(np.abs(cells.vertices).max(initial=0.0))
    triangles = new_face(2 * pair), new_face(2 * pair + 1)
    a, b = (border(cells, t, turned=k == 1) for k, t in enumerate(triangles))
    if not len(a.ends) and not len(b.ends):
        return cells
    renamed = np.arange(len(cells.vertices))
    same = coincident(a, b, cells.vertices, _SAME * reach)
    renamed[same[:, 1]] = same[:, 0]
    cells = replace(cells, outer_vertex=renamed[cells.outer_vertex], inner_vertex=renamed[cells.inner_vertex])
    b = Border(renamed[b.ends], b.cells)
    centre = cells.vertices[a.ends[:, 0]].mean(axis=0) if len(a.ends) else np.zeros(3)
    axes = plane_axes(normal[None])[0]
    at = apply(axes, cells.vertices - centre)
    edges, missing = outline(a, b, at, _SAME * reach)
    insides = [
        Border(s.ends[s.cells[:, 1] != BEYOND_OUTLINE], s.cells[s.cells[:, 1] != BEYOND_OUTLINE]) for s in (a, b)
    ]
    met = crossings(at[insides[0].ends], at[insides[1].ends])
    inner, crossed = split_at_crossings(insides[0], insides[1], met, at, len(at))
    crossing = insides[0].ends[met.edges[:, 0]]
    first, way = cells.vertices[crossing[:, 0]], met.way[:, :1]
    new = first + way * (cells.vertices[crossing[:, 1]] - first)
    at = np.concatenate([at, apply(axes, new - centre)])
    pieces = EdgePieces(*(np.concatenate(x) for x in zip(edges, inner, strict=True)))
    faces = faces_between(pieces, at)
    check_areas(faces, (a, b), at)
    cells = _without(cells, triangles, new)
    cells = inserted(cells, Between(*(np.concatenate(x) for x in zip(missing, crossed, strict=True))))
    return _bonded(cells, faces, normal, centre)


def _without(cells: Cells, triangles: tuple[int, int], new: Floats) -> Cells:
    """The cells without the outer faces on two triangles, and with more vertices."""
    kept = (cells.outer_triangle != triangles[0]) & (cells.outer_triangle != triangles[1])
    length = np.diff(cells.outer_start)
    corner = np.repeat(kept, length)
    return replace(
        cells,
        vertices=np.concatenate([cells.vertices, new]),
        outer_start=packed.packed_starts(length[kept]),
        outer_vertex=cells.outer_vertex[corner],
        outer_weight=cells.outer_weight[corner],
        outer_triangle=cells.outer_triangle[kept],
        outer_cell=cells.outer_cell[kept],
    )


def _bonded(cells: Cells, faces: OverlayFaces, normal: Floats, centre: Floats) -> Cells:
    """The cells with a bond for each face between two of them; a cell is not bonded to itself."""
    apart = np.flatnonzero(faces.cells[:, 0] != faces.cells[:, 1])
    number = np.full(len(faces.cells), -1)
    number[apart] = np.arange(len(apart))
    kept = number[faces.face] >= 0
    length = np.diff(faces.start)
    loops = FacetLoops(
        packed.packed_starts(length[kept]), faces.vertex[np.repeat(kept, length)], np.zeros(kept.sum(), np.int64)
    )
    outline = (np.cumsum(kept) - 1)[faces.outline[apart]]
    bonded = Bonded(number[faces.face[kept]], np.zeros(len(apart), np.int64), outline)
    start, vertex, bond = bond_faces(loops, bonded, cells.vertices, normal[None])
    # The first side is lo where its cell comes first; else the faces are turned.
    turned = faces.cells[apart, 0] > faces.cells[apart, 1]
    back = start[:-1][packed.owners(start)] + start[1:][packed.owners(start)] - 1 - np.arange(len(vertex))
    vertex = np.where(turned[bond[packed.owners(start)]], vertex[back], vertex)
    size = float(np.square(np.ptp(cells.vertices, axis=0)).sum())
    count, total = len(apart), len(cells.bond_cells)
    return replace(
        cells,
        inner_start=packed.packed_starts(np.concatenate([np.diff(cells.inner_start), np.diff(start)])),
        inner_vertex=np.concatenate([cells.inner_vertex, vertex]),
        inner_bond=np.concatenate([cells.inner_bond, bond + total]),
        bond_cells=np.concatenate([cells.bond_cells.reshape(-1, 2), np.sort(faces.cells[apart], axis=1)]),
        bond_area=np.concatenate([cells.bond_area, np.maximum(faces.area[apart], 1e-30 * size)]),
        bond_normal=np.concatenate([cells.bond_normal.reshape(-1, 3), np.where(turned[:, None], -normal, normal)]),
        bond_centroid=np.concatenate(
            [cells.bond_centroid.reshape(-1, 3), centre + apply(plane_axes(normal[None])[0].T, faces.centroid[apart])]
        ),
        bond_strength=np.concatenate([cells.bond_strength, np.ones(count)]),
    )


def _compact(cells: Cells) -> Cells:
    """Leave out vertices that no face uses."""
    used = np.zeros(len(cells.vertices), np.bool_)
    used[cells.outer_vertex] = True
    used[cells.inner_vertex] = True
    number = np.cumsum(used) - 1
    return replace(
        cells,
        vertices=cells.vertices[used],
        outer_vertex=number[cells.outer_vertex],
        inner_vertex=number[cells.inner_vertex],
    )


def _closed(cells: Cells) -> bool:
    """Whether each directed edge of each cell has an opposite one."""
    outer = np.repeat(cells.outer_cell, np.diff(cells.outer_start))
    sides = np.repeat(cells.bond_cells[cells.inner_bond], np.diff(cells.inner_start), axis=0)
    second, inner = (
        vertex[packed.following(start)]
        for start, vertex in ((cells.outer_start, cells.outer_vertex), (cells.inner_start, cells.inner_vertex))
    )
    first = np.concatenate([cells.outer_vertex, cells.inner_vertex, inner])
    second = np.concatenate([second, inner, cells.inner_vertex])
    cell, count = np.concatenate([outer, sides[:, 0], sides[:, 1]]), len(cells.vertices)
    forward = np.sort((cell * count + first) * count + second)
    backward = np.sort((cell * count + second) * count + first)
    return bool((forward == backward).all())
