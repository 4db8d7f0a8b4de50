"""Add > Mesh > Brittle Lattice: ordinary meshes that remember the cells within them."""

import json

import bpy
import numpy as np
import pytest

from core.continuum.lattice_shapes.shapes import LATTICE_SHAPES
from core.geometry.mesh import edge_census, edge_table, volume
from tests.blender.test_menus import Recorder

every_shape = pytest.mark.parametrize("shape", LATTICE_SHAPES, ids=[shape.id for shape in LATTICE_SHAPES])


def add(shape, **values):
    return getattr(bpy.ops.brittle, f"lattice_{shape.id}")(**values)


def named(name):
    return next(shape for shape in LATTICE_SHAPES if shape.id == name)


@every_shape
def test_a_shape_is_a_closed_mesh_that_is_active_and_knows_itself(shape, module):
    assert add(shape) == {"FINISHED"}
    obj = bpy.context.view_layer.objects.active
    mesh = obj.data
    assert obj.select_get() and obj.type == "MESH" and len(mesh.uv_layers) == 1
    assert not mesh.validate()
    place = np.array([vertex.co for vertex in mesh.vertices])
    mesh.calc_loop_triangles()
    triangles = np.array([triangle.vertices for triangle in mesh.loop_triangles], np.int64)
    assert edge_census(edge_table(triangles)) == (0, 0, 0)
    assert volume(place.astype(float), triangles) > 0.0
    recipe = module("operators.bridge.lattice_mesh").read_recipe(mesh, mesh, np.eye(3), np.zeros(3))
    assert (recipe.shape, recipe.params) == (shape.id, type(recipe.params)())


def test_it_is_added_at_the_cursor_and_in_metres():
    bpy.context.scene.unit_settings.scale_length = 0.01
    bpy.context.scene.cursor.location = 1.0, 2.0, 3.0
    assert add(named("slab"), size_x=50.0, cells_x=3) == {"FINISHED"}
    obj = bpy.context.view_layer.objects.active
    np.testing.assert_allclose(obj.location, (1.0, 2.0, 3.0))
    assert obj.dimensions.x == pytest.approx(50.0)
    assert json.loads(obj.data["brittle_shape"])["params"]["size_x"] == pytest.approx(0.5)


def test_a_mesh_that_was_edited_is_no_longer_the_shape(module):
    add(named("slab"))
    mesh = bpy.context.view_layer.objects.active.data

    def read(mesh):
        return module("operators.bridge.lattice_mesh").read_recipe(mesh, mesh, np.eye(3), np.zeros(3))

    assert read(mesh) is not None
    mesh.vertices[0].co.x += 0.001
    assert read(mesh) is None
    mesh["brittle_shape"] = "something else"
    assert read(mesh) is None
    assert read(bpy.data.meshes.new("Other")) is None


@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (2.0, 1.0, -0.5)])
@every_shape
def test_what_is_read_is_divided_into_its_own_cells(shape, scale, module):
    bpy.context.scene.unit_settings.scale_length = 0.1
    add(shape)
    obj = bpy.context.view_layer.objects.active
    obj.scale, obj.rotation_euler, obj.location = scale, (0.3, 0.2, 0.1), (4.0, 5.0, 6.0)
    bpy.context.view_layer.update()
    mesh = module("operators.bridge.read").read_scene(bpy.context, obj, frames=2, ground=None).scene.mesh
    body = module("core.intake.ladder").intake(mesh).body
    own = module("core.continuum.lattice_embedding.own_lattice")
    found = own.embed_own_lattice(body, module("core.setup")._turned_recipe(mesh))
    assert found is not None and len(found.hexahedra) == len(np.unique(found.hexahedron))
    # Cells know 24 bits of their corners, as the body does, whose vertices these are: round-off of the sum alone.
    assert found.cells.volume.sum() == pytest.approx(volume(body.vertices, body.triangles), rel=1e-9)


def test_a_modifier_makes_another_mesh_of_it(module):
    add(named("slab"))
    obj = bpy.context.view_layer.objects.active
    read = module("operators.bridge.read").read_scene
    assert read(bpy.context, obj, frames=2, ground=None).scene.mesh.recipe is not None
    obj.modifiers.new("Subdivision", "SUBSURF")
    assert read(bpy.context, obj, frames=2, ground=None).scene.mesh.recipe is None


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("tube", {"wall": 0.1, "radius": 0.1}, "thicker than the radius"),
        ("vase", {"wall": 0.05}, "thicker than the radius"),
        ("slab", {"cells_x": 1000, "cells_y": 1000, "cells_z": 10}, "at most 200,000"),
    ],
)
def test_bad_measures_get_a_sentence_and_add_nothing(name, values, said):
    before = len(bpy.data.objects), len(bpy.data.meshes)
    with pytest.raises(RuntimeError, match=said):
        add(named(name), **values)
    assert (len(bpy.data.objects), len(bpy.data.meshes)) == before


def test_it_can_be_undone_and_adjusted():
    bpy.ops.ed.undo_push(message="before")
    for shape in LATTICE_SHAPES:
        kind = getattr(bpy.types, f"BRITTLE_OT_lattice_{shape.id}")
        assert {"REGISTER", "UNDO"} <= kind.bl_options
        asked = getattr(bpy.ops.brittle, f"lattice_{shape.id}").get_rna_type().properties
        assert {"align", "location", "rotation", *shape.params.__dataclass_fields__} <= set(asked.keys())
    add(named("slab"))
    bpy.ops.ed.undo_push(message="Add Slab Lattice")
    assert len(bpy.data.objects) == 1
    bpy.ops.ed.undo()
    assert len(bpy.data.objects) == 0


def test_the_menu_of_meshes_leads_to_all_of_them(module):
    menus = module("panels.menus")
    layout = Recorder()
    menus.BRITTLE_MT_lattices.draw(type("Menu", (), {"layout": layout})(), bpy.context)
    assert layout.found == [f"brittle.lattice_{shape.id}" for shape in LATTICE_SHAPES]
    for shape in LATTICE_SHAPES:
        label = getattr(bpy.ops.brittle, f"lattice_{shape.id}").get_rna_type().name
        assert label == f"Add {shape.label} Lattice"
