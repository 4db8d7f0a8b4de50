"""Closed meshes in which faces are doubled, folded or touching: merged by distance, united, mirrored, scanned."""

import numpy as np

from .parts import box, bumpy, joined, reverse, sphere, torus

Solid = tuple[np.ndarray, np.ndarray]


def merged(*solids: Solid) -> Solid:
    """The solids in one mesh, points at one place made one."""
    vertices, triangles = joined(*solids)
    points, number = np.unique(np.round(vertices, 9), axis=0, return_inverse=True)
    triangles = number.reshape(-1)[triangles]
    proper = (triangles != np.roll(triangles, 1, axis=1)).all(axis=1)
    return points, triangles[proper]


def boxes_on_one_base(*heights: float) -> Solid:
    """Boxes of 2 m by 2 m with one base, which is there once for each of them."""
    return merged(*(box((-1.0, -1.0, 0.0), (1.0, 1.0, height)) for height in heights))


def with_flap(outward: float) -> Solid:
    """A cube of 2 m with a flap of two sides at an edge, which reaches out by so much, or in."""
    vertices, triangles = merged(box())
    a, b = (int(np.flatnonzero((vertices == corner).all(axis=1))[0]) for corner in ([1, 1, 1], [1, 1, -1]))
    flap = np.array([[a, b, len(vertices) + 1], [a, len(vertices) + 1, len(vertices)]])
    tip = vertices[[a, b]] + [outward, outward, 0.0]
    return np.concatenate([vertices, tip]), np.concatenate([triangles, flap, flap[:, ::-1]])


def mirrored_whole(solid: Solid, hole: bool = False) -> Solid:
    """A whole model with a mirror on top: two copies, which lie in each other. With a hole, both are open."""
    vertices, triangles = solid
    if hole:
        middle = vertices[triangles].mean(axis=1)
        triangles = triangles[np.linalg.norm(middle - vertices[3], axis=1) > 0.25]
    return joined((vertices, triangles), reverse((vertices * [-1.0, 1.0, 1.0], triangles)))


def scanned(seed: int, count: int = 80) -> tuple[Solid, Solid]:
    """A noisy ring with `count // 4` to `count / 40` of each fault of a scan, and the same without them."""
    rng = np.random.default_rng([7_401, seed])
    vertices, triangles = torus(1.0, 0.4, count, count // 2)
    vertices = vertices + rng.normal(0.0, 0.002, vertices.shape)
    good = vertices, triangles

    def some(number: int) -> np.ndarray:
        return rng.choice(len(triangles), number, replace=False)

    copies, backs = triangles[some(count // 4)], triangles[some(count // 4)][:, ::-1]
    hung = triangles[some(count // 8)]  # folded flaps, a hair above the surface
    tip = len(vertices) + np.arange(len(hung))
    flap = np.stack([hung[:, 0], hung[:, 1], tip], axis=1)
    vertices = np.concatenate([vertices, vertices[hung].mean(axis=1) * 1.01])
    triangles = np.delete(triangles, some(count // 40), axis=0)
    triangles[some(count // 8)] = triangles[some(count // 8)][:, ::-1]
    return good, (vertices, np.concatenate([triangles, copies, backs, flap, flap[:, ::-1]]))


def doubled_patch(copies: int, facing: int = 1) -> Solid:
    """A sphere of which the cap is there again, facing as it does or the other way."""
    vertices, triangles = sphere(4)
    cap = triangles[vertices[triangles].mean(axis=1)[:, 2] > 0.6][:, ::facing]
    return vertices, np.concatenate([triangles, *[cap] * copies])


def crossed_and_doubled() -> Solid:
    """Two stones that pass through each other and share the corner of a doubled box."""
    return merged(bumpy(3, 1), bumpy(3, 2), boxes_on_one_base(2.0, 3.0))
