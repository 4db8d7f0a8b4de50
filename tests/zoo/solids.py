"""Closed meshes: clean, overlapping, nested, touching, crossing themselves."""

import numpy as np

from tests import shapes

from . import parts
from .parts import box, bumpy, joined, moved, reverse, sphere, tube, welded


def cube(size=2.0):
    return moved(box(), scale=0.5 * size)


def blob():
    """Two metaballs that have flowed together: a Cassini oval turned about its long axis, from pole to pole."""
    angle = np.pi * np.arange(25) / 24
    wave = np.cos(2.0 * angle)
    radius = np.sqrt(wave + np.sqrt(1.02**4 - 1.0 + wave * wave))
    profile = np.stack([radius * np.sin(angle), -radius * np.cos(angle)], axis=1)[1:-1]
    poles = np.array([[0.0, 0.0, -radius[0]], [0.0, 0.0, radius[-1]]])
    vertices, triangles = parts.turned_about_z(profile, 32)
    k, n, rings, last = np.arange(32), (np.arange(32) + 1) % 32, len(profile), len(vertices)
    south = np.stack([np.full(32, last), n * rings, k * rings], axis=1)
    north = np.stack([np.full(32, last + 1), k * rings + rings - 1, n * rings + rings - 1], axis=1)
    return np.concatenate([vertices, poles]), np.concatenate([triangles, south, north])


def knot(angle):
    """A trefoil in space, which does not come near to itself."""
    return np.stack(
        [np.sin(angle) + 2 * np.sin(2 * angle), np.cos(angle) - 2 * np.cos(2 * angle), -np.sin(3 * angle)], axis=1
    )


def curve_loop():
    """A bevelled closed curve."""
    return tube(knot(2.0 * np.pi * np.arange(96) / 96), 0.25, 10, closed=True)


def curve_through_itself(loops=3, across=12):
    """A bevelled open curve in one plane with loops: the tube runs through itself at each of them."""
    t = np.linspace(0.0, 1.0, round(140 * loops / 3))
    turn = 2.0 * np.pi * loops * t
    path = np.stack([4.0 / 3.0 * loops * t + 0.9 * np.sin(turn), 0.9 * np.cos(turn), 0.02 * t], axis=1)
    return tube(path, 0.11, across, closed=False)


def many_crossings():
    """One shell of 73k triangles with about 10,000 pairs that cross."""
    return curve_through_itself(65)


def figure_of_eight():
    """A bevelled closed curve that crosses itself once."""
    t = 2.0 * np.pi * (np.arange(90) + 0.3) / 90
    path = np.stack([1.5 * np.sin(t), np.sin(t) * np.cos(t), 0.0 * t], axis=1)
    return tube(path, 0.15, 9, closed=True)


OVERLAPPING = [((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0)), ((-0.3, -0.2, -0.1), (1.7, 1.8, 1.9))]


def overlapping_cubes():
    return joined(*(box(*b) for b in OVERLAPPING))


def overlapping_shells(count=100, levels=4, seed=5):
    """A cluster of spheres, 8 x 4^levels triangles each, most of which overlap others."""
    rng = np.random.default_rng(seed)
    side = 1.1 * count ** (1.0 / 3.0)
    return joined(*(moved(sphere(levels), rng.uniform(0.0, side, 3), k, 0.7) for k in range(count)))


def nested(outward):
    inner = moved(box(), (0.1, 0.2, -0.1), scale=0.5)
    return joined(box(), inner if outward else reverse(inner))


def sphere_in_hollow_sphere():
    """A cavity with a ball in it: three shells, nothing to repair."""
    return joined(sphere(3), moved(reverse(sphere(3)), scale=0.8), moved(sphere(2), scale=0.5))


def shared_wall():
    """Two chambers with one wall between them: its four edges have three faces."""
    left, right = box((-2.0, -1.0, -1.0), (0.0, 1.0, 1.0)), box((0.0, -1.0, -1.0), (2.0, 1.0, 1.0))
    vertices, triangles = welded(joined(left, right))
    corners = np.sort(triangles, axis=1)
    _, first = np.unique(corners, axis=0, return_index=True)
    return vertices, triangles[np.sort(first)]


def shared_edge():
    return welded(joined(box(), moved(box(), (2.0, 2.0, 0.0))))


def shared_vertex():
    return welded(joined(box(), moved(box(), (2.0, 2.0, 2.0))))


def head():
    """A bumpy ball with two eyes: open shells, sunk in so that their borders lie within it."""
    face = bumpy(4, 3)
    vertices, triangles = sphere(3)
    front = triangles[vertices[triangles][:, :, 2].max(axis=1) > -0.35]
    tilt = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # z to -y
    eyes = []
    for x in (-0.35, 0.35):
        direction = np.array([x, -0.8, 0.3]) / np.linalg.norm([x, -0.8, 0.3])
        reach = np.max((face[0] @ direction)[(face[0] @ direction) > 0.97 * np.linalg.norm(face[0], axis=1)])
        eyes.append((0.22 * vertices @ tilt.T + 0.9 * reach * direction, front))
    return joined(face, *eyes)


def head_with_whole_eyes():
    """As `head`, the eyes closed: the same matter where what is missing lies within the head."""
    face, eyes = bumpy(4, 3), head()
    vertices, triangles = sphere(3)
    count = len(vertices)
    starts = [len(face[0]), len(face[0]) + count]
    return joined(face, *((eyes[0][at : at + count], triangles) for at in starts))


def dragon(seed=0):
    """A bumpy body with 400 loose membranes between its own vertices: each is there twice, back to back.

    Half of them lie on faces of the skin, half span two neighbouring faces the other way: edges with 4 and 6 faces.
    """
    rng = np.random.default_rng(seed)
    vertices, triangles = bumpy(5, 4)
    on_skin = triangles[rng.choice(len(triangles), 200, replace=False)]
    sides = np.concatenate([triangles[:, [0, 1, 2]], triangles[:, [1, 2, 0]], triangles[:, [2, 0, 1]]])
    apex = {(a, b): c for a, b, c in sides.tolist()}
    chosen = sides[rng.choice(len(sides), 200, replace=False)]
    across = np.array([[a, apex[b, a], c] for a, b, c in chosen.tolist()])
    flaps = np.concatenate([on_skin, across])
    return vertices, np.concatenate([triangles, flaps, flaps[:, ::-1]])


def scan(noise=0.005, seed=1):
    """A stone as a scanner gives it: 82k triangles with noise of a quarter of an edge's length in all directions."""
    stone = shapes.icosphere(6)
    x, y, z = stone.vertices.T
    radius = 1.0 + 0.2 * np.sin(5 * x + 1) * np.cos(4 * y) * np.sin(6 * z + 2)
    rng = np.random.default_rng(seed)
    return stone.vertices * radius[:, None] + rng.normal(0.0, noise, (len(x), 3)), stone.triangles
