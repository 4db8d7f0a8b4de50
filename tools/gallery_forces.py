"""The fourth sheet of the gallery: cracks from the forces that a blow makes inside (Smith, Witkin, Baraff 2001)."""

from collections.abc import Callable
from functools import partial

import bpy

import demo_meshes
import demo_scene
import gallery_surfaces
from exhibit import Burst, Exhibit

#: Half a section through a wine glass, (radius, height), from the axis below the foot, up outside, down inside.
GLASS = (
    *((0.0, 0.0), (0.30, 0.0), (0.33, 0.012), (0.31, 0.03), (0.12, 0.06), (0.045, 0.12), (0.04, 0.30), (0.05, 0.44)),
    *((0.12, 0.50), (0.22, 0.58), (0.29, 0.70), (0.305, 0.84), (0.28, 1.0), (0.265, 1.005), (0.25, 1.0)),
    *((0.275, 0.84), (0.26, 0.71), (0.20, 0.61), (0.10, 0.54), (0.0, 0.52)),
)
TOP, DOWN = (0.5, 0.5, 1.0), (0.0, 0.0, -1.0)
CLEAR, EDGE = (0.45, 0.70, 0.66), (0.16, 0.42, 0.36)
EARTH, BROKEN_EARTH = (0.55, 0.24, 0.12), (0.42, 0.17, 0.08)


def wine_glass() -> bpy.types.Object:
    """A wine glass on its foot."""
    return demo_meshes.revolved("Wine Glass", GLASS, 64)


def plank() -> bpy.types.Object:
    """The plank of the paper's figures 4 to 9, 3 : 1 : 0.2, seen from above."""
    obj = demo_meshes.box("Plank", (2.1, 0.7, 0.14))
    obj.location.z = 0.4
    bpy.context.view_layer.update()
    return obj


def _plank(growth: str) -> Exhibit:
    return Exhibit(
        f"Plank, growth {growth}",
        "Crystal Glass (Lattice)",
        plank,
        (0.50, 0.55, 0.60),
        (0.25, 0.30, 0.36),
        TOP,
        DOWN,
        count=1500,
        breaking={"growth": growth},
        camera=((0.0, -1.3, 2.7), (0.0, 0.0, 0.4)),
        apart=(0.10, 0.10, 0.0),
        strength=0.15,
    )


def _vessel(caption: str, preset: str, mesh: Callable[[], bpy.types.Object], looks: tuple, **more: object) -> Exhibit:
    burst = Burst((0.5, 0.5, 0.45), 0.05, 0.25, 0.3, 0.3)
    camera = ((0.4, -3.1, 1.35), (0.0, 0.0, 0.5))
    return Exhibit(caption, preset, mesh, *looks, **({"burst": burst, "camera": camera} | more))


GLAZE = partial(demo_scene.matt, "Glaze", (0.10, 0.22, 0.30), 0.12)
BISCUIT = partial(demo_scene.matt, "Biscuit", (0.55, 0.50, 0.44), 0.85)
EXHIBITS = (
    Exhibit(
        "Window glass",
        "Window Glass (Lattice)",
        partial(demo_meshes.pane, 1.2, 0.95),
        CLEAR,
        EDGE,
        (0.45, 0.0, 0.6),
        apart=(0.05, 0.05, 0.05),
        strength=0.5,
    ),
    _vessel("Wine glass", "Crystal Glass (Lattice)", wine_glass, (CLEAR, EDGE), hit=(0.5, 0.0, 0.8), strength=0.4),
    _vessel(
        "Coil pot",
        "Coil Pot",
        gallery_surfaces.pot,
        (EARTH, BROKEN_EARTH),
        hit=(0.5, 0.0, 0.55),
        strength=0.5,
    ),
    _vessel(
        "Ceramic bowl",
        "Glazed Ceramic",
        gallery_surfaces.askew(gallery_surfaces.bowl, -15.0, -115.0),
        (GLAZE, BISCUIT),
        hit=(0.3, 0.05, 0.4),
        direction=(0.3, 0.9, 0.1),
        strength=0.5,
    ),
    _plank("none"),
    _plank("strong"),
)
