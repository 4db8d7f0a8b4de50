"""The stored diagram: it goes where its object goes, and no exporter falls over it."""

import subprocess
import sys
from pathlib import Path

import bpy
import pytest

pytestmark = pytest.mark.blender

ROOT = Path(__file__).resolve().parents[2]

#: Every exporter of Blender, with custom properties where it can write them, over a file of ours.
EXPORTS = """
import sys
import bpy
import addon_utils

for name in ("io_scene_gltf2", "io_scene_fbx"):
    addon_utils.enable(name)
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
for name, export in {
    "abc": lambda path: bpy.ops.wm.alembic_export(filepath=path, as_background_job=False),
    "usda": lambda path: bpy.ops.wm.usd_export(filepath=path, export_animation=True, export_custom_properties=True),
    "usdz": lambda path: bpy.ops.wm.usd_export(filepath=path, export_animation=True, export_custom_properties=True),
    "fbx": lambda path: bpy.ops.export_scene.fbx(filepath=path, use_custom_props=True),
    "gltf": lambda path: bpy.ops.export_scene.gltf(
        filepath=path, export_format="GLTF_SEPARATE", export_extras=True, export_hierarchy_full_collections=True
    ),
    "obj": lambda path: bpy.ops.wm.obj_export(filepath=path),
    "ply": lambda path: bpy.ops.wm.ply_export(filepath=path),
    "stl": lambda path: bpy.ops.wm.stl_export(filepath=path),
}.items():
    assert export(f"{sys.argv[2]}/out.{name}") == {"FINISHED"}, name
"""


@pytest.fixture
def diagram(module):
    return module("operators.bridge.diagram")


@pytest.fixture
def broken(cube):
    assert bpy.ops.brittle.shatter(seed=1) == {"FINISHED"}
    return cube


def export_all(folder):
    """Save the file and export it in a process of its own, which an exporter may abort."""
    blend = folder / "file.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    script = folder / "export.py"
    script.write_text(EXPORTS)
    done = subprocess.run(
        [sys.executable, script, blend, folder], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_every_exporter_survives_a_file_of_ours_and_writes_no_diagram(broken, tmp_path):
    packed = broken["brittle_diagram"]["brittle_diagram"]
    assert isinstance(packed, bytes)
    folder = export_all(tmp_path)
    for path in folder.glob("out.*"):
        assert packed[:64] not in path.read_bytes(), path
    # As text it would be longer still.
    for name in ("usda", "gltf"):
        longest = max(len(line) for line in (folder / f"out.{name}").read_text().splitlines() if "brittle_" in line)
        assert longest < len(packed) / 4


def test_a_diagram_of_version_0_1_0_is_read_and_moved(broken, shatter_again, diagram, tmp_path):
    block = broken["brittle_diagram"]
    other = bpy.data.objects.new("Other", broken.data)
    for obj in (broken, other):
        obj["brittle_diagram"], obj["brittle_diagram_key"] = block["brittle_diagram"], block["brittle_diagram_key"]
    key = block["brittle_diagram_key"]
    bpy.data.node_groups.remove(block)
    diagram._cached.clear()
    assert diagram.load(broken, key) is not None
    shatter_again(broken)
    for obj in (broken, other):
        assert isinstance(obj["brittle_diagram"], bpy.types.NodeTree)
        assert "brittle_diagram_key" not in obj
        diagram._cached.clear()
        assert diagram.load(obj, key) is not None
    export_all(tmp_path)


@pytest.fixture
def shatter_again(module, monkeypatch):
    """Shatter with what is stored: to cut anew is a failure."""

    def run(obj):
        def fail(*_):
            raise AssertionError("the diagram is stored with the object")

        monkeypatch.setattr(module("core.diagram"), "cut_with_retry", fail)
        assert bpy.ops.brittle.shatter(seed=1) == {"FINISHED"}

    return run


def test_it_follows_its_object_through_copies_and_is_restored_away(broken, shatter_again, diagram):
    copy = broken.copy()
    bpy.context.scene.collection.objects.link(copy)
    block = broken["brittle_diagram"]
    assert copy["brittle_diagram"] == block and block.users == 2
    bpy.ops.brittle.restore()
    assert "brittle_diagram" not in broken
    assert block.users == 1
    diagram._cached.clear()
    assert diagram.load(copy, block["brittle_diagram_key"]) is not None
    diagram.remove(copy)
    assert not bpy.data.node_groups


def test_a_new_diagram_of_one_copy_leaves_that_of_the_other(broken, diagram):
    copy = broken.copy()
    key = broken["brittle_diagram"]["brittle_diagram_key"]
    assert bpy.ops.brittle.shatter(seed=2) == {"FINISHED"}
    diagram._cached.clear()
    assert diagram.load(broken, key) is None
    assert diagram.load(copy, key) is not None
    assert broken["brittle_diagram"] != copy["brittle_diagram"]


def test_it_survives_undo_purge_and_appending(broken, diagram, tmp_path):
    key = broken["brittle_diagram"]["brittle_diagram_key"]
    bpy.ops.ed.undo_push(message="shattered")
    bpy.ops.brittle.restore()
    bpy.ops.ed.undo_push(message="restored")
    assert not bpy.data.node_groups
    bpy.ops.ed.undo()
    bpy.data.orphans_purge()
    diagram._cached.clear()
    assert diagram.load(bpy.data.objects["Cube"], key) is not None
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(path) as (_, wanted):
        wanted.objects = ["Cube"]
    diagram._cached.clear()
    assert diagram.load(wanted.objects[0], key) is not None
