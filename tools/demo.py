"""Break things and render what happens, in build/demo.

demo.{blend,png,json}: a window pane, a clay bowl and Suzanne are hit. whole.{blend,png,json}: a ball that keys lead
flies through a brick wall, and a vase falls on the floor.
"""

import argparse
import importlib
import json
import shutil
import sys
import time
from pathlib import Path

import checkout

# isort: split
# Blender's module comes after it, see there.
import bpy

import contact_sheet
import demo_scene
import demo_whole

RESULTS = checkout.ROOT / "build" / "demo"


def main() -> int:
    """Make the scene, shatter, save, render; 0 when all of it was done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=16, help="samples for each pixel (default %(default)s)")
    parser.add_argument("--seed", type=int, default=demo_scene.SEED)
    arguments = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    checkout.enable()
    try:
        hit(arguments.samples, arguments.seed)
        whole_until_hit(arguments.samples)
    finally:
        checkout.disable()
    return 0


def hit(samples: int, seed: int) -> None:
    """The stage on which impacts break things."""
    started = time.perf_counter()
    objects = demo_scene.build()
    reports = {blow.target: shatter(objects[blow.target], blow, seed) for blow in demo_scene.BLOWS}
    shattered = time.perf_counter()
    contact_sheet.prepare(samples=samples)
    save(RESULTS / "demo.blend")
    sheet(RESULTS / "demo.png")
    tell("demo", reports, {"scene_and_shatter": shattered - started, "render": time.perf_counter() - shattered})


def whole_until_hit(samples: int) -> None:
    """The stage on which things break by what they run into."""
    started = time.perf_counter()
    reports = demo_whole.simulate(demo_whole.build())
    simulated = time.perf_counter()
    demo_whole.sheet(RESULTS / "whole.png", samples)
    rendered = time.perf_counter()
    save(RESULTS / "whole.blend")
    tell("whole", reports, {"scene_and_simulate": simulated - started, "render": rendered - simulated})


def tell(name: str, reports: dict[str, dict[str, object]], seconds: dict[str, float]) -> None:
    """Write what came of each object, and say which files there are."""
    summary = {"blender": bpy.app.version_string, "objects": reports, "seconds": seconds}
    (RESULTS / f"{name}.json").write_text(json.dumps(summary, indent=2) + "\n", "utf-8")
    for ending in ("blend", "png", "json"):
        print(RESULTS / f"{name}.{ending}")


def shatter(obj: bpy.types.Object, blow: demo_scene.Blow, seed: int) -> dict[str, object]:
    """What an artist does: aim a blow, choose a preset, click Shatter. Gives the report."""
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.brittle.impact_add(location=blow.place, direction=blow.direction, size=0.3)
    empty = bpy.context.selected_objects[-1]
    empty.parent = obj  # it hits this object and no other
    empty.matrix_parent_inverse = obj.matrix_world.inverted()
    empty.brittle_impact.strength, empty.brittle_impact.speed = blow.strength, blow.speed
    empty.brittle_impact.radius, empty.brittle_impact.frame = blow.radius, demo_scene.HIT_FRAME
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    empty.select_set(False)
    obj.brittle.inner_material = demo_scene.inner_material(obj)
    started = time.perf_counter()
    bpy.ops.brittle.shatter(preset=blow.preset, count=blow.count, seed=seed)
    print(f"{obj.name}: {blow.preset}, {time.perf_counter() - started:.1f} s", flush=True)
    report_of = importlib.import_module(f"{checkout.PACKAGE}.operators.targets").report_of
    return {"preset": blow.preset, **json.loads(report_of(obj))}


def save(path: Path) -> None:
    """Save the file with all that it needs inside."""
    path.unlink(missing_ok=True)  # else Blender keeps the old one as .blend1
    bpy.ops.file.pack_all()
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True, compress=True)


def sheet(path: Path) -> None:
    """Render the frames of the story and lay them out."""
    frames = path.parent / "frames"
    shutil.rmtree(frames, ignore_errors=True)
    frames.mkdir()
    fps = bpy.context.scene.render.fps
    captions = ["before"]
    captions += [f"{(frame - demo_scene.HIT_FRAME) / fps:.2f} s" for frame in demo_scene.STORY[1:]]
    contact_sheet.sheet(contact_sheet.render(demo_scene.STORY, frames), captions, path)


if __name__ == "__main__":
    sys.exit(main())
