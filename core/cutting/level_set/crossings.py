"""Where level sets cross the edges of the grid, and the planes in which they do.

Between two regions the larger level set changes where the edge meets the plane of their facet. Between matter and
nothing the body's is 0 where the edge leaves the body, in the plane of a triangle.
"""

from typing import NamedTuple

import numpy as np

from ...arithmetic.products import dot, norm
from ...geometry.bvh import build_tree
from ...geometry.mesh import cross_rows
from ...geometry.nearest import nearest_in
from ...geometry.winding_crossings import find_last_crossings
from ...types import Body, Bools, Floats, Ints, Partition
from .faces import DualFaces
from .grid import Grid, Shorts


class Crossings(NamedTuple):
    """Of each face the plane that it approximates."""

    point: Floats  #: (Q,3) on the edge of the grid [m]
    normal: Floats  #: (Q,3) unit, of either sign
    facet: Ints  #: (Q,) of the partition; -1 on the skin, or where the two regions have none in common
    triangle: Ints  #: (Q,) of the body on the skin, -1 inside


def crossings_of(body: Body, partition: Partition, grid: Grid, region: Shorts, faces: DualFaces) -> Crossings:
    """The crossings of faces; `region (nx,ny,nz)` is that of each node.

    Where something thinner than a cell has no node between two regions without a common facet, it is crossed in the
    middle of the edge, across it.
    """
    begin, end = grid.places(faces.begin), grid.places(faces.end)
    found = Crossings(
        0.5 * (begin + end), (end - begin) / grid.spacing, np.full(len(begin), -1), np.full(len(begin), -1)
    )
    flat = region.reshape(-1)
    skin = flat[faces.end] < 0
    _cross_skin(body, found, begin, end, skin)
    _cross_facets(partition, found, begin, end, np.stack([flat[faces.begin], flat[faces.end]], axis=1), ~skin)
    return found


def _cross_facets(
    partition: Partition, found: Crossings, begin: Floats, end: Floats, regions: Ints, inner: Bools
) -> None:
    count = len(partition.site)
    real = np.flatnonzero(partition.facet_regions[:, 1] >= 0)
    keys = _pair_keys(partition.facet_regions[real], count)
    order = np.argsort(keys, kind="stable")
    rows = np.flatnonzero(inner)
    wanted = _pair_keys(regions[rows], count)
    if len(keys) == 0:
        return
    at = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    hit = keys[order][at] == wanted
    rows, f = rows[hit], real[order[at[hit]]]
    normal = partition.facet_normal[f]
    height = dot(begin[rows] - partition.facet_point[f], normal)
    fall = dot(begin[rows] - end[rows], normal)
    share = np.divide(height, fall, out=np.full(len(rows), 0.5), where=fall != 0.0)
    found.point[rows] = begin[rows] + np.clip(share, 0.0, 1.0)[:, None] * (end[rows] - begin[rows])
    found.normal[rows], found.facet[rows] = normal, f


def _pair_keys(regions: Ints, count: int) -> Ints:
    """One number for each unordered pair (n,2) of `count` regions."""
    return np.asarray(regions.min(axis=1) * count + regions.max(axis=1))


def _cross_skin(body: Body, found: Crossings, begin: Floats, end: Floats, skin: Bools) -> None:
    rows = np.flatnonzero(skin)
    tree = build_tree(body.vertices, body.triangles)
    share, triangle = find_last_crossings(tree, begin[rows], end[rows], np.tile([1.0, 0.0], (len(rows), 1)))
    found.point[rows] = begin[rows] + np.clip(share, 0.0, 1.0)[:, None] * (end[rows] - begin[rows])
    lost = np.flatnonzero(triangle < 0)  # nodes on the surface itself
    if len(lost):
        triangle[lost] = nearest_in(tree, found.point[rows[lost]])[1]
    corner = body.vertices[body.triangles[triangle]]
    normal = cross_rows(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    length = norm(normal)
    wide = length > 0.0
    found.normal[rows[wide]] = normal[wide] / length[wide, None]
    found.triangle[rows] = triangle
