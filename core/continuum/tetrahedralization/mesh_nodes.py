"""Where the nodes of a mesh of tetrahedra begin: on corners and sharp edges of a body, all over its surface, inside."""

from dataclasses import dataclass

import numpy as np

from ...geometry.bvh import Tree
from ...geometry.inside import inside
from ...geometry.mesh import areas, unit_normals
from ...geometry.nearest import nearest_in
from ...pieces.tetrahedra.features import features
from ...types import Body, Floats, Frozen
from .size_field import SizeField
from .thinning import thin_points

#: Nodes keep this distance, in sizes [1]. Measured: edges then have the length that was asked for in the mean.
APART = 0.66
#: Those of edges and corners keep this one, so that all of a run stays [1]. By eye: less makes a rough scan too fine.
_CROWDED = 0.45
#: Candidates per node that would fit. Chosen: more fill gaps of some hundredths.
_TRIES = 8.0
#: Nodes of two sides of a wall, or inside and on the surface, keep this share of it [1]. By eye.
_SIDED = 0.35
#: Nodes inside keep this distance from the surface, in sizes [1]. By eye: two thirds of a height of even tetrahedra.
_DEPTH = 0.55
#: Candidates at a time, so that memory stays small. Chosen.
_BATCH = 200_000


@dataclass(frozen=True, eq=False, slots=True)
class MeshNodes(Frozen):
    """Nodes: first those that stay, on edges and corners, then those of the surface, then those inside."""

    place: Floats  #: (n,3) [m]
    normal: Floats  #: (n,3) unit, outward on the surface, 0 inside
    fixed: int  #: how many stay where they are
    surface: int  #: how many are on the surface, with those


def place_nodes(body: Body, tree: Tree, sizes: SizeField, rng: np.random.Generator) -> MeshNodes:
    """Nodes at random that keep their distance, more of them where elements are to be small."""
    sharp = features(body, 1.0, sizes.at(body.vertices), False, rng)
    place, normal = _scatter_surface(body, sizes, rng)
    place, normal = np.concatenate([sharp.place, place]), np.concatenate([sharp.outward, normal])
    apart = np.where(np.arange(len(place)) < len(sharp.place), _CROWDED, APART) * sizes.at(place)
    stays = thin_points(place, normal, apart, _SIDED, 0)
    fixed = int(np.count_nonzero(stays[: len(sharp.place)]))
    outer, outward = place[stays], normal[stays]
    inner = _scatter_inside(body, tree, sizes, rng)
    place = np.concatenate([outer, inner])
    normal = np.concatenate([outward, np.zeros_like(inner)])
    stays = thin_points(place, normal, APART * sizes.at(place), 1.0, len(outer))
    return MeshNodes(place[stays], normal[stays], fixed, len(outer))


def _scatter_surface(body: Body, sizes: SizeField, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Candidates (n,3) at random, and their normals (n,3)."""
    area = areas(body.vertices, body.triangles)
    least = float(sizes.size.min())
    total = np.cumsum(area)
    # As many as would be needed if all elements were as small as the smallest, less where they are not.
    count = int(_TRIES * total[-1] / (APART * APART * least * least)) + 1
    found, kept = [], []
    for first in range(0, count, _BATCH):
        n = min(_BATCH, count - first)
        triangle = np.minimum(np.searchsorted(total, rng.random(n) * total[-1], side="right"), len(area) - 1)
        u, v = rng.random(n), rng.random(n)
        u, v = np.where(u + v > 1.0, 1.0 - u, u), np.where(u + v > 1.0, 1.0 - v, v)
        a, b, c = (body.vertices[body.triangles[triangle, k]] for k in range(3))
        place = a + u[:, None] * (b - a) + v[:, None] * (c - a)
        share = least / sizes.at(place)
        stays = rng.random(n) < share * share
        found.append(place[stays])
        kept.append(triangle[stays])
    normal = unit_normals(body.vertices[body.triangles])
    return np.concatenate(found), normal[np.concatenate(kept)]


def _scatter_inside(body: Body, tree: Tree, sizes: SizeField, rng: np.random.Generator) -> Floats:
    """Candidates (n,3) at random inside, not too near to the surface."""
    size = sizes.size
    cell = size[:-1, :-1, :-1]
    for k in range(1, 8):  # the least of its corners
        i, j, m = k & 1, k >> 1 & 1, k >> 2 & 1
        cell = np.minimum(cell, size[i:, j:, m:][: cell.shape[0], : cell.shape[1], : cell.shape[2]])
    weight = np.cumsum(1.0 / (cell * cell * cell).ravel())
    fit = sizes.step * sizes.step * sizes.step / (APART * APART * APART)
    count = int(_TRIES * fit * weight[-1]) + 1
    found = []
    for first in range(0, count, _BATCH):
        n = min(_BATCH, count - first)
        row = np.minimum(np.searchsorted(weight, rng.random(n) * weight[-1], side="right"), len(weight) - 1)
        corner = np.stack(np.unravel_index(row, cell.shape), axis=1)
        place = sizes.low + sizes.step * (corner + rng.random((n, 3)))
        place = place[inside(body, place)]
        _, _, distance = nearest_in(tree, place)
        found.append(place[distance > _DEPTH * sizes.at(place)])
    return np.concatenate(found)
