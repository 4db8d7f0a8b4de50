"""Break one real mesh with every kind of pieces, pull the pieces apart, and render them: build/gallery/pieces.png."""

import argparse
import importlib
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import checkout

# isort: split
# Blender's module comes after it, see there.
import bmesh
import bpy
from mathutils import Vector

import contact_sheet
import demo_meshes
import demo_scene

RESULTS = checkout.ROOT / "build" / "gallery"
Triple = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Exhibit:
    """What is broken, what it is made of outside and inside, where it is hit, and how far its pieces are pulled."""

    caption: str
    preset: str
    mesh: Callable[[], bpy.types.Object]
    outside: Triple
    inside: Triple
    hit: Triple = (0.4, 0.0, 0.6)  #: as shares of the object's box
    direction: Triple = (0.1, 1.0, -0.1)
    count: int | None = None  #: None leaves the preset's own
    apart: Triple = (0.12, 0.12, 0.12)


def block(x: float, y: float, z: float) -> Callable[[], bpy.types.Object]:
    """A box of this size that stands on the ground."""

    def make() -> bpy.types.Object:
        mesh = bmesh.new()
        bmesh.ops.create_cube(mesh, size=1.0)
        bmesh.ops.scale(mesh, vec=(x, y, z), verts=mesh.verts)
        bmesh.ops.translate(mesh, vec=(0.0, 0.0, z / 2), verts=mesh.verts)
        return demo_meshes.placed("Block", mesh)

    return make


def beam() -> bpy.types.Object:
    """A beam that hangs above the ground, seen from the side."""
    obj = block(1.4, 0.3, 0.14)()
    obj.location.z = 0.4
    return obj


def small_pane() -> bpy.types.Object:
    """A pane that fits the picture."""
    return demo_meshes.pane(1.2, 0.95)


HEAD = demo_meshes.suzanne
EXHIBITS = (
    Exhibit("Voronoi, graded", "Clay", HEAD, (0.66, 0.50, 0.36), (0.30, 0.21, 0.14)),
    Exhibit("Voronoi, even", "Tempered Glass", HEAD, (0.45, 0.62, 0.55), (0.12, 0.30, 0.24), count=400),
    Exhibit(
        "Voronoi, spider",
        "Standard Glass",
        small_pane,
        (0.45, 0.70, 0.66),
        (0.16, 0.42, 0.36),
        apart=(0.05, 0.05, 0.05),
    ),
    Exhibit(
        "Radial", "Window Pane", small_pane, (0.45, 0.70, 0.66), (0.16, 0.42, 0.36), (0.45, 0.0, 0.6), apart=(0.05,) * 3
    ),
    Exhibit("Tetrahedra", "Crystal", HEAD, (0.45, 0.55, 0.62), (0.20, 0.28, 0.36)),
    Exhibit("Cubes", "Blocks", HEAD, (0.70, 0.62, 0.20), (0.45, 0.16, 0.10)),
    Exhibit("Bricks", "Brick Wall", block(1.5, 0.16, 1.05), (0.52, 0.17, 0.10), (0.36, 0.20, 0.15), (0.5, 0.0, 0.55)),
    Exhibit(
        "Slices",
        "Slate",
        block(1.1, 0.6, 0.62),
        (0.20, 0.22, 0.25),
        (0.33, 0.35, 0.38),
        (0.5, 0.0, 0.8),
        count=14,
        apart=(0.0, 0.0, 0.35),
    ),
    Exhibit(
        "Wood",
        "Wood",
        beam,
        (0.48, 0.28, 0.13),
        (0.62, 0.43, 0.23),
        (0.5, 0.5, 1.0),
        (0.0, 0.1, -1.0),
        count=60,
        apart=(0.12, 0.8, 1.6),
    ),
)


def main() -> int:
    """Render one panel for each exhibit, and the sheet; 0 when all of it was done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help="presets; all exhibits without any")
    parser.add_argument("--samples", type=int, default=24, help="samples for each pixel (default %(default)s)")
    parser.add_argument("--seed", type=int, default=3)
    arguments = parser.parse_args()
    shutil.rmtree(RESULTS, ignore_errors=True)
    RESULTS.mkdir(parents=True)
    checkout.enable()
    try:
        complain_of_missing()
        chosen = [exhibit for exhibit in EXHIBITS if not arguments.only or exhibit.preset in arguments.only]
        pictures = [panel(exhibit, arguments.samples, arguments.seed) for exhibit in chosen]
        contact_sheet.sheet(pictures, [exhibit.caption for exhibit in chosen], RESULTS / "pieces.png")
    finally:
        checkout.disable()
    print(RESULTS / "pieces.png")
    return 0


def complain_of_missing() -> None:
    """Every kind of pieces has an exhibit; raises SystemExit with the ids of those that have none."""
    partitions = importlib.import_module(f"{checkout.PACKAGE}.core.pieces").PARTITIONS
    presets = importlib.import_module(f"{checkout.PACKAGE}.core.presets")
    folder = [checkout.ROOT / "presets" / "brittle"]
    shown = {presets.find(exhibit.preset, folder).pieces for exhibit in EXHIBITS}
    missing = [method.id for method in partitions if method.id not in shown]
    if missing:
        raise SystemExit(f"the gallery has no exhibit of {', '.join(missing)}")


def panel(exhibit: Exhibit, samples: int, seed: int) -> Path:
    """Break, pull apart, render: the path of the picture."""
    obj = stage(exhibit)
    fragments = broken(obj, exhibit, seed)
    print(f"{exhibit.caption}: {exhibit.preset}, {len(fragments)} pieces", flush=True)
    pull(obj, fragments, exhibit.apart)
    contact_sheet.prepare(samples=samples)
    path = RESULTS / f"{exhibit.caption.lower().replace(', ', '_')}.png"
    bpy.context.scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    return path


def stage(exhibit: Exhibit) -> bpy.types.Object:
    """An empty file with light, camera and the object."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    demo_meshes.backdrop().data.materials.append(demo_scene.matt("Backdrop", (0.20, 0.21, 0.23), 0.7))
    obj = exhibit.mesh()
    obj.data.materials.append(demo_scene.matt("Outside", exhibit.outside, 0.5))
    obj.brittle.inner_material = demo_scene.matt("Inside", exhibit.inside, 0.9)
    demo_scene.lights()
    demo_scene.camera((0.9, -3.1, 1.35), (0.0, 0.0, 0.52))
    bpy.context.view_layer.update()
    return obj


def broken(obj: bpy.types.Object, exhibit: Exhibit, seed: int) -> list[bpy.types.Object]:
    """All pieces of the pattern: the blow is harder than anything holds."""
    corners = [obj.matrix_world @ Vector(corner) for corner in obj.bound_box]
    low = [min(corner[k] for corner in corners) for k in range(3)]
    high = [max(corner[k] for corner in corners) for k in range(3)]
    place = [a + share * (b - a) for a, b, share in zip(low, high, exhibit.hit, strict=True)]
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.brittle.impact_add(location=place, direction=exhibit.direction, size=0.3)
    empty = bpy.context.selected_objects[-1]
    empty.brittle_impact.strength = 1e9
    empty.select_set(False)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    bpy.context.scene.brittle.frames = 2
    bpy.ops.brittle.shatter(
        preset=exhibit.preset, seed=seed, **({} if exhibit.count is None else {"count": exhibit.count})
    )
    return [item for item in bpy.context.scene.objects if "brittle_fragment" in item]


def pull(obj: bpy.types.Object, fragments: list[bpy.types.Object], apart: Triple) -> None:
    """Move the pieces away from the middle of the object, as in an exploded drawing."""
    middle = sum((obj.matrix_world @ Vector(corner) for corner in obj.bound_box), Vector()) / 8.0
    for item in fragments:
        item.animation_data_clear()
        item.hide_render = item.hide_viewport = False
        item.location += Vector(apart) * (item.location - middle)
    lowest = min((item.matrix_world @ Vector(corner)).z for item in fragments for corner in item.bound_box)
    for item in fragments:
        item.location.z -= min(lowest, 0.0)


if __name__ == "__main__":
    sys.exit(main())
