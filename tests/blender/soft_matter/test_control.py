"""Hiccup, Sneeze and Wobble: keys of the settings, and a ball that no render shows."""

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.fingerprint import differences, fingerprint

FPS = 48


@pytest.fixture
def jelly(cube):
    """A block of gelatine of 8 x 8 x 16 cm that stands on the floor, as in scene NH of docs/papers/norton1991.md."""
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = FPS, 1, 60
    cube.scale = (0.04, 0.04, 0.08)
    cube.location.z = -0.08 * min(vertex.co.z for vertex in cube.data.vertices)
    bpy.ops.brittle.preset_apply(name="Gelatine")
    cube.brittle.spring_lattice.nodes = 250
    cube.brittle.spring_lattice.model_size = 0.0
    cube.brittle.spring_lattice.youngs_modulus = 0.04
    cube.brittle.spring_lattice.damping = 0.05
    bpy.context.view_layer.update()
    return cube


def lowest(obj):
    """The lowest point of all pieces at each frame of the scene."""
    scene, found = bpy.context.scene, []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        depsgraph, heights = bpy.context.evaluated_depsgraph_get(), []
        for piece in bpy.data.collections[f"{obj.name} Fragments"].all_objects:
            if "brittle_fragment" in piece:
                evaluated = piece.evaluated_get(depsgraph)
                mesh = evaluated.to_mesh()
                heights += [(evaluated.matrix_world @ vertex.co).z for vertex in mesh.vertices]
        found.append(min(heights))
    return np.array(found)


@pytest.mark.parametrize(
    ("kind", "name", "value"), [("HICCUP", "gravity_scale", 5.0), ("SNEEZE", "stiffness_scale", 0.01)]
)
def test_it_is_keyed_from_half_a_second_on_and_jumps(jelly, kind, name, value):
    assert bpy.ops.brittle.control_add(kind=kind) == {"FINISHED"}
    scene = bpy.context.scene
    seen = []
    for frame in range(1, 60):
        scene.frame_set(frame)
        seen.append(getattr(jelly.brittle.spring_lattice, name))
    begin, end = 25, 25 + round({"HICCUP": 0.1, "SNEEZE": 0.3}[kind] * FPS)
    assert np.allclose(seen[begin - 1 : end - 1], value) and np.allclose(seen[: begin - 1] + seen[end - 1 :], 1.0)
    assert jelly.brittle.breakable.breaks
    scene.frame_set(1)
    bpy.ops.brittle.simulate()
    heights = lowest(jelly)
    assert heights[:begin].max() < 1e-5 and heights[end:].max() > 0.001


def test_it_is_steered_to_the_cursor(jelly):
    scene, start = bpy.context.scene, jelly.location.copy()
    corners = [jelly.matrix_world @ Vector(corner) for corner in jelly.bound_box]
    middle = sum(corners, Vector()) / 8.0
    scene.cursor.location = middle + Vector((0.3, 0.0, 0.4))
    assert bpy.ops.brittle.control_add(kind="STEER") == {"FINISHED"}
    assert jelly.location == start and np.allclose(jelly.brittle.spring_lattice.goal, (0.3, 0.0, 0.4), atol=1e-5)
    bpy.ops.brittle.simulate()
    piece = next(obj for obj in bpy.data.objects if "brittle_fragment" in obj)
    way = []
    for frame in (24, scene.frame_end):
        scene.frame_set(frame)
        way.append(piece.matrix_world.translation.copy())
    # After 35 frames at 4 a second: 1 - (1 + w t) exp(-w t) of the way, by steps of a frame.
    t = 4.0 * 35.0 / FPS
    share = 1.0 - (1.0 + t) * np.exp(-t)
    assert np.allclose(way[1] - way[0], (0.3 * share, 0.0, 0.4 * share), atol=0.03)


def test_undone_all_is_as_it_was(jelly):
    before = fingerprint()
    bpy.ops.ed.undo_push(message="before")
    for kind in ("HICCUP", "SNEEZE", "WOBBLE", "STEER"):
        bpy.ops.brittle.control_add(kind=kind)
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    # Blender 5.3 works out whether a collection is seen when it is drawn, and says no before.
    lines = [line for line in differences(before, fingerprint()) if "layer_collection.is_visible" not in line]
    assert not lines


def test_the_ball_is_a_collider_that_no_render_shows(jelly):
    bpy.ops.brittle.control_add(kind="WOBBLE")
    ball = bpy.data.objects["Brittle Push"]
    assert ball.hide_render and ball.brittle.collider and ball.display_type == "WIRE"
    scene = bpy.context.scene
    scene.frame_set(1)
    side = np.array(ball.matrix_world.translation)
    bpy.ops.brittle.simulate()
    scene.frame_set(25 + 7)
    pushed = np.array(ball.matrix_world.translation) - side
    piece = next(
        obj for obj in bpy.data.collections[f"{jelly.name} Fragments"].all_objects if "brittle_fragment" in obj
    )
    evaluated = piece.evaluated_get(bpy.context.evaluated_depsgraph_get())
    points = np.array([evaluated.matrix_world @ vertex.co for vertex in evaluated.to_mesh().vertices])
    along = (points - np.array([0.0, 0.0, 0.08])) @ (pushed / np.linalg.norm(pushed))
    assert along.max() > 0.043, "it leans away from the ball"


def test_what_is_not_soft_gets_a_sentence(cube):
    assert not bpy.ops.brittle.control_add.poll()
