"""How far to move each fan of a sheet so that every side lies at the wanted distance.

The offset d of a fan is the least-squares solution of n . d = 1 over its sides, weighted by the angle of their corners:
sum of w (n . d - 1) n = 0. At a crease of planes it is the mitred corner, where a mean normal would make the wall
cos(half the angle) too thin. What the sides leave undetermined (all of a plane's own directions) comes from a small
Tikhonov term, which draws the solution to the best multiple of the mean normal: so it takes nothing from the wall.

Limitation: offsets know nothing of each other: a sheet that is bent more sharply than it is thick crosses itself.
"""

from typing import NamedTuple

import numpy as np

from ..arithmetic.angles import arctan2
from ..arithmetic.products import dot, norm
from ..geometry.graph import connected_labels
from ..geometry.mesh import MeshEdges, cross_rows, diagonal, paired_half_edges
from ..geometry.rings import NO_HEIGHT
from ..types import Floats, Ints

#: Keeps the equations for an offset regular where faces are in one plane: relative to the sum of their weights. With
#: 1e-3 walls were 0.1 % thin, measured on a prototype.
TIKHONOV = 1e-6
# Of an offset, in distances: a crease of less than 39 degrees loses its tip; 3 as on a prototype, by eye: longer tips
# reach through what is near.
_LONGEST = 3.0
# Cosine between the mean normals of fans that touch in a vertex, above which they move together; by eye: 60 degrees.
_ALIKE = 0.5
LEAST_ANGLE = 1e-9  # for fans of corners without an angle; chosen, against a division by 0
_ROUNDS = 16  # in which flat triangles take over the normals of their neighbours; chosen by time


class OffsetFaces(NamedTuple):
    """What offsets depend on."""

    normal: Floats  #: (T,3) unit normals; 0 where a face has none
    angle: Floats  #: (T,3) at the corners: 0, 0 and pi where one lies between the others
    area: Floats  #: (T,) [m^2]


def measure_offset_faces(vertices: Floats, triangles: Ints, edges: MeshEdges) -> OffsetFaces:
    """Measure faces; normals are those of the corners.

    A flat triangle has that of its neighbours over edges of two faces; where none has one, its own, or 0.
    """
    corner = [vertices[triangles[:, k]] for k in range(3)]
    edge = [corner[(k + 1) % 3] - corner[k] for k in range(3)]
    normal = cross_rows(edge[0], edge[1])
    double = norm(normal)
    angle = np.stack([arctan2(double, -dot(edge[k - 1], edge[k])) for k in range(3)], axis=1)
    normal /= np.where(double > 0.0, double, 1.0)[:, None]
    longest = np.sqrt(np.maximum.reduce([dot(side, side) for side in edge]))
    flat = double <= NO_HEIGHT * diagonal(vertices) * longest
    known = np.where(flat[:, None], 0.0, normal)
    if not known.any(axis=1).all():
        known = _handed_on(vertices, edges, triangles, known)
        known = np.where(known.any(axis=1)[:, None], known, normal)
    return OffsetFaces(known, angle, 0.5 * double)


def _handed_on(vertices: Floats, edges: MeshEdges, triangles: Ints, normal: Floats) -> Floats:
    """Normals with those of the neighbours, weighted by the length of the common edge, where they are 0."""
    pair = paired_half_edges(edges)
    ends = edges.ends[edges.of_half[pair[:, 0]]]
    begin = triangles.reshape(-1)[pair]
    weight = norm(vertices[ends[:, 1]] - vertices[ends[:, 0]]) * np.where(begin[:, 0] == begin[:, 1], -1.0, 1.0)
    to, of = np.concatenate([pair, pair[:, ::-1]]).T // 3
    weight = np.concatenate([weight, weight])
    for _ in range(_ROUNDS):
        wanting = dot(normal, normal) == 0.0
        ask = wanting[to] & ~wanting[of]
        if not ask.any():
            break
        total = _sums(to[ask], weight[ask, None] * normal[of[ask]], len(normal))
        length = norm(total)
        heard = wanting & (length > 0.0)
        normal = normal.copy()
        normal[heard] = total[heard] / length[heard, None]
    return normal


def fan_offsets(fan: Ints, side: Ints, faces: OffsetFaces, meeting: Ints) -> Floats:
    """Offset (F,3) of each fan, in distances; 0 for a fan without a side or without a normal.

    Parameters: `fan (n,3)` at the corners of the sides `side (n,)`, 2t behind and 2t + 1 in front of face t;
    `meeting (F,)` a number of the fans that touch in one vertex, or -1: those of like direction get one offset, so
    that parts of a sheet which hang together by a vertex do not grow into each other.
    """
    normal, angle = faces.normal[side // 2], faces.angle[side // 2]
    weight = np.where(normal.any(axis=1)[:, None], np.maximum(angle, LEAST_ANGLE), 0.0)
    x, y, z = normal.T
    outward = np.where(side % 2 == 1, 1.0, -1.0)
    factors = [outward * x, outward * y, outward * z, x * x, y * y, z * z, x * y, x * z, y * z, np.ones(len(side))]
    place, count = fan.reshape(-1), len(meeting)
    sums: Floats = np.stack([np.bincount(place, (weight * f[:, None]).reshape(-1), count) for f in factors], axis=1)
    group = _groups(sums[:, :3], meeting)
    if group is not None:
        sums = _sums(group, sums, count)
    sums = sums / np.where(sums[:, 9] > 0.0, sums[:, 9], 1.0)[:, None]
    offset = _solved(sums[:, 3:9], sums[:, :3])
    return offset if group is None else offset[group]


def _groups(direction: Floats, meeting: Ints) -> Ints | None:
    """Group (F,) of each fan; None if none meets another that is alike."""
    rows = np.flatnonzero(meeting >= 0)
    rows = rows[np.argsort(meeting[rows], kind="stable")]
    unit = direction[rows] / np.maximum(norm(direction[rows]), np.finfo(float).tiny)[:, None]
    links = []
    for shift in range(1, len(rows)):
        same = meeting[rows[shift:]] == meeting[rows[:-shift]]
        if not same.any():
            break
        alike = same & (dot(unit[shift:], unit[:-shift]) > _ALIKE)
        links.append(np.stack([rows[shift:][alike], rows[:-shift][alike]], axis=1))
    if not any(len(some) for some in links):
        return None
    return connected_labels(len(meeting), np.concatenate(links))


def _solved(moment: Floats, mean: Floats) -> Floats:
    """Offsets d (F,3) with A d = b, from d0, the multiple of b for which b . A d0 = b . b.

    `moment (F,6)` holds A, the weighted sum of n n^T: xx, yy, zz, xy, xz, yz; `mean (F,3)` is b, that of n.
    Twice d grows by (A + TIKHONOV)^-1 (b - A d), by cofactors: the second time takes away most of the first one's bias.
    """
    stretch = dot(mean, _times(moment, mean))
    square = dot(mean, mean)
    multiple = np.where(square > TIKHONOV * TIKHONOV, square / np.where(stretch > 0.0, stretch, 1.0), 0.0)
    xx, yy, zz = (moment[:, k] + TIKHONOV for k in range(3))
    xy, xz, yz = (moment[:, k] for k in range(3, 6))
    adjugate = np.stack([yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy,
                         xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - yz * xx], axis=1)  # fmt: skip
    determinant = xx * adjugate[:, 0] + xy * adjugate[:, 3] + xz * adjugate[:, 4]
    offset = multiple[:, None] * mean
    for _ in range(2):
        offset = offset + _times(adjugate, mean - _times(moment, offset)) / determinant[:, None]
    length = norm(offset)
    return np.asarray(offset * np.minimum(1.0, _LONGEST / np.where(length > 0.0, length, 1.0))[:, None])


def _times(symmetric: Floats, vector: Floats) -> Floats:
    """Products (n,3) of symmetric matrices (n,6), as in `_solved`, and vectors (n,3)."""
    xx, yy, zz, xy, xz, yz = symmetric.T
    x, y, z = vector.T
    return np.stack([xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z], axis=1)


def _sums(row: Ints, terms: Floats, count: int) -> Floats:
    """Sum (count,k) of the terms (n,k) of each row."""
    sums: Floats = np.stack([np.bincount(row, terms[:, k], count) for k in range(terms.shape[1])], axis=1)
    return sums
