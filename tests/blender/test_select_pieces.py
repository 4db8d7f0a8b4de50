"""Select Pieces: by size, place, generation and movement; always those that are seen."""

import bpy
import numpy as np
import pytest

from tests.blender.pieces import pieces_of


@pytest.fixture
def broken(cube):
    """A cube hit from its side; half of its pieces still move at frame 30."""
    bpy.context.scene.brittle.frames = 30
    cube.brittle.voronoi.count = 12
    bpy.ops.brittle.impact_add(location=(0.2, -1.0, 1.2), direction=(0.0, 1.0, 0.0))
    hit = next(obj for obj in bpy.context.scene.objects if obj.type == "EMPTY")
    choose(cube)
    bpy.ops.brittle.shatter(seed=1)
    hit.location.x += 50.0
    return cube


def choose(*objects):
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = objects[0] if objects else None


def collection_of(obj):
    return next(item for item in bpy.data.collections if item.get("brittle_source") == obj)


def run(**how):
    assert bpy.ops.brittle.select_pieces(**how) == {"FINISHED"}
    return set(bpy.context.selected_objects)


def across(piece):
    points = np.array([vertex.co for vertex in piece.data.vertices])
    return float(np.linalg.norm(points.max(axis=0) - points.min(axis=0)))


def test_by_size_the_middle_parts_them_in_halves(broken):
    pieces = pieces_of(collection_of(broken))
    small = run(by="SIZE")
    large = run(by="SIZE", others=True)
    assert small | large == set(pieces) and not small & large and len(small) == (len(pieces) + 1) // 2
    assert max(map(across, small)) <= min(map(across, large))
    limit = sorted(map(across, pieces))[2]
    assert len(run(by="SIZE", length=limit * 1.0001)) == 3
    assert run(by="SIZE", length=limit * 1.0001, others=True, extend=True) == set(pieces)
    assert bpy.context.view_layer.objects.active in pieces


def test_by_distance_to_where_it_was_hit_and_to_the_cursor(broken):
    """The impact has gone elsewhere since; what counts is where it was, and where the pieces were."""
    pieces = pieces_of(collection_of(broken))
    bpy.context.scene.frame_set(1)
    hit = np.array([0.2, -1.0, 1.2])
    away = {item: np.linalg.norm(np.array(item.matrix_world.translation) - hit) for item in pieces}
    bpy.context.scene.frame_set(20)
    limit = sorted(away.values())[4] + 1e-4
    choose(broken)
    assert run(by="IMPACT", length=limit) == {item for item in pieces if away[item] <= limit}
    bpy.context.scene.cursor.location = pieces[3].matrix_world.translation
    assert run(by="CURSOR", length=1e-3) == {pieces[3]}


def test_by_generation_and_only_of_what_is_meant(broken, make_cube):
    first = pieces_of(collection_of(broken))
    bpy.context.scene.frame_set(4)
    piece = max(first, key=across)
    choose(piece)
    bpy.ops.brittle.shatter(seed=2, count=4)
    second = pieces_of(collection_of(piece))
    assert {item["brittle_generation"] for item in first} == {1} and {i["brittle_generation"] for i in second} == {2}
    choose()
    assert run(by="GENERATION", generation=2) == set(second)
    choose(broken)
    assert run(by="GENERATION", generation=1) == set(first) - {piece}, "what is not seen cannot be selected"
    other = make_cube("Other")
    other.location.x = 9.0
    choose(other)
    bpy.ops.brittle.shatter(seed=1, count=4)
    assert run(by="GENERATION", generation=1) == set(pieces_of(collection_of(other)))
    choose()
    assert run(by="GENERATION") == (set(first) - {piece}) | set(pieces_of(collection_of(other)))


def test_by_movement(broken):
    pieces = pieces_of(collection_of(broken))
    bpy.context.scene.frame_set(3)
    moving = run(by="REST", others=True)
    before = {item: np.array(item.matrix_world) for item in pieces}
    bpy.context.scene.frame_set(4)
    for item in pieces:
        gone = np.linalg.norm((np.array(item.matrix_world) - before[item])[:3, 3])
        assert (item in moving) or gone < 1e-3
        assert (item not in moving) or np.abs(np.array(item.matrix_world) - before[item]).max() > 1e-5
    assert moving
    bpy.context.scene.frame_set(40)
    assert run(by="REST") == set(pieces)


def test_it_says_what_is_missing(cube, broken):
    bpy.ops.brittle.restore()
    assert not bpy.ops.brittle.select_pieces.poll()
    choose(cube)
    bpy.ops.brittle.shatter(seed=1)
    del collection_of(cube)["brittle_hits"]
    with pytest.raises(RuntimeError, match="choose Distance to Cursor instead"):
        bpy.ops.brittle.select_pieces(by="IMPACT")
