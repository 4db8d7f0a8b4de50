"""Concave things as meshes: what a scene has for pieces to fall on, and shards that fall."""

import manifold3d
import numpy as np

from core.types import Floats, Ints
from tests import shapes

Skin = tuple[Floats, Ints]


def union(*boxes) -> Skin:
    """One closed skin around boxes (low, high) that overlap or touch."""
    whole = manifold3d.Manifold()
    for low, high in boxes:
        whole += _block(low, high)
    return _skin(whole)


def bored(box, *holes) -> Skin:
    """A box without others."""
    whole = _block(*box)
    for low, high in holes:
        whole -= _block(low, high)
    return _skin(whole)


def merged(*boxes) -> Skin:
    """A mesh of boxes, each with a skin of its own."""
    body = shapes.joined(*(shapes.box(np.array(low, float), np.array(high, float)) for low, high in boxes))
    return body.vertices, body.triangles


def _block(low, high) -> manifold3d.Manifold:
    low, high = np.array(low, float), np.array(high, float)
    return manifold3d.Manifold.cube(high - low).translate(low)


def _skin(whole: manifold3d.Manifold) -> Skin:
    mesh = whole.to_mesh64()
    return np.array(mesh.vert_properties[:, :3], float), np.array(mesh.tri_verts, np.int64)


def _of(body) -> Skin:
    return body.vertices, body.triangles


def _steps(count: int):
    return [((-2, 0.5 * i, 0), (2, 0.5 * count, 0.3 * (i + 1))) for i in range(count)]


def _slab(x: float, y: float, height: float):
    return (x - 0.4, y - 0.4, 0.0), (x + 0.4, y + 0.4, height)


def _room() -> Skin:
    vertices, triangles = _of(shapes.box(np.array([-2.0, -2.0, 0.0]), np.array([2.0, 2.0, 3.0])))
    return vertices, triangles[:, ::-1]


BOWL = np.array([[0, 0], [1, 0], [1.4, 1], [1.3, 1], [0.9, 0.1], [0, 0.1]])

#: What pieces fall on; z is up, and the ground lies at z = -0.5.
OBSTACLES: dict[str, Skin] = {
    "step": union(((-3, -3, 0), (3, 3, 1)), ((-3, -3, 0), (0, 3, 3))),
    "stairs": union(*_steps(5)),
    "ten stairs": union(*_steps(10)),
    "merged stairs": merged(*(((-2, 0.5 * i, 0), (2, 0.5 * i + 0.5, 0.3 * (i + 1))) for i in range(5))),
    "channel": union(((-2, -2, 0), (2, 2, 0.4)), ((-2, -2, 0), (-1.2, 2, 2)), ((1.2, -2, 0), (2, 2, 2))),
    "tub": bored(((-2, -2, 0), (2, 2, 1)), ((-1.8, -1.8, 0.2), (1.8, 1.8, 2))),
    "plinth": union(((-1, -1, 0), (1, 1, 1)), ((-1.6, -1.6, 1), (1.6, 1.6, 1.3)), ((-0.6, -0.6, 1.3), (0.6, 0.6, 1.6))),
    "T": union(((-0.3, -2, 0), (0.3, 2, 1)), ((-2, -2, 1), (2, 2, 1.4))),
    "cross": union(((-2, -0.4, 0), (2, 0.4, 0.8)), ((-0.4, -2, 0), (0.4, 2, 1.2))),
    "table": union(
        ((-1.5, -1.5, 1), (1.5, 1.5, 1.15)),
        *(((x, y, 0), (x + 0.2, y + 0.2, 1.05)) for x in (-1.4, 1.2) for y in (-1.4, 1.2)),
    ),
    "plate with holes": bored(
        ((-2, -2, 0), (2, 2, 0.4)), ((-0.9, -0.4, -1), (-0.1, 0.4, 1)), ((0.5, -0.5, -1), (1.4, 0.6, 1))
    ),
    "house": bored(
        ((-2, -2, 0), (2, 2, 2.5)), ((-1.8, -1.8, 0.2), (1.8, 1.8, 3)), ((-0.5, -2.5, 0.2), (0.5, -1.5, 1.8))
    ),
    "room": _room(),
    "torus": _of(shapes.torus(1.2, 0.4, 32, 16)),
    "bowl": _of(shapes.revolved(BOWL, 24)),
    "spiral": merged(*(_slab(np.cos(0.6 * k), np.sin(0.6 * k), 0.2 + 0.12 * k) for k in range(10))),
}

#: What falls, convex and concave.
SHARDS: dict[str, Skin] = {
    "cube": merged(((0, 0, 0), (0.3, 0.3, 0.3))),
    "L": union(((0, 0, 0), (0.4, 0.1, 0.1)), ((0, 0, 0), (0.1, 0.4, 0.12))),
    "U": union(((0, 0, 0), (0.4, 0.2, 0.08)), ((0, 0, 0), (0.08, 0.2, 0.3)), ((0.32, 0, 0), (0.4, 0.2, 0.3))),
    "T": union(((0, 0, 0), (0.4, 0.1, 0.1)), ((0.15, 0, 0), (0.25, 0.1, 0.4))),
    "rod": merged(((0, 0, 0), (0.6, 0.05, 0.05))),
    "plate": union(((0, 0, 0), (0.4, 0.4, 0.04)), ((0, 0, 0), (0.04, 0.4, 0.2))),
    "cup": _of(shapes.revolved(np.array([[0, 0], [0.15, 0], [0.2, 0.2], [0.18, 0.2], [0.13, 0.02], [0, 0.02]]), 12)),
}
