"""Pieces that are selected break further, where they are and as they move; all else stays as it was."""

import bpy
import numpy as np
import pytest

from tests.blender.fingerprint import differences, fingerprint
from tests.blender.pieces import pieces_of

G, FRAME, LAST = 9.81, 6, 20


@pytest.fixture
def flying(cube):
    """A cube in eight pieces that fly through the air for 20 frames."""
    scene = bpy.context.scene
    scene.brittle.frames, scene.brittle.use_ground, scene.frame_end = LAST, False, LAST
    cube.location.z = 20.0
    cube.brittle.impact_factor.durability = 0.01
    bpy.context.view_layer.update()
    assert bpy.ops.brittle.shatter(seed=1) == {"FINISHED"}
    scene.frame_set(FRAME)
    return cube


def collection_of(obj):
    return next(item for item in bpy.data.collections if item.get("brittle_source") == obj)


def largest(obj, count=1):
    there = [item for item in pieces_of(collection_of(obj)) if item.visible_get()]
    return sorted(there, key=lambda item: -item["brittle_mass"])[:count]


def choose(*objects, active=None):
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = active or (objects[0] if objects else None)
    bpy.context.view_layer.update()


def ways(pieces, frames=range(1, LAST + 12)):
    """What is seen of pieces at each frame, and where."""
    now, result = bpy.context.scene.frame_current, {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        for item in pieces:
            shown = item.visible_get(), item.hide_render
            result[item.name, frame] = (*shown, tuple(map(tuple, item.matrix_world)))
    bpy.context.scene.frame_set(now)
    return result


def centre(pieces, frame):
    """Centre of mass (3,) of pieces at a frame."""
    bpy.context.scene.frame_set(frame)
    mass = np.array([item["brittle_mass"] for item in pieces])
    place = np.array([item.matrix_world.translation for item in pieces], np.float64)
    return (mass[:, None] * place).sum(axis=0) / mass.sum()


def test_a_piece_breaks_further_and_nothing_else_changes(flying):
    (piece,) = largest(flying)
    others = [item for item in pieces_of(collection_of(flying)) if item != piece]
    before, its, root = ways(others), ways([piece]), piece.parent
    choose(piece)
    assert bpy.ops.brittle.shatter(seed=2) == {"FINISHED"}
    assert bpy.context.scene.frame_current == FRAME
    new = pieces_of(collection_of(piece))
    assert bpy.context.view_layer.objects.active == piece and set(bpy.context.selected_objects) == set(new)
    assert len(new) > 1 and ways(others) == before
    assert {item.name for item in new} == {f"{piece.name}-{k + 1:02d}" for k in range(len(new))}
    assert collection_of(piece).name in collection_of(flying).children
    assert {item.parent.parent for item in new} == {root} and new[0].parent.name == f"{piece.name} Fragments"
    now = ways([piece, *new])
    for frame in range(1, LAST + 12):
        seen = frame >= FRAME
        assert now[piece.name, frame][0] is (not seen and its[piece.name, frame][0])
        assert {now[item.name, frame][0] for item in new} == {seen}
        assert seen or now[piece.name, frame] == its[piece.name, frame]
    # Nothing is lost, and it begins where the piece was.
    assert sum(item["brittle_mass"] for item in new) == pytest.approx(piece["brittle_mass"], rel=1e-7)
    place = np.array(its[piece.name, FRAME][2])[:3, 3]
    assert np.allclose(centre(new, FRAME), place, atol=1e-5)


def test_the_motion_goes_on(flying):
    """The blow is as weak as can be: the centre of mass flies on, x(t) = x + v t - g t^2 / 2, with the spin it had."""
    bpy.context.scene.brittle.use_colliders = False
    flying.brittle.blow.speed = 1e-6
    (piece,) = largest(flying)
    dt = 1.0 / bpy.context.scene.render.fps
    before, at, after = (centre([piece], frame) for frame in (FRAME - 1, FRAME, FRAME + 1))
    velocity = (after - before) / (2.0 * dt)
    bpy.context.scene.frame_set(FRAME)
    turn = piece.matrix_world.to_quaternion()
    choose(piece)
    assert bpy.ops.brittle.shatter(seed=2) == {"FINISHED"}
    new = pieces_of(collection_of(piece))
    assert np.allclose(centre(new, FRAME), at, atol=1e-5)
    for frame in (FRAME + 1, FRAME + 8):
        t = (frame - FRAME) * dt
        expected = at + velocity * t - np.array([0.0, 0.0, 0.5 * G * t * t])
        assert np.allclose(centre(new, frame), expected, atol=2e-3), frame
    # A quarter of a second later what has parted has turned on by the same axis and angle; pieces may touch before.
    bpy.context.scene.frame_set(FRAME)
    assert all(item.matrix_world.to_quaternion().rotation_difference(turn).angle < 7.0 for item in new)


def test_restore_gives_the_piece_back_and_undo_too(flying, module):
    (piece,) = largest(flying)
    before, name = fingerprint(), piece.name
    choose(piece)
    bpy.ops.brittle.shatter(seed=2)
    assert bpy.ops.brittle.restore() == {"FINISHED"}
    assert bpy.context.scene.objects[name].visible_get()
    lines = differences(before, fingerprint())
    assert not [line for line in lines if ".select" not in line and ".active" not in line and ".brittle." not in line]
    # A sub-piece stands for the piece, not for all.
    choose(piece)
    bpy.ops.brittle.shatter(seed=2)
    choose(pieces_of(collection_of(piece))[0])
    assert bpy.ops.brittle.restore() == {"FINISHED"}
    assert len(collection_of(flying).all_objects) == len(pieces_of(collection_of(flying))) + 1
    choose(flying, active=flying)
    assert bpy.ops.brittle.restore() == {"FINISHED"}
    assert list(bpy.context.scene.objects) == [flying]


def test_generations_and_several_at_once(flying):
    first, second = largest(flying, 2)
    choose(first, second)
    assert bpy.ops.brittle.shatter(seed=2) == {"FINISHED"}
    for piece in (first, second):
        assert len(pieces_of(collection_of(piece))) > 1
    (third,) = largest(first)
    bpy.context.scene.frame_set(FRAME + 3)
    choose(third)
    assert bpy.ops.brittle.shatter(seed=3) == {"FINISHED"}
    names = {item.name for item in pieces_of(collection_of(third))}
    assert all(name.startswith(f"{first.name}-") and name.count("-") == 2 for name in names)
    assert not third.visible_get() and not first.visible_get() and pieces_of(collection_of(second))[0].visible_get()
    choose(flying, active=flying)
    assert bpy.ops.brittle.restore() == {"FINISHED"}
    assert list(bpy.context.scene.objects) == [flying] and len(bpy.data.actions) == 0


def test_all_pieces_stand_for_the_object_unless_one_is_active(flying, module):
    to_break = module("operators.selection").to_break
    pieces = pieces_of(collection_of(flying))
    assert bpy.context.view_layer.objects.active == flying and set(bpy.context.selected_objects) == set(pieces)
    assert to_break(bpy.context) == [flying], "as it is after a break: another click breaks it anew"
    choose(*pieces[1:], active=flying)
    assert set(to_break(bpy.context)) == set(pieces[1:])
    choose(*pieces, active=pieces[3])
    assert to_break(bpy.context)[0] == pieces[3] and set(to_break(bpy.context)) == set(pieces)
    choose(pieces[0], pieces[1].parent)
    assert to_break(bpy.context) == [pieces[0]], "the empty adds nothing to a piece"
    choose(pieces[1].parent)
    assert to_break(bpy.context) == [flying], "the empty alone stands for all"
    choose(active=pieces[0])
    assert to_break(bpy.context) == [] and not bpy.ops.brittle.shatter.poll()
    choose(*pieces, active=flying)
    bpy.context.scene.frame_set(0)
    assert not bpy.context.selected_objects, "Blender does that"
    assert to_break(bpy.context) == [flying], "one who plays it is not done with it"
    bpy.context.scene.frame_set(FRAME)
    choose(pieces[0])
    bpy.ops.brittle.shatter(seed=2)
    assert to_break(bpy.context) == [pieces[0]]
    choose(*pieces[1:], *pieces_of(collection_of(pieces[0])), active=flying)
    assert to_break(bpy.context) == [flying], "what is a piece of it goes with it"


def test_what_is_not_there_is_refused_and_others_are_in_the_way(flying, module, state):
    shatter = module("operators.shatter")
    (piece,) = largest(flying)
    bpy.context.scene.frame_set(0)
    before = state()
    with pytest.raises(module("core.errors").InputError, match=r"is not there at frame 0: go to a frame"):
        shatter.shatter_object(bpy.context, piece)
    assert state() == before
    bpy.context.scene.frame_set(FRAME)
    run = module("operators.job").run_blocking
    chosen = module("operators.settings").settings_from(piece)
    reading = run(shatter._read(bpy.context, piece, shatter.Request(), [piece], chosen))
    others = {item.name for item in pieces_of(collection_of(flying)) if item != piece and item.visible_get()}
    assert {one.mesh.name for one in reading.scene.colliders} == others
    assert all(len(one.position) > 1 for one in reading.scene.colliders)
    assert reading.advice == (
        "The other pieces of 'Cube' keep their ways: what breaks now bounces off them and moves none of them.",
    )
    none = run(shatter._read(bpy.context, piece, shatter.Request(colliders=False), [piece], chosen))
    assert none.scene.colliders == () and "are not in the way" in none.advice[0]


def test_a_piece_breaks_by_the_settings_of_its_object(flying, module):
    """It has none of its own until it is broken; what a script has set counts."""
    (piece, other) = largest(flying, 2)
    flying.brittle.voronoi.count, flying.brittle.faces = 5, "TRIANGLES"
    result = module("operators.shatter").shatter_object(bpy.context, piece)
    assert result.account["asked"] == 5 and piece.brittle.voronoi.count == 5
    assert all(len(face.vertices) == 3 for item in pieces_of(result.fragments) for face in item.data.polygons)
    other.brittle.voronoi.count = 3
    assert module("operators.shatter").shatter_object(bpy.context, other).account["asked"] == 3


def test_who_looks_at_frames_before_the_break_gives_the_selection_back(cube, module):
    scene = bpy.context.scene
    scene.frame_set(5)
    bpy.ops.brittle.shatter(count=6, seed=1)
    pieces = set(bpy.context.selected_objects)
    active = bpy.context.view_layer.objects.active
    with module("operators.bridge.movement").borrow_playhead(scene) as lead:
        lead(1)
        assert not pieces & set(bpy.context.selected_objects), "Blender takes what is hidden out of the selection"
    assert len(pieces) > 1 and set(bpy.context.selected_objects) == pieces
    assert bpy.context.view_layer.objects.active == active


def test_pieces_stay_selected_where_their_break_is_stopped(flying, module):
    """At whatever step of the writing, in which they are hidden, and shown again."""
    shatter, result_of = module("operators.shatter"), module("core.stepwise").result_of
    two = largest(flying, 2)
    choose(*two)
    ready = result_of(
        shatter.steps(bpy.context, module("operators.selection").to_break(bpy.context), shatter.Request())
    )
    stopped = 0
    while True:
        job = shatter.commit_steps(bpy.context, ready)
        if sum(1 for _ in zip(range(stopped + 1), job, strict=False)) <= stopped:
            break
        job.close()
        assert set(bpy.context.selected_objects) == set(two), stopped
        assert bpy.context.view_layer.objects.active == two[0]
        stopped += 1
    assert stopped > 5
