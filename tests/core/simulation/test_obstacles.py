"""How far points are from what is in the way: against the signed distance of a box, at rest, led and deforming."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.arithmetic.small_matrices import rotation_matrices
from core.simulation.environment import Environment, make_parts_of_colliders
from core.simulation.live_fragments import LiveFragments
from core.simulation.obstacles import FrameSurroundings, Obstacle, ObstacleShape
from core.simulation.rigid_obstacles import RigidObstacles
from core.simulation.spec import InitialMotion, SimObject
from core.stepwise import result_of
from core.types import Collider, Ground, Mesh
from tests.core.simulation.breaking import model_of
from tests.shapes import box

HALF = np.array([1.0, 0.5, 0.25])
BOX = box(-HALF, HALF)
STILL = np.tile(np.array([1.0, 0.0, 0.0, 0.0]), (2, 1))
DT = 1.0 / 24.0


def distance_to_box(points):
    """The signed distance of a box about the origin (Quilez, "Distance functions")."""
    q = np.abs(points) - HALF
    return np.sqrt(np.square(np.maximum(q, 0.0)).sum(axis=1)) + np.minimum(q.max(axis=1), 0.0)


def surroundings(*obstacles, ground=None, place=(0.0, 0.0, 0.0)):
    return FrameSurroundings(np.array([0.0, 0.0, -9.8]), DT, ground, obstacles, np.array(place))


def led(position=((0.0, 0.0, 0.0),) * 2, rotation=STILL, end=None):
    return Obstacle(ObstacleShape(BOX.vertices, BOX.triangles), np.array(position), np.array(rotation), end)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_distances_are_those_of_the_box_and_normals_their_gradient(seed):
    """Central differences of step h err by h^2; near the edges of the field, where it has none, points are left out."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(-1.5, 1.5, (40, 3))
    found = surroundings(led()).find_nearest(points, 0.5)
    np.testing.assert_allclose(found.distance, distance_to_box(points), atol=1e-12)
    h = 1e-5
    slope = np.stack(
        [(distance_to_box(points + h * e) - distance_to_box(points - h * e)) / (2.0 * h) for e in np.eye(3)], axis=1
    )
    smooth = np.abs(np.sqrt(np.square(slope).sum(axis=1)) - 1.0) < 1e-6
    np.testing.assert_allclose(found.normal[smooth], slope[smooth], atol=1e-4)
    assert not found.velocity.any()


def test_a_point_on_a_face_has_the_normal_of_the_face():
    found = surroundings(led()).find_nearest(np.array([[0.2, 0.1, 0.25], [1.0, 0.1, 0.1]]), 0.0)
    np.testing.assert_allclose(found.distance, 0.0, atol=1e-15)
    np.testing.assert_allclose(found.normal, [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], atol=1e-12)


def test_what_is_led_is_where_it_is_at_each_share_and_its_surface_moves_so():
    """A turn by 1 degree about z and a way of 0.24 m along x within the frame: v = w x r + v0, to the square of it."""
    angle = np.radians(1.0)
    turned = np.array([[1.0, 0.0, 0.0, 0.0], [np.cos(0.5 * angle), 0.0, 0.0, np.sin(0.5 * angle)]])
    around = surroundings(led(((0.0, 0.0, 0.0), (0.24, 0.0, 0.0)), turned))
    point = np.array([[1.3, 0.2, 0.0]])
    for share in (0.0, 0.5, 1.0):
        half = 0.5 * share * angle
        R = rotation_matrices(np.array([[np.cos(half), 0.0, 0.0, np.sin(half)]]))[0]
        local = (point - [0.24 * share, 0.0, 0.0]) @ R
        found = around.find_nearest(point, share)
        np.testing.assert_allclose(found.distance, distance_to_box(local), atol=1e-6)
        on = np.array([1.0, local[0, 1], 0.0])
        expected = np.array([0.24 / DT, 0.0, 0.0]) + np.cross([0.0, 0.0, angle / DT], R @ on)
        np.testing.assert_allclose(found.velocity[0], expected, atol=2.0 * angle * angle / DT)


def test_what_deforms_is_between_its_two_forms():
    """A box that grows to twice its size along x: its end is at 1 + s, and goes 1 m in the frame."""
    around = surroundings(led(end=BOX.vertices * [2.0, 1.0, 1.0]))
    found = around.find_nearest(np.array([[2.5, 0.0, 0.0]]), 0.25)
    np.testing.assert_allclose(found.distance, [1.25], atol=1e-12)
    np.testing.assert_allclose(found.velocity, [[1.0 / DT, 0.0, 0.0]], atol=1e-9)


def test_the_ground_and_the_nearer_of_two_count_in_the_objects_own_coordinates():
    around = surroundings(led(((0.0, 0.0, 3.0),) * 2), ground=Ground(0.5), place=(0.0, 0.0, 1.0))
    found = around.find_nearest(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.5], [0.0, 0.0, -1.0]]), 0.0)
    np.testing.assert_allclose(found.distance, [0.5, 0.25, -0.5], atol=1e-12)
    np.testing.assert_allclose(found.normal[:, 2], [1.0, -1.0, 1.0], atol=1e-12)


def test_without_anything_in_the_way_all_is_free():
    assert np.isinf(surroundings().find_nearest(np.zeros((2, 3)), 0.0).distance).all()


@pytest.mark.parametrize("deforms", [False, True])
def test_colliders_of_a_scene_are_there_frame_by_frame(deforms):
    """One that goes 0.1 m a frame, as a whole or as a mesh of its own at each frame that also grows."""
    steps = np.arange(4)[:, None] * [0.1, 0.0, 0.0]
    forms = tuple(Mesh("Box", (1.0 + 0.1 * k) * BOX.vertices + step, BOX.triangles) for k, step in enumerate(steps))
    mesh = Mesh("Box", BOX.vertices, BOX.triangles)
    collider = Collider(mesh, steps, np.tile(STILL[0], (4, 1)), forms if deforms else ())
    made = result_of(make_parts_of_colliders((collider,)))
    environment = Environment(np.zeros(3), None, made, 4)
    size = 1.2 if deforms else 1.0
    found = surroundings(*environment.obstacles(2)).find_nearest(np.array([[3.0, 0.0, 0.0]]), 1.0)
    np.testing.assert_allclose(found.distance, [3.0 - 0.2 - size], atol=1e-12)


def test_rigid_pieces_are_where_they_fly():
    """A block that moves with 2.4 m/s is 0.1 m farther at the end of the frame, and its surface as fast."""
    model = model_of(box(-HALF, HALF), count=3)
    moving = InitialMotion(np.array([2.4, 0.0, 0.0]), np.zeros(3), np.zeros(3))
    live = LiveFragments([SimObject("Block", model, momentum=moving, place=np.array([0.0, 0.0, 5.0]))])
    live.take_shape()
    obstacles = RigidObstacles()
    found = surroundings(*obstacles.of(live, DT)).find_nearest(np.array([[2.0, 0.0, 5.0]]), 1.0)
    np.testing.assert_allclose(found.distance, [0.9], atol=1e-9)
    np.testing.assert_allclose(found.velocity, [[2.4, 0.0, 0.0]], atol=1e-9)
