"""How thick the walls of a body are: what decides how large the cells of its lattice may be."""

import numpy as np

from ...arithmetic.products import dot, norm
from ...geometry.bvh import Tree, build_tree
from ...geometry.mesh import area, areas, cross_rows, diagonal, volume
from ...geometry.nearest import nearest_in
from ...geometry.winding_crossings import find_first_hits
from ...types import Body, Floats
from ...wording import length, number

#: Places on the surface at which a wall is measured. Chosen: a fiftieth of the surface then has forty of them.
_PLACES = 2000
#: Share of the surface below which walls may be thinner than what counts as the thinnest. By eye: a chamfer is no wall.
_FEW = 0.02
#: Where the two sides turn from each other by less than 120 degrees there is an edge, and no wall [1]. By eye.
_FACING = 0.5
#: Rays begin so far behind the surface, in diagonals. Some hundred roundings of single precision.
_BEHIND = 1e-5
#: Nodes by the skin, in squares of a cell, besides those by volume, in cubes of it. Measured on balls, tubes, vessels
#: and Suzanne: 1.5 to 2.2.
_BY_SKIN = 1.9
#: Nodes beyond which no number is told: where walls end in slivers it would be millions. Chosen: hours.
_MOST_NODES = 500_000
#: Parts of the triangle in which places lie: R2, the additive recurrence in two dimensions (Roberts 2018).
_R2 = (0.7548776662466927, 0.5698402909980532)


def thinnest_wall(body: Body) -> float:
    """How thick the thinnest walls are [m]: but for a fiftieth of the surface, none is thinner."""
    _, thickness = measure_walls(body, build_tree(body.vertices, body.triangles))
    thickness = np.sort(thickness)
    return float(thickness[int(_FEW * len(thickness))])


def measure_walls(body: Body, tree: Tree) -> tuple[Floats, Floats]:
    """Places (n,3) all over the surface, and how thick the wall is (n,) there; the diagonal where none is [m]."""
    triangle, place = _places(body)
    corner = body.vertices[body.triangles]
    normal = cross_rows(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normal = normal / np.maximum(norm(normal), np.finfo(np.float64).tiny)[:, None]
    size = diagonal(body.vertices)
    inward = -normal[triangle]
    start = place + _BEHIND * size * inward
    way = size * find_first_hits(tree, start, start + size * inward)
    _, across, _ = nearest_in(tree, start + way[:, None] * inward)
    facing = dot(inward, normal[across])
    return place, np.where(facing > _FACING, (way + _BEHIND * size) * facing, size)


def _places(body: Body) -> tuple["np.ndarray[tuple[int], np.dtype[np.int64]]", Floats]:
    """Triangles (n,) in proportion to their areas, and a point (n,3) of each."""
    total = np.cumsum(areas(body.vertices, body.triangles))
    step = np.arange(_PLACES)
    triangle = np.searchsorted(total, (step + 0.5) / _PLACES * total[-1])
    u, v = ((step + 1) * share % 1.0 for share in _R2)
    u, v = np.where(u + v > 1.0, 1.0 - u, u), np.where(u + v > 1.0, 1.0 - v, v)
    a, b, c = (body.vertices[body.triangles[triangle, k]] for k in range(3))
    return triangle, a + u[:, None] * (b - a) + v[:, None] * (c - a)


def thin_sentence(body: Body, spacing: float) -> str:
    """Why cells of `spacing` [m] cannot fill a body, and what to do."""
    thin = min(thinnest_wall(body), 0.5 * spacing)
    matter, skin = volume(body.vertices, body.triangles), area(body.vertices, body.triangles)
    nodes = (matter / thin + _BY_SKIN * skin) / (thin * thin)
    told = f"Some of it is thinner than cells of {length(spacing)} can be"
    if nodes > _MOST_NODES:
        return f"{told}: make it thicker, or take more nodes where it is little of it."
    return (
        f"{told}: take about {number(nodes, 1)} nodes, which makes cells of {length(thin)}, or make what is thin "
        "thicker."
    )
