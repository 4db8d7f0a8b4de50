"""Flat elements that lie on the surface are taken off: four nodes of it span one wherever they nearly lie in a plane.

Such an element has two outer faces. Without it the other two are outer ones: the surface runs along the other diagonal.
Flat ones with three outer faces are taken off with their node.
"""

import numpy as np

from ...arithmetic.products import dot
from ...geometry.mesh import unit_normals
from ...types import Bools, Floats, Ints
from .matter import OPPOSITE, find_outer, outer_triangles
from .quality import measure_angles

#: Elements with a smaller angle than this are taken off [degrees]. Chosen: as flat as those that are shaken off inside.
_ANGLE = 15.0
#: Cosine between the two outer faces above which they are one side of the body, and no edge of it [1]. By eye.
_FLAT = 0.8
#: Rounds at most; in one, no two that are taken off share an edge. Measured: after eight few are left.
_ROUNDS = 12
#: Corners of the edges of a tetrahedron.
_EDGES = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])


def peel(place: Floats, corners: Ints, neighbours: Ints, kept: Bools) -> Bools:
    """Which (M,) of the kept tetrahedra are left, those that are worst taken off first."""
    kept = kept.copy()
    known = place[np.minimum(np.arange(int(corners.max()) + 1), len(place) - 1)]
    for _ in range(_ROUNDS):
        rows = _flat_ones(known, corners, neighbours, kept)
        if len(rows) == 0:
            break
        kept[rows] = False
    return kept


def _flat_ones(known: Floats, corners: Ints, neighbours: Ints, kept: Bools) -> Ints:
    """Those to take off now: no two of them share an edge."""
    tetrahedron, corner = find_outer(corners, neighbours, kept)
    outer = np.bincount(tetrahedron, minlength=len(corners))
    tips = np.flatnonzero(outer >= 3)
    tips = tips[measure_angles(known[corners[tips]]) < _ANGLE]
    twice = np.flatnonzero(tetrahedron[1:] == tetrahedron[:-1])
    twice = twice[outer[tetrahedron[twice]] == 2]
    row, one, other = tetrahedron[twice], corner[twice], corner[twice + 1]
    angle = measure_angles(known[corners[row]])
    some = angle < _ANGLE
    row, one, other, angle = row[some], one[some], other[some], angle[some]
    normals = [unit_normals(known[corners[row[:, None], OPPOSITE[k]]]) for k in (one, other)]
    # The edge between the two faces is that of the other two corners; afterwards it is the one from `one` to `other`.
    ends = np.stack([corners[row, one], corners[row, other]], axis=1)
    face, size = outer_triangles(corners, tetrahedron, corner), int(corners.max()) + 1
    there = np.isin(_edge_keys(ends, size), _edge_keys(face[:, [[0, 1], [1, 2], [2, 0]]], size))
    some = (dot(*normals) > _FLAT) & ~there
    row, angle = row[some], angle[some]
    order = np.lexsort((row, angle))
    return _apart(corners, np.concatenate([tips, row[order]]))


def _edge_keys(ends: Ints, size: int) -> Ints:
    """A number (...) of each edge (...,2)."""
    return np.asarray(ends.min(axis=-1) * size + ends.max(axis=-1))


def _apart(corners: Ints, rows: Ints) -> Ints:
    """Those of the rows of which none before has an edge in common."""
    key = _edge_keys(corners[rows][:, _EDGES], int(corners.max()) + 1)
    unique, number = np.unique(key, return_inverse=True)
    number = number.reshape(key.shape)
    turn = np.arange(len(rows))[:, None]
    first = np.full(len(unique), len(rows))
    np.minimum.at(first, number, turn)
    return np.asarray(rows[(first[number] == turn).all(axis=1)])
