"""The upper envelope of fields of pieces: each place in tetrahedra goes to the piece whose field is the largest there.

Fields are linear in each tetrahedron, so that what a piece has of one is convex, and two tetrahedra divide their common
face alike: a face-to-face complex. Each of its parts belongs to a simplex S (an edge, a triangle, a tetrahedron) and to
a set T of pieces whose fields are equal and largest there; its dimension is that of S less the number of T, plus one.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from ...arithmetic.products import dot
from ...errors import CutError
from ...geometry.mesh import cross_rows
from ...geometry.packed import ranges
from ...types import Floats, Ints
from .piece_fields import PieceFields

#: What is said where the parts do not fit: more fields are equal at one place than there can be.
_TANGLED = "Borders of pieces meet at one place by chance."


class Simplices(NamedTuple):
    """Tetrahedra, and their triangles and edges."""

    corners: Ints  #: (M,4)
    triangle: Ints  #: (F,3) ascending
    triangle_tetrahedra: Ints  #: (F,2) the second -1 on the border
    triangle_edge: Ints  #: (F,3)
    edge: Ints  #: (E,2) ascending


class EnvelopeVertices(NamedTuple):
    """Vertices where two, three or four fields are equal, each inside of a simplex."""

    simplex: Ints  #: (n,)
    pieces: Ints  #: (n,k) ascending
    corner: Ints  #: (n,k) points of the simplex
    weight: Floats  #: (n,k) barycentric, above 0


class Envelope(NamedTuple):
    """The complex."""

    vertices: Floats  #: (V,3)
    edge: Ints  #: (E,2) vertices
    facet_start: Ints  #: (F+1,)
    facet_edge: Ints  #: (.,)
    facet_triangle: Ints  #: (F,) in which triangle of the tetrahedra it lies; -1 between two pieces
    facet_tetrahedra: Ints  #: (F,2) lo, hi; -1 outside
    facet_pieces: Ints  #: (F,2) of lo and hi
    region_tetrahedron: Ints  #: (R,) ascending
    region_piece: Ints  #: (R,)


def simplices_of(corners: Ints, points: int) -> Simplices:
    """The triangles and edges of tetrahedra (M,4). Raises CutError where three have one triangle."""
    opposite = np.array([[j for j in range(4) if j != k] for k in range(4)])
    rows = np.sort(corners[:, opposite].reshape(-1, 3), axis=1)
    key = (rows[:, 0] * points + rows[:, 1]) * points + rows[:, 2]
    _, first, number, count = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    if count.max() > 2:
        raise CutError("Cells of the lattice do not fit together face to face.")
    triangle = rows[first]
    owner = np.full((len(triangle), 2), -1)
    order = np.argsort(number, kind="stable")
    start = np.cumsum(count) - count
    owner[:, 0] = order[start] // 4
    twice = count == 2
    owner[twice, 1] = order[start[twice] + 1] // 4
    ends = triangle[:, [[0, 1], [0, 2], [1, 2]]].reshape(-1, 2)
    keys, of = np.unique(ends[:, 0] * points + ends[:, 1], return_inverse=True)
    return Simplices(corners, triangle, owner, of.reshape(-1, 3), np.stack([keys // points, keys % points], axis=1))


def divide_among_pieces(points: Floats, simplices: Simplices, fields: PieceFields) -> Envelope:
    """The complex of tetrahedra between points (N,3) divided by fields, of which each point has one.

    Raises CutError where round-off, or fields that are equal by chance, decide its shape.
    """
    own = fields.largest(len(points))
    ties = [
        _find_ties(_taken(rows, (own[rows] != own[rows[:, :1]]).any(axis=1)), fields)
        for rows in (simplices.edge, simplices.triangle, simplices.corners)
    ]
    vertices = np.concatenate([points, *(_places(points, tie) for tie in ties)])
    return _put_together(simplices, _find_edges(simplices, own, ties), vertices)


class _Some(NamedTuple):
    """Some simplices."""

    number: Ints  #: (n,)
    corner: Ints  #: (n,k)


def _taken(rows: Ints, mask: Ints) -> _Some:
    number = np.flatnonzero(mask)
    return _Some(number, rows[number])


def _find_ties(some: _Some, fields: PieceFields) -> EnvelopeVertices:
    """Where as many fields are equal inside of simplices as these have corners, and no other is larger."""
    number, corner = some
    size = corner.shape[1]
    piece, value = _candidates(corner, fields)
    found: list[tuple[Ints, Ints, Floats]] = []
    for chosen in combinations(range(piece.shape[1]), size):
        rows = np.flatnonzero((piece[:, chosen] >= 0).all(axis=1))
        weight = _equal_weights(value[rows][:, chosen])
        level = _combined(weight, value[rows])
        highest = level[:, chosen[0]]
        others = np.delete(level, chosen, axis=1)
        unused = np.delete(piece[rows], chosen, axis=1) < 0
        good = (weight > 0.0).all(axis=1) & (unused | (others < highest[:, None])).all(axis=1)
        found.append((rows[good], piece[rows[good]][:, chosen], weight[good]))
    row = np.concatenate([np.zeros(0, np.int64), *(one[0] for one in found)])
    order = np.argsort(row, kind="stable")
    row = row[order]
    pieces = np.concatenate([np.zeros((0, size), np.int64), *(one[1] for one in found)])[order]
    weight = np.concatenate([np.zeros((0, size)), *(one[2] for one in found)])[order]
    return EnvelopeVertices(number[row], pieces, corner[row], weight)


def _candidates(corner: Ints, fields: PieceFields) -> tuple[Ints, Floats]:
    """Pieces (n,K) that may be largest in simplices (n,k), ascending, -1 behind; and their fields (n,K,k)."""
    count, size = corner.shape
    first, last = (np.searchsorted(fields.point, corner.ravel(), side=side) for side in ("left", "right"))
    simplex = np.repeat(np.repeat(np.arange(count), size), last - first)
    entry = ranges(first, last - first)
    base = int(fields.piece.max()) + 1
    key = np.unique(simplex * base + fields.piece[entry])
    simplex, piece = key // base, key % base
    most = int(np.bincount(simplex, minlength=count).max(initial=0))
    column = np.arange(len(key)) - np.searchsorted(simplex, simplex)
    pieces = np.full((count, most), -1)
    pieces[simplex, column] = piece
    values = np.full((count, most, size), -np.inf)
    for k in range(size):
        values[simplex, column, k] = fields.at(corner[simplex, k], piece)
    return _undominated(pieces, values)


def _undominated(pieces: Ints, values: Floats) -> tuple[Ints, Floats]:
    """Without those that another one exceeds at all corners."""
    over = (values[:, :, None] >= values[:, None, :]).all(axis=3)  # [n, i, j]: i is nowhere below j
    over[:, np.arange(over.shape[1]), np.arange(over.shape[1])] = False
    keep = (pieces >= 0) & ~(over & ~np.swapaxes(over, 1, 2)).any(axis=1)
    order = np.argsort(~keep, axis=1, kind="stable")
    most = int(keep.sum(axis=1).max(initial=0))
    rows = np.arange(len(pieces))[:, None]
    pieces, values, keep = pieces[rows, order][:, :most], values[rows, order][:, :most], keep[rows, order][:, :most]
    return np.where(keep, pieces, -1), np.where(keep[:, :, None], values, -np.inf)


def _equal_weights(value: Floats) -> Floats:
    """Barycentric coordinates (n,k) at which k fields with values (n,k,k) are equal, by Cramer's rule; nan for none."""
    size = value.shape[1]
    rows = value[:, 1:] - value[:, :1]  # (n,k-1,k): all of them 0 there
    minors = [_determinant(np.delete(rows, k, axis=2)) * (1.0 - 2.0 * (k % 2)) for k in range(size)]
    total = minors[0]
    for minor in minors[1:]:
        total = total + minor
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.stack(minors, axis=1) / total[:, None])


def _determinant(matrix: Floats) -> Floats:
    """Of matrices (n,k,k), k up to 3."""
    if matrix.shape[1] == 1:
        return matrix[:, 0, 0]
    result = np.zeros(len(matrix))
    for k in range(matrix.shape[1]):
        rest = np.delete(matrix[:, 1:], k, axis=2)
        result = result + (1.0 - 2.0 * (k % 2)) * matrix[:, 0, k] * _determinant(rest)
    return result


def _combined(weight: Floats, value: Floats) -> Floats:
    """(n,K) fields with values (n,K,k) at weights (n,k)."""
    with np.errstate(invalid="ignore"):  # of no pieces, and of weights that there are not
        total = weight[:, None, 0] * value[:, :, 0]
        for k in range(1, weight.shape[1]):
            total = total + weight[:, None, k] * value[:, :, k]
    return np.asarray(total)


def _places(points: Floats, tie: EnvelopeVertices) -> Floats:
    place = tie.weight[:, :1] * points[tie.corner[:, 0]]
    for k in range(1, tie.weight.shape[1]):
        place = place + tie.weight[:, k : k + 1] * points[tie.corner[:, k]]
    return np.asarray(place)


class _Kind(NamedTuple):
    """Edges in simplices of one kind, by simplex and pieces."""

    simplex: Ints  #: (n,) edge, triangle or tetrahedron in which each lies
    pieces: Ints  #: (n,k) k = 1, 2, 3
    ends: Ints  #: (n,2) vertices


def _find_edges(simplices: Simplices, own: Ints, ties: list[EnvelopeVertices]) -> list[_Kind]:
    """Edges in edges of tetrahedra, in their triangles, and in themselves."""
    first = np.cumsum([len(own)] + [len(tie.simplex) for tie in ties])
    on_edge, on_triangle, inside = (first[k] + np.arange(len(tie.simplex)) for k, tie in enumerate(ties))
    every = np.arange(len(simplices.edge))
    in_edges = [(every, own[end][:, None], end) for end in simplices.edge.T]
    in_edges += [(ties[0].simplex, ties[0].pieces[:, [k]], on_edge) for k in range(2)]
    triangle, row = _triangles_of_edges(simplices, ties[0].simplex)
    in_triangles = [(triangle, ties[0].pieces[row], on_edge[row])]
    in_triangles += [(ties[1].simplex, ties[1].pieces[:, two], on_triangle) for two in ([0, 1], [0, 2], [1, 2])]
    in_tetrahedra = []
    for owner in simplices.triangle_tetrahedra[ties[1].simplex].T:
        real = owner >= 0
        in_tetrahedra.append((owner[real], ties[1].pieces[real], on_triangle[real]))
    in_tetrahedra += [(ties[2].simplex, np.delete(ties[2].pieces, k, axis=1), inside) for k in range(4)]
    return [_paired(some) for some in (in_edges, in_triangles, in_tetrahedra)]


def _triangles_of_edges(simplices: Simplices, edge: Ints) -> tuple[Ints, Ints]:
    """The triangles around each of some edges (n,), and the row of `edge` of each."""
    order = np.argsort(simplices.triangle_edge.ravel(), kind="stable")
    start = np.cumsum(np.bincount(simplices.triangle_edge.ravel(), minlength=len(simplices.edge)))
    start = np.concatenate([[0], start])
    length = start[edge + 1] - start[edge]
    return order[ranges(start[edge], length)] // 3, np.repeat(np.arange(len(edge)), length)


def _paired(some: list[tuple[Ints, Ints, Ints]]) -> _Kind:
    """Edges between the two vertices that each simplex has with the same pieces."""
    simplex, pieces, vertex = (np.concatenate([one[k] for one in some]) for k in range(3))
    order = np.lexsort((vertex, *pieces.T[::-1], simplex))
    simplex, pieces, vertex = simplex[order], pieces[order], vertex[order]
    if len(simplex) % 2:
        raise CutError(_TANGLED)
    even, odd = slice(0, None, 2), slice(1, None, 2)
    alike = (simplex[even] == simplex[odd]) & (pieces[even] == pieces[odd]).all(axis=1)
    fresh = (simplex[even][1:] != simplex[odd][:-1]) | (pieces[even][1:] != pieces[odd][:-1]).any(axis=1)
    if not (alike.all() and fresh.all()):
        raise CutError(_TANGLED)
    return _Kind(simplex[even], pieces[even], np.stack([vertex[even], vertex[odd]], axis=1))


def _put_together(simplices: Simplices, kinds: list[_Kind], vertices: Floats) -> Envelope:
    """Facets in triangles, then those between two pieces, and regions."""
    first = np.cumsum([0] + [len(kind.simplex) for kind in kinds])
    number = [first[k] + np.arange(len(kind.simplex)) for k, kind in enumerate(kinds)]
    triangle, row = _triangles_of_edges(simplices, kinds[0].simplex)
    flat = [(triangle, kinds[0].pieces[row], number[0][row])]
    flat += [(kinds[1].simplex, kinds[1].pieces[:, [k]], number[1]) for k in range(2)]
    between = []
    for owner in simplices.triangle_tetrahedra[kinds[1].simplex].T:
        real = owner >= 0
        between.append((owner[real], kinds[1].pieces[real], number[1][real]))
    between += [(kinds[2].simplex, kinds[2].pieces[:, two], number[2]) for two in ([0, 1], [0, 2], [1, 2])]
    (f, f_piece, f_start, f_edge), (t, t_piece, t_start, t_edge) = _grouped(flat), _grouped(between)
    owners = simplices.triangle_tetrahedra[f]
    tetrahedra = np.concatenate([owners, np.stack([t, t], axis=1)])
    pieces = np.concatenate([np.repeat(f_piece, 2, axis=1), t_piece])
    base = int(pieces.max()) + 1
    inside = tetrahedra >= 0
    regions = np.unique((tetrahedra * base + pieces)[inside])
    return Envelope(
        vertices,
        np.concatenate([kind.ends for kind in kinds]),
        np.concatenate([f_start, f_start[-1] + t_start[1:]]),
        np.concatenate([f_edge, t_edge]),
        np.concatenate([f, np.full(len(t), -1)]),
        tetrahedra,
        pieces,
        regions // base,
        regions % base,
    )


def _grouped(some: list[tuple[Ints, Ints, Ints]]) -> tuple[Ints, Ints, Ints, Ints]:
    """Simplex and pieces of each facet, and its edges as starts and rows."""
    simplex, pieces, edge = (np.concatenate([one[k] for one in some]) for k in range(3))
    order = np.lexsort((edge, *pieces.T[::-1], simplex))
    simplex, pieces, edge = simplex[order], pieces[order], edge[order]
    fresh = np.ones(len(simplex), np.bool_)
    fresh[1:] = (simplex[1:] != simplex[:-1]) | (pieces[1:] != pieces[:-1]).any(axis=1)
    at = np.flatnonzero(fresh)
    start = np.append(at, len(simplex))
    if len(at) and np.diff(start).min() < 3:
        raise CutError(_TANGLED)
    return simplex[at], pieces[at], start, edge


def facet_rings(envelope: Envelope, facets: Ints, normal: Floats) -> tuple[Ints, Ints]:
    """The vertices of some facets (n,), counter-clockwise about their normals (n,3), packed: starts and vertices."""
    length = np.diff(envelope.facet_start)[facets]
    edge = envelope.edge[envelope.facet_edge[ranges(envelope.facet_start[facets], length)]]
    owner = np.repeat(np.arange(len(facets)), length)
    start = np.concatenate([[0], np.cumsum(length)])
    ahead = edge_signs(envelope.vertices, edge, owner, normal) > 0
    tail, head = np.where(ahead, edge[:, 0], edge[:, 1]), np.where(ahead, edge[:, 1], edge[:, 0])
    by_tail, by_head = np.lexsort((tail, owner)), np.lexsort((head, owner))
    if not np.array_equal(tail[by_tail], head[by_head]):
        raise CutError(_TANGLED)
    following = np.empty(len(tail), np.int64)
    following[by_head] = by_tail  # the edge that begins where one ends
    ring, at = np.empty(len(tail), np.int64), start[:-1].copy()
    for step in range(int(length.max(initial=0))):
        more = np.flatnonzero(length > step)
        ring[start[more] + step] = tail[at[more]]
        at[more] = following[at[more]]
    return start, ring


def edge_signs(vertices: Floats, edge: Ints, facet: Ints, normal: Floats) -> Ints:
    """1 where an edge (n,2) of a facet (n,) runs counter-clockwise about the facet's normal (F,3), else -1."""
    count = len(normal)
    size = np.maximum(np.bincount(facet, minlength=count), 1)
    middle = np.stack(
        [np.bincount(facet, vertices[edge, k].sum(axis=1), count) / (2.0 * size) for k in range(3)], axis=1
    )[facet]
    p, q = vertices[edge[:, 0]] - middle, vertices[edge[:, 1]] - middle
    return np.where(dot(normal[facet], cross_rows(p, q)) > 0.0, 1, -1)
