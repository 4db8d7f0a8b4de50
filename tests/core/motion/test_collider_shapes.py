"""Colliders: any mesh that is in the way, as convex parts that leave free what an artist sees free."""

import numpy as np
import pytest

from core.errors import InputError
from core.geometry.mesh import diagonal
from core.motion.collider_shapes import BACK, TOLERANCE, collider_shapes
from core.types import Mesh
from tests import shapes as bodies
from tests.core.motion.convexity import assert_sound, inside_some
from tests.core.motion.solids_of import cup
from tests.zoo import sheets
from tests.zoo.meshes import ZOO

REFUSED = {"some points undefined", "all points undefined", "empty", "points without faces", "degenerate faces only"}
REFUSED |= {"collinear faces only", "all in one point"}


def mesh(vertices, triangles, name="Thing"):
    return Mesh(name, np.asarray(vertices, float).reshape(-1, 3), np.asarray(triangles, np.int64).reshape(-1, 3))


def of_body(body, scale=1.0):
    return mesh(body.vertices * scale, body.triangles)


def field(count, height=lambda x, y: 0.0 * x, size=10.0):
    """A grid of count x count squares that faces up."""
    x, y = np.meshgrid(*2 * [np.linspace(0.0, size, count + 1)], indexing="ij")
    i, j = np.meshgrid(np.arange(count), np.arange(count), indexing="ij")
    a = (i * (count + 1) + j).ravel()
    b, c, d = a + count + 1, a + count + 2, a + 1
    vertices = np.stack([x, y, height(x, y)], axis=-1).reshape(-1, 3)
    return mesh(vertices, np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)]))


def top(shapes, x, y, low=-5.0, high=5.0):
    """The height of what lies at (x, y), by a search along the vertical."""
    z = np.linspace(low, high, 4001)
    return z[inside_some(shapes, np.stack([x + 0 * z, y + 0 * z, z], axis=1))].max()


@pytest.mark.parametrize("count", [1, 7, 150])
def test_a_floor_is_one_slab_below_its_surface(count):
    floor = field(count)
    shapes = collider_shapes(floor)
    assert_sound(shapes)
    assert len(shapes.parts) == 1
    up = shapes.geometry.faces[shapes.geometry.faces.normal[:, 2] > 0.5]
    assert np.array_equal(up.normal, [[0.0, 0.0, 1.0]])
    assert up.offset[0] == 0.0
    assert shapes.vertices[:, 2].min() == pytest.approx(-BACK * diagonal(floor.vertices), rel=1e-12)


def test_a_floor_with_a_corner_missing_has_nothing_there():
    floor = field(10)
    middle = floor.vertices[floor.triangles].mean(axis=1)
    rest = floor.triangles[~((middle[:, 0] > 5.0) & (middle[:, 1] > 5.0))]
    shapes = collider_shapes(mesh(floor.vertices, rest))
    assert len(shapes.parts) == 2
    assert inside_some(shapes, np.array([[2.0, 8.0, -0.1], [8.0, 2.0, -0.1], [7.0, 7.0, -0.1]])).tolist() == [1, 1, 0]


def test_a_terrain_is_followed_within_the_tolerance():
    land = field(20, lambda x, y: np.sin(x) * np.cos(0.7 * y))
    shapes = collider_shapes(land)
    assert_sound(shapes)
    size = diagonal(land.vertices)
    for x, y in np.random.default_rng(0).uniform(1.0, 9.0, (40, 2)):
        # triangles differ from the formula by a squared edge times a curvature of 1 over 8: 0.04; on slopes of up to 1
        # a gap along the normal is sqrt 2 times as high along the vertical
        error = top(shapes, x, y) - np.sin(x) * np.cos(0.7 * y)
        assert -0.04 - 0.005 * size < error < np.sqrt(2.0) * TOLERANCE * size + 0.04


def test_closed_convex_meshes_are_one_part():
    for body in (bodies.box(), bodies.icosphere(3), bodies.plate()):
        assert len(collider_shapes(of_body(body)).parts) == 1


@pytest.mark.parametrize(
    ("body", "free", "full"),
    [
        (cup(), [[0, 0, 1], [0.8, 0, 1.9]], [[0.97, 0, 1], [0, 0.5, 0.02]]),
        (bodies.torus(), [[0, 0, 0]], [[1, 0, 0], [0, -1, 0.2]]),
        (bodies.hollow_box(), [[0.5, 0.5, 0.5], [0.15, 0.15, 0.85]], [[0.05, 0.5, 0.5]]),
        (bodies.reversed_body(bodies.box()), [[0.5, 0.5, 0.5], [0.01, 0.99, 0.5]], [[-0.02, 0.5, 0.5]]),
        (bodies.two_boxes(), [[1.15, 0.5, 0.5]], [[0.5, 0.5, 0.5], [1.5, 0.5, 0.5]]),
    ],
)
def test_hollows_stay_free_and_matter_is_there(body, free, full):
    shapes = collider_shapes(of_body(body))
    assert_sound(shapes)
    assert not inside_some(shapes, np.array(free, float)).any()
    assert inside_some(shapes, np.array(full, float)).all()


def test_an_open_bowl_stays_open():
    vertices, triangles = sheets.bowl()
    shapes = collider_shapes(mesh(vertices, triangles))
    assert_sound(shapes)
    assert not inside_some(shapes, np.array([[0.0, 0.0, 0.5 * vertices[:, 2].min()]])).any()


def test_triangles_that_share_no_vertex_are_joined():
    box = bodies.box()
    loose = mesh(box.vertices[box.triangles.ravel()], np.arange(36))
    assert len(collider_shapes(loose).parts) == 1


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_size_does_not_matter(scale):
    one, other = (collider_shapes(of_body(bodies.hollow_box(), factor)) for factor in (1.0, scale))
    assert len(one.parts) == len(other.parts)
    assert np.array_equal(one.loop, other.loop)
    assert np.abs(one.vertices * scale - other.vertices).max() < 1e-12 * scale


@pytest.mark.parametrize("name", [name for name, member in ZOO.items() if member.size < 3 and name not in REFUSED])
def test_every_mesh_of_the_zoo_can_be_in_the_way(name):
    vertices, triangles = ZOO[name].make()
    if len(triangles) > 250:
        pytest.skip("large")
    assert_sound(collider_shapes(mesh(vertices, triangles, name)))


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_meshes_without_a_surface_are_refused(name):
    with pytest.raises(InputError, match=name):
        collider_shapes(mesh(*ZOO[name].make(), name))
