"""Polygons to cut into triangles, and what must hold for the triangles."""

import numpy as np

from core.roughness.facets import FacetMeshes, facet_meshes
from core.types import Floats, Ints

Facet = list[Floats]  #: loops (n,2): the first one around, counter-clockwise, then holes, clockwise


class Input:
    """Facets on planes of their own, packed for `facet_meshes`."""

    def __init__(self, facets: list[Facet], sides: list[list[Ints]] | None = None, spacing: float = 0.1) -> None:
        self.facets, self.spacing = facets, spacing
        loops = [loop for facet in facets for loop in facet]
        self.start = np.concatenate([[0], np.cumsum([len(loop) for loop in loops])]).astype(np.int64)
        self.facet = np.repeat(np.arange(len(facets)), [len(facet) for facet in facets])
        size = int(self.start[-1])
        # Corners are no rows in order: numbers of vertices and of corners must not be mixed up.
        self.vertex = (size - 1 - np.arange(size)).astype(np.int64)
        flat = [side for facet in sides for side in facet] if sides else []
        self.side = np.concatenate(flat).astype(np.int64) if flat else np.full(size, -1)
        self.position = np.empty((size, 3))
        self.frames = []
        for f, facet in enumerate(facets):
            q, _ = np.linalg.qr(np.random.default_rng(len(facet[0])).normal(size=(3, 3)))
            q[:, 2] *= np.sign(np.linalg.det(q))
            self.frames.append(q)
            for k in np.flatnonzero(self.facet == f):
                rows = self.vertex[self.start[k] : self.start[k + 1]]
                self.position[rows] = loops[k] @ q[:, :2].T + q[:, 2] * 0.3
        self.normal = np.array([q[:, 2] for q in self.frames])

    def meshed(self) -> FacetMeshes:
        arrays = self.start, self.vertex, self.facet, self.side, self.position, self.normal
        return facet_meshes(*arrays, self.spacing)

    def borders(self, f: int) -> list[Ints]:
        loops = np.flatnonzero(self.facet == f)
        return [self.vertex[self.start[k] : self.start[k + 1]] for k in loops]


def points_of(given: Input, made: FacetMeshes, f: int) -> Floats:
    """All vertices and points in the plane of facet f."""
    both: Floats = np.concatenate([given.position, made.interior]) @ given.frames[f][:, :2]
    return both


def triangles_of(made: FacetMeshes, f: int) -> Ints:
    return made.triangles[made.triangle_start[f] : made.triangle_start[f + 1]]


def doubled_areas(points: Floats, triangles: Ints) -> Floats:
    a, b, c = (points[triangles[:, k]] for k in range(3))
    u, v = b - a, c - a
    return u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]


def area_of(facet: Facet) -> float:
    total = 0.0
    for loop in facet:
        x, y = (loop - loop[0]).T
        total += float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2.0)
    return total


def check_edges(given: Input, made: FacetMeshes) -> None:
    """Each border edge once in its direction, each other edge twice, in opposite ones; Euler's count."""
    size = len(given.position)
    assert np.all(np.diff(made.interior_facet) >= 0)
    for f in range(len(given.facets)):
        border, triangles = given.borders(f), triangles_of(made, f)
        own = np.flatnonzero(made.interior_facet == f) + size
        used = np.unique(triangles)
        assert set(used.tolist()) == set(np.concatenate([*border, own]).tolist())
        edges = np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)])
        rim = np.concatenate([np.stack([loop, np.roll(loop, -1)], axis=1) for loop in border])
        edges = sorted(map(tuple, np.concatenate([edges, rim[:, ::-1]]).tolist()))
        assert len(set(edges)) == len(edges)
        assert edges == sorted((b, a) for a, b in edges)
        corners = sum(len(loop) for loop in border)
        assert len(triangles) == corners - 2 + 2 * (len(border) - 1) + 2 * len(own)


def check_shape(given: Input, made: FacetMeshes, least: float = 0.0) -> None:
    """Nothing turned over or flat, nothing lost, points in their planes and away from the border."""
    for f, facet in enumerate(given.facets):
        points = points_of(given, made, f)
        area = doubled_areas(points, triangles_of(made, f))
        extent = float(np.ptp(facet[0], axis=0).max())
        assert np.all(area > least)
        # Each of some thousand terms is exact to 1e-16 of extent^2.
        assert abs(area.sum() / 2.0 - area_of(facet)) <= 1e-13 * extent**2 + 1e-12 * area_of(facet)
        own = made.interior[made.interior_facet == f]
        assert np.allclose(own @ given.normal[f], 0.3, rtol=0.0, atol=1e-14 * max(1.0, extent))


def distance_to_border(points: Floats, facet: Facet) -> Floats:
    best = np.full(len(points), np.inf)
    for loop in facet:
        for a, b in zip(loop, np.roll(loop, -1, axis=0), strict=True):
            share = np.clip((points - a) @ (b - a) / max(float((b - a) @ (b - a)), 1e-300), 0.0, 1.0)
            best = np.minimum(best, np.linalg.norm(points - a - share[:, None] * (b - a), axis=1))
    return best


def subdivided(outline: Floats, spacing: float) -> Floats:
    parts = []
    for a, b in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        n = max(1, int(np.ceil(np.linalg.norm(b - a) / spacing)))
        parts.append(a + (np.arange(n) / n)[:, None] * (b - a))
    return np.concatenate(parts)


def convex(rng: np.random.Generator, corners: int, diameter: float, spacing: float) -> Floats:
    angle = (np.arange(corners) + rng.uniform(-0.35, 0.35, corners)) * 2 * np.pi / corners
    return subdivided(0.5 * diameter * np.stack([np.cos(angle), np.sin(angle)], axis=1), spacing)


def star(rng: np.random.Generator, corners: int) -> Floats:
    angle = (np.arange(corners) + rng.uniform(-0.4, 0.4, corners)) * 2 * np.pi / corners
    return rng.uniform(0.1, 1.0, corners)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def uneven(outline: Floats, rng: np.random.Generator) -> Floats:
    """Straight corners at any distance."""
    parts = []
    for a, b in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        share = np.sort(rng.uniform(0.0, 1.0, rng.integers(0, 12)) ** 3)
        parts.append(a + np.concatenate([[0.0], share])[:, None] * (b - a))
    return np.concatenate(parts)


def comb(teeth: int) -> Floats:
    up = [[x, y] for i in range(teeth, 0, -1) for x, y in ((2 * i, 5), (2 * i - 1, 5), (2 * i - 1, 1), (2 * i - 2, 1))]
    return np.array([[0.0, 0], [2 * teeth, 0], *up], float)[:-1]


SQUARE = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
