"""The last resort, on request only: a new surface around everything that the triangles wind about at least half.

Whatever the mesh was, the result is closed, outward, 2-manifold and free of crossings (`geometry.marching`). It keeps
no triangle: edges and corners are cut off by less than a cell, walls and gaps thinner than a cell may vanish, and
attributes come from the nearest triangle. Holes close by the surface where the winding number is 1/2, a smooth
membrane; sheets, which enclose nothing, are lost.
"""

from typing import NamedTuple

import numpy as np

from ..arithmetic.products import dot, norm
from ..config.params import advised
from ..config.repair import Repair
from ..errors import InputError
from ..geometry.barycentric import closest_weights
from ..geometry.bvh import build_tree
from ..geometry.marching import Marched, marched
from ..geometry.mesh import cross_rows, diagonal, edge_table, find_shells, volume
from ..geometry.nearest import nearest_in
from ..geometry.shells import measure_shells
from ..types import Floats, Ints
from .surface import TURNED

# Volume below which a part, or a bubble in one, is dropped: the grid says nothing about its shape; by eye: two along
# each axis.
LEAST_CELLS = 8.0
# Cosine between a triangle and its parent below which a parent that faces the same way is looked for; by eye: 60
# degrees.
AGREE = 0.5
#: Bounds the memory.
POINTS_AT_ONCE = 1 << 14


class Remeshed(NamedTuple):
    """The new surface of n triangles, and where each takes its attributes from."""

    vertices: Floats  #: (V,3) [m]
    triangles: Ints  #: (n,3) closed, outward, 2-manifold, without crossings
    parent: Ints  #: (n,) input triangle nearest to the triangle's centre; near edges, one that faces the same way
    weight: Floats  #: (n,3,3) barycentric coordinates of the place in the parent closest to each corner
    dropped: int  #: parts and bubbles of less than eight cells of the grid, which are not there


def remeshed(vertices: Floats, triangles: Ints, resolution: int = 128) -> Remeshed:
    """The surface of the points with a winding number of at least 1/2, on `resolution` cells along the longest side.

    Triangles (T,3) of finite `vertices (V,3)` [m]; a mesh that is inside out as a whole is turned first. The volume is
    that of the mesh to a cell at its edges; the time is that of about 10 resolution^2 winding numbers.
    Raises InputError where nothing with a volume of eight cells is enclosed.
    """
    corner = vertices[triangles.reshape(-1)]
    if not diagonal(corner) > 0.0:
        raise _nothing(resolution)
    inside_out = volume(corner, np.arange(len(corner)).reshape(-1, 3)) < 0.0
    outward = triangles[:, TURNED] if inside_out else triangles
    surface, dropped = _without_noise(marched(vertices, outward, resolution))
    if len(surface.triangles) == 0:
        raise _nothing(resolution)
    parent = _parents(vertices, outward, surface)
    weight = _weights(vertices, triangles, surface, parent)
    return Remeshed(surface.vertices, surface.triangles, parent, weight, dropped)


def _nothing(resolution: int) -> InputError:
    higher = advised(Repair, "resolution", 2 * resolution)
    return InputError(
        f"The mesh encloses nothing that shows at a remesh resolution of {resolution}: "
        f"{f'{higher}, or ' if higher else ''}give the mesh thickness."
    )


def _without_noise(surface: Marched) -> tuple[Marched, int]:
    """The surface without its parts of less than eight cells, and how many those were."""
    if len(surface.triangles) == 0:
        return surface, 0
    shell = find_shells(edge_table(surface.triangles))
    least = LEAST_CELLS * surface.cell * surface.cell * surface.cell
    kept = np.abs(measure_shells(surface.vertices, surface.triangles, shell).volume) >= least
    if kept.all():
        return surface, 0
    triangles = surface.triangles[kept[shell]]
    used = np.zeros(len(surface.vertices), dtype=np.bool_)
    used[triangles] = True
    triangles = (np.cumsum(used) - 1)[triangles]
    return Marched(surface.vertices[used], triangles, surface.hit[used], surface.cell), int(np.count_nonzero(~kept))


def _parents(vertices: Floats, triangles: Ints, surface: Marched) -> Ints:
    """The triangle (n,) nearest to the centre of each new triangle.

    Where it faces another way, as across an edge or a thin wall, that of the triangles on which the corners lie
    which faces most the same way.
    """
    tree = build_tree(vertices, triangles)
    normal = _normals(vertices, triangles)
    parent = np.empty(len(surface.triangles), np.int64)
    for first in range(0, len(parent), POINTS_AT_ONCE):
        rows = surface.triangles[first : first + POINTS_AT_ONCE]
        own = _normals(surface.vertices, rows)
        centre = sum(surface.vertices[rows[:, k]] for k in range(3)) / 3.0
        near = nearest_in(tree, centre)[1]
        cosine = dot(own, normal[near])
        doubt = np.flatnonzero(cosine < AGREE)
        others = surface.hit[rows[doubt]]
        agreement = np.where(others >= 0, dot(own[doubt, None], normal[others]), -np.inf)
        best = agreement.argmax(axis=1)
        each = np.arange(len(doubt))
        near[doubt] = np.where(agreement[each, best] > cosine[doubt], others[each, best], near[doubt])
        parent[first : first + POINTS_AT_ONCE] = near
    return parent


def _normals(vertices: Floats, triangles: Ints) -> Floats:
    """Unit normals (n,3); 0 for a triangle without area."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normal = cross_rows(b - a, c - a)
    length = norm(normal)
    result: Floats = normal / np.where(length > 0.0, length, 1.0)[:, None]
    return result


def _weights(vertices: Floats, triangles: Ints, surface: Marched, parent: Ints) -> Floats:
    """Barycentric coordinates (n,3,3) of the corners in the parents."""
    weight = np.empty((len(parent), 3, 3))
    for first in range(0, len(parent), POINTS_AT_ONCE):
        rows = slice(first, first + POINTS_AT_ONCE)
        corner = np.repeat(vertices[triangles[parent[rows]]], 3, axis=0)
        points = surface.vertices[surface.triangles[rows]].reshape(-1, 3)
        weight[rows] = closest_weights(corner, points).reshape(-1, 3, 3)
    return weight
