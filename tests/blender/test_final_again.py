"""Make Final of pieces that broke again: in a simulation, by later blows, and because they were broken further."""

import json

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.deforming import key_shape
from tests.blender.pieces import pieces_of

#: Least volume of a piece whose faces are looked at, and how many times as many corners final faces have, at least.
FINER = 1.2


@pytest.fixture
def falling(cube):
    """A cube that falls on the ground, breaks, and breaks once more where its pieces land; in few frames."""
    scene = bpy.context.scene
    scene.brittle.frames = 14
    cube.location.z = 0.3
    own = cube.brittle
    own.surface.octaves, own.surface.quality = 2, "preview"
    own.voronoi.count = 6
    own.impact_factor.durability = 0.01
    own.breakable.breaks, own.breakable.again, own.breakable.speed = True, "anew", 0.2
    own.breakable.smallest, own.breakable.cooldown = 0.02, 0.0
    bpy.context.view_layer.update()
    return cube


def home(obj):
    return next(item for item in bpy.data.collections if item.get("brittle_source") == obj)


def quality(obj):
    return json.loads(home(obj)["brittle_report"])["quality"]


def fragments(obj):
    return sorted(pieces_of(home(obj)), key=lambda item: item["brittle_fragment"])


def attributes(obj):
    """All that the meshes of an object's pieces say, as bytes."""
    found = {}
    for piece in fragments(obj):
        for item in piece.data.attributes:
            name, width = {"FLOAT_VECTOR": ("vector", 3), "INT": ("value", 1), "INT32_2D": ("value", 2)}.get(
                item.data_type, ("", 0)
            )
            if name:
                values = np.empty(width * len(item.data), np.float32 if name == "vector" else np.int32)
                item.data.foreach_get(name, values)
                found[piece["brittle_fragment"], item.name] = values.tobytes()
    return found


def keys(obj):
    action = home(obj)["brittle_action"]
    bags = action.layers[0].strips[0].channelbags
    return [
        (curve.data_path, curve.array_index, [point.co[:] for point in curve.keyframe_points])
        for bag in bags
        for curve in bag.fcurves
    ]


def corners(obj):
    return {piece: len(piece.data.vertices) for piece in fragments(obj)}


def volume(piece):
    mesh = piece.data
    mesh.calc_loop_triangles()
    place = np.array([vertex.co[:] for vertex in mesh.vertices], np.float64)
    corner = place[np.array([triangle.vertices[:] for triangle in mesh.loop_triangles])]
    return float(np.einsum("ti,ti->", corner[:, 0], np.cross(corner[:, 1], corner[:, 2]))) / 6.0


def test_pieces_that_broke_again_in_a_simulation_are_those_of_a_final_one(falling):
    bpy.ops.brittle.simulate(seed=1)
    generations = {piece["brittle_generation"] for piece in fragments(falling)}
    assert {0, 1, 2} <= generations, "the cube, its pieces, and theirs"
    before, moved = corners(falling), keys(falling)
    # What is set since, or where the playhead is, is no matter of the pieces that are there.
    falling.brittle.voronoi.count, falling.brittle.seed = 9, 4
    bpy.context.scene.frame_set(7)
    assert bpy.ops.brittle.make_final() == {"FINISHED"}
    assert falling.brittle.voronoi.count == 9 and falling.brittle.surface.quality == "preview"
    assert quality(falling) == "final" and not bpy.ops.brittle.make_final.poll() and keys(falling) == moved
    whole, *broken = fragments(falling)
    assert corners(falling)[whole] == before[whole] and whole["brittle_generation"] == 0
    assert all(corners(falling)[piece] > FINER * before[piece] for piece in broken)
    made = attributes(falling)
    falling.brittle.voronoi.count, falling.brittle.surface.quality = 6, "final"
    bpy.context.scene.frame_set(1)
    bpy.ops.brittle.simulate(seed=1)
    assert attributes(falling) == made and keys(falling) == moved


def blows():
    return [item for item in bpy.data.objects if item.brittle_impact.is_impact]


def test_pieces_of_later_blows_are_those_of_a_final_run(cube):
    scene = bpy.context.scene
    scene.brittle.frames = 4
    for frame, x, strength in ((1, 1.0, 0.1), (3, -1.0, 100.0)):
        scene.cursor.location = (x, -1.0, 0.5)
        bpy.ops.brittle.impact_add()
        blow = max(blows(), key=lambda item: item.name).brittle_impact
        blow.frame, blow.radius, blow.strength = frame, 0.5, strength
        bpy.context.view_layer.objects.active = cube
    own = cube.brittle
    own.surface.octaves, own.voronoi.count, own.impact_factor.durability = 2, 12, 0.1
    bpy.ops.brittle.shatter(quality="preview")
    assert max(piece["brittle_parent"] for piece in fragments(cube)) >= 0, "a piece broke again"
    for empty in blows():
        empty.location.z += 5.0  # what is done to the blows since is no matter of the pieces
    bpy.ops.brittle.make_final()
    made = attributes(cube)
    for empty in blows():
        empty.location.z -= 5.0
    bpy.context.view_layer.update()
    bpy.ops.brittle.shatter(quality="final")
    assert attributes(cube) == made


@pytest.fixture
def further(cube):
    """A cube whose largest piece was broken further, and the largest piece of that once more."""
    scene = bpy.context.scene
    scene.brittle.frames = 6
    cube.vertex_groups.new(name="Group").add([0, 1, 2, 3], 0.5, "REPLACE")
    cube.brittle.surface.octaves, cube.brittle.impact_factor.durability = 2, 0.01
    bpy.context.view_layer.update()
    bpy.ops.brittle.shatter(count=5, quality="preview")
    chain = [cube]
    for frame in (2, 4):
        scene.frame_set(frame)
        there = [piece for piece in fragments(chain[-1]) if piece.visible_get()]
        piece = max(there, key=lambda item: item["brittle_mass"])
        for obj in bpy.context.view_layer.objects:
            obj.select_set(obj == piece)
        bpy.context.view_layer.objects.active = piece
        bpy.ops.brittle.shatter(count=5)
        chain.append(piece)
    return chain


def test_pieces_that_were_broken_further_fit_into_the_final_one(further):
    before = [corners(obj) for obj in further]
    where = [(piece.location[:], piece["brittle_mass"]) for obj in further for piece in fragments(obj)]
    placed = cube_corners(further)
    assert [quality(obj) for obj in further] == ["preview"] * 3
    assert bpy.ops.brittle.make_final() == {"FINISHED"}  # with the pieces of the last one selected
    assert [quality(obj) for obj in further] == ["final"] * 3
    assert [(piece.location[:], piece["brittle_mass"]) for obj in further for piece in fragments(obj)] == where
    for old in before:
        assert all(len(piece.data.vertices) > FINER * count for piece, count in old.items())
        assert all(piece.vertex_groups.keys() == ["Group"] for piece in old)
    # Closed pieces fill what they broke from, in its new form: coordinates are stored in 32 bits.
    for piece in further[1:]:
        assert sum(map(volume, fragments(piece))) == pytest.approx(volume(piece), rel=1e-5)
    assert sum(map(volume, fragments(further[0]))) == pytest.approx(8.0, rel=1e-5)
    # The cube's own corners lie where they lay, in the world and in its own coordinates, to 32 bits.
    there = cube_corners(further)
    assert len(there) == 8 and there.keys() == placed.keys()
    assert all(there[corner] == pytest.approx(placed[corner], abs=1e-5) for corner in there)


def cube_corners(chain):
    """Places in the world of the corners of the cube, as the pieces that are there have them."""
    found = {}
    for piece in (piece for obj in chain for piece in fragments(obj) if piece not in chain):
        rest = np.empty(3 * len(piece.data.vertices), np.float32)
        piece.data.attributes["rest_position"].data.foreach_get("vector", rest)
        near = np.abs(np.abs(rest.reshape(-1, 3) - (0.0, 0.0, 1.0)) - 1.0).max(axis=1) < 1e-6
        for k in np.flatnonzero(near):
            corner = tuple(rest.reshape(-1, 3)[k].round().tolist())
            found[corner] = (piece.matrix_world @ piece.data.vertices[int(k)].co)[:]
    return found


def test_what_comes_from_an_edited_piece_stays_and_is_told(further, capfd):
    _, piece, last = further
    piece.data.vertices[0].co.x += 0.05
    before = corners(piece)
    bpy.ops.brittle.make_final()
    assert corners(piece) == before, "they would not fit"
    assert f"{len(before) + 1} pieces stay as they are" in capfd.readouterr().out
    assert [quality(obj) for obj in further] == ["final", "preview", "final"]
    assert sum(map(volume, fragments(last))) == pytest.approx(volume(last), rel=1e-5)
    with pytest.raises(RuntimeError, match="has changed since: shatter it again, with Final as its Quality"):
        bpy.ops.brittle.make_final()


def stretching(cube):
    """It grows until a blow breaks it in the form of a later frame."""
    key_shape(cube, lambda x, y, z: (x, y, 1.5 * z), ((1, 0.0), (12, 1.0)))
    bpy.context.scene.frame_set(1)


def hit_in_a_pattern(cube):
    """It is whole, and cut around the blow only then; its mirror image is far from the origin of the scene."""
    cube.brittle.pieces, cube.brittle.surface.wrap = "radial", "off"
    cube.brittle.radial.count = 8
    cube.scale, cube.location = (-1.0, 0.5, 1.0), (40.0, 30.0, 20.0)


@pytest.mark.parametrize("prepare", [stretching, hit_in_a_pattern])
def test_what_is_cut_only_when_it_is_hit_gets_its_final_faces(cube, prepare):
    prepare(cube)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.brittle.frames = 1, 8, 8
    bpy.context.view_layer.update()
    scene.cursor.location = cube.matrix_world @ Vector((0.9, 0.9, 1.0))
    bpy.ops.brittle.impact_add()
    blow = bpy.data.objects["Impact"].brittle_impact
    blow.frame, blow.strength = 5, 100.0
    bpy.context.view_layer.objects.active = cube
    own = cube.brittle
    own.breakable.breaks, own.surface.octaves, own.surface.quality = True, 2, "preview"
    bpy.ops.brittle.simulate(seed=1)
    before = corners(cube)
    assert len(before) > 3 and quality(cube) == "preview"
    bpy.ops.brittle.make_final()
    assert sum(corners(cube).values()) > FINER * sum(before.values())
    made = attributes(cube)
    own.surface.quality = "final"
    bpy.ops.brittle.simulate(seed=1)
    assert attributes(cube) == made
