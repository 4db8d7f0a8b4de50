"""Concave bodies for the tests of convex parts."""

import numpy as np

from core.types import Body
from tests import shapes


def cup(segments: int = 32, wall: float = 0.05) -> Body:
    """A straight cup of radius 1 and height 2, standing on z = 0, with a wall and a floor of this thickness."""
    inner = 1.0 - wall
    return shapes.revolved(np.array([[0, 0], [1, 0], [1, 2], [inner, 2], [inner, wall], [0, wall]], float), segments)


def angle_bar() -> Body:
    """An L of two unit squares' arms, one deep: three unit cubes."""
    outline = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], float)
    low, high = np.column_stack([outline, np.zeros(6)]), np.column_stack([outline, np.ones(6)])
    caps = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]
    k = np.arange(6)
    n = (k + 1) % 6
    sides = [np.stack([k, n, n + 6], axis=1), np.stack([k, n + 6, k + 6], axis=1)]
    triangles = np.concatenate([np.array(caps)[:, ::-1], np.array(caps) + 6, *sides])
    return shapes.body(np.concatenate([low, high]), triangles)


def head() -> Body:
    """A ball with two ears and a muzzle, in one skin, like the monkey that every artist knows."""
    ball = shapes.icosphere(4)
    x, y, z = ball.vertices.T
    bump = [(0.9, 0.0, 0.45, 0.9, 0.3), (-0.9, 0.0, 0.45, 0.9, 0.3), (0.0, -1.0, -0.2, 0.4, 0.35)]
    radius = np.ones(len(ball.vertices))
    for a, b, c, height, width in bump:
        d = np.array([a, b, c]) / np.linalg.norm([a, b, c])
        radius += height * np.exp(-((1.0 - (x * d[0] + y * d[1] + z * d[2])) / width**2 * 2))
    return shapes.body(ball.vertices * radius[:, None], ball.triangles)
