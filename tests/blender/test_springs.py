"""Springs from the artist's side: a material is chosen, the object falls and deforms, and comes back."""

import bpy
import numpy as np
import pytest


@pytest.fixture
def jelly(cube):
    """A cube of a few springs, half a metre above the ground."""
    cube.location.z = 1.6
    bpy.ops.brittle.preset_apply(name="Gelatine")
    cube.brittle.spring_lattice.nodes = 120
    cube.brittle.breakable.breaks = True
    bpy.context.scene.brittle.frames = 20
    bpy.context.view_layer.update()
    return cube


def height(piece, frame):
    """From the lowest to the highest vertex that is seen of a piece."""
    bpy.context.scene.frame_set(frame)
    seen = piece.evaluated_get(bpy.context.evaluated_depsgraph_get())
    z = [(seen.matrix_world @ vertex.co).z for vertex in seen.data.vertices]
    return min(z), max(z) - min(z)


def pieces():
    return [item for item in bpy.data.objects if "brittle_fragment" in item]


def test_jelly_falls_is_pressed_and_comes_back(jelly):
    assert jelly.brittle.breaking == "spring_lattice"
    start = bpy.context.scene.frame_current
    assert bpy.ops.brittle.simulate() == {"FINISHED"}
    (piece,) = pieces()
    lows, sizes = np.array([height(piece, start + k) for k in range(20)]).T
    assert sizes[0] == pytest.approx(2.0, abs=1e-5) and sizes.min() < 1.95, "it is pressed where it lands"
    assert lows.min() > -0.02, "on the ground, not in it"
    bpy.context.scene.frame_set(start)
    bpy.context.view_layer.objects.active = jelly
    assert bpy.ops.brittle.restore() == {"FINISHED"}
    assert not pieces() and not jelly.hide_render


def test_jelly_follows_its_keyframes_as_a_rigid_body_until_it_is_hit(jelly):
    """It is carried down by 0.2 m a frame, onto the ground in the eighth: until then it keeps its form."""
    start = bpy.context.scene.frame_current
    for frame, z in ((start, 1.6), (start + 10, -0.4)):
        jelly.location.z = z
        jelly.keyframe_insert("location", index=2, frame=frame)
    for curve in jelly.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    with pytest.raises(RuntimeError, match="raise Rigid Below"):
        bpy.ops.brittle.simulate()
    jelly.brittle.spring_lattice.rigid_below = 0.5
    assert bpy.ops.brittle.simulate() == {"FINISHED"}
    (piece,) = pieces()
    lows, sizes = np.array([height(piece, start + k) for k in range(20)]).T
    np.testing.assert_allclose(lows[:7], 1.6 - 0.2 * np.arange(7), atol=1e-4)
    np.testing.assert_allclose(sizes[:7], 2.0, atol=1e-4)
    assert sizes[7:].min() < 1.95 and lows.min() > -0.05, "then it is pressed, and goes no farther"


def test_what_takes_for_ever_is_refused_in_a_sentence_and_changes_nothing(jelly):
    jelly.brittle.spring_lattice.most_substeps = 0
    jelly.brittle.spring_lattice.model_size = 0.0
    jelly.brittle.spring_lattice.youngs_modulus = 1e6
    jelly.brittle.material.density = 1e-3
    with pytest.raises(RuntimeError, match="substeps a frame: choose a softer"):
        bpy.ops.brittle.simulate()
    assert not pieces() and not jelly.hide_render


def test_the_preview_tells_how_long_it_will_take_and_follows(jelly, preview):
    own = jelly.brittle.spring_lattice
    own.nodes, own.most_substeps = 2000, 0
    bpy.ops.brittle.preview()
    told = {icon: text for text, icon in preview.status()}
    assert told["MESH_GRID"].startswith("About 2,000 nodes, ") and told["TIME"].startswith("At most about ")
    assert not preview.live.note
    own.youngs_modulus *= 100.0
    preview.live.refresh(bpy.context)
    substeps = [int(text.split(", ")[1].split()[0].replace(",", "")) for text in (told["MESH_GRID"], after(preview))]
    assert substeps[1] == pytest.approx(10 * substeps[0], rel=0.05)  # as the root, told with two digits
    own.youngs_modulus, jelly.brittle.material.density = 1e6, 1e-3
    preview.live.refresh(bpy.context)
    assert "substeps a frame" in preview.live.note, "what Shatter will say"


def after(preview):
    return next(text for text, icon in preview.status() if icon == "MESH_GRID")
