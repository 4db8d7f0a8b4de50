"""Pieces of an embedded body with smooth borders in place of the staircases of its cells (Norton et al. 1991).

The body is cut again, along the surfaces where the fields of two pieces are equal (see `piece_fields`). Where a border
of cells is flat it stays where it is; no cell loses its middle, so that no piece is lost.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...arithmetic.products import dot
from ...cutting.assemble_cells import LabelledTriangles, assemble_cells
from ...cutting.cut import cut
from ...cutting.parts import side_by_side
from ...cutting.retry import Cutters, cut_with_retry
from ...errors import CutError
from ...geometry.mesh import cross_rows, diagonal, unit_normals
from ...geometry.packed import fan_triangles
from ...pieces.convention import JITTER
from ...pieces.incidence import facets_of_edges, find_region_facets
from ...roughness.bend import Bend
from ...roughness.rough import Grain, rough_cut
from ...roughness.rough_units import are_cut_off, follow_neighbours
from ...types import Body, Bools, Cells, Floats, Ints, Partition
from ..spring_lattice.hexahedra import HEXAHEDRON_FACES
from .box_complex import outer_faces, outward_normals
from .embedding import OUTWARD, STREAM, Embedding
from .lattice_box import LatticeBox, divide_hexahedra_about_middles
from .piece_fields import PieceFields, find_piece_fields, mixed_cells
from .tetrahedra import tetrahedron_volumes
from .upper_envelope import (
    Envelope,
    Simplices,
    divide_among_pieces,
    edge_signs,
    facet_rings,
    simplices_of,
)

#: Borders so often moved by chance where they cannot be cut. Chosen, as for other patterns.
_TRIED = 3


class PieceTooSmall(CutError):
    """Nothing is left of a piece."""


class _Divided(NamedTuple):
    """Tetrahedra of a box divided among pieces."""

    points: Floats
    simplices: Simplices
    hexahedron: Ints  #: (M,) of each tetrahedron
    fields: PieceFields
    envelope: Envelope


class _Regions(NamedTuple):
    """What `assemble_cells` asks of regions, which are pieces, and of the walls between them."""

    site: Floats
    group: Ints
    dropped: Bools
    region: Ints
    bond_cells: Ints
    bond_normal: Floats
    bond_strength: Floats


def smooth_outline(
    embedding: Embedding, body: Body, owner: Ints, seed: int, bend: tuple[Bend, Grain] | None = None
) -> Cells:
    """The body cut along smooth borders of pieces; units are pieces, of which `owner (U,)` says that of each old unit.

    Pieces count from 0. `bend` makes broken faces rough, where cells fill a box. Raises CutError where it cannot be
    cut so, or nothing would be left of a piece.
    """
    piece = _pieces_of_hexahedra(embedding, owner)
    parts, rows = [], []
    for box in embedding.boxes:
        some = spread_to_all(box, piece)
        parts.append(_cut_box(box, some, seed, bend) if box.fills_box else _cut_own(box, some))
        rows.append(box.rows)
    moved = [replace(part, outer_triangle=row[part.outer_triangle]) for part, row in zip(parts, rows, strict=True)]
    cells = moved[0] if len(moved) == 1 else _joined(moved)
    if len(np.unique(cells.unit)) != int(owner.max()) + 1:
        raise PieceTooSmall("A piece is too small for smooth borders.")
    return cells


def _joined(parts: list[Cells]) -> Cells:
    """Side by side; pieces keep their numbers."""
    unit = np.concatenate([part.unit for part in parts])
    return replace(side_by_side(parts, np.zeros(len(parts), np.int64)), unit=unit)


def _pieces_of_hexahedra(embedding: Embedding, owner: Ints) -> Ints:
    """The piece (H,) that has most of the matter of each hexahedron, -1 where there is none."""
    cells, count = embedding.cells, int(owner.max()) + 1
    key, row = np.unique(embedding.hexahedron * count + owner[cells.unit], return_inverse=True)
    matter = np.bincount(row, cells.volume, len(key))
    order = np.lexsort((key, -matter, key // count))
    first = order[np.unique(key[order] // count, return_index=True)[1]]
    piece = np.full(len(embedding.hexahedra), -1)
    piece[key[first] // count] = key[first] % count
    return piece


def spread_to_all(box: LatticeBox, piece: Ints) -> Ints:
    """The piece (H,) of each hexahedron of a box: those without one take that of a neighbour, from face to face."""
    own = np.where(box.number >= 0, piece[box.number], -1)
    face = np.sort(box.hexahedra[:, HEXAHEDRON_FACES].reshape(-1, 4), axis=1)
    order = np.lexsort(face.T)
    same = (face[order[1:]] == face[order[:-1]]).all(axis=1)
    pairs = np.stack([order[:-1][same], order[1:][same]], axis=1) // 6
    ends = np.concatenate([pairs, pairs[:, ::-1]])
    ends = ends[np.lexsort((ends[:, 0], ends[:, 1]))]
    while (own < 0).any():
        useful = ends[(own[ends[:, 0]] >= 0) & (own[ends[:, 1]] < 0)]
        if len(useful) == 0:
            own[own < 0] = own.max()
            break
        to, row = np.unique(useful[:, 1], return_index=True)
        own[to] = own[useful[row, 0]]
    return own


def _divide(box: LatticeBox, nodes: Floats, piece: Ints, attempt: int) -> _Divided:
    fields = find_piece_fields(box.hexahedra, piece, len(nodes), attempt)
    mixed = mixed_cells(box.hexahedra, piece, fields.largest(len(nodes) + len(piece)))
    corners, hexahedron = divide_hexahedra_about_middles(box.hexahedra, box.parity, mixed, len(nodes))
    points = np.concatenate([nodes, nodes[box.hexahedra].sum(axis=1) / 8.0])
    if not tetrahedron_volumes(points, corners).min() > 0.0:
        raise CutError("A cell of the lattice is bent too far for smooth borders.")
    simplices = simplices_of(corners, len(points))
    return _Divided(points, simplices, hexahedron, fields, divide_among_pieces(points, simplices, fields))


def _between_normals(divided: _Divided) -> Floats:
    """Unit vectors (n,3) from the first to the second piece of facets between two: the way in which its field gains."""
    envelope = divided.envelope
    rows = np.flatnonzero(envelope.facet_triangle < 0)
    corner = divided.simplices.corners[envelope.facet_tetrahedra[rows, 0]]
    p = divided.points[corner]
    a, b = envelope.facet_pieces[rows].T
    gain = [divided.fields.at(corner[:, k], b) - divided.fields.at(corner[:, k], a) for k in range(4)]
    e1, e2, e3 = (p[:, k] - p[:, 0] for k in range(1, 4))
    slope = np.zeros((len(rows), 3))
    for k, (u, v) in enumerate(((e2, e3), (e3, e1), (e1, e2))):
        slope += (gain[k + 1] - gain[0])[:, None] * cross_rows(u, v)
    return np.asarray(slope / np.sqrt(dot(slope, slope))[:, None])


# A lattice whose outer faces are the surface of the body


def _cut_own(box: LatticeBox, piece: Ints) -> Cells:
    for attempt in range(_TRIED):
        try:
            return _assembled(box, piece, _divide(box, box.nodes, piece, attempt))
        except CutError as error:
            last = error
    raise last


def _assembled(box: LatticeBox, piece: Ints, divided: _Divided) -> Cells:
    envelope, body = divided.envelope, box.body
    skin = np.flatnonzero((envelope.facet_triangle >= 0) & (envelope.facet_tetrahedra[:, 1] < 0))
    wall = np.flatnonzero(envelope.facet_triangle < 0)
    row = _body_triangles(box, divided.simplices.triangle[envelope.facet_triangle[skin]])
    normal = _between_normals(divided)
    outward = unit_normals(body.vertices[body.triangles])[row]
    outer, outer_of = fan_triangles(*facet_rings(envelope, skin, outward))
    inner, inner_of = fan_triangles(*facet_rings(envelope, wall, normal))
    lo, hi = envelope.facet_pieces[wall].T
    labelled = LabelledTriangles(
        envelope.vertices,
        np.concatenate([outer, inner, inner[:, ::-1]]),
        np.concatenate([envelope.facet_pieces[skin, 0][outer_of], lo[inner_of], hi[inner_of]]),
        np.repeat([True, False], [len(outer), 2 * len(inner)]),
        np.concatenate([row[outer_of], 2 * inner_of, 2 * inner_of + 1]),
    )
    count = int(piece.max()) + 1
    regions = _Regions(
        np.zeros((count, 3)),
        np.arange(count),
        np.zeros(count, np.bool_),
        np.arange(count),
        np.stack([lo, hi], axis=1),
        normal,
        np.ones(len(wall)),
    )
    cells = assemble_cells(body, regions, regions, labelled)
    return replace(cells, unit=cells.region, crumb=np.zeros(len(cells.region), np.bool_))


def _body_triangles(box: LatticeBox, triangle: Ints) -> Ints:
    """The triangle (n,) of the body that each of some triangles (n,3) of nodes is."""
    outer = np.unique(outer_faces(box.hexahedra))
    own = np.sort(outer[box.body.triangles], axis=1)
    count = len(box.nodes)
    keys = [(rows[:, 0] * count + rows[:, 1]) * count + rows[:, 2] for rows in (own, triangle)]
    order = np.argsort(keys[0], kind="stable")
    at = np.searchsorted(keys[0][order], keys[1])
    if (at >= len(order)).any() or not np.array_equal(keys[0][order][at], keys[1]):
        raise CutError("The surface of the lattice is not that of the mesh.")
    return np.asarray(order[at])


# A lattice in a box


def _cut_box(box: LatticeBox, piece: Ints, seed: int, bend: tuple[Bend, Grain] | None) -> Cells:
    kept = box.hexahedra[box.number >= 0]
    moved = outward_normals(box.nodes, outer_faces(kept))
    size = JITTER * diagonal(box.body.vertices)
    made: list[tuple[Partition, Bools]] = []

    def build(attempt: int) -> Partition:
        rng = np.random.default_rng([seed, STREAM, attempt])
        nodes = box.nodes + size * (OUTWARD * moved + rng.uniform(-1.0, 1.0, moved.shape))
        divided = _divide(box, nodes, piece, attempt)
        hexahedron = divided.hexahedron[divided.envelope.region_tetrahedron]
        own = (box.number[hexahedron] >= 0) & (piece[hexahedron] == divided.envelope.region_piece)
        made.append((_as_partition(divided), own))
        return made[-1][0]

    def follow(body: Body, partition: Partition) -> Cells:
        return cut(body, partition) if bend is None else rough_cut(body, partition, bend[0], bend[1])

    cells, _ = cut_with_retry(box.body, build, _TRIED, Cutters(follow))
    partition, own = made[-1]
    return _with_pieces(cells, partition.group, own)


def _with_pieces(cells: Cells, piece: Ints, own: Bools) -> Cells:
    """Cells whose units are the pieces (R,) of their regions; what is cut off, and in no `own` cell (R,), follows."""
    cells = replace(cells, unit=piece[cells.region], crumb=np.zeros(len(cells.region), np.bool_))
    loose = are_cut_off(cells.unit, cells) & ~own[cells.region]
    if not loose.any():
        return cells
    return replace(cells, unit=follow_neighbours(np.where(loose, -1, cells.unit), cells, cells))


def _as_partition(divided: _Divided) -> Partition:
    """A region for each piece of each tetrahedron; its group is the piece."""
    envelope, points = divided.envelope, divided.points
    vertices, edge = envelope.vertices, envelope.edge
    tetrahedra, pieces = envelope.facet_tetrahedra, envelope.facet_pieces
    count = int(pieces.max()) + 1
    key = envelope.region_tetrahedron * count + envelope.region_piece
    regions = np.where(tetrahedra >= 0, np.searchsorted(key, tetrahedra * count + pieces), -1)
    flat = np.flatnonzero(envelope.facet_triangle >= 0)
    normal = np.empty((len(pieces), 3))
    normal[flat] = _triangle_normals(divided, flat)
    normal[len(flat) :] = _between_normals(divided)
    facet = np.repeat(np.arange(len(pieces)), np.diff(envelope.facet_start))
    along = vertices[edge[:, 1]] - vertices[edge[:, 0]]
    line = np.stack([vertices[edge[:, 0]], along / np.sqrt(dot(along, along))[:, None]], axis=1)
    point = vertices[edge[envelope.facet_edge[envelope.facet_start[:-1]], 0]]
    point[flat] = points[divided.simplices.triangle[envelope.facet_triangle[flat], 0]]
    region_start, region_facet = find_region_facets(regions, len(key))
    edge_start, edge_facet = facets_of_edges(envelope.facet_start, envelope.facet_edge, len(edge))
    return Partition(
        vertices=vertices,
        edge_vertices=edge,
        edge_line=line,
        facet_regions=regions,
        facet_normal=normal,
        facet_point=point,
        facet_start=envelope.facet_start,
        facet_edge=envelope.facet_edge,
        facet_edge_sign=edge_signs(vertices, edge[envelope.facet_edge], facet, normal),
        region_start=region_start,
        region_facet=region_facet,
        edge_start=edge_start,
        edge_facet=edge_facet,
        site=points[divided.simplices.corners[envelope.region_tetrahedron]].mean(axis=1),
        group=envelope.region_piece,
        facet_strength=np.ones(len(pieces)),
    )


def _triangle_normals(divided: _Divided, facets: Ints) -> Floats:
    """Unit normals (n,3) of facets in triangles, away from their first tetrahedron."""
    corner = divided.simplices.triangle[divided.envelope.facet_triangle[facets]]
    within = divided.simplices.corners[divided.envelope.facet_tetrahedra[facets, 0]]
    normal = unit_normals(divided.points[corner])
    apex = within[~(within[:, :, None] == corner[:, None, :]).any(axis=2)]
    height = dot(normal, divided.points[apex] - divided.points[corner[:, 0]])
    return np.where(height[:, None] < 0.0, normal, -normal)
