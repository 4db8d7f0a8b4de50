"""Where the cracks run on the skin of a cut body: lines to draw, without building fragments."""

import numpy as np

from ..arithmetic.products import norm
from ..geometry import packed
from ..geometry.mesh import unit_normals
from ..types import Body, Cells, Floats, Ints


def find_outline(cells: Cells, body: Body, lift: float = 0.0) -> tuple[Floats, Ints]:
    """Segments (n,2,3) [m] along which faces of different units meet on the body's skin, each once, and cells (n,2).

    The cells are those on both sides. Segments are lifted off the skin by `lift` [m], along the mean normal of the two
    faces, so that they can be drawn in front of it. `body` is the body that was cut.
    """
    # A cut runs between points that it has made: sides that end at a vertex of the body are no cracks.
    made = (cells.outer_weight[:, 0] < 1.0) & (cells.outer_weight[:, 1] < 1.0) & (cells.outer_weight[:, 2] < 1.0)
    following = packed.following(cells.outer_start)
    side = np.flatnonzero(made & made[following])
    a, b = cells.outer_vertex[side], cells.outer_vertex[following[side]]
    face = np.searchsorted(cells.outer_start, side, side="right") - 1
    key = np.minimum(a, b) * len(cells.vertices) + np.maximum(a, b)
    order = np.argsort(key, kind="stable")
    cell = cells.outer_cell[face]
    unit = cells.unit[cell]
    meets = (key[order[1:]] == key[order[:-1]]) & (unit[order[1:]] != unit[order[:-1]])
    one, other = order[:-1][meets], order[1:][meets]
    triangle = body.triangles[cells.outer_triangle[face]]
    normal = unit_normals(body.vertices[triangle[one]]) + unit_normals(body.vertices[triangle[other]])
    length = norm(normal)
    normal *= (lift / np.where(length > 0.0, length, 1.0))[:, None]
    ends = cells.vertices[np.stack([a[one], b[one]], axis=1)]
    return np.asarray(ends + normal[:, None, :]), np.stack([cell[one], cell[other]], axis=1)
