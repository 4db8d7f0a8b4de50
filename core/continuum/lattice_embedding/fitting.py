"""Nodes of a lattice are laid on the surface of a body; all others follow smoothly, and no cell folds.

Outer nodes go where the planes of the surface meet that lie nearest to the faces around them (a quadric error
function, Garland and Heckbert 1997; as dual contouring does, Ju et al. 2002): onto edges and corners of the body, where
it has some, and straight onto the surface elsewhere. All other nodes go to the middle of their neighbours. Nodes move
one after the other, and only so far that each corner of each cell keeps a share of its volume.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from ...arithmetic.products import apply, dot, norm
from ...arithmetic.small_matrices import eigen_symmetric
from ...geometry.bvh import Tree
from ...geometry.mesh import cross_rows, unit_normals
from ...geometry.nearest import nearest_in
from ...geometry.packed import group_by_owner
from ...jit import device_inlined, njit_no_refs, sealed_floats, sealed_ints
from ...types import Body, Floats, Ints
from ..spring_lattice.hexahedra import HEXAHEDRON_EDGES
from .box_complex import BoxComplex, outward_normals


class Aim(IntEnum):
    """Next to what outer nodes go onto the surface."""

    MIDDLE = 0  #: of the middles of the faces around them
    MEETING = 1  #: of planes of the surface
    NEAREST = 2  #: to themselves


class FitStage(NamedTuple):
    """Some sweeps in which all nodes are moved."""

    sweeps: int
    aim: Aim
    kept: float  #: share of its volume at rest that each corner of a kept cell keeps [1]
    outside: float  #: the same of cells outside [1]
    edge: float  #: share of its length at rest that each edge of a kept cell keeps [1]


#: Straight to where planes meet: boxes are done at once. By eye, as what follows.
STRAIGHT_STAGES = (FitStage(8, Aim.MEETING, 0.1, 0.02, 0.3),)
#: First spread evenly over the surface, then onto edges and corners; then cells may become flatter at a corner, and
#: edges shorter, where nodes have not arrived. Tried on a monkey's head: with the second row alone, 12 of 100 outer
#: nodes stay more than a hundredth of a cell off the surface, with the third 6, with the fourth 4, with the last 1.
THOROUGH_STAGES = (
    FitStage(8, Aim.MIDDLE, 0.1, 0.02, 0.3),
    FitStage(16, Aim.MEETING, 0.1, 0.02, 0.3),
    FitStage(6, Aim.MEETING, 0.03, 0.01, 0.2),
    FitStage(6, Aim.MEETING, 0.01, 0.003, 0.15),
    FitStage(5, Aim.NEAREST, 0.005, 0.001, 0.1),
)
#: Directions across which the normals around a node turn by less than this are those of one side, not of an edge:
#: eigenvalues of their products, relative to the largest one.
_SAME_SIDE = 0.1
#: How far below and above the surface nodes of the layers are wanted, in cells, and how much of their place that is.
_DEPTH, _FOLLOWS = 0.5, 0.5
#: Parts of its way that a node tries to go.
_TRIES = 5
_STAYS, _SMOOTH, _OUTER = 0, 1, 2  #: kinds of nodes, for the kernel


class _Moving(NamedTuple):
    """Nodes and the cells and nodes around each, for the kernel."""

    kind: Ints  #: (N,) _STAYS, _SMOOTH or _OUTER
    original: Ints  #: (N,) node that each was copied from
    cell_start: Ints  #: (N+1,)
    cell: Ints  #: (.,) eight times the cell, plus the node's corner in it
    beside_start: Ints  #: (N+1,)
    beside: Ints  #: (.,) nodes at the other ends of edges
    hexahedra: Ints  #: (H,8)
    parity: Ints  #: (H,)


class _Least(NamedTuple):
    """What cells keep at least."""

    volume: Floats  #: (H,) at each corner [m^3]
    edge: Floats  #: (H,) length of each edge [m]


def fit_nodes(body: Body, box: BoxComplex, tree: Tree, stages: tuple[FitStage, ...]) -> Floats:
    """Nodes (N,3) [m] of a box, those of the outer faces of its lattice on the surface."""
    nodes, faces = box.nodes.copy(), box.faces
    moving, normal = _moving_nodes(box, faces), unit_normals(body.vertices[body.triangles])
    outer, reach = np.unique(faces), float(norm(box.size))
    copies = np.flatnonzero(box.original != np.arange(len(nodes)))
    depth = _DEPTH * float(box.size.min()) * np.where(np.arange(len(copies)) < len(copies) // 2, -1.0, 1.0)
    target = nodes.copy()
    volume = float(box.size[0] * box.size[1] * box.size[2])
    for stage in stages:
        least = _Least(
            sealed_floats(volume * np.where(box.kept, stage.kept, stage.outside)),
            sealed_floats(np.where(box.kept, stage.edge * float(box.size.min()), 0.0)),
        )
        for _ in range(stage.sweeps):
            if stage.aim == Aim.MEETING:
                place = _meeting_points(nodes, faces, outer, tree, normal, reach)
            else:
                place = nodes[outer] if stage.aim == Aim.NEAREST else _mean_places(nodes, faces, outer)
            target[outer], _, _ = nearest_in(tree, place)
            target[copies] = depth[:, None] * outward_normals(nodes, faces)[box.original[copies]]
            _move(nodes, sealed_floats(target), least, moving)
    return nodes


def _moving_nodes(box: BoxComplex, faces: Ints) -> _Moving:
    count = len(box.nodes)
    kind = np.where(box.fixed, _STAYS, _SMOOTH)
    kind[faces] = _OUTER
    cell_start, cell = group_by_owner(box.hexahedra.ravel(), count)
    ends = box.hexahedra[:, HEXAHEDRON_EDGES].reshape(-1, 2)
    key = np.unique(np.concatenate([ends[:, 0] * count + ends[:, 1], ends[:, 1] * count + ends[:, 0]]))
    beside_start = np.concatenate([[0], np.cumsum(np.bincount(key // count, minlength=count))])
    return _Moving(
        sealed_ints(kind), sealed_ints(box.original), sealed_ints(cell_start), sealed_ints(cell),
        sealed_ints(beside_start),
        sealed_ints(key % count), sealed_ints(box.hexahedra), sealed_ints(box.parity),
    )  # fmt: skip


def _mean_places(nodes: Floats, faces: Ints, outer: Ints) -> Floats:
    """The mean (n,3) of the middles of the faces around each outer node (n,)."""
    middle = nodes[faces].sum(axis=1) / 4.0
    number = np.full(len(nodes), -1)
    number[outer] = np.arange(len(outer))
    owner = number[faces].ravel()
    count = np.bincount(owner, minlength=len(outer))
    return np.asarray(_sums(owner, np.repeat(middle, 4, axis=0), len(outer)) / count[:, None])


def _meeting_points(nodes: Floats, faces: Ints, outer: Ints, tree: Tree, normal: Floats, reach: float) -> Floats:
    """Where (n,3) the planes of the surface nearest to the middles of the faces around each outer node (n,) meet.

    Directions in which they leave it open are those of the mean of the points they were taken at.
    """
    middle = nodes[faces].sum(axis=1) / 4.0
    at, triangle, _ = nearest_in(tree, middle)
    a, b, c, d = (nodes[faces[:, k]] for k in range(4))
    own = cross_rows(c - a, d - b)
    own = own / np.maximum(norm(own), np.finfo(np.float64).tiny)[:, None]
    # A plane counts as much as the face looks its way: beside a hollow edge the wall across may be the nearest one.
    plane = normal[triangle] * np.maximum(dot(normal[triangle], own), 0.0)[:, None]
    number = np.full(len(nodes), -1)
    number[outer] = np.arange(len(outer))
    owner = number[faces].ravel()
    face = np.repeat(np.arange(len(faces)), 4)
    count = np.bincount(owner, minlength=len(outer))
    mean = _sums(owner, at[face], len(outer)) / count[:, None]
    matrix = np.empty((len(outer), 3, 3))
    for i in range(3):
        for j in range(3):
            matrix[:, i, j] = np.bincount(owner, plane[face, i] * plane[face, j], len(outer))
    height = dot(plane[face], at[face] - mean[owner])
    wanted = _sums(owner, plane[face] * height[:, None], len(outer))
    value, axis = eigen_symmetric(matrix)
    along = apply(np.ascontiguousarray(np.swapaxes(axis, 1, 2)), wanted)
    firm = value > np.maximum(_SAME_SIDE * value[:, 2:], np.finfo(np.float64).tiny)
    along = np.where(firm, along / np.where(firm, value, 1.0), 0.0)
    step = apply(axis, along)
    size = norm(step)
    return np.asarray(mean + step * np.minimum(1.0, reach / np.where(size > 0.0, size, 1.0))[:, None])


def _sums(owner: Ints, rows: Floats, count: int) -> Floats:
    return np.stack([np.bincount(owner, column, count) for column in rows.T], axis=1)


@device_inlined
def _corner_volume(nodes: Floats, cell: Ints, k: int) -> float:
    o, a, b, c = cell[k], cell[k ^ 1], cell[k ^ 2], cell[k ^ 4]
    ax, ay, az = nodes[a, 0] - nodes[o, 0], nodes[a, 1] - nodes[o, 1], nodes[a, 2] - nodes[o, 2]
    bx, by, bz = nodes[b, 0] - nodes[o, 0], nodes[b, 1] - nodes[o, 1], nodes[b, 2] - nodes[o, 2]
    cx, cy, cz = nodes[c, 0] - nodes[o, 0], nodes[c, 1] - nodes[o, 1], nodes[c, 2] - nodes[o, 2]
    size = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    odd = (k ^ k >> 1 ^ k >> 2) & 1
    signed: float = -size if odd else size
    return signed


@device_inlined
def _middle_volume(nodes: Floats, cell: Ints, parity: int) -> float:
    """Three times the volume of the tetrahedron in the middle of a cell: that of the cell, in a box."""
    o, a, b, c = (cell[1], cell[2], cell[4], cell[7]) if parity == 1 else (cell[0], cell[5], cell[3], cell[6])
    ax, ay, az = nodes[a, 0] - nodes[o, 0], nodes[a, 1] - nodes[o, 1], nodes[a, 2] - nodes[o, 2]
    bx, by, bz = nodes[b, 0] - nodes[o, 0], nodes[b, 1] - nodes[o, 1], nodes[b, 2] - nodes[o, 2]
    cx, cy, cz = nodes[c, 0] - nodes[o, 0], nodes[c, 1] - nodes[o, 1], nodes[c, 2] - nodes[o, 2]
    half: float = 0.5 * (ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx))
    return half


@device_inlined
def _least_around(nodes: Floats, most: _Least, moving: _Moving, v: int) -> float:
    """The smallest volume at a corner, or length of an edge, around a node, relative to what it must be at least."""
    least = np.inf
    for at in range(moving.cell_start[v], moving.cell_start[v + 1]):
        h, own = moving.cell[at] >> 3, moving.cell[at] & 7
        cell = moving.hexahedra[h]
        lowest = _corner_volume(nodes, cell, own)
        for axis in range(3):
            lowest = min(lowest, _corner_volume(nodes, cell, own ^ 1 << axis))
            b = cell[own ^ 1 << axis]
            x, y, z = nodes[b, 0] - nodes[v, 0], nodes[b, 1] - nodes[v, 1], nodes[b, 2] - nodes[v, 2]
            if most.edge[h] > 0.0:
                least = min(least, np.sqrt(x * x + y * y + z * z) / most.edge[h])
        lowest = min(lowest, _middle_volume(nodes, cell, moving.parity[h]))
        least = min(least, lowest / most.volume[h])
    return least


@njit_no_refs
def _move(nodes: Floats, target: Floats, least: _Least, moving: _Moving) -> None:
    """Move nodes (N,3) in turn: outer ones towards their `target (N,3)`, others to the middle of their neighbours."""
    for v in range(len(nodes)):
        if moving.kind[v] == _STAYS:
            continue
        x, y, z = nodes[v, 0], nodes[v, 1], nodes[v, 2]
        tx, ty, tz = target[v, 0], target[v, 1], target[v, 2]
        if moving.kind[v] == _SMOOTH:
            tx, ty, tz = 0.0, 0.0, 0.0
            first, last = moving.beside_start[v], moving.beside_start[v + 1]
            for at in range(first, last):
                b = moving.beside[at]
                tx += nodes[b, 0]
                ty += nodes[b, 1]
                tz += nodes[b, 2]
            count = float(last - first)
            tx, ty, tz = tx / count, ty / count, tz / count
            o = moving.original[v]
            if o != v:
                tx = (1.0 - _FOLLOWS) * tx + _FOLLOWS * (nodes[o, 0] + target[v, 0])
                ty = (1.0 - _FOLLOWS) * ty + _FOLLOWS * (nodes[o, 1] + target[v, 1])
                tz = (1.0 - _FOLLOWS) * tz + _FOLLOWS * (nodes[o, 2] + target[v, 2])
        before = min(_least_around(nodes, least, moving, v), 1.0)
        share = 1.0
        for _ in range(_TRIES):
            nodes[v, 0], nodes[v, 1], nodes[v, 2] = x + share * (tx - x), y + share * (ty - y), z + share * (tz - z)
            if _least_around(nodes, least, moving, v) >= before:
                break
            share *= 0.5
        else:
            nodes[v, 0], nodes[v, 1], nodes[v, 2] = x, y, z
