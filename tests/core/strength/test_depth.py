"""How deep places lie in walls."""

import numpy as np
import pytest

from core.geometry.bvh import build_tree
from core.strength.depth import wall_depth
from tests import shapes


def depth_in(body, points):
    return wall_depth(build_tree(body.vertices, body.triangles), np.asarray(points, np.float64))


def test_depth_in_a_pane_is_the_distance_over_half_of_the_thickness():
    pane = shapes.box(high=(1.0, 0.8, 0.01))
    z = np.array([0.0, 0.001, 0.0025, 0.005, 0.0075, 0.01])
    depth, inward = depth_in(pane, np.column_stack([np.full(6, 0.4), np.full(6, 0.3), z]))
    np.testing.assert_allclose(depth, [0.0, 0.2, 0.5, 1.0, 0.5, 0.0], atol=2e-3)  # it stops 1e-3 before the other side
    np.testing.assert_allclose(np.abs(inward), np.tile([0.0, 0.0, 1.0], (6, 1)), atol=1e-12)
    assert inward[:3, 2].tolist() == [1.0, 1.0, 1.0] and inward[4:, 2].tolist() == [-1.0, -1.0]


def test_depth_in_a_ball_is_one_in_the_middle():
    ball = shapes.icosphere(4)
    rng = np.random.default_rng(0)
    direction = rng.normal(size=(200, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    radius = rng.uniform(0.05, 0.95, 200)
    depth, inward = depth_in(ball, radius[:, None] * direction)
    # Facets lie up to 0.4 % inside of the ball, their normals up to 5 degrees off; near the middle that counts most.
    np.testing.assert_allclose(depth, 1.0 - radius, atol=0.05)
    far = radius > 0.5
    assert (np.einsum("ni,ni->n", inward, -direction)[far] > 0.98).all()


def test_depth_follows_each_wall_of_a_vessel():
    # Walls of 0.1 around a hollow: half of it in the middle of each wall.
    hollow = shapes.hollow_box(0.1)
    depth, _ = depth_in(hollow, [[0.05, 0.5, 0.5], [0.5, 0.975, 0.5], [0.5, 0.5, 0.025]])
    np.testing.assert_allclose(depth, [1.0, 0.5, 0.5], atol=2e-3)


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_depth_is_the_same_at_every_size(scale):
    points = np.random.default_rng(0).uniform(0.05, 0.95, (50, 3))
    one, large = shapes.box(), shapes.moved(shapes.box(), (0, 0, 0), scale)
    np.testing.assert_allclose(depth_in(large, scale * points)[0], depth_in(one, points)[0], atol=1e-9)


def test_no_places_have_no_depths():
    depth, inward = depth_in(shapes.box(), np.zeros((0, 3)))
    assert depth.shape == (0,) and inward.shape == (0, 3)
