"""Surfaces with borders, with one side, or with more faces at an edge than matter has."""

import numpy as np

from .parts import bumpy, disc, joined, moved, quads, surface, turned_about_z, welded

SEGMENTS = 32
#: Outside of a bottle of height 2, from the middle of its base (pushed in) to its mouth.
BOTTLE = ((0.28, 0.06), (0.33, 0.0), (0.36, 0.05), (0.36, 1.2), (0.30, 1.4), (0.12, 1.6), (0.11, 1.9), (0.13, 2.0))
CUP_RADIUS, CUP_HEIGHT, CUP_WALL = 0.4, 1.2, 0.05


def grid(columns=12, rows=10):
    """A plane of 1.2 m x 1 m."""
    x, y = np.meshgrid(np.arange(columns + 1) * 0.1, np.arange(rows + 1) * 0.1, indexing="ij")
    return surface(np.stack([x, y, 0.0 * x], axis=-1))


def bowl():
    """Half a sphere, a curved sheet."""
    angle = np.linspace(0.05, 0.5 * np.pi, 10)
    return turned_about_z(np.stack([np.sin(angle), -np.cos(angle)], axis=1), SEGMENTS)


def cup():
    """A cylinder with a bottom and no lid."""
    side = turned_about_z(np.stack([np.full(6, CUP_RADIUS), np.linspace(0.0, CUP_HEIGHT, 6)], axis=1), SEGMENTS)
    return welded(joined(side, disc(CUP_RADIUS, 0.0, SEGMENTS, up=False)))


def cup_without_bottom():
    """A cup with a wall: outside, rim, inside and the floor in it, but nothing below."""
    inner = CUP_RADIUS - CUP_WALL
    profile = [(CUP_RADIUS, 0.0), (CUP_RADIUS, CUP_HEIGHT), (inner, CUP_HEIGHT), (inner, CUP_WALL)]
    return welded(joined(turned_about_z(profile, SEGMENTS), disc(inner, CUP_WALL, SEGMENTS)))


def pipe():
    """A tube without caps, 2 m long."""
    return turned_about_z(np.stack([np.full(9, 0.5), np.linspace(-1.0, 1.0, 9)], axis=1), SEGMENTS)


def bottle():
    """A bottle as one surface, open at the mouth."""
    wall = turned_about_z(BOTTLE, SEGMENTS)
    return welded(joined(wall, disc(BOTTLE[0][0], BOTTLE[0][1], SEGMENTS, up=False)))


def bumpy_with_holes(levels=4):
    """A scanned animal: a bumpy ball whose two undersides nobody saw."""
    vertices, triangles = bumpy(levels, 6)
    middle = vertices[triangles].mean(axis=1)
    middle /= np.linalg.norm(middle, axis=1)[:, None]
    below = middle @ np.array([0.0, 0.0, -1.0]) > np.cos(0.5)
    behind = middle @ np.array([0.8, 0.0, 0.6]) > np.cos(0.4)
    return vertices, triangles[~(below | behind)]


def card():
    """A playing card, both sides modelled, no thickness."""
    x, y = np.meshgrid(np.linspace(0.0, 0.06, 4), np.linspace(0.0, 0.09, 5), indexing="ij")
    vertices, triangles = surface(np.stack([x, y, 0.0 * x], axis=-1))
    return vertices, np.concatenate([triangles, triangles[:, ::-1]])


def plane_with_fin():
    """A grid with a wall that stands on its middle row: edges with three faces."""
    vertices, triangles = grid()
    middle = np.flatnonzero(np.isclose(vertices[:, 1], 0.5))
    top = vertices[middle] + [0.0, 0.0, 0.5]
    lower, upper = middle[:-1], np.arange(len(middle) - 1) + len(vertices)
    fin = np.concatenate(
        [np.stack([lower, middle[1:], upper + 1], axis=1), np.stack([lower, upper + 1, upper], axis=1)]
    )
    return np.concatenate([vertices, top]), np.concatenate([triangles, fin])


def cube_with_sail(cube):
    """A solid with a sheet that hangs on one of its edges."""
    vertices, triangles = cube
    a = int(np.flatnonzero((vertices == [1.0, 1.0, -1.0]).all(axis=1))[0])
    b = int(np.flatnonzero((vertices == [1.0, 1.0, 1.0]).all(axis=1))[0])
    far = np.array([[2.5, 2.5, -1.0], [2.5, 2.5, 1.0]])
    n = len(vertices)
    return np.concatenate([vertices, far]), np.concatenate([triangles, [[a, n, n + 1], [a, n + 1, b]]])


def moebius(around=48, across=4):
    """A band of radius 1 and width 0.6 with half a turn in it."""
    u = 2.0 * np.pi * np.arange(around) / around
    v = np.linspace(-0.3, 0.3, across + 1)
    radius = 1.0 + v * np.cos(0.5 * u)[:, None]
    points = np.stack([radius * np.cos(u)[:, None], radius * np.sin(u)[:, None], v * np.sin(0.5 * u)[:, None]], axis=-1)
    index = np.arange(around * (across + 1)).reshape(around, -1)
    index = np.concatenate([index, index[:1, ::-1]])
    return points.reshape(-1, 3), quads(index)


def klein(around=64, across=32):
    """A Klein bottle, the figure-of-eight immersion: no border, no inside, and it passes through itself."""
    u = 2.0 * np.pi * np.arange(around) / around
    v = 2.0 * np.pi * (np.arange(across) + 0.5) / across
    a, b = np.meshgrid(u, v, indexing="ij")
    radius = 2.0 + np.cos(a / 2) * np.sin(b) - np.sin(a / 2) * np.sin(2 * b)
    height = np.sin(a / 2) * np.sin(b) + np.cos(a / 2) * np.sin(2 * b)
    points = np.stack([radius * np.cos(a), radius * np.sin(a), height], axis=-1)
    index = np.arange(around * across).reshape(around, across)
    index = np.concatenate([index, index[:, :1]], axis=1)
    # After a whole turn the figure of eight is turned by half of one: v goes to -v.
    seam = index[0, :across][::-1]
    return points.reshape(-1, 3), quads(np.concatenate([index, np.append(seam, seam[0])[None]]))


def shattered_pane():
    """Three panes side by side, 1 cm apart: separate sheets."""
    return joined(*(moved(grid(3, 10), (0.31 * k, 0.0, 0.0)) for k in range(3)))
