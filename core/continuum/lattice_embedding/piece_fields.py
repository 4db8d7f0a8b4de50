"""How much of each piece there is at the nodes of a lattice and in the middles of its cells: the field of a piece.

Cells that belong to pieces have a staircase for a border. Averaged from cells to nodes and back, what is 1 in the cells
of a piece and 0 elsewhere becomes a smooth spline over the lattice, as averages of averages are (B-splines on a uniform
grid): two pieces meet where their fields are equal.
"""

from typing import NamedTuple

import numpy as np

from ...types import Bools, Floats, Ints

#: Averages from cells to nodes and back. Tried on slopes of 1:1 to 1:4: with one, steps of 1:3 are still seen; with
#: three, corners of pieces of some ten cells are round.
_ROUNDS = 2
#: In the middle of a cell its own piece leads by this times the square of what is missing there of it. Tried on a cell
#: that is a piece by itself: it keeps half of its volume; cells at straight borders have no need of it.
_OWN = 4.0
#: By so much the largest field at a point leads the others at least: a border through a node passes beside it, by some
#: hundredths of half a cell. Tried: with 0.1 straight borders wobble, with 0.02 crossings of borders are seen.
_LEAD = 0.005
#: Each piece has up to so much more than it should, and no two the same, so that no four meet in a line, and no border
#: depends on round-off. Chosen: borders move by some hundredths of half a cell.
_BIAS = 0.002
_GOLDEN = 0.6180339887498949  # parts of its multiples are all different, and far apart


class PieceFields(NamedTuple):
    """Fields at points, as entries sorted by point and piece; all others are 0."""

    point: Ints  #: (n,)
    piece: Ints  #: (n,)
    value: Floats  #: (n,)

    def at(self, point: Ints, piece: Ints) -> Floats:
        """The field of pieces (n,) at points (n,)."""
        count = int(max(self.piece.max(initial=0), piece.max(initial=0))) + 1
        key, wanted = self.point * count + self.piece, point * count + piece
        row = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
        return np.where(key[row] == wanted, self.value[row], 0.0)

    def largest(self, points: int) -> Ints:
        """The piece (points,) with the largest field at each point, -1 where there is none."""
        order = np.lexsort((self.piece, -self.value, self.point))
        first = order[np.unique(self.point[order], return_index=True)[1]]
        result = np.full(points, -1)
        result[self.point[first]] = self.piece[first]
        return result


def find_piece_fields(hexahedra: Ints, piece: Ints, nodes: int, attempt: int = 0) -> PieceFields:
    """Fields of the pieces (H,) of hexahedra (H,8) at their nodes, and at their middles, which count on from `nodes`.

    At a node only pieces have a field whose cells have it for a corner. In the middle of a cell its own is the largest.
    Another `attempt` moves all borders by some thousandths of a cell.
    """
    touching = _sums(hexahedra.ravel(), np.repeat(piece, 8), np.ones(8 * len(piece)))
    share = 1.0 / np.bincount(hexahedra.ravel(), minlength=nodes)
    middle = PieceFields(np.arange(len(piece)), piece, np.ones(len(piece)))
    at_nodes = touching
    for _ in range(_ROUNDS):
        corner, row = _corners_of(hexahedra, middle)
        at_nodes = _sums(corner, middle.piece[row], middle.value[row] * share[corner])
        middle = _averaged(hexahedra, at_nodes)
    at_nodes = touching._replace(value=at_nodes.at(touching.point, touching.piece))
    at_nodes, middle = _biased(at_nodes, attempt), _biased(middle, attempt)
    at_nodes = _led(at_nodes, at_nodes.largest(nodes))
    middle = _kept_own(middle, piece)
    return PieceFields(
        np.concatenate([at_nodes.point, middle.point + nodes]),
        np.concatenate([at_nodes.piece, middle.piece]),
        np.concatenate([at_nodes.value, middle.value]),
    )


def mixed_cells(hexahedra: Ints, piece: Ints, largest: Ints) -> Bools:
    """(H,) cells of pieces (H,) in which another one has the `largest` field (N,) at a node."""
    return np.asarray((largest[hexahedra] != piece[:, None]).any(axis=1))


def _sums(point: Ints, piece: Ints, value: Floats) -> PieceFields:
    count = int(piece.max(initial=0)) + 1
    key, row = np.unique(point * count + piece, return_inverse=True)
    return PieceFields(key // count, key % count, np.bincount(row, value, len(key)).astype(np.float64))


def _corners_of(hexahedra: Ints, middle: PieceFields) -> tuple[Ints, Ints]:
    """The corners of the cell of each entry, and the entry of each."""
    return hexahedra[middle.point].ravel(), np.repeat(np.arange(len(middle.point)), 8)


def _averaged(hexahedra: Ints, nodes: PieceFields) -> PieceFields:
    """The mean over the corners of each cell."""
    first, last = (np.searchsorted(nodes.point, hexahedra.ravel(), side=side) for side in ("left", "right"))
    cell = np.repeat(np.arange(len(hexahedra)), 8)
    length = last - first
    row = np.repeat(first - np.concatenate([[0], np.cumsum(length)[:-1]]), length) + np.arange(int(length.sum()))
    return _sums(np.repeat(cell, length), nodes.piece[row], nodes.value[row] / 8.0)


def _biased(fields: PieceFields, attempt: int) -> PieceFields:
    part = (fields.piece + 1.0) * (attempt + 1.0) * _GOLDEN
    return fields._replace(value=fields.value + _BIAS * (part - np.floor(part)))


def _led(fields: PieceFields, largest: Ints) -> PieceFields:
    """Where the largest field leads by little, it is raised."""
    leads = largest[fields.point] == fields.piece
    second = np.zeros(len(largest))
    np.maximum.at(second, fields.point[~leads], fields.value[~leads])
    return fields._replace(value=np.where(leads, np.maximum(fields.value, second[fields.point] + _LEAD), fields.value))


def _kept_own(fields: PieceFields, piece: Ints) -> PieceFields:
    """In the middles of cells their own pieces (H,) lead by far where little is left of them."""
    own = fields.piece == piece[fields.point]
    second = np.zeros(len(piece))
    np.maximum.at(second, fields.point[~own], fields.value[~own])
    missing = 1.0 - fields.value
    least = second[fields.point] + np.maximum(_OWN * missing * missing, _LEAD)
    return fields._replace(value=np.where(own, np.maximum(fields.value, least), fields.value))
