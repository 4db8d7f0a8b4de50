"""A piece as a body of its own: what it is cut from when it breaks again, along cracks that its cells do not have."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arithmetic.products import multiply
from ..types import Body, Cells, Floats, Fragments, Ints, Made
from .build import build_fragments
from .triangulate import triangulated


def piece_body(cells: Cells, units: Ints, body: Body) -> tuple[Body, Ints, Ints]:
    """The closed surface of some units of a cut body, in the same coordinates.

    Triangles of the skin know the mesh that the body was made of, as the body's own do; those of broken faces are
    `Made.BROKEN`. Also returns the bond (T,) of `cells` of the latter, and the triangle (T,) of `body` in which each
    of the others lies; -1 where there is none. A triangle that was broken before lies in one, too.
    """
    alone = replace(body, polygon=np.zeros(0, np.int64))  # so that each face lies in one triangle
    piece = build_fragments(cells, [units], 1.0, alone)
    cut = triangulated(piece)
    face = _faces(piece, cut)
    rows, broken = cut.face_triangle, cut.face_triangle < 0
    row = np.where(broken, 0, rows)
    weight = cut.corner_weight.reshape(-1, 3, 3)
    if len(body.weight):
        weight = multiply(weight, body.weight[row])
    made = body.made[row] if len(body.made) else np.full(len(row), int(Made.OWN))
    flat = body.polygon[row] if len(body.polygon) else row
    label = np.where(broken, len(body.triangles) + face, flat)
    first = np.unique(label, return_index=True, return_inverse=True)
    return (
        Body(
            vertices=cut.vertices + cut.centre[0],
            triangles=cut.corner_vertex.reshape(-1, 3),
            source=body.source[row],
            weight=np.where(broken[:, None, None], np.eye(3), weight),
            made=np.where(broken, int(Made.BROKEN), made),
            polygon=first[1][first[2]],
        ),
        np.where(broken, cut.face_bond, -1),
        rows,
    )


def _faces(piece: Fragments, cut: Fragments) -> Ints:
    """(T,) the face of a piece in which each of its triangles lies."""
    return np.repeat(np.arange(len(piece.face_triangle)), np.maximum(np.diff(piece.corner_start) - 2, 0))


def joined_bodies(bodies: Sequence[Body]) -> Body:
    """All bodies as one table, for what is expressed in their triangles; its parts are not told apart."""
    if len(bodies) == 1:
        return bodies[0]
    vertices = np.cumsum([0] + [len(body.vertices) for body in bodies])
    triangles = np.cumsum([0] + [len(body.triangles) for body in bodies])
    polygon = [body.polygon if len(body.polygon) else np.arange(len(body.triangles)) for body in bodies]
    return Body(
        vertices=np.concatenate([body.vertices for body in bodies]),
        triangles=np.concatenate([body.triangles + first for body, first in zip(bodies, vertices[:-1], strict=True)]),
        source=np.concatenate([body.source for body in bodies]),
        weight=np.concatenate([_weights(body) for body in bodies]),
        made=np.concatenate([body.made if len(body.made) else np.zeros_like(body.source) for body in bodies]),
        polygon=np.concatenate([rows + first for rows, first in zip(polygon, triangles[:-1], strict=True)]),
    )


def _weights(body: Body) -> Floats:
    return body.weight if len(body.weight) else np.tile(np.eye(3), (len(body.triangles), 1, 1))
