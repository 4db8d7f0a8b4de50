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


TETRAHEDRON = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]])
SIXTH = 1e-3 / 6.0


def test_tetrahedra_share_with_the_ground_what_is_below_it():
    """The top of the tetrahedron is out: a smaller one, by 0.06 / 0.1."""
    place = np.array([2.0, -3.0, 1.0])
    around = surroundings(ground=Ground(1.04), place=place)
    away = np.array([[[0.0, 0.0, 1.0]], [[0.0, 0.0, 0.0]], [[0.0, 7.0, -1.0]]])
    found = around.find_overlaps(TETRAHEDRON + away, 0.5)
    assert found.tetrahedron.tolist() == [1, 2]
    np.testing.assert_allclose(found.volume, [SIXTH * (1.0 - 0.6**3), SIXTH], rtol=1e-12)
    np.testing.assert_allclose(found.area, [[0.0, 0.0, 0.5 * 0.06**2], [0.0, 0.0, 0.0]], atol=1e-15)
    np.testing.assert_allclose(found.centre[1], TETRAHEDRON.mean(axis=0) + away[2, 0], atol=1e-12)
    assert not found.velocity.any()


def test_tetrahedra_meet_what_is_led_where_it_is_and_as_fast_as_it_is():
    """A box that turns by a quarter about z while it goes along x: halfway its corner is ahead, at 45 degrees."""
    turned = np.array([[1.0, 0.0, 0.0, 0.0], [np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]])
    around = surroundings(led(((0.0, 0.0, 0.0), (0.24, 0.0, 0.0)), turned), place=(0.5, 0.0, 0.0))
    rng = np.random.default_rng(2)
    tetrahedra = TETRAHEDRON * rng.uniform(1.0, 6.0, (120, 1, 3)) + rng.uniform(-1.0, 0.9, (120, 1, 3)) * [
        1.0,
        1.0,
        0.3,
    ]
    found = around.find_overlaps(tetrahedra, 0.5)
    weights = rng.dirichlet(np.ones(4), 4000)
    volume = np.abs(np.linalg.det(tetrahedra[:, 1:] - tetrahedra[:, :1])) / 6.0
    inside = np.array([(around.find_nearest(weights @ one, 0.5).distance < 0.0).mean() for one in tetrahedra])
    shared = np.zeros(120)
    shared[found.tetrahedron] = found.volume / volume[found.tetrahedron]
    np.testing.assert_allclose(shared, inside, atol=5.0 * 0.5 / np.sqrt(4000))
    cut = (shared > 0.05) & (shared < 0.95)
    assert cut.sum() > 20 and (shared == 0.0).sum() > 4
    np.testing.assert_allclose(found.velocity, around.find_nearest(found.centre, 0.5).velocity, atol=1e-12)
    # Where one side of it cuts, and no edge, the surface within looks where the normal at the centre does.
    flat = np.linalg.norm(found.area, axis=1) > 1e-3
    looks = found.area[flat] / np.linalg.norm(found.area[flat], axis=1)[:, None]
    agree = (looks * around.find_nearest(found.centre[flat], 0.5).normal).sum(axis=1)
    assert (np.abs(agree - 1.0) < 1e-9).sum() > 10 and np.median(agree) > 0.9


def test_tetrahedra_in_two_things_have_a_pair_with_each_and_none_with_what_is_open():
    """A box that has grown by half along x, a box of its own size, and one without its lid."""
    grown = led(end=BOX.vertices * [2.0, 1.0, 1.0])
    lidless = Obstacle(ObstacleShape(BOX.vertices, BOX.triangles[1:]), np.zeros((2, 3)), STILL)
    around = surroundings(grown, led(), lidless)
    tetrahedra = TETRAHEDRON + np.array([[[1.3, 0.0, 0.0]], [[0.0, 0.0, 0.0]], [[1.45, 0.0, 0.0]]])
    found = around.find_overlaps(tetrahedra, 0.5)
    assert found.tetrahedron.tolist() == [0, 1, 1, 2]
    np.testing.assert_allclose(found.volume, SIXTH * np.array([1.0, 1.0, 1.0, 1.0 - 0.5**3]), rtol=1e-12)
    # The end of the grown box goes 1 m in the frame.
    np.testing.assert_allclose(found.velocity[3], [1.0 / DT, 0.0, 0.0], atol=1e-9)


def test_without_anything_in_the_way_tetrahedra_share_nothing():
    assert len(surroundings().find_overlaps(TETRAHEDRON[None], 0.0).volume) == 0
    assert len(surroundings(led(), ground=Ground(0.0)).find_overlaps(np.zeros((0, 4, 3)), 0.0).volume) == 0
