"""Closed test meshes, made by formula. Each function returns a Body; triangles are their own source."""

import numpy as np

from core.types import Body, Floats, Ints


def body(vertices: Floats, triangles: Ints) -> Body:
    """A Body from arrays."""
    triangles = np.asarray(triangles, np.int64).reshape(-1, 3)
    return Body(np.asarray(vertices, np.float64), triangles, np.arange(len(triangles)))


def joined(*parts: Body) -> Body:
    """Several bodies in one, as separate shells."""
    offset = np.cumsum([0] + [len(p.vertices) for p in parts[:-1]])
    return body(
        np.concatenate([p.vertices for p in parts]),
        np.concatenate([p.triangles + o for p, o in zip(parts, offset, strict=True)]),
    )


def reversed_body(part: Body) -> Body:
    """The same surface inside out."""
    return body(part.vertices, part.triangles[:, ::-1])


def moved(part: Body, offset: Floats, scale: float = 1.0) -> Body:
    """Scaled about the origin, then moved."""
    return body(part.vertices * scale + np.asarray(offset, np.float64), part.triangles)


def box(low: Floats = (0.0, 0.0, 0.0), high: Floats = (1.0, 1.0, 1.0)) -> Body:
    """A box of 12 triangles; by default the unit cube."""
    low, high = np.asarray(low, np.float64), np.asarray(high, np.float64)
    corner = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    triangles = [t for a, b, c, d in quads for t in ([a, b, c], [a, c, d])]
    return body(low + corner * (high - low), triangles)


def plate(ratio: float = 1000.0) -> Body:
    """A square plate of side 1 and thickness 1/ratio."""
    return box((0, 0, 0), (1, 1, 1 / ratio))


def icosphere(subdivisions: int = 3, radius: float = 1.0) -> Body:
    """20 * 4^subdivisions triangles on a sphere about the origin."""
    g = (1 + 5**0.5) / 2
    vertices = [[-1, g, 0], [1, g, 0], [-1, -g, 0], [1, -g, 0], [0, -1, g], [0, 1, g], [0, -1, -g], [0, 1, -g]]
    vertices += [[g, 0, -1], [g, 0, 1], [-g, 0, -1], [-g, 0, 1]]
    v = np.array(vertices, np.float64)
    t = np.array(
        [[0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6],
         [7, 1, 8], [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9], [4, 9, 5], [2, 4, 11], [6, 2, 10],
         [8, 6, 7], [9, 8, 1]]
    )  # fmt: skip
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    for _ in range(subdivisions):
        v, t = _subdivided(v, t)
        v /= np.linalg.norm(v, axis=1, keepdims=True)
    return body(v * radius, t)


def _subdivided(v: Floats, t: Ints) -> tuple[Floats, Ints]:
    pairs = np.sort(np.stack([t, t[:, [1, 2, 0]]], axis=2).reshape(-1, 2), axis=1)
    edges, edge = np.unique(pairs, axis=0, return_inverse=True)
    m = len(v) + edge.reshape(-1, 3)
    v = np.concatenate([v, v[edges].mean(axis=1)])
    parts = [[t[:, 0], m[:, 0], m[:, 2]], [t[:, 1], m[:, 1], m[:, 0]], [t[:, 2], m[:, 2], m[:, 1]], m.T]
    return v, np.concatenate([np.stack(p, axis=1) for p in parts])


def bumpy_sphere(subdivisions: int = 5) -> Body:
    """An icosphere whose radius swings by a fifth, so that it is not convex."""
    sphere = icosphere(subdivisions)
    x, y, z = sphere.vertices.T
    radius = 1.0 + 0.2 * np.sin(5 * x + 1) * np.cos(4 * y) * np.sin(6 * z + 2)
    return body(sphere.vertices * radius[:, None], sphere.triangles)


def revolved(profile: Floats, segments: int = 32) -> Body:
    """A closed surface of revolution about z; `profile (n,2)` of (r, z) runs from axis to axis (r = 0 at both ends).

    The solid lies to the left of the profile as it runs, seen with r to the right and z upwards.
    """
    profile = np.asarray(profile, np.float64)
    angle = 2 * np.pi * np.arange(segments) / segments
    ring = profile[1:-1]
    v = np.stack([ring[:, :1] * np.cos(angle), ring[:, :1] * np.sin(angle), ring[:, 1:] + 0 * angle], axis=2)
    v = np.concatenate([v.reshape(-1, 3), [[0, 0, profile[0, 1]], [0, 0, profile[-1, 1]]]])
    first, last = len(v) - 2, len(v) - 1
    k = np.arange(segments)
    n = (k + 1) % segments
    parts = [np.stack([np.full(segments, first), n, k], axis=1)]
    for i in range(len(ring) - 1):
        a, b = i * segments, (i + 1) * segments
        parts += [np.stack([a + k, a + n, b + n], axis=1), np.stack([a + k, b + n, b + k], axis=1)]
    a = (len(ring) - 1) * segments
    parts.append(np.stack([a + k, a + n, np.full(segments, last)], axis=1))
    return body(v, np.concatenate(parts))


def uv_sphere(segments: int = 32, rings: int = 16) -> Body:
    """A sphere of radius 1 with poles."""
    angle = np.pi * np.arange(rings + 1) / rings
    profile = np.stack([np.sin(angle), -np.cos(angle)], axis=1)
    profile[[0, -1], 0] = 0.0
    return revolved(profile, segments)


def wine_glass(segments: int = 48, wall: float = 0.03) -> Body:
    """A thin goblet on a stem, not convex, of height about 2."""
    t = np.linspace(0, 1, 16)
    outside = np.stack([0.08 + 0.45 * np.sin(0.62 * np.pi * t), 1.0 + t], axis=1)
    inside = np.stack([outside[::-1, 0] - wall, np.maximum(outside[::-1, 1], 1.0 + 2 * wall)], axis=1)
    inside = inside[inside[:, 0] > 0.02]
    foot = [[0, 0], [0.5, 0], [0.5, 0.03], [0.1, 0.1], [0.05, 0.3], [0.05, 0.9]]
    return revolved(np.concatenate([foot, outside, inside, [[0, inside[-1, 1]]]]), segments)


def bottle(segments: int = 32, wall: float = 0.03) -> Body:
    """A bottle with a narrow neck and a pushed-in base, open at the top, of height 2."""
    outside = np.array([[0.33, 0.0], [0.36, 0.05], [0.36, 1.2], [0.30, 1.4], [0.12, 1.6], [0.11, 1.9], [0.13, 2.0]])
    inside = outside[::-1] - [wall, 0.0]
    inside[-2:] = [[0.33, 0.08], [0.28, 0.06]]
    return revolved(np.concatenate([[[0.0, 0.08]], outside, inside, [[0.0, 0.12]]]), segments)


def scan(triangles: int = 250_000) -> Body:
    """A displaced sphere with fine, uneven relief, of about this many triangles, like a scanned stone."""
    rings = round((triangles / 4) ** 0.5)
    stone = uv_sphere(2 * rings, rings + 1)
    x, y, z = stone.vertices.T
    radius = 1.0 + 0.2 * np.sin(5 * x + 1) * np.cos(4 * y) * np.sin(6 * z + 2)
    radius += 0.004 * np.sin(61 * x + 3 * y) * np.cos(53 * y - 7 * z) + 0.002 * np.sin(131 * z + 17 * x)
    return body(stone.vertices * radius[:, None], stone.triangles)


def torus(major: float = 1.0, minor: float = 0.3, segments: int = 32, rings: int = 16) -> Body:
    """A ring about z."""
    u, w = np.meshgrid(2 * np.pi * np.arange(segments) / segments, 2 * np.pi * np.arange(rings) / rings, indexing="ij")
    r = major + minor * np.cos(w)
    v = np.stack([r * np.cos(u), r * np.sin(u), minor * np.sin(w)], axis=2).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(segments), np.arange(rings), indexing="ij")
    a, b = i * rings + j, (i + 1) % segments * rings + j
    c, d = (i + 1) % segments * rings + (j + 1) % rings, i * rings + (j + 1) % rings
    quads = np.stack([a, b, c, d], axis=2).reshape(-1, 4)
    return body(v, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]))


def hollow_box(wall: float = 0.1) -> Body:
    """The unit cube with a closed cubic hollow."""
    return joined(box(), reversed_body(box([wall] * 3, [1 - wall] * 3)))


def two_boxes() -> Body:
    """Two shells side by side that do not touch."""
    return joined(box(), box((1.3, 0.1, 0.2), (2.0, 0.9, 0.7)))


def overlapping_boxes() -> Body:
    """Two shells that overlap: no valid body."""
    return joined(box(), box((0.5, 0.3, 0.2), (1.6, 1.2, 0.9)))


def open_box() -> Body:
    """A box without one triangle: no valid body."""
    whole = box()
    return body(whole.vertices, whole.triangles[:-1])


def with_flat_caps(part: Body, count: int = 60, seed: int = 0) -> Body:
    """Edges split on one side only: each hole of the split is filled by a triangle of three collinear corners."""
    vertices, triangles = list(part.vertices), part.triangles.tolist()
    for row in np.random.default_rng(seed).permutation(len(triangles))[:count]:
        a, b, c = triangles[row]
        middle = len(vertices)
        vertices.append(0.5 * (vertices[a] + vertices[b]))
        triangles[row] = [a, middle, c]
        triangles += [[middle, b, c], [a, b, middle]]
    return body(np.array(vertices), triangles)


def with_coincident_vertices(part: Body, count: int = 60, seed: int = 0) -> Body:
    """Corners torn off to a copy of the vertex at the same place: triangles without area, edges without length."""
    vertices, triangles = list(part.vertices), part.triangles.tolist()
    for row in np.random.default_rng(seed).permutation(len(triangles))[:count]:
        a, b, c = triangles[row]
        copy = len(vertices)
        vertices.append(vertices[a])
        triangles[row] = [copy, b, c]
        triangles += [[a, b, copy], [a, copy, c]]
    return body(np.array(vertices), triangles)
