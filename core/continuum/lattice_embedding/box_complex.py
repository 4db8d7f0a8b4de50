"""All hexahedra of a box around a body, those of the lattice and those outside, with or without a layer between them.

Where the border of the kept cells is a staircase, two or three faces of one cell would have to lie in one plane. So a
layer of cells with one face on the surface each is put around them, as meshers of hexahedra do ("pillowing": Mitchell
and Tautges 1995); and another one on the other side, for cells outside are to be convex as well.
"""

from dataclasses import dataclass

import numpy as np

from ...geometry.mesh import cross_rows
from ...types import Bools, Floats, Frozen, Ints
from ..spring_lattice.hexahedra import HEXAHEDRON_FACES
from .grid import BodyGrid

#: How thick layers are before anything is fitted, in cells. Tried: 0.3 turns some cells of walls inside out, 0.2 none.
_THICKNESS = 0.2


@dataclass(frozen=True, eq=False, slots=True)
class BoxComplex(Frozen):
    """H hexahedra that fill a box face to face."""

    nodes: Floats  #: (N,3) [m]
    hexahedra: Ints  #: (H,8)
    parity: Ints  #: (H,) 0 or 1: such that alternating diagonals of hexahedra that share a face are the same there
    kept: Bools  #: (H,) those of the lattice
    fixed: Bools  #: (N,) nodes on the border of the box
    original: Ints  #: (N,) the node that each is a copy of, or itself
    size: Floats  #: (3,) of a cell of the grid [m]

    @property
    def faces(self) -> Ints:
        """(F,4) corners of the outer faces of the lattice."""
        return outer_faces(self.hexahedra[self.kept])


def outer_faces(hexahedra: Ints) -> Ints:
    """Corners (n,4) of the faces that only one of the hexahedra (H,8) has, counter-clockwise seen from outside."""
    row = _outer_rows(hexahedra)
    return np.asarray(hexahedra[row // 6, HEXAHEDRON_FACES[row % 6].T].T)


def _outer_rows(hexahedra: Ints) -> Ints:
    """Six times the hexahedron, plus the number of its face (n,), of the faces that only one has; ascending."""
    low = np.sort(hexahedra[:, HEXAHEDRON_FACES].reshape(-1, 4), axis=1)
    order = np.lexsort(low.T)
    same = np.zeros(len(low) + 1, np.bool_)
    same[1:-1] = (low[order[1:]] == low[order[:-1]]).all(axis=1)
    return np.sort(order[~same[:-1] & ~same[1:]])


def outward_normals(nodes: Floats, faces: Ints) -> Floats:
    """Unit vectors (N,3) at the nodes of outer faces (F,4), means of these by area; 0 at all others."""
    a, b, c, d = (nodes[faces[:, k]] for k in range(4))
    area = cross_rows(c - a, d - b)
    total = np.stack([np.bincount(faces.ravel(), np.repeat(area[:, k], 4), len(nodes)) for k in range(3)], axis=1)
    size = np.sqrt(np.square(total).sum(axis=1))
    return np.asarray(total / np.where(size > 0.0, size, 1.0)[:, None])


def bare_box(grid: BodyGrid, kept: Bools) -> BoxComplex:
    """The cells of a grid as they are."""
    return BoxComplex(
        grid.nodes, grid.hexahedra, grid.parity, kept, grid.is_border, np.arange(len(grid.nodes)), grid.size
    )


def layered_box(grid: BodyGrid, kept: Bools) -> BoxComplex:
    """The cells of a grid with two layers between the kept ones (H,) and the others, of which the inner one is kept.

    Nodes on the border of the kept cells lie between the two layers; below and above they have copies, which come last,
    and so do the layers.
    """
    nodes, hexahedra = grid.nodes, grid.hexahedra
    faces = outer_faces(hexahedra[kept])
    border = np.unique(faces)
    thickness = _THICKNESS * float(grid.size.min())
    inward, outward = (thickness * _ways_into(nodes, hexahedra[side])[border] for side in (kept, ~kept))
    below, above = np.arange(len(nodes)), np.arange(len(nodes))
    below[border] = len(nodes) + np.arange(len(border))
    above[border] = below[border] + len(border)
    parity, order = _layer_parity(hexahedra, grid.parity, kept), [0, 1, 3, 2]
    inner = np.concatenate([below[faces][:, order], faces[:, order]], axis=1)
    outer = np.concatenate([faces[:, order], above[faces][:, order]], axis=1)
    return BoxComplex(
        np.concatenate([nodes, nodes[border] + inward, nodes[border] + outward]),
        np.concatenate([np.where(kept[:, None], below[hexahedra], above[hexahedra]), inner, outer]),
        np.concatenate([grid.parity, parity, 1 - parity]),
        np.concatenate([kept, np.ones(len(inner), np.bool_), np.zeros(len(outer), np.bool_)]),
        np.concatenate([grid.is_border, np.zeros(2 * len(border), np.bool_)]),
        np.concatenate([np.arange(len(nodes)), border, border]),
        grid.size,
    )


def _ways_into(nodes: Floats, hexahedra: Ints) -> Floats:
    """Unit vectors (N,3) from nodes to the mean middle of those of the hexahedra that are around them; 0 for none."""
    middle = nodes[hexahedra].sum(axis=1) / 8.0
    corner = hexahedra.ravel()
    count = np.maximum(np.bincount(corner, minlength=len(nodes)), 1)
    total = np.stack([np.bincount(corner, np.repeat(middle[:, k], 8), len(nodes)) for k in range(3)], axis=1)
    way = total / count[:, None] - nodes
    size = np.sqrt(np.square(way).sum(axis=1))
    return np.asarray(way / np.where(size > 0.0, size, 1.0)[:, None])


def _layer_parity(hexahedra: Ints, parity: Ints, kept: Bools) -> Ints:
    """The parity (F,) of each cell of the layer, so that its face below has the same diagonal as the cell's below it.

    Corner 0 of the layer's cell is corner 0 of the face; the diagonal of an even cell starts there.
    """
    own = np.flatnonzero(kept)
    row = _outer_rows(hexahedra[own])
    first = np.array([corners[0].bit_count() & 1 for corners in HEXAHEDRON_FACES.tolist()])
    return np.asarray(first[row % 6] ^ parity[own[row // 6]], dtype=np.int64)
