"""What the cut is for: objects in Blender, and lines that follow a slider.

Where the add-on Cell Fracture is to be compared with, name the folder that holds `object_fracture_cell`:
CELL_FRACTURE=<folder> make bench NAME=cut.
"""

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from tests import shapes
from tests.bench import bench_write
from tests.bench.measure import seconds

Row = dict[str, Any]


def _turn(settings: Any, angle: float) -> None:
    """Let the blow come from elsewhere."""
    settings.heading = (np.cos(angle), np.sin(angle), 0.0)


#: What a preview of cracks follows: each sets something of an object's settings by a number from 0.2 to 2.
CHANGES: dict[str, Callable[[Any, float], None]] = {
    "strength": lambda settings, value: setattr(settings.blow, "strength", value),
    "radius": lambda settings, value: setattr(settings.blow, "radius", value),
    "direction": _turn,
    "material": lambda settings, value: setattr(settings.impact_factor, "durability", 0.1 * value),
}


def rows() -> Iterator[Row]:
    """End to end, live, and beside Cell Fracture where it is there."""
    from tools import checkout

    checkout.enable()
    try:
        yield from bench_write.rows(250_000)
        yield live()
        for (count, shown), what in product(((100, 30), (1_000, 10)), CHANGES):
            yield opening(count, shown, what)
        folder = os.environ.get("CELL_FRACTURE")
        if folder:
            yield beside_cell_fracture(folder, "cube", shapes.box((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0)), 1_000)
            yield beside_cell_fracture(folder, "wine glass", shapes.wine_glass(96), 100)
    finally:
        checkout.disable()


def live() -> Row:
    """A slider has moved: the object is read, cut again into a hundred pieces, and the lines are shown."""
    import bpy

    preview = bench_write._module("operators.preview").live
    obj = _placed("Live", shapes.scan(30_000))
    obj.brittle.voronoi.layout, obj.brittle.voronoi.count = "blue_noise", 100
    preview.start(bpy.context)
    seeds = iter(range(1, 1_000))

    def slide() -> None:
        obj.brittle.seed = next(seeds)
        preview.refresh(bpy.context)

    try:
        return {
            "case": "30k triangles x 100 pieces: preview after a slider has moved",
            "ours_s": seconds(slide, runs=10),
        }
    finally:
        preview.stop()
        bpy.data.objects.remove(obj)


def opening(count: int, shown: int, what: str) -> Row:
    """One of `CHANGES` is made: which cracks open then, and what is drawn of it, with fragments in colours.

    It should be quick enough for so many pictures a second.
    """
    import bpy

    module = bench_write._module("operators.preview")
    obj = _placed("Live", shapes.scan(30_000))
    obj.brittle.voronoi.layout, obj.brittle.voronoi.count = "blue_noise", count
    module._choice.colours = True
    module.live.start(bpy.context)
    values = iter(np.linspace(0.2, 2.0, 1_000).tolist())

    def slide() -> None:
        CHANGES[what](obj.brittle, next(values))
        module.live.refresh(bpy.context)

    try:
        return {
            "case": f"30k triangles x {count} pieces: preview after a change of {what}",
            "ours_s": seconds(slide, runs=10),
            "reference": f"{shown} pictures a second",
            "reference_s": 1.0 / shown,
        }
    finally:
        module.stop()
        module._choice.colours = False
        bpy.data.objects.remove(obj)


def beside_cell_fracture(folder: str, name: str, body: Any, count: int) -> Row:
    """The same number of pieces as objects: Shatter without motion, and the add-on with its own defaults."""
    import bpy

    obj = _placed(name, body)
    bpy.context.scene.brittle.frames = 1
    obj.brittle.voronoi.layout = "blue_noise"
    obj.brittle.impact_factor.durability = 1e-9  # all of it breaks

    def shatter() -> None:
        bpy.ops.brittle.shatter(count=count, seed=1)

    ours = seconds(shatter, runs=2)
    bpy.ops.brittle.restore()
    other = seconds(lambda: _fractured(folder, obj, count), runs=1, warm_up=False)
    return {
        "case": f"{name}, {len(body.triangles)} triangles x {count} pieces as objects",
        "ours_s": ours,
        "reference": "Cell Fracture",
        "reference_s": other,
    }


def _fractured(folder: str, obj: Any, count: int) -> None:
    import bpy

    if folder not in sys.path:
        sys.path.insert(0, folder)
    import object_fracture_cell

    points = bpy.data.meshes.new("Points")
    low, high = np.array(obj.bound_box).min(axis=0), np.array(obj.bound_box).max(axis=0)
    points.from_pydata(np.random.default_rng(1).uniform(low, high, (count, 3)), [], [])
    child = bpy.data.objects.new("Points", points)
    bpy.context.collection.objects.link(child)
    child.parent = obj
    object_fracture_cell.register()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            bpy.ops.object.add_fracture_cell_objects(source={"VERT_CHILD"}, source_limit=count, use_debug_redraw=False)
    finally:
        object_fracture_cell.unregister()
        bpy.data.objects.remove(child)


def _placed(name: str, body: Any) -> Any:
    import bpy

    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(body.vertices, [], body.triangles)
    obj = bpy.data.objects.new(name, mesh)
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    bpy.context.view_layer.update()
    return obj
