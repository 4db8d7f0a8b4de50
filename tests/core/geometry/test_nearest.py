"""The nearest point against brute force and closed forms."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.geometry.bvh import LEAF, build_tree
from core.geometry.nearest import nearest

from .solids import box, bumpy, joined, moved, sphere


def brute_distance(vertices, triangles, points):
    """Least distance to every triangle: its plane where the foot falls inside, else its three sides."""
    best = np.full(len(points), np.inf)
    for t in triangles:
        a, b, c = vertices[t]
        for p, q in ((a, b), (b, c), (c, a)):
            s = np.clip((points - p) @ (q - p) / max((q - p) @ (q - p), 1e-300), 0.0, 1.0)
            best = np.minimum(best, np.linalg.norm(p + s[:, None] * (q - p) - points, axis=1))
        normal = np.cross(b - a, c - a)
        length = np.linalg.norm(normal)
        if length > 0.0:
            normal = normal / length
            height = (points - a) @ normal
            foot = points - height[:, None] * normal
            sides = [np.cross(q - p, foot - p) @ normal >= 0.0 for p, q in ((a, b), (b, c), (c, a))]
            best = np.where(np.all(sides, axis=0), np.minimum(best, np.abs(height)), best)
    return best


def check(vertices, triangles, points):
    point, triangle, distance = nearest(vertices, triangles, points)
    scale = np.abs(vertices).max()
    assert np.abs(distance - brute_distance(vertices, triangles, points)).max() <= 1e-12 * scale
    assert np.abs(np.linalg.norm(point - points, axis=1) - distance).max() <= 1e-14 * scale
    own = [brute_distance(vertices, triangles[t : t + 1], point[i : i + 1])[0] for i, t in enumerate(triangle)]
    assert max(own) <= 1e-12 * scale  # the point lies on the triangle that is named


def test_brute_force_agrees_on_curved_and_joined_meshes():
    rng = np.random.default_rng(0)
    for solid in (bumpy(2, 1), joined(sphere(2), moved(box(), (3.0, 0.0, 0.0), seed=1))):
        check(*solid, rng.uniform(-2.0, 4.0, (300, 3)))


def test_points_on_the_mesh_have_distance_zero():
    vertices, triangles = bumpy(3, 2)
    point, triangle, distance = nearest(vertices, triangles, vertices)
    assert (distance == 0.0).all()
    assert (point == vertices).all()
    first = np.array([np.flatnonzero((triangles == v).any(axis=1))[0] for v in range(len(vertices))])
    assert (triangle == first).all()  # of equally near triangles the one with the smallest number


def test_a_box_has_the_distance_of_the_textbook():
    vertices, triangles = box()
    points = np.random.default_rng(3).uniform(-3.0, 3.0, (2000, 3))
    outside = np.linalg.norm(np.maximum(np.abs(points) - 1.0, 0.0), axis=1)
    within = np.min(1.0 - np.abs(points), axis=1)
    wanted = np.where(within > 0.0, within, outside)
    assert np.abs(nearest(vertices, triangles, points)[2] - wanted).max() < 1e-14


def test_the_answer_to_a_point_does_not_depend_on_the_others():
    vertices, triangles = bumpy(3, 4)
    points = np.random.default_rng(4).uniform(-1.5, 1.5, (200, 3))
    points[:50] = 0.0
    together = nearest(vertices, triangles, points)
    for i in (0, 77, 199):
        alone = nearest(vertices, triangles, points[i : i + 1])
        assert (alone[0][0] == together[0][i]).all()
        assert alone[1][0] == together[1][i]
    assert nearest(vertices, triangles, np.empty((0, 3)))[0].shape == (0, 3)


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), flat=st.booleans(), scale=st.sampled_from([1e-3, 1.0, 1e3]))
def test_any_triangles_even_degenerate_ones(seed, flat, scale):
    rng = np.random.default_rng(seed)
    vertices = rng.integers(-3, 4, (8, 3)).astype(float)  # equal and collinear vertices are common
    if flat:
        vertices[:, 2] = 0.0
    check(vertices * scale, rng.integers(0, 8, (12, 3)), rng.integers(-4, 5, (10, 3)) * scale)


def test_the_tree_holds_every_triangle_once_and_its_boxes_enclose_them():
    for count in (1, LEAF, LEAF + 1, 100, 511):
        vertices, triangles = bumpy(3, 0)
        triangles = triangles[:count]
        tree = build_tree(vertices, triangles)
        assert sorted(tree.order.tolist()) == list(range(count))
        assert (tree.corners == vertices[triangles[tree.order]]).all()
        for node in range(2 << tree.depth):
            level = node.bit_length() - 1
            if node > 0:
                j = node - (1 << level)
                entries = tree.corners[(j * count) >> level : ((j + 1) * count) >> level]
                assert len(entries) > 0
                assert (tree.low[node] == entries.min(axis=(0, 1))).all()
                assert (tree.high[node] == entries.max(axis=(0, 1))).all()
                assert level < tree.depth or len(entries) <= LEAF
