"""Meshes that are torn, turned, walled or sealed: (vertices (V,3), triangles (T,3))."""

import numpy as np

from .solids import box, joined


def welded(*parts):
    """Several meshes as one, vertices of equal coordinates united."""
    vertices, triangles = joined(*parts)
    vertices, index = np.unique(vertices, axis=0, return_inverse=True)
    return vertices, index.reshape(-1)[triangles]


def single(mesh):
    """Without triangles that have the same three vertices as an earlier one."""
    vertices, triangles = mesh
    _, first = np.unique(np.sort(triangles, axis=1), axis=0, return_index=True)
    return vertices, triangles[np.sort(first)]


def cube(low=(0.0, 0.0, 0.0)):
    return box(low, np.add(low, 1.0))


def block(*counts):
    """Unit cubes side by side along each axis, with one wall between two of them."""
    return single(welded(*(cube(np.array(at, float)) for at in np.ndindex(*counts))))


def flipped(mesh, chosen):
    """Some triangles (T,) facing the other way."""
    vertices, triangles = mesh
    return vertices, np.where(np.asarray(chosen)[:, None], triangles[:, [0, 2, 1]], triangles)


def grid(count, wide=1.0):
    """A flat square of count x count pairs of triangles."""
    x, y = np.meshgrid(np.linspace(0.0, wide, count + 1), np.linspace(0.0, 1.0, count + 1), indexing="ij")
    i, j = np.meshgrid(np.arange(count), np.arange(count), indexing="ij")
    a = (i * (count + 1) + j).reshape(-1)
    b, c, d = a + count + 1, a + count + 2, a + 1
    triangles = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return np.stack([x.reshape(-1), y.reshape(-1), np.zeros(x.size)], axis=1), triangles


def twisted(around=24, across=4, ring=False):
    """A Moebius strip, or the Klein bottle that a figure of eight sweeps when it makes half a turn on its way round."""
    u = 2.0 * np.pi * np.arange(around) / around
    if ring:
        w = 2.0 * np.pi * np.arange(across) / across
        x, z = np.sin(w), np.sin(2.0 * w)
        back = (-np.arange(across + 1)) % across  # after half a turn, point j lies at -j
    else:
        x = np.linspace(-1.0, 1.0, across + 1)
        z, back = 0.0 * x, np.arange(across, -1, -1)
    count = len(x)
    c, s = np.cos(0.5 * u)[:, None], np.sin(0.5 * u)[:, None]
    radius, height = 3.0 + c * x - s * z, s * x + c * z
    vertices = np.stack([radius * np.cos(u)[:, None], radius * np.sin(u)[:, None], height], axis=2).reshape(-1, 3)
    triangles = []
    for i in range(around):
        for j in range(across):
            m = (j + 1) % count
            a, d = i * count + j, i * count + m
            b, e = (a + count, d + count) if i + 1 < around else (back[j], back[m])
            triangles += [[a, b, e], [a, e, d]]
    return vertices, np.array(triangles, np.int64)


def sealed(mesh, count, seed, noise=0.0):
    """A side of `count` random triangles split at a point of its own: what opens is sealed by a triangle without area.

    The point is up to `noise` off the line. The same triangles may be split, and the seals too, again and again.
    """
    rng = np.random.default_rng(seed)
    vertices, triangles = list(mesh[0]), mesh[1].tolist()
    for _ in range(count):
        row, k = int(rng.integers(len(triangles))), int(rng.integers(3))
        a, b, c = np.roll(triangles[row], -k).tolist()
        middle = len(vertices)
        part = rng.uniform(0.2, 0.8)
        vertices.append((1.0 - part) * vertices[a] + part * vertices[b] + noise * rng.uniform(-1.0, 1.0, 3))
        triangles[row] = [a, middle, c]
        triangles += [[middle, b, c], [a, b, middle]]
    return np.array(vertices), np.array(triangles, np.int64)
