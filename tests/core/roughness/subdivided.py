"""Bodies refined by halving all edges: 4^k triangles in each one, in real space as in bent space."""

import numpy as np

from core.types import Body, Floats, Ints


def halved(body: Body, times: int) -> tuple[Body, Ints, Floats]:
    """The refined body, the triangle of `body` in which each triangle lies, and its corners' coordinates in that."""
    vertices, triangles = body.vertices, body.triangles
    source, weight = np.arange(len(triangles)), np.tile(np.eye(3), (len(triangles), 1, 1))
    for _ in range(times):
        pairs = np.sort(np.stack([triangles, triangles[:, [1, 2, 0]]], axis=2).reshape(-1, 2), axis=1)
        edges, edge = np.unique(pairs, axis=0, return_inverse=True)
        middle = len(vertices) + edge.reshape(-1, 3)
        vertices = np.concatenate([vertices, vertices[edges].mean(axis=1)])
        source = np.repeat(source, 4)
        triangles = _quartered(triangles, middle)
        weight = _quartered(weight, (weight + weight[:, [1, 2, 0]]) / 2.0)
    return Body(vertices, triangles, np.arange(len(triangles))), source, weight


def _quartered(corner: Floats | Ints, middle: Floats | Ints) -> Floats | Ints:
    """The four parts of each triangle from its corners (T,3,...) and the middles of its sides."""
    (a, b, c), (x, y, z) = (np.moveaxis(part, 1, 0) for part in (corner, middle))
    parts = np.stack([np.stack(p, axis=1) for p in ((a, x, z), (b, y, x), (c, z, y), (x, y, z))], axis=1)
    return parts.reshape(-1, *parts.shape[2:])
