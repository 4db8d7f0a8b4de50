"""Values of the source's corners carried to new corners by barycentric coordinates.

Works for anything that varies linearly over a triangle: texture coordinates, normals, colours, attributes.
"""

import numpy as np

from ..arithmetic.products import apply, norm
from ..types import Body, Floats, Ints
from .barycentric import affine_weights

#: A barycentric coordinate below this lies on the edge: clipping leaves round-off of a few 1e-16.
EDGE_ROUND_OFF = 1e-9


def blend(values: Floats, row: Ints, weight: Floats) -> Floats:
    """(N,d) mean of three rows of `values (M,d)` each, `row (N,3)`, with the weights `weight (N,3)`.

    Where a weight is exactly 1 and the others 0 the row comes back bit for bit.
    """
    result: Floats = values[row[:, 0]] * weight[:, :1]
    for k in (1, 2):
        result += values[row[:, k]] * weight[:, k : k + 1]
    return result


def weights_in(body: Body, triangle: Ints, weight: Floats, other: Ints) -> Floats:
    """(n,3) barycentric coordinates in the body triangles `other (n,)` of points with `weight (n,3)` in `triangle`.

    Both lie in one plane; the point may lie outside of the other one, where some coordinates are negative.
    """
    result = weight.copy()
    moved = np.flatnonzero(triangle != other)
    here, there = (body.vertices[body.triangles[rows[moved]]] for rows in (triangle, other))
    result[moved] = affine_weights(there, apply(np.swapaxes(here, 1, 2), weight[moved]))
    return result


def normalized(vectors: Floats) -> Floats:
    """(N,3) unit vectors; a zero vector stays zero."""
    length = norm(vectors)
    result: Floats = vectors / np.where(length > 0.0, length, 1.0)[:, None]
    return result


def triangle_edge(weight: Floats, next_weight: Floats) -> Ints:
    """(N,) the edge of its triangle on which a face edge lies, -1 for none.

    Edge j runs from corner j to corner j + 1 (mod 3), where the coordinate of corner j + 2 vanishes. The face edge is
    given by the barycentric coordinates (N,3) of its ends; zero rows (inner faces) lie on none.
    """
    outside = (np.abs(weight) < EDGE_ROUND_OFF) & (np.abs(next_weight) < EDGE_ROUND_OFF)
    # Exactly one vanishing coordinate: with more the edge has no length, with three there is no triangle.
    opposite = np.where(outside.sum(axis=1) == 1, np.argmax(outside, axis=1), -1)
    result: Ints = np.where(opposite < 0, -1, (opposite + 1) % 3)
    return result
