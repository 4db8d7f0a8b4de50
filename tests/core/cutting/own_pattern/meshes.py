"""Closed meshes as an artist may give them: boxes, what Booleans leave of them, and the pieces of an earlier break."""

import manifold3d
import numpy as np

from core.cutting.cut import cut
from core.fragments.build import build_fragments
from core.fragments.triangulate import triangulated
from core.types import Body, Cells, Floats, Ints
from tests import shapes
from tests.core.cutting.closedness import cell_triangles, voronoi

Mesh = tuple[str, Floats, Ints]

CUBE = shapes.box((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0))


def box(name: str, low: tuple[float, ...], high: tuple[float, ...]) -> Mesh:
    body = shapes.box(np.array(low), np.array(high))
    return name, body.vertices, body.triangles


def octants() -> list[Mesh]:
    corners = [np.array(corner, float) for corner in np.ndindex(2, 2, 2)]
    return [box(f"Octant.{k}", tuple(corner - 1.0), tuple(corner)) for k, corner in enumerate(corners)]


def solid(body: Body) -> manifold3d.Manifold:
    return manifold3d.Manifold(manifold3d.Mesh64(np.array(body.vertices), body.triangles.astype(np.uint64)))


def mesh(name: str, made: manifold3d.Manifold) -> Mesh:
    arrays = made.to_mesh64()
    return name, np.array(arrays.vert_properties)[:, :3], np.array(arrays.tri_verts).astype(np.int64)


def interlocking() -> list[Mesh]:
    """A block with a hook, and what is left of the cube around it."""
    hook = solid(shapes.box((-1, -1, -1), (0, 1, 1))) + solid(shapes.box((-0.1, -0.3, -0.3), (0.5, 0.3, 0.3)))
    hook += solid(shapes.box((0.4, -0.6, -0.3), (0.7, 0.6, 0.3)))
    return [mesh("Hook", hook), mesh("Rest", solid(CUBE) - hook)]


def island() -> list[Mesh]:
    """A ball within a cube, and the cube around it: a region that is nowhere at the rim."""
    ball = solid(shapes.icosphere(1, 0.5))
    return [mesh("Ball", ball), mesh("Shell", solid(CUBE) - ball)]


def pieces(body: Body, count: int, seed: int, single: bool = False) -> list[Mesh]:
    """The fragments of an earlier break at their places; `single`: as Blender stores them, each about its origin."""
    cells = cut(body, voronoi(body, count, seed=seed))
    units = [np.array([k]) for k in range(int(cells.unit.max()) + 1)]
    broken = triangulated(build_fragments(cells, units, 1.0, body))
    result = []
    for k in range(len(units)):
        vertices = broken.vertices[broken.vertex_start[k] : broken.vertex_start[k + 1]]
        centre = broken.centre[k]
        if single:
            vertices, centre = vertices.astype(np.float32).astype(float), centre.astype(np.float32).astype(float)
        first, last = broken.corner_start[broken.face_start[k : k + 2]]
        result.append((f"Shard.{k:03d}", vertices + centre, broken.corner_vertex[first:last].reshape(-1, 3)))
    return result


def surface(cells: Cells, cell: int) -> tuple[Floats, Ints]:
    return cells.vertices, cell_triangles(cells, cell)
