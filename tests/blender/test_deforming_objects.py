"""What bones, shape keys, modifiers or a keyed size deform breaks in the shape of its frame and flies on so."""

import bpy
import numpy as np
import pytest

from tests.blender.deforming import (
    dividing,
    driven,
    hang_on_bone,
    in_a_lattice,
    key_shape,
    key_turn,
    led_by_bone,
    scaled,
    seen,
    shaped,
    waving,
)

pytestmark = pytest.mark.blender

FPS, FRAME = 24.0, 3
DENSITY = 2500.0  #: of the default material [kg/m^3]


@pytest.fixture
def tower(make_object):
    """A tower of 1 x 1 x 4 with rings of points, on the ground."""
    rings = np.linspace(0.0, 4.0, 17)
    square = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
    vertices = [(x, y, float(z)) for z in rings for x, y in square]
    sides = [
        (4 * k + i, 4 * k + (i + 1) % 4, 4 * k + 4 + (i + 1) % 4, 4 * k + 4 + i) for k in range(16) for i in range(4)
    ]
    obj = make_object("Tower", vertices, [(3, 2, 1, 0), *sides, (64, 65, 66, 67)])
    obj.brittle.voronoi.count = 12
    scene = bpy.context.scene
    scene.render.fps, scene.gravity = int(FPS), (0.0, 0.0, 0.0)
    scene.brittle.frames, scene.brittle.use_ground = 2, False
    return obj


def choose(obj):
    """The rigs that are made along with it are not to be broken."""
    for item in bpy.context.view_layer.objects:
        item.select_set(item is obj)
    bpy.context.view_layer.objects.active = obj


WAYS = [led_by_bone, shaped, in_a_lattice, waving, scaled, driven]


@pytest.mark.parametrize("deform", WAYS)
def test_each_point_has_the_velocity_that_the_viewport_shows(tower, read, deform):
    """The central difference over one frame, of the very points that break; the playhead is at another frame."""
    deform(tower)
    choose(tower)
    bpy.ops.brittle.impact_add()
    bpy.data.objects["Impact"].brittle_impact.frame = FRAME
    bpy.context.scene.frame_set(1)
    reading = read(tower)
    scene = reading.scene
    assert reading.start_frame == FRAME and bpy.context.scene.frame_current == 1
    here = seen(tower, FRAME)[0]
    place = scene.mesh.vertices @ scene.mesh.turn.T + reading.source.origin
    assert np.allclose(place, here, atol=1e-5), "the shape that breaks is that of the frame of the hit"
    velocity = FPS * (seen(tower, FRAME + 0.5)[0] - seen(tower, FRAME - 0.5)[0])
    assert np.abs(velocity).max() > 0.1
    # 32 bits at 4 m, over one frame.
    assert np.allclose(scene.flow, velocity, atol=2e-4)


def test_what_keeps_its_form_moves_as_a_whole(tower, read):
    """A modifier, a shape key and a bone that move nothing, or all of it alike, are no other motion than before."""
    tower.modifiers.new("Subdivision", "SUBSURF").subdivision_type = "SIMPLE"
    tower.shape_key_add(name="Basis")
    tower.shape_key_add(name="Same").keyframe_insert("value", frame=1)
    tower.driver_add("location", 0).driver.expression = "0.1 * frame"
    bpy.context.scene.frame_set(FRAME)
    scene = read(tower).scene
    assert len(scene.flow) == 0
    assert scene.velocity[0] == pytest.approx(0.1 * FPS, abs=1e-4)


def test_faces_that_change_from_frame_to_frame_move_along_their_normals(tower, read):
    """Displaced by 0.1 m a frame along the normals; where no edge of the tower is near each point has that speed."""
    dividing(tower)
    bpy.context.scene.frame_set(FRAME)
    scene = read(tower).scene
    place = scene.mesh.vertices @ scene.mesh.turn.T
    low, high = place.min(axis=0), place.max(axis=0)
    faced = np.isclose(place[:, 0], high[0]) & (np.abs(place[:, 1]) < 0.2) & (np.abs(place[:, 2]) < 1.0)
    assert faced.sum() > 3
    out = np.unique(np.round(scene.flow[faced, 0], 3))
    assert (out > 0.0).all() and (
        scene.flow[np.isclose(place[:, 0], low[0]) & (np.abs(place[:, 1]) < 0.2), 0] < 0.0
    ).all()


def test_an_animation_of_the_form_that_ends_at_the_break_gives_its_whole_speed(tower, read):
    """At the last key half of the central difference would be lost; before the first one, too."""
    key_shape(tower, lambda x, y, z: (x, y, 2.0 * z), ((1, 0.0), (FRAME, 1.0)))
    for frame in (1, FRAME):
        bpy.context.scene.frame_set(frame)
        scene = read(tower).scene
        assert scene.flow[:, 2].max() == pytest.approx(4.0 * FPS / (FRAME - 1), rel=1e-4)
        assert np.allclose(scene.flow[:, :2], 0.0, atol=1e-4)


def flights(obj):
    """Place (n,3), velocity (n,3) over the first frame and mass (n,) of the pieces."""
    scene, items = bpy.context.scene, pieces_of(obj)
    scene.frame_set(FRAME)
    before = np.array([item.matrix_world.translation for item in items], np.float64)
    scene.frame_set(FRAME + 1)
    after = np.array([item.matrix_world.translation for item in items], np.float64)
    return before, FPS * (after - before), np.array([item["brittle_mass"] for item in items])


def test_pieces_of_a_swinging_arm_fly_on_at_its_speed(tower):
    """The upper half swings about its foot: v = w x r. What is below the joint stays."""
    bone = hang_on_bone(tower, 2.1, (0.0, 0.0, 2.0))
    bone.driver_add("rotation_euler", 0).driver.expression = "0.05 * (frame - 3)"
    choose(tower)
    bpy.context.scene.frame_set(FRAME)
    # Tempered: all of it parts, at next to no speed of the blow.
    tower.brittle.voronoi.count = 40
    bpy.ops.brittle.impact_add()
    blow = bpy.data.objects["Impact"]
    blow.brittle_impact.speed = 1e-6
    assert bpy.ops.brittle.shatter(preset="Tempered Glass", count=40) == {"FINISHED"}
    place, velocity, mass = flights(tower)
    top, bottom = place[:, 2] > 3.4, place[:, 2] < 0.6
    assert len(mass) > 20 and top.any() and bottom.any()
    expected = np.cross((0.05 * FPS, 0.0, 0.0), place - (0.0, 0.0, 2.0))
    # Pieces at the joint push each other, which changes no sum: the pieces have what the upper half had.
    total, upper = (mass[:, None] * velocity).sum(axis=0), place[:, 2] > 2.0
    assert np.allclose(total, (mass[:, None] * expected)[upper].sum(axis=0), atol=0.05 * np.linalg.norm(total))
    speed = np.linalg.norm(expected[top], axis=1).max()
    # What bends in one frame at the joint presses on both sides of it.
    assert np.allclose(velocity[top], expected[top], atol=0.15 * speed)
    assert np.allclose(velocity[bottom], 0.0, atol=0.15 * speed)


def test_what_bulges_is_thrown_outwards(cube):
    """A shape key makes the cube grow by 10 % a frame about its middle: pieces leave the middle, each at its rate."""
    scene = bpy.context.scene
    scene.render.fps, scene.gravity, scene.brittle.use_ground = int(FPS), (0.0, 0.0, 0.0), False
    cube.shape_key_add(name="Basis")
    key = cube.shape_key_add(name="Large")
    for point in key.data:
        point.co = ((point.co - point.co.__class__((0, 0, 1))) * 2.0) + point.co.__class__((0, 0, 1))
    key.driver_add("value").driver.expression = "0.1 * (frame - 3)"
    scene.frame_set(FRAME)
    bpy.ops.brittle.impact_add()
    bpy.data.objects["Impact"].brittle_impact.speed = 1e-6
    assert bpy.ops.brittle.shatter(preset="Tempered Glass", count=20) == {"FINISHED"}
    place, velocity, _ = flights(cube)
    assert len(place) > 10
    assert np.allclose(velocity, 0.1 * FPS * (place - (0.0, 0.0, 1.0)), atol=0.35)


@pytest.fixture
def world(module):
    """A scene of 14 frames without gravity or ground, and what simulates it."""
    scene = bpy.context.scene
    scene.render.fps, scene.gravity = int(FPS), (0.0, 0.0, 0.0)
    scene.brittle.use_ground, scene.frame_start, scene.frame_end = False, 1, 14
    scene.frame_set(1)
    return lambda: module("operators.simulate").simulate(bpy.context)


def brittle(obj, speed=1.0):
    """Let an object break all through, once, at a contact of some speed."""
    breaks = obj.brittle.breakable
    breaks.breaks, breaks.speed, breaks.strength, breaks.cooldown = True, speed, 1.0, 10.0
    obj.brittle.pieces, obj.brittle.voronoi.count, obj.brittle.impact_factor.durability = "voronoi", 12, 0.01
    return obj


def shown(obj):
    """At which frames an object is seen."""
    scene, frames = bpy.context.scene, []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        if not obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).hide_viewport:
            frames.append(frame)
    return frames


def pieces_of(obj):
    return [item for item in bpy.data.collections[f"{obj.name} Fragments"].objects if "brittle_fragment" in item]


def corners_at(items, frame):
    """All corners of some objects in the world at a frame."""
    bpy.context.scene.frame_set(frame)
    return np.concatenate([[item.matrix_world @ v.co for v in item.data.vertices] for item in items])


def volume_of(points, triangles):
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def ball(at, step, name="Ball"):
    """A collider that keys lead on a straight line, by so much a frame."""
    bpy.ops.mesh.primitive_ico_sphere_add(radius=0.3, subdivisions=2, location=at)
    obj = bpy.context.object
    obj.name = name
    obj.brittle.collider = True
    for axis in range(3):
        obj.driver_add("location", axis).driver.expression = f"{at[axis]} + {step[axis]} * (frame - 1)"
    return obj


@pytest.mark.parametrize("deform", [led_by_bone, shaped, driven, dividing])
def test_a_simulation_breaks_it_in_the_form_of_the_frame_in_which_it_is_hit(tower, world, deform):
    """The pieces are seen first where the tower was seen in that frame: they lie in its skin, and are as much."""
    deform(tower)
    brittle(tower)
    at = (5.0, -1.4, 1.9) if deform is led_by_bone else (5.0, 0.0, 3.0)
    ball(at, (-0.5, 0.0, 0.0))
    choose(tower)
    (result,) = world()
    assert result.report.pieces > 3 and result.report.warnings == ()
    frames = shown(tower)
    frame, items = frames[-1] + 1, pieces_of(tower)
    assert frames == list(range(1, frame)) and 3 < frame < 13
    assert all(shown(item)[0] == frame for item in items)
    pieces, mass = corners_at(items, frame), sum(item["brittle_mass"] for item in items)
    bpy.ops.brittle.restore()
    assert shown(tower) == list(range(1, 15))
    points, triangles = seen(tower, frame)
    assert np.allclose(pieces.min(axis=0), points.min(axis=0), atol=1e-4)
    assert np.allclose(pieces.max(axis=0), points.max(axis=0), atol=1e-4)
    assert result.report.volume_in == pytest.approx(volume_of(points, triangles), rel=1e-5)
    assert mass == pytest.approx(volume_of(points, triangles) * DENSITY, rel=1e-5)


def test_what_swings_into_another_breaks_it_and_itself_each_in_its_form(tower, make_cube, world):
    """By a shape key, whose points go straight: the top moves 3 m in 12 frames. A second run is the same."""
    key_shape(tower, lambda x, y, z: (x + 0.75 * z, y, z), ((1, 0.0), (13, 1.0)))
    other = make_cube("Other")
    other.location = (3.0, 0.0, 2.5)
    brittle(tower), brittle(other)
    last = None
    for _ in range(2):
        mine, others = world()
        assert min(mine.report.pieces, others.report.pieces) > 3
        assert mine.report.warnings == others.report.warnings == ()
        frame = shown(tower)[-1] + 1
        # 0.75 x 4 x (f - 1) / 12 + 0.5 reaches 2 at the top.
        assert abs(frame - 7) <= 1 and shown(tower) == list(range(1, frame))
        pieces = corners_at(pieces_of(tower), 14)
        assert last is None or np.array_equal(pieces, last)
        last = pieces
    bpy.ops.brittle.restore()


def test_what_is_bent_away_is_not_hit_and_stays_as_it_is(tower, world):
    """A ball falls through the place of the first frame; nothing of the tower, or of its keys, has changed."""
    bone = hang_on_bone(tower, 1.0)
    key_turn(bone, ((1, 0.0), (5, 1.4)))
    tower.scale.z = 1.5
    tower.location.x = 1.0
    before = [seen(tower, frame)[0] for frame in range(1, 15)]
    bpy.context.scene.frame_set(1)
    brittle(tower, speed=0.5)
    ball((1.0, 0.0, 7.5), (0.0, 0.0, -0.4))
    choose(tower)
    (kept,) = world()
    assert kept.report.pieces == 1 and kept.report.warnings == () and pieces_of(tower) == []
    assert shown(tower) == list(range(1, 15))
    after = [seen(tower, frame)[0] for frame in range(1, 15)]
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    assert tower.animation_data is None
    bone.id_data.animation_data_clear()
    bone.rotation_euler.x = 0.0
    (hit,) = world()
    assert hit.report.pieces > 3 and hit.report.warnings == (), "the same ball breaks it where it stands straight"
    bpy.ops.brittle.restore()
    assert not bpy.data.collections


def test_what_is_thrown_and_deforms_says_that_it_does_not_fly_on(tower, world):
    """A rigid thing flies on from where its path ends."""
    shaped(tower)
    for frame, x in ((1, 0.0), (9, 2.0)):
        tower.location.x = x
        tower.keyframe_insert("location", frame=frame)
    brittle(tower)
    (told,) = world()[0].report.warnings
    assert "'Tower' deforms" in told and "frame 9" in told


def test_what_is_too_fine_to_be_followed_counts_as_it_was_and_is_named(tower, world, module, monkeypatch):
    monkeypatch.setattr(module("operators.bridge.colliders"), "MOST_TRIANGLES", 100)
    shaped(tower)
    brittle(tower)
    (told,) = world()[0].report.warnings
    assert "'Tower' deforms" in told and "triangles" in told and "frame 1" in told and "Shatter" in told
