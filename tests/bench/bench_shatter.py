"""From the click to written keyframes, inside Blender: the whole of Shatter on a wine glass of 7,000 triangles.

The reference is what users' scripts do for the keys alone: `keyframe_insert`, measured on a few of the same pieces and
scaled to all of them.
"""

import resource
import time
from collections.abc import Callable

PIECES = 125  # of which a hundred and more come off
FRAMES = 250
SAMPLE = 5


def run() -> list[dict]:
    """One row: CPU seconds of `bpy.ops.brittle.shatter`, warm, beside the keys by `keyframe_insert`."""
    from tools import checkout

    # isort: split
    # Blender's module comes after it, see there.
    import bpy

    checkout.enable()
    try:
        return [row(bpy)]
    finally:
        checkout.disable()


def row(bpy) -> dict:
    glass = wine_glass(bpy)
    bpy.context.scene.brittle.frames = FRAMES

    def click() -> None:
        bpy.ops.brittle.shatter(preset="Standard Glass", count=PIECES, seed=1)

    click()  # loads machine code
    best = min(seconds(click) for _ in range(3))
    fragments = [item for item in bpy.data.collections["Glass Fragments"].objects if item.type == "MESH"]
    sample = fragments[:SAMPLE]

    def insert() -> None:
        for fragment in sample:
            fragment.animation_data_clear()
            for frame in range(1, FRAMES + 1):
                fragment.keyframe_insert("location", frame=frame)
                fragment.keyframe_insert("rotation_quaternion", frame=frame)

    reference = seconds(insert) * len(fragments) / SAMPLE
    return {
        "case": f"glass, {len(glass.data.polygons)} triangles, {len(fragments)} pieces, {FRAMES} frames: click to keys",
        "ours_s": best,
        "reference": "the keys alone, by keyframe_insert",
        "reference_s": reference,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def wine_glass(bpy):
    from tests import shapes

    body = shapes.wine_glass(96)
    mesh = bpy.data.meshes.new("Glass")
    mesh.from_pydata(body.vertices, [], body.triangles)
    glass = bpy.data.objects.new("Glass", mesh)
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.collection.objects.link(glass)
    glass.select_set(True)
    bpy.context.view_layer.objects.active = glass
    bpy.context.scene.cursor.location = (0.4, 0.0, 1.2)
    bpy.context.view_layer.update()
    return glass


def seconds(work: Callable[[], None]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started
