"""What an artist has painted on a mesh: its values in triangles, and at places inside."""

import numpy as np

from ..arithmetic.products import apply
from ..geometry.barycentric import closest_weights
from ..geometry.bvh import Tree, build_tree
from ..geometry.nearest import nearest_in
from ..types import Body, Floats, Ints, Made


def corner_values(values: Floats, body: Body, rows: Ints) -> Floats:
    """(n,3) of `values (T,3)` of the mesh at the corners of some triangles of a body."""
    of_source = values[body.source[rows]]
    return np.asarray(of_source if len(body.weight) == 0 else apply(body.weight[rows], of_source))


def own_skin(body: Body) -> tuple[Tree, Ints]:
    """A tree over the triangles of a body that are the artist's own skin, and their rows (n,) in the body.

    Broken faces and those that close a hole are nobody's paint. Where nothing else is left, all of them count.
    """
    rows = np.arange(len(body.triangles))
    if len(body.made):
        own = np.flatnonzero(~np.isin(body.made, (Made.BROKEN, Made.CAP)))
        rows = own if len(own) else rows
    return build_tree(body.vertices, body.triangles[rows]), rows


def skin_places(body: Body, skin: tuple[Tree, Ints], points: Floats) -> tuple[Ints, Floats]:
    """Row (n,) in the body and barycentric coordinates (n,3) there of the place of a skin nearest to points (n,3)."""
    at, entry, _ = nearest_in(skin[0], points)
    rows = skin[1][entry]
    return rows, closest_weights(body.vertices[body.triangles[rows]], at)
