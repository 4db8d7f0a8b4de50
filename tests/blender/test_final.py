"""Make Final: finer broken faces on the pieces that are there; all that hangs on them stays."""

import json

import bpy
import numpy as np
import pytest

from tests.blender.layouts import draw
from tests.blender.pieces import pieces_of

pytestmark = pytest.mark.blender


@pytest.fixture
def broken(cube):
    """A cube in a few rough pieces of preview quality, which have moved."""
    bpy.context.scene.brittle.frames = 4
    bpy.ops.brittle.preset_apply(name="Clay")
    cube.brittle.surface.octaves = 2
    bpy.ops.brittle.shatter(count=6, quality="preview")
    return cube


def home():
    return bpy.data.collections["Cube Fragments"]


def quality():
    return json.loads(home()["brittle_report"])["quality"]


def head():
    """What stands under the button: the result, and what else one can click."""
    row = [name for kind, name, *_ in draw("BRITTLE_PT_main") if kind in ("label", "operator")]
    return " ".join(row[row.index("brittle.shatter") + 1 :])


def corners():
    return sum(len(piece.data.vertices) for piece in pieces_of(home()))


def points(piece):
    values = np.empty(3 * len(piece.data.vertices), np.float32)
    piece.data.vertices.foreach_get("co", values)
    return values


def volume(piece):
    piece.data.calc_loop_triangles()
    place = points(piece).reshape(-1, 3).astype(np.float64)
    corner = place[[list(triangle.vertices) for triangle in piece.data.loop_triangles]]
    return float(np.einsum("ti,ti->", corner[:, 0], np.cross(corner[:, 1], corner[:, 2]))) / 6.0


def poses(pieces):
    return [tuple(map(tuple, (piece.matrix_world))) for piece in pieces]


def test_pieces_get_the_meshes_of_final_quality_and_keep_all_else(broken):
    pieces = sorted(pieces_of(home()), key=lambda piece: piece.name)
    edited, named, worn = pieces[0], pieces[1], pieces[2]
    edited.data.vertices[0].co.x += 0.1
    named.name, named["artist"] = "Mine", 7
    worn.data.materials[0] = bpy.data.materials.new("Gold")
    before = [points(piece) for piece in pieces]
    kept = [(piece.name, piece.data.name, piece.animation_data.action, piece.location[:]) for piece in pieces]
    bpy.context.scene.frame_set(3)
    where = poses(pieces)
    assert bpy.ops.brittle.make_final() == {"FINISHED"}
    assert set(pieces_of(home())) == set(pieces)
    assert [(piece.name, piece.data.name, piece.animation_data.action) for piece in pieces] == [k[:3] for k in kept]
    assert bpy.context.scene.frame_current == 3 and poses(pieces) == where
    assert named["artist"] == 7 and worn.data.materials[0].name == "Gold"
    assert points(edited).tobytes() == before[0].tobytes(), "what was edited stays"
    assert all(len(points(piece)) > 1.5 * len(old) for piece, old in zip(pieces[1:], before[1:], strict=True))
    assert not bpy.ops.brittle.make_final.poll(), "there is nothing left to do"
    final = [points(piece) for piece in pieces[1:]]
    # A Shatter in final quality makes the very same pieces.
    bpy.context.scene.frame_set(1)
    bpy.ops.brittle.shatter(count=6, quality="final")
    again = sorted(pieces_of(home()), key=lambda piece: piece["brittle_fragment"])
    assert [points(piece).tobytes() for piece in again[1:]] == [one.tobytes() for one in final]
    assert sum(map(volume, again)) == pytest.approx(8.0, rel=1e-5)


def test_auto_in_a_window_is_a_preview_that_one_click_makes_final(broken, module, monkeypatch):
    monkeypatch.setattr(module("operators.settings"), "in_window", lambda: True)
    own = broken.brittle.surface
    own.quality = "auto"
    bpy.ops.brittle.shatter(count=5)
    assert (own.quality, quality()) == ("auto", "preview")
    assert head().startswith("5 pieces, nothing lost, preview faces, 5 still moving at frame 4 brittle.make_final")
    coarse = corners()
    bpy.ops.brittle.make_final()
    assert (own.quality, quality()) == ("auto", "final"), "how the object breaks the next time stays as it was chosen"
    assert corners() > coarse
    assert "preview faces" not in head() and "brittle.make_final" not in head()
    bpy.ops.brittle.shatter(count=5)
    assert quality() == "preview" and corners() == coarse
    own.octaves = 0
    assert bpy.ops.brittle.make_final.poll(), "what is there counts, and not what is chosen by now"
    bpy.ops.brittle.shatter(count=5)
    assert quality() == "" and not bpy.ops.brittle.make_final.poll(), "flat faces are as they are"


def test_what_has_changed_since_is_said_and_nothing_changes(broken):
    before = {piece.name: points(piece).tobytes() for piece in pieces_of(home())}
    broken.data.vertices[0].co.x -= 0.5
    with pytest.raises(RuntimeError, match="has changed since: shatter it again, with Final as its Quality"):
        bpy.ops.brittle.make_final()
    assert {piece.name: points(piece).tobytes() for piece in pieces_of(home())} == before
    assert len(bpy.data.meshes) == len(before) + 1 and broken.brittle.surface.quality == "preview"


def test_what_the_source_carries_is_on_the_final_faces_too(cube):
    """A ball that is shaded smoothly, turned and far from zero, with a texture in generated coordinates and a group."""
    bpy.data.objects.remove(cube)
    bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=8, location=(3, 2, 1), rotation=(0.3, 0.2, 0.1))
    ball = bpy.context.object
    ball.name = "Cube"
    bpy.ops.object.shade_smooth()
    ball.vertex_groups.new(name="Group").add([0, 1, 2, 3, 40], 0.5, "REPLACE")
    ball.data.color_attributes.new("Color", "BYTE_COLOR", "CORNER")
    marble = bpy.data.materials.new("Marble")
    if marble.node_tree is None:  # before Blender 5.0
        marble.use_nodes = True
    noise, shader = marble.node_tree.nodes.new("ShaderNodeTexNoise"), marble.node_tree.nodes["Principled BSDF"]
    marble.node_tree.links.new(noise.outputs[0], shader.inputs[0])
    ball.data.materials.append(marble)
    bpy.context.scene.brittle.frames = 3
    bpy.ops.brittle.preset_apply(name="Concrete")
    ball.brittle.surface.octaves = 2
    bpy.context.scene.frame_set(5)
    bpy.ops.brittle.shatter(count=8, quality="preview")
    pieces = pieces_of(home())
    before = [(len(points(piece)), piece.data.materials[:], piece.vertex_groups.keys()) for piece in pieces]
    bpy.context.scene.frame_set(7)
    bpy.ops.brittle.make_final()
    assert len(pieces) > 3 and bpy.context.scene.frame_current == 7
    for piece, (corners, materials, groups) in zip(pieces, before, strict=True):
        assert len(points(piece)) > 1.2 * corners and piece.data.materials[:] == materials
        assert piece.vertex_groups.keys() == groups == ["Group"]
        assert {"Color", "UVMap", "brittle_generated", "rest_position"} <= set(piece.data.attributes.keys())
