"""Flat parts of triangle meshes."""

import numpy as np

from ....arithmetic.products import dot, norm
from ....geometry.graph import connected_labels
from ....geometry.mesh import cross_rows, edge_table, paired_half_edges, unit_normals
from ....types import Bools, Floats, Ints

#: Cosine of the angle between triangles of one flat part, where their height over it says that they are flat. 26
#: degrees, chosen by eye: small triangles of a flat part may lean as much, those of a bend may not.
_FOLDED = 0.9


def flat_parts(vertices: Floats, triangles: Ints, kind: Ints, flat: float) -> Ints:
    """(T,) part of each triangle, 0..: connected triangles of one `kind (T,)` with corners within `flat` of a plane.

    Parts are joined where an edge has two triangles of that kind, which face the same way.
    """
    normal = unit_normals(vertices[triangles])
    pair = _pairs(triangles, kind)
    facing = dot(normal[pair[:, 0]], normal[pair[:, 1]]) > _FOLDED
    for one, two in ((0, 1), (1, 0)):
        arm = vertices[triangles[pair[:, two]]] - vertices[triangles[pair[:, one], :1]]
        away = dot(arm, normal[pair[:, one], None])
        facing &= (np.abs(away) < flat).all(axis=1)
    pair = pair[facing]
    label = connected_labels(len(triangles), pair)
    curved = _curved(vertices, triangles, label, flat)
    if curved.any():
        label = _grown(vertices, triangles, normal, label, np.flatnonzero(curved[label]), pair, flat)
    return np.unique(label, return_inverse=True)[1].ravel().astype(np.int64)


def planes(vertices: Floats, triangles: Ints, part: Ints) -> tuple[Floats, Floats]:
    """A point (P,3) of the plane through each part, and its unit normal (P,3)."""
    count = int(part.max()) + 1
    corner = vertices[triangles]
    vector = cross_rows(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normal = _summed(vector, part, count)
    length = norm(normal)
    point = _summed(corner.mean(axis=1), part, count) / np.bincount(part, minlength=count)[:, None]
    return point, normal / np.where(length > 0.0, length, 1.0)[:, None]


def _summed(rows: Floats, part: Ints, count: int) -> Floats:
    return np.stack([np.bincount(part, rows[:, k], count) for k in range(3)], axis=1)


def _pairs(triangles: Ints, kind: Ints) -> Ints:
    """(n,2) triangles at the edges that have two of one kind, which run against each other."""
    edges = edge_table(triangles)
    pair = paired_half_edges(edges)
    begin = triangles.reshape(-1)
    pair = pair[begin[pair[:, 0]] != begin[pair[:, 1]]] // 3
    return np.asarray(pair[kind[pair[:, 0]] == kind[pair[:, 1]]])


def _curved(vertices: Floats, triangles: Ints, label: Ints, flat: float) -> Bools:
    """Which parts have corners beyond their plane."""
    point, normal = planes(vertices, triangles, label)
    away = dot(vertices[triangles] - point[label][:, None], normal[label][:, None])
    bent = np.zeros(len(point), np.bool_)
    bent[label[(np.abs(away) > flat).any(axis=1)]] = True
    return bent


def _grown(vertices: Floats, triangles: Ints, normal: Floats, label: Ints, rows: Ints, pair: Ints, flat: float) -> Ints:
    """The labels with those of curved parts made anew: each part grows from a triangle, in its plane."""
    label = label.copy()
    beside: dict[int, list[int]] = {row: [] for row in rows.tolist()}
    for one, two in pair[np.isin(pair[:, 0], rows)].tolist():
        beside[one].append(two)
        beside[two].append(one)
    fresh, done = int(label.max()) + 1, set()
    for seed in rows.tolist():
        if seed in done:
            continue
        done.add(seed)
        todo, point = [seed], vertices[triangles[seed, 0]]
        while todo:
            row = todo.pop()
            label[row] = fresh
            for other in beside[row]:
                away = dot(vertices[triangles[other]] - point, normal[seed])
                if other not in done and np.abs(away).max() < flat and dot(normal[other], normal[seed]) > _FOLDED:
                    done.add(other)
                    todo.append(other)
        fresh += 1
    return label
