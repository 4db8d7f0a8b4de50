"""Crossing and overlapping triangles: present where solids interpenetrate, absent on clean and touching ones."""

import numpy as np
import pytest

from core.geometry.crossings import CROSSING_MARGIN, crossing_pairs

from .solids import box, bumpy, joined, moved, rotation, soup, sphere, subdivided, torus

EIGHTH = np.array([[1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, np.sqrt(2.0)]]) / np.sqrt(2.0)  # of a turn


def determinants(a, b, c, d):
    """det(a - d, b - d, c - d) of points (...,3)."""
    return np.einsum("...i,...i->...", a - d, np.cross(b - d, c - d))


def brute_pairs(vertices, triangles):
    """Pairs in which a side of one passes through the other; a side that shares a vertex with it cannot."""
    sides = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 1, 2)
    p, q = vertices[sides[:, :, 0]], vertices[sides[:, :, 1]]
    a, b, c = (vertices[triangles[None, :, k]] for k in range(3))
    through = determinants(a, b, c, p) * determinants(a, b, c, q) < 0.0
    turns = np.stack([determinants(p, x, y, q) for x, y in ((a, b), (b, c), (c, a))])
    through &= (turns.min(axis=0) > 0.0) | (turns.max(axis=0) < 0.0)
    through &= ~(sides[:, :, :, None] == triangles[None, :, None, :]).any(axis=(2, 3))
    side, triangle = np.nonzero(through)
    pairs = {(min(i, j), max(i, j)) for i, j in zip((side // 3).tolist(), triangle.tolist(), strict=True)}
    return sorted(p for p in pairs if len({*triangles[p[0]].tolist()} & {*triangles[p[1]].tolist()}) < 2)


@pytest.mark.parametrize("seed", range(3))
def test_random_triangles_agree_with_brute_force(seed):
    rng = np.random.default_rng(seed)
    vertices = rng.normal(size=(30, 3))
    triangles = np.array([rng.choice(30, 3, replace=False) for _ in range(60)])  # many share a vertex
    assert len(brute_pairs(vertices, triangles)) > 50
    assert list(map(tuple, crossing_pairs(vertices, triangles).tolist())) == brute_pairs(vertices, triangles)


def test_interpenetrating_spheres_cross_along_a_closed_curve():
    one, other = sphere(2), moved(sphere(2), (0.7, 0.1, 0.2))
    vertices, triangles = joined(one, other)
    pairs = crossing_pairs(vertices, triangles)
    assert list(map(tuple, pairs.tolist())) == brute_pairs(vertices, triangles)
    assert (pairs[:, 0] < len(one[1])).all()
    assert (pairs[:, 1] >= len(one[1])).all()
    assert len(crossing_pairs(vertices, triangles, limit=5)) == 5


CLEAN = {
    "box": box(),
    "subdivided cube": subdivided(*subdivided(*subdivided(*box()))),
    "bumpy sphere": bumpy(4, 3),
    "torus": torus(),
    "hollow": joined(sphere(3), moved(sphere(3), scale=0.9)),
    "one box apart from another": joined(box(), moved(box(), (2.01, 0.0, 0.0))),
}


@pytest.mark.parametrize("name", CLEAN)
@pytest.mark.parametrize("scale", [1e-3, 1.0, 200.0])
def test_clean_meshes_have_none(name, scale):
    vertices, triangles = moved(CLEAN[name], seed=11, scale=scale)
    assert len(crossing_pairs(vertices, triangles)) == 0
    single = vertices.astype(np.float32).astype(np.float64)  # as Blender stores them
    assert len(crossing_pairs(single, triangles)) == 0


def test_needles_fans_and_slivers_have_none():
    n = 300
    angle = np.arange(n) * 2.0 * np.pi / n
    ring = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    flat = np.concatenate([ring, ring + np.array([0.0, 0.0, 1e-3]), [[0.0, 0.0, 0.0], [0.0, 0.0, 1e-3]]])
    i, j = np.arange(n), (np.arange(n) + 1) % n
    faces = [(np.full(n, 2 * n), j, i), (np.full(n, 2 * n + 1), i + n, j + n), (i, j, j + n), (i, j + n, i + n)]
    triangles = np.concatenate([np.stack(f, axis=1) for f in faces])
    assert len(crossing_pairs(flat @ rotation(3).T, triangles)) == 0
    vertices, triangles = subdivided(*box())
    squeezed = vertices * [1.0, 1.0, 1e-4]
    assert len(crossing_pairs(squeezed @ rotation(4).T, triangles)) == 0


@pytest.mark.parametrize("seed", range(5))
def test_touching_at_an_edge_or_a_vertex_is_no_crossing(seed):
    for shift in ((2.0, 2.0, 0.3), (2.0, 2.0, 0.0), (2.0, 2.0, 2.0)):
        assert len(crossing_pairs(*moved(joined(box(), moved(box(), shift)), seed=seed))) == 0
    wedge = box((0.0, 0.0, -0.5), (1.0, 1.0, 0.5))[0] @ EIGHTH, box()[1]
    leaning = joined(box(), moved(wedge, (1.0, 0.0, 0.0)))
    assert len(crossing_pairs(*moved(leaning, seed=seed))) == 0  # an edge on a face


@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_a_common_face_plane_counts_where_faces_overlap(seed):
    stacked = joined(box(), moved(box(), (0.5, 0.3, 2.0)))
    pairs = crossing_pairs(*moved(stacked, seed=seed))
    assert len(pairs) > 0
    heights = stacked[0][stacked[1]][:, :, 2]
    assert (heights[pairs] == 1.0).all()  # the top of the first and the bottom of the second
    apart = joined(box(), moved(box(), (2.5, 0.0, 2.0)))  # the same plane, but side by side
    assert len(crossing_pairs(*moved(apart, seed=seed))) == 0


def test_a_figure_of_eight_crosses_itself():
    def turn(angle):
        return np.stack([2.0 * np.sin(angle), 1.2 * np.sin(2.0 * angle), 0.0 * angle], axis=1)

    def lifted(angle):
        return turn(angle) + np.stack([0.0 * angle, 0.0 * angle, 0.6 * np.cos(angle)], axis=1)

    assert len(crossing_pairs(*torus(minor=0.25, turn=turn))) > 20
    assert len(crossing_pairs(*torus(minor=0.25, turn=lifted))) == 0  # one strand passes over the other


def test_triangles_that_share_one_vertex_and_cross_elsewhere():
    vertices = np.array(
        [[0, 0, 0], [2, 1, 0], [2, -1, 0], [2, 0.2, 1], [2, 0.1, -1.0], [2, 3, 1], [2, 3, -1]], dtype=float
    )
    assert crossing_pairs(vertices, np.array([[0, 1, 2], [0, 3, 4]])).tolist() == [[0, 1]]
    assert len(crossing_pairs(vertices, np.array([[0, 1, 2], [0, 5, 6]]))) == 0


def test_a_push_below_the_margin_is_touching_and_one_above_is_crossing():
    first = box()
    size = np.sqrt(12.0) + 2.0
    for depth, crosses in ((0.01 * CROSSING_MARGIN * size, False), (100.0 * CROSSING_MARGIN * size, True)):
        # a corner of a small octahedron pricks the side of the box from outside
        prick = moved(sphere(0, 0.2), (1.2 - depth, 0.11, 0.07))
        assert (len(crossing_pairs(*joined(first, prick))) > 0) == crosses


def test_order_size_and_place_do_not_matter():
    vertices, triangles = joined(sphere(2), moved(sphere(2), (0.7, 0.1, 0.2)))
    pairs = crossing_pairs(vertices, triangles)
    for scale, shift in ((2.0**-10, 0.0), (1024.0, 0.0), (1.0, 4096.0)):
        assert (crossing_pairs(vertices * scale + shift, triangles) == pairs).all()
    order = np.random.default_rng(0).permutation(len(triangles))
    shuffled = np.sort(order[crossing_pairs(vertices, triangles[order])], axis=1)
    assert sorted(map(tuple, shuffled.tolist())) == list(map(tuple, pairs.tolist()))


def test_a_soup_of_a_flat_mesh_overlaps_nowhere_and_nothing_is_nothing():
    assert len(crossing_pairs(*soup(*moved(subdivided(*subdivided(*box())), seed=5)))) == 0
    assert crossing_pairs(np.empty((0, 3)), np.empty((0, 3), dtype=np.int64)).shape == (0, 2)
    assert crossing_pairs(*sphere(2), limit=0).shape == (0, 2)
