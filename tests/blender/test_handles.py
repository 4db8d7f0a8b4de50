"""Handles on blows: what the mouse holds is where the mouse is, and a pull that is cancelled changes nothing."""

import bpy
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.blender.fingerprint import differences, fingerprint

number = st.floats(-3.0, 3.0)
point = st.tuples(number, number, number).map(np.array)
axis = point.filter(lambda p: np.linalg.norm(p) > 0.1).map(lambda p: p / np.linalg.norm(p))

#: The fixtures are modules, which keep nothing. Blender may keep a busy machine from drawing numbers in time.
stateless = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.fixture
def drags(module):
    return module("operators.drags")


@pytest.fixture
def handles(module):
    return module("operators.handles")


@pytest.fixture
def seen(cube, module):
    """The blows on the cube as they are drawn at present."""
    view = module("operators.blow_view")
    return lambda: view.blows(bpy.context, cube, view.FRONT)


@stateless
@given(eye=point, start=point, along=axis, t=number)
def test_a_ray_through_a_point_of_a_line_finds_it(drags, eye, start, along, t):
    seen = start + t * along - eye
    if np.linalg.norm(np.cross(seen, along)) < 0.1 * np.linalg.norm(seen) or np.linalg.norm(seen) < 0.1:
        return  # along the line all of its points lie behind each other
    ray = drags.Ray(eye, seen / np.linalg.norm(seen))
    assert drags.distance_along(ray, start, along) == pytest.approx(t, abs=1e-9)


def test_who_looks_along_a_line_sees_no_place_on_it(drags):
    ray = drags.Ray(np.zeros(3), np.array([0.0, 0.0, 1.0]))
    assert drags.distance_along(ray, np.ones(3), np.array([0.0, 0.0, -1.0])) is None


@stateless
@given(centre=point, radius=st.floats(0.1, 2.0), toward=axis, eye=axis)
def test_a_ray_through_a_point_of_a_sphere_finds_its_direction(drags, centre, radius, toward, eye):
    origin = centre + 10.0 * eye
    seen = centre + radius * toward - origin
    ray = drags.Ray(origin, seen / np.linalg.norm(seen))
    behind = np.vdot(toward, ray.direction) > 0.0
    found = drags.direction_from(ray, centre, radius, behind)
    # The root at the outline loses half of the digits.
    assert found == pytest.approx(toward, abs=1e-6)


def test_beside_a_sphere_its_outline_is_taken(drags):
    ray = drags.Ray(np.array([0.0, 5.0, 9.0]), np.array([0.0, 0.0, -1.0]))
    assert drags.direction_from(ray, np.zeros(3), 1.0, False) == pytest.approx((0.0, 1.0, 0.0))


@stateless
@given(centre=point, normal=axis, eye=axis, x=number, y=number)
def test_a_ray_through_a_point_of_a_plane_finds_its_distance(drags, module, centre, normal, eye, x, y):
    u, v = module("operators.bridge.surface").axes_across(normal)
    origin = centre + 10.0 * eye
    seen = centre + x * u + y * v - origin
    ray = drags.Ray(origin, seen / np.linalg.norm(seen))
    if abs(np.vdot(ray.direction, normal)) < drags.EDGE_ON:
        return
    assert drags.distance_in_plane(ray, centre, normal) == pytest.approx(np.hypot(x, y), abs=1e-9)


def ray_to(drags, target, eye=(-4.0, -9.0, 3.0)):
    seen = np.asarray(target, float) - eye
    return drags.Ray(np.array(eye), seen / np.linalg.norm(seen))


def pulled(handles, drags, grip, blow, start, end):
    """Take a handle at a place, and let it go at another."""
    drag = handles.begin(bpy.context, grip, blow, ray_to(drags, start))
    told = handles.pull(bpy.context, drag, ray_to(drags, end))
    bpy.context.view_layer.update()
    return drag, told


@pytest.mark.parametrize("strength", [0.25, 1.0, 100.0])
@pytest.mark.parametrize("share", [0.5, 2.0])
def test_the_arrow_is_pulled_longer_and_shorter(cube, handles, drags, seen, strength, share):
    cube.brittle.blow.strength = strength
    (blow,) = seen()
    end = blow.place - share * blow.length() * blow.direction
    _, told = pulled(handles, drags, handles.Grip.STRENGTH, blow, blow.tail(), end)
    # The arrow is as long as the root of the strength, and of one that is too long to be drawn it is a share of it.
    assert cube.brittle.blow.strength == pytest.approx(strength * share**2, rel=1e-5)
    assert told.startswith("Force")
    assert seen()[0].place == pytest.approx(blow.place)


def test_the_ring_is_pulled_wider_and_never_back_to_automatic(cube, handles, drags, seen):
    (blow,) = seen()
    end = blow.place + 3.0 * (blow.rim() - blow.place)
    pulled(handles, drags, handles.Grip.RADIUS, blow, blow.rim(), end)
    assert cube.brittle.blow.radius == pytest.approx(3.0 * blow.reach, rel=1e-5)
    pulled(handles, drags, handles.Grip.RADIUS, seen()[0], seen()[0].rim(), blow.place)
    assert 0.0 < cube.brittle.blow.radius < 0.01


def test_the_blow_from_the_viewer_becomes_an_impact_that_is_turned(cube, handles, drags, seen):
    cube.brittle.blow.strength, cube.brittle.blow.radius = 3.0, 0.4
    (blow,) = seen()
    tail = blow.place + blow.length() * np.array((0.0, -0.6, 0.8))
    drag, _ = pulled(handles, drags, handles.Grip.DIRECTION, blow, blow.tail(), tail)
    (turned,) = seen()
    empty = bpy.data.objects[turned.impact]
    assert empty.parent == cube and turned.impact == drag.blow.impact
    assert turned.direction == pytest.approx((0.0, 0.6, -0.8), abs=1e-5)
    assert turned.place == pytest.approx(blow.place, abs=1e-5)
    assert (turned.strength, turned.reach) == pytest.approx((3.0, 0.4))


@pytest.mark.parametrize("end", [(-0.5, -0.2, 2.0), (0.3, -1.0, 0.6)])
def test_an_impact_slides_over_the_surface_at_its_angle_to_it(cube, handles, drags, seen, end):
    bpy.ops.mesh.primitive_cube_add(size=0.5, location=(-2.0, -4.6, 1.5))  # in the way of the eye
    bpy.context.view_layer.objects.active = cube
    (blow,) = seen()
    pulled(handles, drags, handles.Grip.PLACE, blow, blow.place, end)
    (slid,) = seen()
    assert slid.place == pytest.approx(end, abs=1e-5)
    inward = {2.0: (0.0, 0.0, -1.0), 0.6: (0.0, 1.0, 0.0)}[end[2]]
    # The default blow lands on the front, whose inward normal is Y.
    assert np.vdot(slid.direction, inward) == pytest.approx(blow.direction[1], abs=1e-5)


@pytest.mark.parametrize("placed", [False, True])
@pytest.mark.parametrize("grip", ["PLACE", "DIRECTION", "STRENGTH", "RADIUS"])
def test_a_pull_that_is_cancelled_changes_nothing(cube, handles, drags, seen, grip, placed):
    if placed:
        bpy.ops.brittle.impact_add(location=(0.2, -1.0, 0.1), direction=(0.0, 0.8, -0.6), owner="Cube")
        bpy.context.view_layer.update()
    before = fingerprint()
    (blow,) = seen()
    drag, _ = pulled(handles, drags, handles.Grip[grip], blow, blow.place, (0.5, -1.0, 0.5))
    assert differences(before, fingerprint())
    drag.undo()
    bpy.context.view_layer.update()
    assert not differences(before, fingerprint())


def test_a_handle_lies_on_what_it_changes(cube, handles, seen):
    (blow,) = seen()
    at = {grip: np.array(handles.placing(grip, blow).translation) for grip in handles.Grip}
    assert at[handles.Grip.PLACE] == pytest.approx(blow.place, abs=1e-6)
    assert at[handles.Grip.DIRECTION] == pytest.approx(blow.tail(), abs=1e-6)
    assert np.linalg.norm(at[handles.Grip.RADIUS] - blow.place) == pytest.approx(blow.reach, rel=1e-6)
