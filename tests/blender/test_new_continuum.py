"""A new continuum method costs one module and one registry line: settings, panel, Shatter and Restore then know it."""

from pathlib import Path

import pytest

from tests.blender.copies import copy_with_method, run_copy

TOY = Path(__file__).parents[1] / "toy_continuum.py"

SCRIPT = """
import numpy as np
bpy.ops.mesh.primitive_cube_add(location=(0.0, 0.0, 3.0))
obj = bpy.context.object
obj.scale = 2.0, 0.3, 0.3
bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
methods = {item.identifier: item.value for item in obj.brittle.bl_rna.properties["breaking"].enum_items}
assert methods["toy_bar"] == 99 and methods["impact_factor"] == 1, methods
obj.brittle.breaking = "toy_bar"
bpy.context.scene.brittle.frames = 20

bpy.types.BRITTLE_PT_breaking.draw(Panel(), bpy.context)
assert Layout.drawn == ["breaking", "stiffness", "stretch", "nodes"], Layout.drawn
bpy.context.preferences.addons["bl_ext.dev.brittle"].preferences.look = "EVERYTHING"
assert not bpy.types.BRITTLE_PT_pieces.poll(bpy.context), "what divides itself has no pieces to choose"
obj.brittle.breaking = "impact_factor"
assert bpy.types.BRITTLE_PT_pieces.poll(bpy.context)
obj.brittle.breaking = "toy_bar"
obj.brittle.blow.speed_auto = False
obj.brittle.blow.speed = 8.0
obj.brittle.toy_bar.stretch = 0.1

def pieces():
    return [item for item in bpy.data.objects if "brittle_fragment" in item]

def places(frame):
    # Where the vertices of all pieces that are seen are, as Blender evaluates them.
    bpy.context.scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    result = []
    for piece in sorted((one for one in pieces() if not one.hide_render), key=lambda one: one["brittle_fragment"]):
        seen = piece.evaluated_get(graph)
        local = np.empty(3 * len(seen.data.vertices), np.float32)
        seen.data.vertices.foreach_get("co", local)
        matrix = np.array(seen.matrix_world)
        result.append(local.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3])
    return result

def shatter():
    bpy.context.view_layer.objects.active = bpy.data.objects["Cube"]
    assert bpy.ops.brittle.shatter() == {"FINISHED"}
    assert len(pieces()) == 3, [item.name for item in pieces()]
    return [places(frame) for frame in frames]

def same(one, other):
    # To the precision of Blender's numbers, some metres from the origin.
    for a, b in zip(one, other, strict=True):
        assert [len(x) for x in a] == [len(x) for x in b]
        assert all(np.abs(x - y).max() < 2e-6 for x, y in zip(a, b, strict=True))

start = bpy.context.scene.frame_current
frames = range(start, start + 20)
kept = shatter()  # in shape keys: the file is not saved
assert [len(one) for one in kept][0] == 1 and [len(one) for one in kept][-1] == 2
whole = [one[0] for one in kept if len(one) == 1]
width = lambda at: np.ptp(at[:, 1:], axis=0).sum()
assert len(whole) > 2 and max(map(width, whole)) > width(whole[0]) + 0.001, list(map(width, whole))
assert all(piece.data.shape_keys for piece in pieces())
file = sys.argv[1] + "/bar.blend"
bpy.context.scene.frame_set(start)
bpy.ops.wm.save_as_mainfile(filepath=file)
bpy.ops.ed.undo_push(message="Before")
same(kept, shatter())  # in files beside it
bpy.ops.ed.undo_push(message="Shatter")
bpy.ops.ed.undo()
assert all(piece.data.shape_keys for piece in pieces()), "what was there before is back"
same(kept, [places(frame) for frame in frames])
bpy.ops.ed.redo()
same(kept, [places(frame) for frame in frames])
assert not any(piece.data.shape_keys for piece in pieces())
bpy.context.scene.frame_set(start)
bpy.ops.wm.save_mainfile()
bpy.ops.wm.open_mainfile(filepath=file)
same(kept, [places(frame) for frame in frames])
bpy.context.scene.frame_set(start)
bpy.context.view_layer.objects.active = bpy.data.objects["Cube"]
assert bpy.ops.brittle.restore() == {"FINISHED"}
assert not pieces() and not bpy.data.objects["Cube"].hide_render
# A method that is gone is no number that means another one.
addon_utils.disable("bl_ext.dev.brittle")
print("the toy bar works")
"""


@pytest.fixture
def repository(tmp_path):
    """A repository folder with a copy of what ships, the toy's module and its line in the registry."""
    return copy_with_method(tmp_path, "core/continuum", TOY.read_text("utf-8"), "4: springs.METHOD")


def test_one_module_and_one_line_make_a_continuum_method(repository, tmp_path):
    assert "the toy bar works" in run_copy(SCRIPT, repository, tmp_path)
