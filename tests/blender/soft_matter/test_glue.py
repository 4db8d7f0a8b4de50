"""Object > Brittle > Glue Lattices: shapes that were added become one, which breaks along its own cells."""

import bpy
import numpy as np
import pytest

from core.geometry.mesh import edge_census, edge_table, volume


def add(*, name="Slab", x=0.0, scale=(1.0, 1.0, 1.0), **values):
    sizes = {"size_x": 0.2, "size_y": 0.2, "size_z": 0.2, "cells_x": 2, "cells_y": 2, "cells_z": 2}
    assert bpy.ops.brittle.lattice_slab(**{**sizes, **values}) == {"FINISHED"}
    obj = bpy.context.view_layer.objects.active
    obj.name, obj.location, obj.scale = name, (x, 0.0, 0.0), scale
    return obj


def chosen(*objects):
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = objects[0]


def test_two_slabs_become_one_closed_mesh_that_knows_its_cells(module):
    second, first = add(x=0.2), add(name="First")
    bpy.ops.ed.undo_push(message="before")
    chosen(first, second)
    assert bpy.ops.brittle.glue_lattices() == {"FINISHED"}
    assert [obj.name for obj in bpy.data.objects] == ["First"]
    obj = bpy.data.objects["First"]
    obj.data.calc_loop_triangles()
    place = np.array([vertex.co for vertex in obj.data.vertices], np.float64)
    triangles = np.array([triangle.vertices for triangle in obj.data.loop_triangles], np.int64)
    assert edge_census(edge_table(triangles)) == (0, 0, 0)
    assert volume(place, triangles) == pytest.approx(0.4 * 0.2 * 0.2, rel=1e-6)  # vertices have 24 bits
    mesh = module("operators.bridge.read").read_scene(bpy.context, obj, frames=2, ground=None).scene.mesh
    body = module("core.intake.ladder").intake(mesh).body
    found = module("core.continuum.lattice_embedding.own_lattice").embed_own_lattice(body, mesh.recipe)
    assert found is not None and len(found.hexahedra) == 16


def test_a_turned_scaled_and_a_glued_one_are_glued_again():
    first, second = add(), add(name="Second", x=-0.4, scale=(3.0, 1.0, 1.0))
    second.rotation_euler.z = np.pi
    chosen(first, second)
    assert bpy.ops.brittle.glue_lattices(within=0.01) == {"FINISHED"}
    third = add(name="Third", x=0.2)
    chosen(first, third)
    assert bpy.ops.brittle.glue_lattices(within=0.01) == {"FINISHED"}
    assert first.dimensions.x == pytest.approx(1.0, rel=1e-5)  # 0.6 of the second, and twice 0.2


def test_materials_of_the_active_one_stay():
    first, second = add(), add(name="Second", x=0.2)
    first.data.materials.append(bpy.data.materials.new("Glaze"))
    chosen(first, second)
    assert bpy.ops.brittle.glue_lattices() == {"FINISHED"}
    assert [material.name for material in first.data.materials] == ["Glaze"]


def test_an_edited_mesh_or_another_one_gets_a_sentence_and_nothing_is_changed(make_cube):
    first, cube = add(), make_cube("Plain")
    before = first.data
    chosen(first, cube)
    with pytest.raises(RuntimeError, match="'Plain' is no lattice"):
        bpy.ops.brittle.glue_lattices()
    far = add(name="Far", x=3.0)
    chosen(first, far)
    with pytest.raises(RuntimeError, match="No side of a cell meets"):
        bpy.ops.brittle.glue_lattices()
    far.scale = 1.0, 1.0, 0.0
    with pytest.raises(RuntimeError, match="is flat"):
        bpy.ops.brittle.glue_lattices()
    assert first.data == before and len(bpy.data.objects) == 3


def test_one_alone_is_not_glued(module):
    first = add()
    chosen(first)
    assert not bpy.ops.brittle.glue_lattices.poll()
