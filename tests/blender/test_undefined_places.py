"""Places that are no numbers end in one sentence that names what makes them so, and nothing has changed."""

import bpy
import numpy as np
import pytest

NAN, INF = float("nan"), float("inf")


@pytest.fixture
def refused(state):
    """The sentence with which Shatter refuses, the file as before."""

    def run(**how):
        bpy.context.view_layer.update()
        before = repr(state())
        with pytest.raises(RuntimeError) as error:
            bpy.ops.brittle.shatter(seed=1, **how)
        said = str(error.value)
        assert "Traceback" not in said and repr(state()) == before
        return said

    return run


def empty(name, **values):
    obj = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(obj)
    for key, value in values.items():
        setattr(obj, key, value)
    return obj


@pytest.mark.parametrize(
    ("path", "value", "label"),
    [
        ("location", (0, NAN, 0), "Location"),
        ("rotation_euler", (NAN, 0, 0), "Rotation"),
        ("delta_scale", (1, 1, NAN), "Delta Scale"),
        ("scale", (3e38, 1, 1), "Scale"),
    ],
)
def test_its_own_value_is_named(cube, refused, path, value, label):
    setattr(cube, path, value)
    assert f"the {label} of 'Cube' is not a finite number, so type one" in refused()


def test_keys_and_drivers_are_named(cube, refused):
    cube.location.x = INF
    cube.keyframe_insert("location", index=0)
    assert "the Location of 'Cube' is not a finite number, which its keys give" in refused()
    cube.animation_data_clear()
    cube.location.x = 0.0
    driver = cube.driver_add("scale", 1).driver
    driver.type = "SUM"
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = empty("Source", location=(INF, 0, 0)), "location.x"
    assert "the Scale of 'Cube' is not a finite number, which its driver gives" in refused()


def test_the_parent_or_the_constraint_is_named(cube, refused):
    lost = empty("Rig", location=(0, 0, NAN))
    cube.parent = lost
    assert "'Cube' has no place: the Location of 'Rig' is not a finite number" in refused()
    cube.parent = None
    cube.constraints.new("COPY_LOCATION").target = empty("Fine")
    constraint = cube.constraints.new("COPY_ROTATION")
    constraint.name, constraint.target = "Follow", lost
    cube.constraints.new("COPY_LOCATION").target = lost
    assert "'Cube' has no place: the constraint '" in refused()


def test_an_impact_without_a_place_is_named_and_none_is_blamed_that_is_not_there(cube, refused):
    bpy.ops.brittle.impact_add(location=(0, -1, 1), direction=(0, 1, 0))
    hit = bpy.data.objects["Impact"]
    hit.location.x = NAN
    bpy.context.view_layer.objects.active = cube
    assert f"'{hit.name}' has no place" in refused()
    bpy.data.objects.remove(hit)
    cube.select_set(True)
    bpy.context.scene.cursor.location.x = NAN
    assert "3D cursor" in refused()
    bpy.context.scene.cursor.location.x = 0.0
    for vertex in cube.data.vertices:
        vertex.co.x = INF
    said = refused()
    assert "impact" not in said and "no usable faces" in said


def test_a_place_that_gets_lost_within_the_frame_of_the_break_is_refused(cube, refused):
    """It is looked at half a frame on both sides, for its speed."""
    for frame, x in ((1, 0.0), (2, 3e38)):
        cube.location.x = x
        cube.keyframe_insert("location", index=0, frame=frame)
    bpy.context.scene.frame_set(1)
    assert "the Location of 'Cube' is not a finite number, which its keys give" in refused()


def test_a_point_at_infinity_is_dropped_with_its_faces(cube):
    cube.data.vertices[7].co.x = INF
    bpy.ops.brittle.shatter(seed=1)
    fragments = [obj for obj in bpy.data.objects if "brittle_fragment" in obj]
    place = np.array([corner[:] for obj in fragments for corner in obj.bound_box])
    assert len(fragments) > 1 and np.abs(place).max() < 10.0


def test_a_collider_with_points_at_infinity_is_left_out_by_name(cube, make_collider, read):
    wall = make_collider("Wall")
    wall.data.vertices[0].co.z = INF
    bpy.context.view_layer.update()
    reading = read(cube)
    assert reading.scene.colliders == () and "'Wall' is left out" in reading.warnings[0]


def world_points(obj):
    matrix = np.array(obj.matrix_world, np.float64)
    points = np.array([vertex.co[:] for vertex in obj.data.vertices], np.float64)
    return points @ matrix[:3, :3].T + matrix[:3, 3]


@pytest.mark.parametrize("place", [(3.3, -7.7, 0.1), (1e4, 5e3, 0.3), (-8e6, 1.23456e6, 77.0)])
def test_pieces_lie_where_the_object_lay_at_any_distance(cube, place):
    """Rest positions are those of the object's own coordinates, which its matrix takes into the world."""
    for vertex in cube.data.vertices:
        vertex.co *= 0.15
    cube.location, cube.rotation_euler, cube.scale = place, (0.3, 0.2, 0.1), (1.0, 2.0, 0.5)
    bpy.context.view_layer.update()
    matrix = np.array(cube.matrix_world, np.float64)
    bpy.ops.brittle.shatter(seed=1)
    bpy.context.scene.frame_set(bpy.context.scene.frame_current)
    for obj in bpy.data.objects:
        if "brittle_fragment" in obj:
            rest = np.array([item.vector[:] for item in obj.data.attributes["rest_position"].data], np.float64)
            lay = rest @ matrix[:3, :3].T + matrix[:3, 3]
            # Each of the two has coordinates of less than 1 with 24 bits, from a place that is up to 0.25 off.
            assert np.abs(world_points(obj) - lay).max() < 5e-7


def test_a_distance_that_shows_is_told_and_one_that_ruins_all_is_refused(cube, refused, read):
    assert read(cube).warnings == ()
    cube.location.x = 1e5  # steps of 2^-7 m
    bpy.context.view_layer.update()
    told = read(cube).warnings
    assert len(told) == 1 and "100 km from the world's origin" in told[0] and "7.8 mm" in told[0]
    cube.location.x = 1e12
    assert "move the scene to the origin first" in refused()
