"""Edges through triangles of their own cell: as many as brute force finds, and none where things only touch."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cutting.cut import cut
from core.roughness.piercing import PIERCING_MARGIN, pierced_places, piercings
from core.types import Cells, Floats, Ints
from tests import shapes
from tests.core.cutting.closedness import voronoi

Rows = list[tuple[int, int, int]]


def rows(found: Ints) -> Rows:
    return [(t, a, b) for t, a, b in found.tolist()]


def brute(vertices: Floats, triangles: Ints, owner: Ints) -> Rows:
    """All edges against all triangles."""
    edges = np.stack([triangles, triangles[:, [1, 2, 0]]], axis=2).reshape(-1, 2)
    home = np.repeat(np.arange(len(triangles)), 3)
    p, q = vertices[edges[:, None, 0]], vertices[edges[:, None, 1]]
    a, b, c = (vertices[triangles[None, :, k]] for k in range(3))
    sides = np.stack([b - a, c - b, a - c])
    length = np.linalg.norm(sides, axis=-1)
    n = np.cross(b - a, c - a)
    least = PIERCING_MARGIN * length.max(axis=0) * np.linalg.norm(n, axis=-1)
    before, after = ((n * (x - a)).sum(axis=-1) for x in (p, q))
    through = (np.minimum(before, after) < -least) & (np.maximum(before, after) > least)
    x = p + np.where(through, before / np.where(through, before - after, 1.0), 0.0)[:, :, None] * (q - p)
    for side, start, size in zip(sides, (a, b, c), length, strict=True):
        through &= (n * np.cross(np.broadcast_to(side, x.shape), x - start)).sum(axis=-1) > least * size
    through &= ~(edges[:, None, :, None] == triangles[None, :, None, :]).any(axis=(2, 3))
    same = (owner[:, None, :, None] == owner[None, :, None, :]) & (owner >= 0)[:, None, :, None]
    through &= same.any(axis=(2, 3))[home]
    edge, triangle = np.nonzero(through)
    pairs = np.sort(edges[edge], axis=1)
    return sorted({(t, a, b) for t, (a, b) in zip(triangle.tolist(), pairs.tolist(), strict=True)})


def fan(centre: Floats, rim: Floats, first: int) -> tuple[Floats, Ints]:
    """Triangles around a point; vertices are counted from `first`."""
    k = np.arange(len(rim))
    around = np.stack([np.zeros_like(k), k + 1, (k + 1) % len(rim) + 1], axis=1)
    return np.concatenate([centre[None], rim]), around + first


def two_fans(number: int) -> tuple[Floats, Ints]:
    """A flat disc of `number` triangles, and a cone of as many whose point has come through it, into one of them."""
    angle = 2.0 * np.pi * (np.arange(number) + 0.5) / number
    ring = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    disc, flat = fan(np.zeros(3), ring, 0)
    point = np.array([0.5, 0.0, -1e-4])
    cone, steep = fan(point, 0.2 * ring + [0.5, 0.0, 1.0], len(disc))
    return np.concatenate([disc, cone]), np.concatenate([flat, steep])


@pytest.mark.parametrize("number", [5, 6, 17])
def test_a_point_that_comes_through_a_disc_brings_all_its_edges(number: int) -> None:
    vertices, triangles = two_fans(number)
    owner = np.tile([3, 7], (len(triangles), 1))
    found = piercings(vertices, triangles, owner)
    # The point lies in the triangle that the positive x axis halves; the edges from it to the cone's rim go through it.
    pierced = number - 1
    point = number + 1
    assert rows(found) == [(pierced, point, point + 1 + k) for k in range(number)]
    assert rows(found) == brute(vertices, triangles, owner)


def test_a_vertex_pushed_through_the_opposite_face() -> None:
    body = shapes.icosphere(1)
    owner = np.tile([0, -1], (len(body.triangles), 1))
    assert len(piercings(body.vertices, body.triangles, owner)) == 0
    vertices = body.vertices.copy()
    face = body.triangles[np.argmax(vertices[body.triangles].sum(axis=1) @ np.array([0.3, 0.5, 0.8]))]
    far = int(np.argmin(vertices @ vertices[face].mean(axis=0)))
    vertices[far] = 1.5 * vertices[face].mean(axis=0)
    found = piercings(vertices, body.triangles, owner)
    degree = int(np.count_nonzero(body.triangles == far))
    # All edges of the vertex leave the body, and each does so once; no edge of the body meets the spike's thin sides.
    assert rows(found) == brute(vertices, body.triangles, owner)
    assert np.count_nonzero((found[:, 1:] == far).any(axis=1)) == degree


def test_only_triangles_of_one_cell_count() -> None:
    vertices, triangles = two_fans(6)
    cone = np.arange(len(triangles)) >= 6
    for disc, other, count in (((0, 1), (2, 3), 0), ((0, 1), (1, 2), 6), ((0, 1), (2, 0), 6), ((0, -1), (1, -1), 0)):
        owner = np.where(cone[:, None], other, disc)
        assert len(piercings(vertices, triangles, owner)) == count
    # An edge of two triangles, only one of which has a cell in common with the disc, counts all the same, once.
    owner = np.where(cone[:, None], (5, 6), (0, 1))
    owner[6] = (1, 6)
    assert len(piercings(vertices, triangles, owner)) == 2


def test_triangles_with_a_common_vertex_pierce_by_their_other_edges_only() -> None:
    vertices = np.array([[0, 0, 0], [2, 1, 0], [2, -1, 0], [1, 0.1, 1], [1, 0.1, -1], [2, 0, 1], [3, 0, -1.0]])
    both = np.tile([0, 1], (2, 1))
    assert rows(piercings(vertices, np.array([[0, 1, 2], [0, 3, 4]]), both)) == [(0, 3, 4)]
    assert rows(piercings(vertices, np.array([[0, 1, 2], [1, 3, 4]]), both)) == [(0, 3, 4)]
    assert len(piercings(vertices, np.array([[0, 1, 2], [0, 1, 3]]), both)) == 0
    # From a vertex of the triangle itself through it: it touches there.
    assert len(piercings(vertices, np.array([[0, 1, 2], [0, 5, 3]]), both)) == 0


def test_touching_is_no_piercing() -> None:
    both = np.tile([0, 1], (2, 1))
    triangles = np.array([[0, 1, 2], [3, 4, 5]])
    flat = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    for depth, count in ((0.0, 0), (1e-10, 0), (1e-6, 2)):
        tip = [[0.25, 0.25, -depth], [0.2, 0.3, 1.0], [0.3, 0.2, 1.0]]
        assert len(piercings(np.array(flat + tip), triangles, both)) == count
        across = [[0.5, depth, -1.0], [0.5, depth, 1.0], [0.5, -2.0, 0.0]]  # an edge that passes by a side
        assert (len(piercings(np.array(flat + across), triangles, both)) > 0) == (count > 0)
    flush = [[0.1, 0.1, 0.0], [0.9, 0.8, 0.0], [0.1, 0.6, 0.0]]  # in one plane
    assert len(piercings(np.array(flat + flush), triangles, both)) == 0


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    count=st.integers(1, 70),
    size=st.sampled_from([0.05, 0.3, 2.0]),
    spread=st.sampled_from([0.0, 1.5]),
    flat=st.booleans(),
)
def test_random_triangles_agree_with_brute_force(seed: int, count: int, size: float, spread: float, flat: bool) -> None:
    rng = np.random.default_rng(seed)
    # Few vertices, so that many are shared; sizes that differ by up to e^(2 spread), or all in a thin slab.
    centre = rng.uniform(size=(count, 1, 3)) * [1.0, 1.0, 0.01 if flat else 1.0]
    corner = centre + size * np.exp(rng.uniform(-spread, spread, (count, 1, 1))) * rng.normal(size=(count, 3, 3))
    vertices = corner.reshape(-1, 3)
    triangles = np.arange(3 * count).reshape(-1, 3)
    swap = rng.random(triangles.shape) < 0.3
    triangles[swap] = rng.integers(0, 3 * count, int(swap.sum()))
    owner = rng.integers(-1, 4, (count, 2))
    assert rows(piercings(vertices, triangles, owner)) == brute(vertices, triangles, owner)


def inner_triangles(c: Cells) -> tuple[Ints, Ints]:
    """Fans of the inner faces, which are convex where the body is, and the two cells of each; and those of the skin."""
    triangles, owner = [], []
    for start, vertex, cells in (
        (c.inner_start, c.inner_vertex, c.bond_cells[c.inner_bond]),
        (c.outer_start, c.outer_vertex, np.stack([c.outer_cell, np.full_like(c.outer_cell, -1)], axis=1)),
    ):
        for f in range(len(cells)):
            ring = vertex[start[f] : start[f + 1]]
            triangles += [[ring[0], a, b] for a, b in pairwise(ring[1:])]
            owner += [cells[f]] * (len(ring) - 2)
    return np.array(triangles), np.array(owner)


def test_flat_cells_have_none_and_rough_ones_have_those_of_brute_force() -> None:
    body = shapes.icosphere(1)
    c = cut(body, voronoi(body, 8, 3))
    triangles, owner = inner_triangles(c)
    assert len(piercings(c.vertices, triangles, owner)) == 0
    rng = np.random.default_rng(0)
    rough = c.vertices + 0.05 * rng.normal(size=c.vertices.shape)
    found = piercings(rough, triangles, owner)
    assert len(found) > 20
    assert rows(found) == brute(rough, triangles, owner)


def test_scale_place_and_order_do_not_matter() -> None:
    body = shapes.icosphere(1)
    c = cut(body, voronoi(body, 8, 3))
    triangles, owner = inner_triangles(c)
    rough = c.vertices + 0.05 * np.random.default_rng(0).normal(size=c.vertices.shape)
    found = piercings(rough, triangles, owner)
    for scale, shift in ((2.0**-20, 0.0), (2.0**20, 0.0), (1.0, 4096.0)):
        assert np.array_equal(piercings(rough * scale + shift, triangles, owner), found)
    order = np.random.default_rng(1).permutation(len(triangles))
    again = piercings(rough, triangles[order], owner[order][:, ::-1])
    again[:, 0] = order[again[:, 0]]
    assert rows(np.unique(again, axis=0)) == rows(found)


def test_one_large_triangle_among_many_small_ones_and_none_at_all() -> None:
    # The grid follows the small ones; the large one passes through thousands of its boxes.
    n = 60
    x, y = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n), indexing="ij")
    wave = np.stack([x, y, 0.3 * x + 0.05 * np.sin(20.0 * y)], axis=2).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(n - 1), np.arange(n - 1), indexing="ij")
    a = (i * n + j).ravel()
    small = np.concatenate([np.stack([a, a + n, a + n + 1], axis=1), np.stack([a, a + n + 1, a + 1], axis=1)])
    large = np.array([[-5.0, -5.0, -1.5], [9.0, -5.0, 2.7], [-5.0, 9.0, -1.5]])  # z = 0.3 x, the middle of the wave
    vertices = np.concatenate([wave, large])
    triangles = np.concatenate([small, [[n * n, n * n + 1, n * n + 2]]])
    owner = np.tile([0, 1], (len(triangles), 1))
    side = np.sin(20.0 * y).ravel()
    edges = np.unique(np.sort(np.stack([small, small[:, [1, 2, 0]]], axis=2).reshape(-1, 2), axis=1), axis=0)
    across = edges[side[edges[:, 0]] * side[edges[:, 1]] < 0.0]
    found = piercings(vertices, triangles, owner)
    assert len(across) > 500
    assert np.array_equal(found[:, 1:], across)
    assert np.all(found[:, 0] == len(small))
    empty = piercings(vertices, np.empty((0, 3), np.int64), np.empty((0, 2), np.int64))
    assert empty.shape == (0, 3)


def test_faces_of_more_corners_are_looked_at_as_fans():
    body = shapes.box()
    cells = cut(body, voronoi(body, 12))
    assert (np.diff(cells.inner_start) > 3).any()
    assert pierced_places(cells) == 0  # convex cells
