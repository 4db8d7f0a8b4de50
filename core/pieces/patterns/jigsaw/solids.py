"""The meshes of a pattern, one by one: closed, facing outward, or refused by name."""

from typing import NamedTuple

import numpy as np

from ....errors import InputError
from ....geometry.inside import winding_number
from ....geometry.mesh import edge_table, edge_uses, find_shells, volume
from ....geometry.sides import sides
from ....types import Floats, Ints


class JigsawSolid(NamedTuple):
    """A closed mesh that faces outward."""

    name: str
    vertices: Floats  #: (V,3)
    triangles: Ints  #: (T,3)


def solid(name: str, vertices: Floats, triangles: Ints) -> JigsawSolid:
    """A closed mesh (V,3), (T,3) with its triangles turned outward; vertices at equal places become one.

    Raises InputError, which names the mesh, where it is open, empty, or has values that are no numbers.
    """
    points = np.asarray(vertices, np.float64).reshape(-1, 3)
    corners = np.asarray(triangles, np.int64).reshape(-1, 3)
    if len(corners) == 0:
        raise InputError(f'"{name}" has no faces: remove it from the pattern.')
    if not np.isfinite(points).all():
        raise InputError(f'"{name}" has vertices without a place: remove them.')
    if corners.min() < 0 or corners.max() >= len(points):
        raise InputError(f'"{name}" has faces with vertices that do not exist.')
    points, which = np.unique(points[np.unique(corners)] + 0.0, axis=0, return_inverse=True)
    place = np.zeros(int(corners.max()) + 1, np.int64)
    place[np.unique(corners)] = which.ravel()
    corners = place[corners]
    corners = corners[(corners != np.roll(corners, 1, axis=1)).all(axis=1)]
    _check_closed(name, corners)
    corners = _outward(points, corners)
    if not volume(points, corners) > 0.0:
        raise InputError(f'"{name}" encloses no space: it is flat.')
    return JigsawSolid(name, points, corners)


def _check_closed(name: str, triangles: Ints) -> None:
    if len(triangles) == 0:
        raise InputError(f'"{name}" encloses no space: it is flat.')
    edges = edge_table(triangles)
    odd = edge_uses(edges) % 2 == 1
    count = int(np.count_nonzero(odd & edges.proper))
    if count:
        what = "one edge has" if count == 1 else f"{count} edges have"
        raise InputError(f'"{name}" is open: {what} a face on one side only. Close its holes, or merge by distance.')


def _outward(vertices: Floats, triangles: Ints) -> Ints:
    """The triangles, turned so that matter lies behind them; a shell within another one is the wall of a hollow."""
    found = sides(vertices, triangles)
    behind, front = found.volume[found.group[:, 0]], found.volume[found.group[:, 1]]
    turned = np.where((front > behind)[:, None], triangles[:, [0, 2, 1]], triangles)
    shell = find_shells(edge_table(turned))
    count = int(shell.max()) + 1
    if count == 1:
        return turned
    depth = np.zeros(count, np.int64)
    first = np.unique(shell, return_index=True)[1]
    for other in range(count):
        rows = shell == other
        around = winding_number(vertices, turned[rows], vertices[turned[first, 0]])
        around[other] = 0
        depth += around > 0
    return np.where((depth[shell] % 2 == 1)[:, None], turned[:, [0, 2, 1]], turned)
