"""Corners of tetrahedra on the skin of a body of diagonal 1, and points inside."""

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from ...arithmetic.products import dot, norm
from ...errors import InputError
from ...geometry.bvh import build_tree
from ...geometry.mesh import edge_table
from ...geometry.nearest import nearest_in
from ...types import Bools, Floats, Ints
from ...wording import number
from ..layouts.scatter import on_skin, walls
from ..layouts.shape import Shape, measure_skin
from .features import Points, features
from .inner import CLEAR_OF_SKIN, Within, inner_points, within
from .outward import moved_out, sag, vertex_normals, ways
from .sizes import Sizes, scaled_to

#: Places of the skin per corner. As for even sites of Voronoi cells.
_POOL = 8
#: Corners of faces keep this distance from those on sharp edges, in spacings. By eye: nearer ones make needles along
#: edges, farther ones leave edges bare.
CLEAR_OF_FEATURES = 0.6
#: Where a wall is thinner than this, in spacings, each corner has one on the other side, so that tetrahedra go straight
#: through: three in the space between two facing triangles. Others would cross it askew, as thin needles. By eye.
THROUGH = 0.6
#: Opposite corners that come closer than this to others, in spacings, are left out. By eye.
TOO_CLOSE = 0.35
#: Corners of faces move off the skin by more or less than they should, by this share of the way at the most: else two
#: pairs in a thin wall are the corners of a rectangle, and round-off makes a flat tetrahedron of them. By eye.
UNEVEN = 0.3
#: More pieces than this are not made of the vertices of a mesh. By time and memory: each vertex of the mesh is a
#: corner, whatever number was asked for.
MOST_PIECES = 400_000
#: Tetrahedra per corner on the skin and per point inside: roughly, for large numbers. Measured on a ball with even
#: corners: 2.0, and 7.4 to 6.5 with one to three points inside for each corner. They only say what is too many, and
#: where a search begins.
PER_CORNER, PER_INNER = 2.5, 6.0


class TetrahedraCorners(NamedTuple):
    """Corners of the tetrahedra to come; those on the skin first."""

    place: Floats  #: (n,3) on the skin or inside
    moved: Floats  #: (n,3) the same, those of the skin moved off it
    on_skin: int  #: how many are on the skin


def skin_corners(
    shape: Shape, count: int, inner: float, within: Within, sizes: Sizes, rng: np.random.Generator
) -> TetrahedraCorners:
    """About `count` corners on the skin, on sharp edges first, and up to `inner` times as many inside."""
    pool, inward = on_skin(shape.body, _POOL * count + 64, rng)
    relative = sizes.relative(pool)
    factor = scaled_to(relative, 2.0 * shape.area, 2, count)
    random = sizes.layout == "uniform"
    edges = features(shape.body, factor, sizes.relative(shape.body.vertices), random, rng)
    free = np.arange(len(pool))
    if len(edges.place) and not random:
        gap = cKDTree(edges.place).query(pool)[0]
        free = free[gap > CLEAR_OF_FEATURES * factor * relative]
    wanted = min(max(count - len(edges.place), 0), len(free))
    pick = free[sizes.spread(pool[free], 2, wanted, rng)]
    faces = Points(pool[pick], -inward[pick])
    faces = _with_opposites(shape, faces, factor * relative[pick], edges.place, wanted)
    place, outward = np.concatenate([edges.place, faces.place]), np.concatenate([edges.outward, faces.outward])
    spacing = factor * sizes.relative(place)
    way = ways(spacing, walls(shape, place, -outward), sag(place, outward, spacing, pool, inward))
    way[len(edges.place) :] *= 1.0 + UNEVEN * rng.uniform(-1.0, 1.0, len(faces.place))
    moved = moved_out(shape.body, place, outward, way)
    points = inner_points(within, round(inner * len(place)), CLEAR_OF_SKIN * factor, sizes, rng)
    return _with_inner(place, moved, points)


def mesh_corners(
    shape: Shape, inner: float, sizes: Sizes, rng: np.random.Generator
) -> tuple[TetrahedraCorners, Floats]:
    """The vertices of the body, and up to `inner` times as many points inside; and where all vertices went (V,3).

    Raises InputError where there are so many vertices that pieces could not be counted.
    """
    body = shape.body
    count = len(np.unique(body.triangles))
    pieces = (PER_CORNER + PER_INNER * inner) * count
    if pieces > MOST_PIECES:
        raise InputError(
            f"The mesh has {number(count, 9)} vertices, which would make about {number(pieces, 2)} pieces: choose "
            "Corners: On Surface, fewer Inner Points, or add a Decimate modifier."
        )
    edges = edge_table(body.triangles, len(body.vertices)).ends
    length = norm(body.vertices[edges[:, 0]] - body.vertices[edges[:, 1]])
    ends = edges.ravel()
    uses = np.bincount(ends, minlength=len(body.vertices))
    spacing = np.bincount(ends, np.repeat(length, 2), len(body.vertices)) / np.maximum(uses, 1)
    outward = vertex_normals(body)
    moved = moved_out(body, body.vertices, outward, ways(spacing, walls(shape, body.vertices, -outward)))
    _, first = np.unique(np.round(moved, 7), axis=0, return_index=True)
    rows = np.sort(first[uses[first] > 0])
    relative, wanted = sizes.relative(body.vertices[rows]), round(inner * len(rows))
    # Where a mesh is coarse, the points inside are nearer to each other than its vertices.
    between = min(
        scaled_to(relative, 2.0 * shape.area, 2, len(rows)), scaled_to(relative, shape.volume, 3, max(wanted, 1))
    )
    points = inner_points(within(shape, wanted, rng), wanted, CLEAR_OF_SKIN * between, sizes, rng)
    return _with_inner(body.vertices[rows], moved[rows], points), moved


def _with_opposites(shape: Shape, points: Points, spacing: Floats, others: Floats, count: int) -> Points:
    """The first of `points` with those on the other side of thin walls, `count` together."""
    wall = walls(shape, points.place, -points.outward)
    thin = np.flatnonzero(wall < np.minimum(THROUGH * spacing, 1.95 * shape.thickness))  # deeper is not measured
    if len(thin) == 0:
        return points
    tree = build_tree(shape.body.vertices, shape.body.triangles)
    place, triangle, _ = nearest_in(tree, points.place[thin] - wall[thin, None] * points.outward[thin])
    outward = measure_skin(shape.body)[1][triangle]
    facing = dot(outward, points.outward[thin]) < -0.5
    facing &= _apart(place, thin, np.concatenate([points.place, others]), TOO_CLOSE * spacing[thin])
    thin, place, outward = thin[facing], place[facing], outward[facing]
    size = np.ones(len(spacing), np.int64)
    size[thin] = 2
    last = int(np.searchsorted(np.cumsum(size), count, side="right"))
    keep = thin < last
    return Points(
        np.concatenate([points.place[:last], place[keep]]), np.concatenate([points.outward[:last], outward[keep]])
    )


def _apart(place: Floats, partner: Ints, others: Floats, distance: Floats) -> Bools:
    """Which places (n,3) are so far from all `others` but their partner, and from those before them."""
    gap, row = (np.reshape(found, (len(place), 2)) for found in cKDTree(others).query(place, 2))
    nearest_other = np.where(row[:, 0] == partner, gap[:, 1], gap[:, 0])
    keep = nearest_other >= distance
    pairs = cKDTree(place).query_pairs(float(distance.max(initial=0.0)), output_type="ndarray")
    for early, late in pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))].tolist():
        if keep[early] and norm(place[early] - place[late]) < distance[late]:
            keep[late] = False
    return keep


def _with_inner(place: Floats, moved: Floats, points: Floats) -> TetrahedraCorners:
    return TetrahedraCorners(np.concatenate([place, points]), np.concatenate([moved, points]), len(place))
