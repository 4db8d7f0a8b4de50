"""The fingerprint of a file sees what an artist may change, and only that."""

import bpy
import pytest

from tests.blender.fingerprint import broken, differences, fingerprint


def changes(obj, other):
    """What one may do to an object, and a word that must be in the path of the value that changed."""
    yield "location", lambda: setattr(obj, "location", (1.0, 2.0, 3.0 + 1e-6))
    yield "hide_render", lambda: setattr(obj, "hide_render", True)
    yield "keys", lambda: obj.keyframe_insert("location", frame=3)
    yield "expression", lambda: setattr(obj.driver_add("scale", 0).driver, "expression", "2 * frame")
    yield "influence", lambda: setattr(obj.constraints.new("COPY_LOCATION"), "influence", 0.25)
    yield "levels", lambda: setattr(obj.modifiers.new("Fine", "SUBSURF"), "levels", 2)
    yield "'dirt'", lambda: obj.__setitem__("dirt", 0.5)
    yield "shown", lambda: obj.id_properties_ui("dirt").update(max=3.0)
    yield "use_fake_user", lambda: setattr(obj.animation_data.action, "use_fake_user", True)
    yield "parent", lambda: setattr(other, "parent", obj)
    yield "position", lambda: setattr(obj.data.vertices[0], "co", (5.0, 5.0, 5.0))
    yield "material_slots", lambda: obj.data.materials.append(bpy.data.materials.new("Red"))
    yield "users", lambda: bpy.context.scene.collection.children.link(bpy.data.collections.new("Set"))
    yield "exclude", lambda: setattr(bpy.context.view_layer.layer_collection.children["Set"], "exclude", True)
    yield "weights", lambda: obj.vertex_groups.new(name="Weak").add([0], 0.5, "REPLACE")
    yield "diffuse_color", lambda: setattr(bpy.data.materials["Red"], "diffuse_color", (1.0, 0.0, 0.0, 1.0))
    yield "voronoi.count", lambda: setattr(obj.brittle.voronoi, "count", 77)


def test_each_change_is_seen_and_nothing_else(cube, make_collider):
    before = fingerprint()
    assert not differences(before, fingerprint())
    for word, change in changes(cube, make_collider("Other", collider=False)):
        before = fingerprint()
        change()
        seen = differences(before, fingerprint())
        assert any(word in line for line in seen), (word, seen)


@pytest.mark.parametrize("simulated", [False, True])
def test_all_but_what_was_broken_is_as_it_was(cube, make_collider, simulated):
    make_collider()
    cube.data.materials.append(bpy.data.materials.new("Stone"))
    cube.brittle.breakable.breaks = simulated
    bpy.context.scene.frame_end = 10
    before = fingerprint(but=[cube])
    (bpy.ops.brittle.simulate if simulated else bpy.ops.brittle.shatter)(seed=1)
    assert len(broken(cube)) > 3
    assert not differences(before, fingerprint(but=broken(cube)))
