"""The extension, enabled from the checkout in a Blender of its own: temporary user folders, one clean file per test."""

import importlib
import importlib.util
import os
import sys
from pathlib import Path

import pytest

if importlib.util.find_spec("bpy") is None:
    pytest.skip("bpy is not installed", allow_module_level=True)

from tools import checkout

# isort: split
# Blender's module comes after it, see there.
import addon_utils
import bpy

PACKAGE = checkout.PACKAGE


def pytest_collection_modifyitems(items):
    """Everything in this folder needs Blender."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.blender)


_status = 0


def pytest_sessionfinish(exitstatus):
    """Remember how it ended, for `pytest_unconfigure`."""
    global _status
    _status = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure():
    """Leave without what the module of Blender 4.5 does at exit: now and then a thread of its own holds it up for good.

    That it ends well after a break is tested from the installed zip.
    """
    if bpy.app.version < (5, 0):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(_status)


@pytest.fixture(scope="session", autouse=True)
def extension():
    """The extension, enabled from the checkout."""
    checkout.enable()
    assert addon_utils.check(PACKAGE) == (True, True)
    yield sys.modules[PACKAGE]
    checkout.disable()


@pytest.fixture(autouse=True)
def empty_file(extension):
    """A new file without objects, the extension enabled."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    yield
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


@pytest.fixture
def module():
    """Import a module of the extension by its name below the root."""
    return lambda name: importlib.import_module(f"{PACKAGE}.{name}")


@pytest.fixture
def everything(module):
    """All settings are shown; gives the choice."""
    chosen = module("operators.preferences").chosen(bpy.context)
    chosen.look = "EVERYTHING"
    yield chosen
    chosen.property_unset("look")


@pytest.fixture
def preview(module):
    """Preview Cracks, off and with its first choices afterwards."""
    found = module("operators.preview")
    yield found
    found.stop()
    found._choice.colours, found._choice.explode = False, 0.0


@pytest.fixture
def make_object():
    """Make an object from vertices and faces, link it, and make it the active one."""

    def make(name, vertices, faces):
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(vertices, [], faces)
        obj = bpy.data.objects.new(name, mesh)
        bpy.context.scene.collection.objects.link(obj)
        bpy.context.view_layer.objects.active = obj
        obj.select_set(True)
        bpy.context.view_layer.update()
        return obj

    return make


CUBE_FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


@pytest.fixture
def make_cube(make_object):
    """Make a cube of edge 2 that stands on the ground."""

    def make(name="Cube"):
        vertices = [(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (0.0, 2.0)]
        return make_object(name, vertices, CUBE_FACES)

    return make


@pytest.fixture
def cube(make_cube):
    """A cube of edge 2 that stands on the ground, with few pieces so that tests are quick."""
    obj = make_cube()
    obj.brittle.voronoi.count = 8
    bpy.context.scene.brittle.frames = 10
    return obj


@pytest.fixture
def make_collider(make_object):
    """Make a lopsided box that is marked as a collider; the object to break stays the active one."""

    def make(name="Wall", collider=True):
        active = bpy.context.view_layer.objects.active
        vertices = [(x, y, z) for x in (-1.0, 2.0) for y in (-0.5, 0.25) for z in (0.0, 3.0)]
        obj = make_object(name, vertices, CUBE_FACES)
        obj.select_set(False)
        obj.brittle.collider = collider
        bpy.context.view_layer.objects.active = active
        return obj

    return make


@pytest.fixture
def read(module):
    """Read an object as Shatter does, without breaking it."""
    shatter = module("operators.shatter")

    def run(obj, colliders=None, together=()):
        chosen = module("operators.settings").settings_from(obj)
        job = shatter._read(bpy.context, obj, shatter.Request(colliders=colliders), together or [obj], chosen)
        return module("operators.job").run_blocking(job)

    return run


def _state():
    data = {}
    for collection in ("objects", "meshes", "materials", "collections", "actions", "texts", "images"):
        for block in getattr(bpy.data, collection):
            # Blender 4.5 keeps registered properties among the custom ones, from the first look at them on.
            own = {
                key: repr(value)
                for key, value in block.items()
                if key not in {"cycles", *block.bl_rna.properties.keys()}
            }
            data[collection, block.name] = (block.users, own)
    for obj in bpy.data.objects:
        flags = (obj.hide_viewport, obj.hide_render, obj.select_get(), obj.animation_data is None)
        data["object", obj.name] = (flags, tuple(tuple(row) for row in obj.matrix_world), _properties(obj.brittle))
    data["scene"] = (bpy.context.scene.frame_current, bpy.context.mode, _properties(bpy.context.scene.brittle))
    return data


def _properties(group):
    result = {}
    for item in group.bl_rna.properties:
        value = getattr(group, item.identifier)
        if item.identifier == "rna_type":
            continue
        if item.type == "COLLECTION":
            result[item.identifier] = [_properties(one) for one in value]
            continue
        is_group = isinstance(value, bpy.types.PropertyGroup)
        result[item.identifier] = _properties(value) if is_group else repr(value)
    return result


@pytest.fixture
def state():
    """A function that describes all that the file holds, to compare before and after."""
    return _state
