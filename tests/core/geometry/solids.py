"""Closed meshes for the geometry tests: (vertices (V,3), triangles (T,3)), outward."""

import numpy as np


def box(low=(-1.0, -1.0, -1.0), high=(1.0, 1.0, 1.0)):
    low, high = np.asarray(low, float), np.asarray(high, float)
    unit = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return low + unit * (high - low), np.array(triangles, dtype=np.int64)


def subdivided(vertices, triangles):
    """Each triangle in four, at edge midpoints."""
    edges = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    unique, index = np.unique(edges, axis=0, return_inverse=True)
    ab, bc, ca = (index.reshape(3, -1) + len(vertices)).astype(np.int64)
    a, b, c = triangles.T
    parts = [np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
    return np.concatenate([vertices, vertices[unique].mean(axis=1)]), np.concatenate(parts)


def sphere(levels, radius=1.0):
    """A subdivided octahedron, 8 x 4^levels triangles, all vertices on the sphere."""
    vertices = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)], dtype=float)
    triangles = np.array([(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)])
    for _ in range(levels):
        vertices, triangles = subdivided(vertices, triangles)
        vertices /= np.linalg.norm(vertices, axis=1)[:, None]
    return vertices * radius, triangles.astype(np.int64)


def bumpy(levels, seed=0, height=0.25):
    """A sphere displaced along its radius by smooth random waves: star-shaped, hence free of crossings."""
    vertices, triangles = sphere(levels)
    rng = np.random.default_rng(seed)
    waves, phase = rng.normal(0.0, 2.5, (6, 3)), rng.uniform(0.0, 6.3, 6)
    radius = 1.0 + height * np.sin(vertices @ waves.T + phase).mean(axis=1)
    return vertices * radius[:, None], triangles


def torus(major=1.0, minor=0.4, around=48, across=24, turn=None):
    """Ring of circles along a closed curve: a circle, or `turn(angle) -> (n,3)` points of another curve."""
    u = np.arange(around) * 2.0 * np.pi / around
    w = np.arange(across) * 2.0 * np.pi / across
    if turn is None:
        curve = major * np.stack([np.cos(u), np.sin(u), 0.0 * u], axis=1)
        tangent = np.stack([-np.sin(u), np.cos(u), 0.0 * u], axis=1)
    else:
        curve = turn(u)
        tangent = turn(u + 1e-4) - turn(u - 1e-4)
        tangent /= np.linalg.norm(tangent, axis=1)[:, None]
    up = np.array([0.0, 0.0, 1.0])
    side = np.cross(tangent, up)
    side /= np.linalg.norm(side, axis=1)[:, None]
    rise = np.cross(side, tangent)
    ring = np.cos(w)[:, None] * side[:, None] + np.sin(w)[:, None] * rise[:, None]
    vertices = (curve[:, None] + minor * ring).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    a, b = i * across + j, ((i + 1) % around) * across + j
    c, d = ((i + 1) % around) * across + (j + 1) % across, i * across + (j + 1) % across
    quads = np.stack([a, b, c, d], axis=-1).reshape(-1, 4)
    return vertices, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]).astype(np.int64)


def joined(*solids):
    vertices, triangles, count = [], [], 0
    for v, t in solids:
        vertices.append(v)
        triangles.append(t + count)
        count += len(v)
    return np.concatenate(vertices), np.concatenate(triangles)


def soup(vertices, triangles):
    """Every triangle with vertices of its own."""
    return vertices[triangles].reshape(-1, 3), np.arange(3 * len(triangles), dtype=np.int64).reshape(-1, 3)


def rotation(seed):
    q, r = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.linalg.det(q)


def moved(solid, shift=(0.0, 0.0, 0.0), seed=None, scale=1.0):
    vertices, triangles = solid
    turned = vertices if seed is None else vertices @ rotation(seed).T
    return scale * turned + np.asarray(shift), triangles
