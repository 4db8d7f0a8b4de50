"""Every kind of pieces through the whole road: manifold objects that carry what the source had."""

import bmesh
import bpy
import numpy as np
import pytest

from core.pieces import PARTITIONS
from core.presets import load
from tools import checkout

PRESETS = {
    preset.pieces: preset.name for preset in map(load, sorted((checkout.ROOT / "presets/brittle").glob("*.toml")))
}


@pytest.fixture(params=[method.id for method in PARTITIONS])
def pieces(request, make_cube):
    """A cube whose UVs and attributes are linear in space, broken by the preset of one kind of pieces."""
    cube = make_cube()
    coordinates = np.array([vertex.co for vertex in cube.data.vertices])
    layer = cube.data.uv_layers.new(name="UVMap")
    corners = np.array([coordinates[loop.vertex_index] for loop in cube.data.loops])
    layer.uv.foreach_set("vector", uv_of(corners).astype(np.float32).ravel())
    where = cube.data.attributes.new("where", "FLOAT_VECTOR", "POINT")
    where.data.foreach_set("vector", coordinates.astype(np.float32).ravel())
    bpy.context.scene.brittle.frames = 2
    bpy.ops.brittle.impact_add(location=(0.9, -1.0, 1.4), direction=(0.0, 1.0, 0.0))
    empty = bpy.context.selected_objects[-1]
    empty.brittle_impact.strength = 1e6
    bpy.context.view_layer.objects.active = cube
    cube.select_set(True)
    empty.select_set(False)
    assert bpy.ops.brittle.shatter(preset=PRESETS[request.param], count=25, seed=2) == {"FINISHED"}
    bpy.context.scene.frame_set(bpy.context.scene.frame_current)
    return [obj for obj in bpy.data.objects if "brittle_fragment" in obj]


def uv_of(p: np.ndarray) -> np.ndarray:
    """Any function that is linear in space: interpolation reproduces it exactly."""
    return np.stack([0.3 * p[:, 0] + 0.2 * p[:, 2], 0.25 * p[:, 1] - 0.1 * p[:, 2]], axis=1)


def test_pieces_are_manifold_and_carry_uvs_and_attributes(pieces):
    assert len(pieces) > 3
    volume = 0.0
    for obj in pieces:
        mesh = bmesh.new()
        mesh.from_mesh(obj.data)
        assert all(edge.is_manifold and edge.is_contiguous for edge in mesh.edges)
        assert all(vertex.is_manifold for vertex in mesh.verts)
        volume += mesh.calc_volume(signed=True)
        mesh.free()
        check_carried(obj)
    assert volume == pytest.approx(8.0, rel=1e-5)  # coordinates are stored in 32 bits


def check_carried(obj) -> None:
    data = obj.data
    rest = np.array([vertex.co for vertex in data.vertices]) + np.array(obj.location)
    inner = len(data.materials) - 1
    where = np.array([item.vector for item in data.attributes["where"].data])
    uv = np.array([item.vector for item in data.uv_layers["UVMap"].uv])
    for polygon in data.polygons:
        if polygon.material_index == inner:
            continue
        corners = list(polygon.loop_indices)
        points = [data.loops[corner].vertex_index for corner in corners]
        np.testing.assert_allclose(where[points], rest[points], atol=2e-6)
        np.testing.assert_allclose(uv[corners], uv_of(rest[points]), atol=2e-6)
