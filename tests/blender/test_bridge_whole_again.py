"""Pieces that are cut anew carry what a single cut would have given them, whatever they have been through."""

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.halves import broken_in_two
from tests.blender.pieces import pieces_of
from tests.blender.test_bridge_write import AFFINE, FLOAT32, arrays, dress, sphere
from tests.blender.thrown import thrown

pytestmark = pytest.mark.blender

#: Weights of a corner are taken through the triangles of up to three bodies, and mixed in 32 bits each time.
CARRIED = 4.0 * FLOAT32


@pytest.fixture
def ball():
    """A ball whose every value is an affine function of the place, its normals too; it falls on the floor."""
    obj = sphere()
    obj.location.z = 1.1
    dress(obj)
    obj.data.normals_split_custom_set([obj.data.vertices[loop.vertex_index].co for loop in obj.data.loops])
    for name in ("Red", "Blue"):
        obj.data.materials.append(bpy.data.materials.new(name))
    obj.data.polygons.foreach_set("material_index", np.arange(len(obj.data.polygons), dtype=np.int32) % 2)
    bpy.context.view_layer.update()
    return obj


@pytest.fixture
def broken(module, ball):
    """The ball broken by the floor again and again, and what is written of it."""
    how = {"kind": "uniform", "velocity": (0.5, 0.0, -8.0), "generations": 4, "smallest": 0.0, "frames": 12}
    reading, shattered = thrown(module, ball, **how)
    write = module("operators.bridge.write").write
    collection = write(bpy.context, ball, reading.source, shattered, 5)
    assert shattered.fracture.fragment_cut.max() >= 3, "pieces of pieces were cut anew"
    return collection


def test_skin_and_broken_faces_are_told_apart(broken, ball):
    collection = broken
    for item in pieces_of(collection):
        rest, corner, face, inner = arrays(item)
        middle = np.array([rest[corner[face == f]].mean(axis=0) for f in range(len(inner))])
        away = np.array([(ball.closest_point_on_mesh(Vector(p))[1] - Vector(p)).length for p in middle])
        assert np.all(away[~inner] < 5 * FLOAT32)
        # Slivers between the surface and a cut near it are as near as they are wide.
        wide = np.array([np.ptp(rest[corner[face == f]], axis=0).max() for f in range(len(inner))])
        assert np.all(away[inner & (wide > 0.02)] > 5 * FLOAT32)
        material = np.array([polygon.material_index for polygon in item.data.polygons])
        assert np.all(material[inner] == 2)
        number = np.array([entry.value for entry in item.data.attributes["number"].data])
        assert np.array_equal(material[~inner], number[~inner] % 2)


def test_the_skin_carries_exactly_what_the_object_has(broken):
    collection = broken
    for item in pieces_of(collection):
        rest, corner, face, inner = arrays(item)
        outer = ~inner[face]
        place = rest[corner][outer]
        for name, matrix in AFFINE.items():
            uv = np.array([entry.vector for entry in item.data.uv_layers[name].uv])[outer]
            assert np.allclose(uv, place @ matrix, rtol=0.0, atol=CARRIED)
        flow = np.array([entry.vector for entry in item.data.attributes["flow"].data])[outer]
        assert np.allclose(flow, place, rtol=0.0, atol=CARRIED)
        normal = np.array([entry.vector for entry in item.data.corner_normals])[outer]
        # Blender keeps the object's own normals in two 16-bit numbers.
        assert np.allclose(normal, place / np.linalg.norm(place, axis=1)[:, None], rtol=0.0, atol=4e-4)


def test_broken_faces_of_all_generations_have_one_density(module, broken, ball):
    collection = broken
    densities = [_density(item) for item in pieces_of(collection)]
    module("operators.bridge.restore").restore(ball)
    bpy.context.view_layer.update()
    reading = module("operators.bridge.read").read_scene(bpy.context, ball, frames=5, ground=None)
    halves = broken_in_two(module, reading.scene.mesh)
    once = module("operators.bridge.write").write(bpy.context, ball, reading.source, halves, 5)
    expected = np.median(_density(pieces_of(once)[0]))
    for density in densities:
        # Of edges of a hundredth of the ball at least: ratios of lengths of 32 bits.
        assert np.allclose(density, expected, rtol=100.0 * 4.0 * FLOAT32, atol=0.0)


def _density(item):
    """Length in the texture over length in space of the sides of the broken faces that are flat."""
    rest, corner, face, inner = arrays(item)
    uv = np.array([entry.vector for entry in item.data.uv_layers["Map A"].uv])
    result = [np.zeros(0)]
    for f in np.flatnonzero(inner):
        at = np.flatnonzero(face == f)
        length = np.linalg.norm(rest[corner[at]] - rest[corner[np.roll(at, 1)]], axis=1)
        texture = np.linalg.norm(uv[at] - uv[np.roll(at, 1)], axis=1)
        result.append((texture / np.maximum(length, 1e-30))[length > 0.02])
    return np.concatenate(result)
