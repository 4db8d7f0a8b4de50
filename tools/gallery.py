"""Break what artists bring, pull the pieces apart and render them, in four sheets in build/gallery.

pieces.png: one real mesh with every kind of pieces. meshes.png: meshes with everything that meshes have wrong.
surfaces.png: rough broken faces. forces.png: cracks from the forces inside.
How pieces move is in motion.png, see gallery_motion.py.
"""

import argparse
import importlib
import shutil
import sys
from collections.abc import Callable

import checkout

# isort: split
# Blender's module comes after it, see there.
import bpy
import gallery_forces

import contact_sheet
import demo_meshes
import gallery_meshes
import gallery_surfaces
from exhibit import RESULTS, Exhibit, panel


def block(x: float, y: float, z: float) -> Callable[[], bpy.types.Object]:
    """A box of this size that stands on the ground."""
    return lambda: demo_meshes.box("Block", (x, y, z))


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
    *(
        Exhibit(
            f"Pattern, {kind}",
            "Plaster",
            block(1.2, 0.05, 0.95),
            (0.62, 0.60, 0.55),
            (0.40, 0.36, 0.30),
            (0.42, 0.0, 0.58),
            pieces={"kind": kind},
            apart=(0.06, 0.06, 0.06),
        )
        for kind in ("mixed", "concentric")
    ),
    Exhibit(
        "Pattern, splinter",
        "Plaster",
        HEAD,
        (0.62, 0.60, 0.55),
        (0.40, 0.36, 0.30),
        pieces={"kind": "splinter"},
        apart=(0.2, 0.2, 0.2),
    ),
)
SHEETS = {
    "pieces.png": EXHIBITS,
    "meshes.png": gallery_meshes.EXHIBITS,
    "surfaces.png": gallery_surfaces.EXHIBITS,
    "forces.png": gallery_forces.EXHIBITS,
}


def main() -> int:
    """Render one panel for each exhibit, and the sheets; 0 when all of it was done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help="presets, or captions up to their colon; all exhibits without any")
    parser.add_argument("--samples", type=int, default=24, help="samples for each pixel (default %(default)s)")
    parser.add_argument("--seed", type=int, default=3)
    arguments = parser.parse_args()
    shutil.rmtree(RESULTS, ignore_errors=True)
    RESULTS.mkdir(parents=True)
    checkout.enable()
    try:
        complain_of_missing()
        for name, exhibits in SHEETS.items():
            chosen = [exhibit for exhibit in exhibits if not arguments.only or is_one_of(exhibit, arguments.only)]
            if chosen:
                pictures = [panel(exhibit, arguments.samples, arguments.seed) for exhibit in chosen]
                contact_sheet.sheet(pictures, [exhibit.caption for exhibit in chosen], RESULTS / name)
                print(RESULTS / name)
    finally:
        checkout.disable()
    return 0


def is_one_of(exhibit: Exhibit, names: list[str]) -> bool:
    """Whether an exhibit is called by its preset or by what it shows."""
    return exhibit.preset in names or exhibit.caption.split(":")[0] in names


def complain_of_missing() -> None:
    """Every kind of pieces has an exhibit; raises SystemExit with the ids of those that have none."""
    partitions = importlib.import_module(f"{checkout.PACKAGE}.core.pieces").PARTITIONS
    presets = importlib.import_module(f"{checkout.PACKAGE}.core.presets")
    folder = [checkout.ROOT / "presets" / "brittle"]
    shown = {presets.find(exhibit.preset, folder).pieces for exhibit in EXHIBITS}
    missing = [method.id for method in partitions if method.id not in shown]
    if missing:
        raise SystemExit(f"the gallery has no exhibit of {', '.join(missing)}")


if __name__ == "__main__":
    sys.exit(main())
