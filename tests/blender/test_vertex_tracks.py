"""Fragments that deform: what is played is the track, from files and from shape keys; and nothing of it is left."""

from dataclasses import replace

import bpy
import numpy as np
import pytest
from mathutils import Euler

from tests.blender.layouts import draw
from tests.blender.pieces import pieces_of

START, FRAMES = 7, 10
#: Stored frames from which fragments deform, and how many: from the birth on, later and to the end, then stiff again.
SPANS = ((0, 4), (2, FRAMES - 2), (3, 3))
STORAGES = ("CACHE_FILE", "SHAPE_KEYS")


@pytest.fixture
def bent(module):
    """Shatter an object, let some fragments bend, and write; gives what came of it and the collection."""
    shatter, types = module("operators.shatter"), module("core.types")
    run = module("operators.job").run_blocking

    def track(fragments, k, first, count):
        start = fragments.vertex_start
        rest = fragments.vertices[start[k] : start[k + 1]]
        grows = np.arange(1.0, count + 1.0)[:, None, None]
        rows = rest + 0.02 * grows * np.sin(3.0 * rest[:, [1, 2, 0]])
        return types.VertexTrack(k, first, rows)

    def make(obj, spans=SPANS, of=track):
        (ready,) = run(shatter.steps(bpy.context, [obj], shatter.Request()))
        fragments = ready.shattered.fragments
        tracks = tuple(of(fragments, k, *span) for k, span in enumerate(spans))
        ready = replace(ready, shattered=replace(ready.shattered, tracks=tracks))
        return shatter, ready

    def write(obj, **how):
        shatter, ready = make(obj, **how)
        (result,) = run(shatter.commit_steps(bpy.context, [ready]))
        return ready, result

    write.make = make
    return write


@pytest.fixture
def saved(tmp_path):
    """The file, saved; gives its folder."""
    save(tmp_path / "vase.blend")
    return tmp_path


def save(path):
    bpy.ops.wm.save_as_mainfile(filepath=str(path))


def folders(folder):
    return sorted(item for parent in folder.glob("brittle_*") for item in parent.iterdir())


def points_of(obj):
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    result = np.empty(3 * len(evaluated.data.vertices), np.float32)
    evaluated.data.vertices.foreach_get("co", result)
    return result.reshape(-1, 3).astype(np.float64), np.array(evaluated.matrix_world, np.float64)


def form(ready, k, frame):
    """(V,3) of a fragment at a stored frame, in metres about its centre; between two it lies on the line."""
    tracks = {track.fragment: track for track in ready.shattered.tracks}
    start = ready.shattered.fragments.vertex_start
    rest = ready.shattered.fragments.vertices[start[k] : start[k + 1]]
    if k not in tracks or frame < tracks[k].first - 1:
        return rest
    track = tracks[k]
    rows = np.concatenate([rest[None], track.vertices])
    at = np.clip(frame - track.first + 1, 1 if track.first == 0 else 0, len(rows) - 1)
    low = min(int(at), len(rows) - 2)
    return rows[low] + (at - low) * (rows[low + 1] - rows[low])


def farthest(ready, collection, frames):
    """Largest distances of what is seen from the tracks in the world, in axes of the pieces and all in all [m]."""
    scene, source = bpy.context.scene, ready.reading.source
    motion, scale = ready.shattered.motion, source.unit_scale
    local = world = 0.0
    for frame in frames:
        whole = int(np.floor(frame))
        scene.frame_set(START + whole, subframe=frame - whole)
        for k, obj in enumerate(pieces_of(collection)):
            points, matrix = points_of(obj)
            wanted = form(ready, k, frame)
            local = max(local, np.abs(points * scale - wanted).max())
            if frame == whole:
                w, x, y, z = motion.rotation[whole, k]
                turn = np.array(
                    [
                        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
                    ]
                )
                place = wanted @ turn.T + motion.position[whole, k] + scale * source.origin
                seen = (points @ matrix[:3, :3].T + matrix[:3, 3]) * scale
                world = max(world, np.abs(seen - place).max())
    return local, world


@pytest.fixture
def ready_cube(cube):
    """A cube of a metre that breaks at frame 7 of a scene with another unit and another time."""
    scene = bpy.context.scene
    scene.unit_settings.scale_length, scene.brittle.reduce_keys = 0.5, False
    cube.location, cube.rotation_euler = (0.3, -0.2, 0.1), Euler((0.1, 0.2, 0.3))
    scene.render.frame_map_old, scene.render.frame_map_new = 100, 70
    scene.frame_start = scene.frame_current = START
    bpy.context.view_layer.update()
    return cube


@pytest.mark.parametrize("storage", STORAGES)
def test_what_is_played_is_the_track_and_restore_leaves_nothing(bent, ready_cube, saved, storage):
    ready_cube.brittle.deformation = storage
    before = {name: len(getattr(bpy.data, name)) for name in ("objects", "meshes", "actions", "shape_keys")}
    ready, result = bent(ready_cube)
    every = [0.0, 1.0, 2.0, 2.5, 3.0, 4.25, *range(5, FRAMES)]
    local, world = farthest(ready, result.fragments, every)
    assert local < 1e-7
    assert world < 1e-6
    assert not result.report.warnings
    one, *_, rigid = pieces_of(result.fragments)
    assert one.is_deform_modified(bpy.context.scene, "RENDER")
    assert not rigid.modifiers
    assert rigid.data.shape_keys is None
    assert len(bpy.data.actions) == before["actions"] + 1
    found = folders(saved)
    assert len(found) == (storage == "CACHE_FILE")
    bpy.ops.ed.undo_push(message="Shatter")
    ready_cube.select_set(True)
    bpy.context.view_layer.objects.active = ready_cube
    bpy.ops.brittle.restore()
    bpy.ops.ed.undo_push(message="Restore")
    assert before == {name: len(getattr(bpy.data, name)) for name in before}
    # Undo may need the files, whatever is saved meanwhile.
    save(saved / "vase.blend")
    bpy.ops.ed.undo()
    again = next(item for item in bpy.data.collections if "brittle_source" in item)
    assert farthest(ready, again, every)[0] < 1e-7
    bpy.ops.ed.redo()
    assert not [item for item in bpy.data.collections if "brittle_source" in item]
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert not folders(saved)


def play(ready, path):
    """How far off what the file at `path` plays is; it is opened."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    made = next(item for item in bpy.data.collections if "brittle_source" in item)
    return farthest(ready, made, (0, 4, FRAMES - 1))[0]


def test_files_follow_what_is_saved_copied_and_appended(bent, cube, saved, tmp_path, module):
    cube.brittle.faces = "TRIANGLES"
    bpy.context.scene.frame_current = START
    ready, result = bent(cube)
    # A copy plays the same file as its piece.
    first = pieces_of(result.fragments)[0]
    copy = first.copy()
    bpy.context.scene.collection.objects.link(copy)
    bpy.context.scene.frame_set(START + 3)
    assert np.abs(points_of(copy)[0] - form(ready, 0, 3)).max() < 1e-7
    (run,) = folders(saved)
    save(saved / "vase.blend")
    # Saved elsewhere the file plays what lies beside the first one; and so does one to which the pieces are appended.
    elsewhere = tmp_path / "other" / "folder"
    elsewhere.mkdir(parents=True)
    save(elsewhere / "later.blend")
    assert play(ready, elsewhere / "later.blend") < 1e-7
    assert play(ready, saved / "vase.blend") < 1e-7
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    save(elsewhere / "shot.blend")
    bpy.context.scene.frame_set(START + 3)
    bpy.ops.wm.append(directory=str(saved / "vase.blend") + "/Object/", filename="Cube Fragment 001")
    assert np.abs(points_of(bpy.data.objects["Cube Fragment 001"])[0] - form(ready, 0, 3)).max() < 1e-7
    bpy.data.objects.remove(bpy.data.objects["Cube Fragment 001"])
    # What is gone is told where the choice is.
    bpy.ops.wm.open_mainfile(filepath=str(saved / "vase.blend"))
    files = module("operators.cache_files")
    assert files.deforms(bpy.data.objects["Cube"])
    assert files.missing_folder(bpy.data.objects["Cube"]) is None
    run.rename(saved / "aside")
    assert files.missing_folder(bpy.data.objects["Cube"]) == run
    drawn = draw("BRITTLE_PT_motion")
    assert ("prop", "deformation") in drawn
    assert any("put the folder" in str(item) for item in drawn)
    (saved / "aside").rename(run)
    # Broken again in one file, the other one still plays; when both have let go, nothing is left.
    for path, left in ((saved / "vase.blend", [run]), (elsewhere / "later.blend", [])):
        bpy.ops.wm.open_mainfile(filepath=str(path))
        source = bpy.data.objects["Cube"]
        bpy.context.view_layer.objects.active = source
        bpy.ops.brittle.restore()
        for item in [item for item in bpy.data.objects if item.modifiers]:
            bpy.data.objects.remove(item)
        save(path)
        assert folders(saved) == [run]
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        assert folders(saved) == left
    assert not list(saved.glob("brittle_*"))


def test_where_no_file_can_be_the_forms_are_in_the_blend(bent, make_cube, tmp_path):
    def shattered(name, storage):
        obj = make_cube(name)
        obj.brittle.voronoi.count, bpy.context.scene.brittle.frames = 4, FRAMES
        obj.brittle.deformation = storage
        _, result = bent(obj, spans=SPANS[:1])
        assert result.fragments["brittle_deforms"] == 0
        inside = pieces_of(result.fragments)[0].data.shape_keys is not None
        assert inside == (not pieces_of(result.fragments)[0].modifiers)
        return inside, [text for text in result.report.warnings if "shape keys" in text]

    assert shattered("Auto Unsaved", "AUTO") == (True, [])
    inside, (told,) = shattered("Unsaved", "CACHE_FILE")
    assert inside
    assert told.endswith("because the file is not saved yet: save it and shatter again.")
    save(tmp_path / "vase.blend")
    assert shattered("Auto", "AUTO") == (False, [])
    assert shattered("Inside", "SHAPE_KEYS") == (True, [])
    save(tmp_path / "cup.blend")
    (tmp_path / "brittle_cup").write_text("a file where the folder should be")
    for storage in ("AUTO", "CACHE_FILE"):
        inside, (told,) = shattered(f"Blocked {storage}", storage)
        assert inside
        assert "brittle_cup' cannot be written" in told


def test_a_job_that_is_stopped_or_fails_leaves_no_file(bent, cube, saved, module, monkeypatch):
    shatter, ready = bent.make(cube)
    tracks, cancelled = module("operators.bridge.vertex_tracks"), module("core.errors").Cancelled
    before = set(bpy.data.objects)
    job = shatter.commit_steps(bpy.context, [ready])
    seen = 0
    with pytest.raises(cancelled):
        for step in job:
            seen += step.text == tracks.WRITING
            if seen == len(SPANS) + 1:
                assert folders(saved)
                job.throw(cancelled("Stopped; nothing was changed."))
    assert not list(saved.glob("brittle_*"))
    monkeypatch.setattr(tracks, "_turn_normals", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        list(shatter.commit_steps(bpy.context, [ready]))
    assert not list(saved.glob("brittle_*"))
    assert set(bpy.data.objects) == before
    assert not bpy.data.shape_keys


def test_a_disk_that_is_full_leaves_all_in_the_blend(bent, cube, saved, module, monkeypatch):
    tracks = module("operators.bridge.vertex_tracks")
    original, asked = tracks.write_cache, []

    def full(path, forms):
        asked.append(path)
        if len(asked) == 2:
            raise OSError(28, "No space left on device")
        original(path, forms)

    monkeypatch.setattr(tracks, "write_cache", full)
    bpy.context.scene.frame_current = START
    ready, result = bent(cube)
    assert len(asked) == 2
    assert "No space left on device" in result.report.warnings[-1]
    assert not list(saved.glob("brittle_*"))
    assert farthest(ready, result.fragments, (0, 3, FRAMES - 1))[0] < 1e-7


@pytest.mark.parametrize("storage", STORAGES)
def test_normals_and_maps_come_along_far_from_the_origin(bent, saved, module, storage):
    types = module("core.types")
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # a quarter about z

    def track(fragments, k, first, count):
        start = fragments.vertex_start
        rest = fragments.vertices[start[k] : start[k + 1]]
        return types.VertexTrack(k, first, np.stack([rest @ turn.T] * count))

    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=6, location=(4000.3, -700.7, 1.0))
    ball, scene = bpy.context.object, bpy.context.scene
    ball.data.polygons.foreach_set("use_smooth", np.ones(len(ball.data.polygons), bool))
    ball.brittle.voronoi.count, ball.brittle.deformation = 4, storage
    scene.brittle.frames, scene.frame_current = FRAMES, START
    ready, result = bent(ball, spans=((3, 2),), of=track)
    # What 32 bits miss of the place so far away goes into the points, see `left_over`.
    assert farthest(ready, result.fragments, (0, 3, 6))[0] < np.spacing(np.float32(4000.3))
    obj = pieces_of(result.fragments)[0]
    found = []
    for frame in (2, 3):
        scene.frame_set(START + frame)
        mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        normals = np.empty(3 * len(mesh.loops), np.float32)
        mesh.corner_normals.foreach_get("vector", normals)
        found.append(normals.reshape(-1, 3))
        assert mesh.uv_layers
        assert "rest_position" in mesh.attributes
    # Blender keeps normals that follow a surface as two angles of 16 bits.
    assert np.abs(found[1] - found[0] @ turn.T).max() < 1e-3
    # At rest they are those of the sphere.
    place = np.array([item.vector for item in obj.data.attributes["rest_position"].data])
    outer = np.array([not item.value for item in obj.data.attributes["brittle_inner"].data])
    face = np.repeat(np.arange(len(outer)), [polygon.loop_total for polygon in obj.data.polygons])
    corner = np.array([loop.vertex_index for loop in obj.data.loops])
    assert (np.sum(place[corner] * found[0], axis=1)[outer[face]] > 0.9).all()
