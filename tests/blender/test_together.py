"""Several selected objects are one simulation: their pieces meet; each keeps what is its own."""

import json

import bpy
import manifold3d
import numpy as np
import pytest

from tests.blender.pieces import pieces_of

pytestmark = pytest.mark.blender

#: Part of a piece's volume that another one may take up which rests on it with a depth of 0.5 % of its size.
RESTS = 0.005


@pytest.fixture
def pair(make_cube):
    """A cube on the ground, and another one that hovers above it."""
    lower, upper = make_cube("Lower"), make_cube("Upper")
    upper.location.z = 2.3
    for cube in (lower, upper):
        cube.brittle.voronoi.count = 6
    bpy.context.scene.brittle.frames = 24
    bpy.context.scene.cursor.location = (0.0, -4.0, 2.0)
    return lower, upper


def select(*objects):
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = objects[0]


def pieces(obj):
    return pieces_of(bpy.data.collections[f"{obj.name} Fragments"])


def alike(*objects, count=6):
    """Few pieces of each."""
    for obj in objects:
        obj.brittle.voronoi.count = count
    bpy.context.scene.brittle.frames = 24
    bpy.context.scene.cursor.location = (0.0, -4.0, 1.0)


def solids(obj):
    """Its pieces as they are shown."""
    result = []
    for item in pieces(obj):
        mesh = item.data
        mesh.calc_loop_triangles()
        corners = np.array([item.matrix_world @ v.co for v in mesh.vertices])
        triangles = np.array([tuple(face.vertices) for face in mesh.loop_triangles], np.uint64)
        result.append(manifold3d.Manifold(manifold3d.Mesh64(corners, triangles)))
    return result


def most_shared(*objects):
    """The largest part of a piece's volume that is within one piece of another object, at the last frame."""
    bpy.context.scene.frame_set(24)
    made = [solids(obj) for obj in objects]
    apart = [(a, b) for k, some in enumerate(made) for other in made[:k] for a in some for b in other]
    return max((a ^ b).volume() / min(a.volume(), b.volume()) for a, b in apart)


def report_of(obj):
    return json.loads(bpy.data.collections[f"{obj.name} Fragments"]["brittle_report"])


def height(obj):
    """Of the centre of mass of its pieces at the end."""
    bpy.context.scene.frame_set(24)
    total = sum(item["brittle_mass"] for item in pieces(obj))
    return sum(item["brittle_mass"] * item.matrix_world.translation.z for item in pieces(obj)) / total


def poses(obj):
    return [tuple(key.co) for item in pieces(obj) for curve in bag(item).fcurves for key in curve.keyframe_points]


def bag(item):
    animation = item.animation_data
    return animation.action.layers[0].strips[0].channelbag(animation.action_slot)


def test_pieces_of_one_rest_on_those_of_the_other(pair):
    lower, upper = pair
    select(*pair)
    assert bpy.ops.brittle.shatter(seed=1) == {"FINISHED"}
    reports = [report_of(obj) for obj in pair]
    assert all(report["seed"] == 1 and report["pieces"] > 1 and report["warnings"] == [] for report in reports)
    assert most_shared(*pair) < RESTS
    borne = height(upper)
    together = poses(lower), poses(upper)
    bpy.context.scene.frame_set(1)
    select(*pieces(upper), *pieces(lower))  # which stand for what is hidden; the other one comes first
    bpy.context.view_layer.objects.active = upper
    assert bpy.ops.brittle.shatter(seed=1) == {"FINISHED"}
    assert (poses(lower), poses(upper)) == together
    select(*pieces(upper))
    assert bpy.ops.brittle.restore() == {"FINISHED"}
    assert "Upper Fragments" not in bpy.data.collections and len(pieces(lower)) > 0
    select(*pieces(lower))
    bpy.ops.brittle.restore()
    select(upper)
    bpy.context.scene.frame_set(1)
    bpy.ops.brittle.shatter(seed=1)
    assert height(upper) < borne - 0.2, "alone it falls into what is not there for it"


def test_each_is_hit_by_its_own_impact_and_scale_and_unit_count(pair):
    scene = bpy.context.scene
    scene.unit_settings.scale_length = 0.5
    lower, upper = pair
    lower.location.x = upper.location.x = 50.0
    select(upper)
    bpy.ops.brittle.impact_add(location=(50.0, -1.0, 3.3), direction=(0.0, 1.0, 0.0))
    select(*pair)
    assert bpy.ops.brittle.shatter(seed=2) == {"FINISHED"}
    scene.frame_set(1)
    for obj in pair:
        centre = np.mean([item.matrix_world.translation for item in pieces(obj) if not item.hide_viewport], axis=0)
        assert abs(centre[0] - 50.0) < 0.5 and abs(centre[2] - (1.0 if obj is lower else 3.3)) < 0.5


def test_objects_that_break_at_other_frames_or_move_otherwise_say_so(pair):
    _, upper = pair
    select(upper)
    bpy.ops.brittle.impact_add(location=(0.0, -1.0, 3.3), direction=(0.0, 1.0, 0.0))
    empty = next(obj for obj in bpy.context.selected_objects if obj.type == "EMPTY")
    empty.brittle_impact.frame = 9
    select(*pair)
    bpy.ops.brittle.shatter(seed=1)
    report = json.loads(bpy.data.collections["Lower Fragments"]["brittle_report"])
    assert report["warnings"][-1] == "'Upper' breaks at another frame, so the pieces of the two do not meet."
    empty.brittle_impact.frame = 0
    bpy.context.scene.frame_set(1)
    upper.brittle.motion = "still"
    select(*pieces(pair[0]), upper)
    bpy.context.view_layer.objects.active = upper
    bpy.ops.brittle.shatter(seed=1)
    report = json.loads(bpy.data.collections["Lower Fragments"]["brittle_report"])
    assert report["warnings"][-1] == "'Upper' moves by other settings, so the pieces of the two do not meet."


def test_three_in_a_stack_of_different_materials_stay_apart(make_cube):
    stack = [make_cube(name) for name in ("A", "B", "C")]
    alike(*stack)
    for k, obj in enumerate(stack):
        obj.location.z = 2.0 * k
    stack[0].brittle.material.density, stack[2].brittle.material.density = 7800.0, 500.0
    select(*stack)
    assert bpy.ops.brittle.shatter(seed=1) == {"FINISHED"}
    assert sum(report_of(obj)["pieces"] > 1 for obj in stack) > 1
    assert most_shared(*stack) < RESTS
    masses = [sum(item["brittle_mass"] for item in pieces(obj)) for obj in stack]
    assert masses[0] / masses[2] == pytest.approx(7800.0 / 500.0, rel=1e-5)


def test_two_side_by_side_and_one_in_a_hole_stay_apart(make_cube, make_object):
    left, right = make_cube("Left"), make_cube("Right")
    left.location.x, right.location.x = -1.0, 1.0  # face to face
    alike(left, right)
    bpy.context.scene.cursor.location = (-4.0, 0.0, 1.0)
    select(left, right)
    assert bpy.ops.brittle.shatter(seed=1) == {"FINISHED"}
    assert report_of(left)["pieces"] > 1 and report_of(right)["pieces"] > 1
    assert most_shared(left, right) < RESTS
    for obj in [*bpy.data.objects]:
        bpy.data.objects.remove(obj)
    bpy.context.scene.frame_set(1)
    rim = [(x * s, y * s, z) for s in (2.0, 1.01) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)) for z in (0.0, 2.0)]
    sides = []
    for k in range(4):
        a, b = 2 * k, 2 * ((k + 1) % 4)
        sides += [
            (a, b, b + 1, a + 1),
            (8 + b, 8 + a, 9 + a, 9 + b),
            (a + 1, b + 1, 9 + b, 9 + a),
            (b, a, 8 + a, 8 + b),
        ]
    ring, core = make_object("Ring", rim, sides), make_cube("Core")
    alike(ring, core)
    select(ring, core)
    assert bpy.ops.brittle.shatter(seed=1) == {"FINISHED"}
    assert report_of(ring)["pieces"] > 1
    assert most_shared(ring, core) < RESTS


def test_one_that_cannot_be_broken_changes_nothing_of_the_other(pair, make_object, state):
    flat = make_object("Line", [(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)])
    select(*pair, flat)
    before = state()
    with pytest.raises(RuntimeError):
        bpy.ops.brittle.shatter()
    assert state() == before
