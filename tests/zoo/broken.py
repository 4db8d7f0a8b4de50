"""Good meshes that lost their order: split, flipped, doubled, torn, damaged, moved far away."""

import numpy as np

from tests import shapes

from .parts import box, bumpy, joined, moved, soup, sphere, subdivided


def soup_cube(noise=0.0, seed=2):
    """Every triangle of a cube with vertices of its own, moved by up to `noise` [m]."""
    vertices, triangles = soup(*subdivided(*box()))
    return vertices + np.random.default_rng(seed).uniform(-noise, noise, vertices.shape), triangles


def cube_in_six_parts(gap=2e-3):
    """Six squares, each `gap` [m] smaller all round than the side of the cube that it should be."""
    sides = []
    for axis in range(3):
        for end in (-1.0, 1.0):
            vertices, triangles = box()
            side = triangles[(vertices[triangles][:, :, axis] == end).all(axis=1)]
            shrunk = vertices * (1.0 - gap)
            shrunk[:, axis] = vertices[:, axis]
            used, inverse = np.unique(side, return_inverse=True)
            sides.append((shrunk[used], inverse.reshape(side.shape)))
    return joined(*sides)


def cube_with_t_junctions():
    """Each edge of the top is split on the top's side only."""
    vertices, triangles = box()
    top = (vertices[triangles][:, :, 2] == 1.0).all(axis=1)
    rim = [(-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0)]
    fan = np.array([[0, 0, 1], *((x, y, 1) for x, y in rim)], float)
    k = np.arange(8)
    return joined((vertices, triangles[~top]), (fan, np.stack([np.zeros(8, int), 1 + k, 1 + (k + 1) % 8], axis=1)))


def sealed_t_junctions():
    """Edges split on one side, the slits closed by triangles without area."""
    body = shapes.with_flat_caps(shapes.box(), 12)
    return body.vertices, body.triangles


def some_flipped(share=0.1, seed=3):
    vertices, triangles = bumpy(3, 5)
    triangles = triangles.copy()
    rows = np.random.default_rng(seed).choice(len(triangles), int(share * len(triangles)), replace=False)
    triangles[rows] = triangles[rows][:, ::-1]
    return vertices, triangles


def double_sided_cube():
    """Every face a second time, the other way round."""
    vertices, triangles = subdivided(*box())
    return vertices, np.concatenate([triangles, triangles[:, ::-1]])


def cube_with_twins():
    """A tenth of the faces a second time, the same way round."""
    vertices, triangles = subdivided(*box())
    return vertices, np.concatenate([triangles, triangles[::10]])


def far_away(distance, levels=3, centred=True):
    """A mesh of 2 m whose coordinates, not its object, are far away: rounded to float32 there, as Blender stores them.

    Whoever reads a mesh moves it to the middle of its box; so does `centred`.
    """
    shift = distance * np.array([1.0, -0.5, 0.25])
    vertices, triangles = moved(bumpy(levels, 2), shift)
    rounded = vertices.astype(np.float32).astype(np.float64)
    return rounded - shift if centred else rounded, triangles


def spacing(distance):
    """Of float32 numbers at a distance [m]."""
    return float(np.spacing(np.float32(distance)))


def some_undefined(count=3):
    """A few vertices at NaN or infinity."""
    vertices, triangles = bumpy(4, 5)
    vertices = vertices.copy()
    vertices[np.linspace(50, len(vertices) - 50, count).astype(int)] = [np.nan, np.inf, 0.0]
    return vertices, triangles


def all_undefined():
    vertices, triangles = sphere(1)
    return np.full_like(vertices, np.nan), triangles


def empty():
    return np.zeros((0, 3)), np.zeros((0, 3), np.int64)


def loose_points():
    return box()[0], np.zeros((0, 3), np.int64)


def only_degenerate():
    """Triangles with a repeated vertex only."""
    return box()[0], np.array([[0, 0, 1], [2, 3, 3], [4, 5, 4]])


def only_collinear():
    """Triangles with three different vertices on one line."""
    return np.arange(9.0).reshape(-1, 1) * [1.0, 2.0, 0.5], np.array([[0, 1, 2], [2, 3, 4], [5, 6, 8]])


def one_point():
    """All vertices in one place."""
    return np.ones_like(box()[0]), box()[1]
