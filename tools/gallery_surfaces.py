"""The third sheet of the gallery: rough broken faces, and patterns that follow the walls of vessels."""

import math
from collections.abc import Callable
from functools import partial

import bpy

import demo_meshes
import demo_scene
import gallery_meshes
import gallery_motion
import shaders
from exhibit import Burst, Exhibit, Triple

#: The pot of our look study is 0.22 m high, with a wall of 9 mm.
POT_SCALE = 4.0


def pot() -> bpy.types.Object:
    """A flower pot with a belly."""
    steps = [k / 20 for k in range(21)]
    belly = [(0.07 + 0.04 * math.sin(0.9 * math.pi * s), 0.03 + 0.19 * s) for s in steps]
    section = [(0.0, 0.0), (0.04, 0.0), (0.06, 0.01), *belly, *((r - 0.009, z) for r, z in belly[::-1])]
    section += [(0.03, 0.012), (0.0, 0.012)]
    return demo_meshes.revolved("Pot", [(POT_SCALE * r, POT_SCALE * z) for r, z in section], 96)


def block(size: Triple, turn: float = 0.0) -> Callable[[], bpy.types.Object]:
    """A box of this size on the ground, turned about z by degrees."""

    def made() -> bpy.types.Object:
        obj = demo_meshes.box("Block", size)
        obj.rotation_euler.z = math.radians(turn)
        bpy.context.view_layer.update()
        return obj

    return made


def plank() -> bpy.types.Object:
    """A plank that lies on two blocks."""
    for side in (-1.0, 1.0):
        support = demo_meshes.box("Support", (0.2, 0.4, 0.62))
        support.location.x = side * 0.9
        support.data.materials.append(demo_scene.matt("Support", (0.12, 0.13, 0.14), 0.8))
        demo_scene.collider(support)
    obj = demo_meshes.box("Plank", (2.4, 0.24, 0.05))
    obj.location.z = 0.62
    bpy.context.view_layer.update()
    return obj


def askew(make: Callable[[], bpy.types.Object], x: float, y: float) -> Callable[[], bpy.types.Object]:
    """An object turned about x and then y by degrees, on the ground."""

    def made() -> bpy.types.Object:
        obj = make()
        obj.rotation_euler = (math.radians(x), math.radians(y), 0.0)
        bpy.context.view_layer.update()
        obj.location.z -= min((obj.matrix_world @ vertex.co).z for vertex in obj.data.vertices)
        bpy.context.view_layer.update()
        return obj

    return made


def vase() -> bpy.types.Object:
    """The vase of the film strips, enlarged."""
    return demo_meshes.revolved("Vase", [(2.4 * r, 2.4 * z) for r, z in gallery_motion.VASE], 96)


def bowl() -> bpy.types.Object:
    """The bowl of the demo, enlarged."""
    return demo_meshes.revolved("Bowl", [(1.8 * r, 1.8 * z) for r, z in demo_meshes.BOWL], 96)


CONCRETE = partial(shaders.mottled, "Concrete", (0.36, 0.36, 0.35), (0.46, 0.45, 0.43), 0.25, 0.9, 0.01, 0.001)
BROKEN_CONCRETE = partial(
    shaders.aggregate,
    "Broken Concrete",
    ((0.25, 0.24, 0.225), (0.38, 0.365, 0.34)),
    ((0.12, 0.11, 0.10), (0.20, 0.17, 0.14), (0.34, 0.32, 0.30), (0.15, 0.15, 0.16)),
    0.075,
)
TERRACOTTA = partial(shaders.mottled, "Terracotta", (0.50, 0.17, 0.08), (0.58, 0.22, 0.11), 0.2, 0.45, 0.01, 0.0003)
BROKEN_CLAY = partial(shaders.mottled, "Broken Clay", (0.33, 0.10, 0.05), (0.46, 0.17, 0.09), 0.012, 0.95, 0.006, 0.004)
GRANITE = partial(shaders.mottled, "Stone", (0.19, 0.18, 0.165), (0.29, 0.28, 0.265), 0.3, 0.8, 0.02, 0.002)
BROKEN_GRANITE = partial(
    shaders.mottled, "Broken Stone", (0.16, 0.155, 0.15), (0.36, 0.35, 0.335), 0.012, 0.85, 0.008, 0.004
)
TIMBER = partial(shaders.fibres, "Timber", (0.42, 0.26, 0.13), (0.64, 0.45, 0.26), 0.008, 0.6, 0.0006)
SPLIT_TIMBER = partial(shaders.fibres, "Split Timber", (0.58, 0.40, 0.23), (0.80, 0.62, 0.42), 0.004, 0.9, 0.003)
BISCUIT = partial(shaders.mottled, "Body", (0.60, 0.52, 0.43), (0.70, 0.62, 0.53), 0.02, 0.9, 0.006, 0.002)

EXHIBITS = (
    Exhibit(
        "Concrete",
        "Concrete",
        block((1.2, 0.6, 0.6), -25.0),
        CONCRETE,
        BROKEN_CONCRETE,
        (0.45, 0.25, 0.97),
        (0.1, 0.9, -0.5),
        camera=((0.35, -2.25, 1.4), (0.0, 0.0, 0.36)),
        burst=Burst((0.47, 0.55, 0.4), 0.03, 0.75, 0.22, 1.2),
    ),
    Exhibit(
        "Clay pot",
        "Clay",
        askew(pot, 8.0, -24.0),
        TERRACOTTA,
        BROKEN_CLAY,
        (0.2, 0.1, 0.25),
        (0.6, 0.8, 0.1),
        camera=((0.1, -2.7, 1.15), (-0.1, 0.0, 0.42)),
        burst=Burst((0.5, 0.55, 0.5), 0.015, 0.55, 0.25, 0.8),
    ),
    Exhibit(
        "Stone",
        "Stone",
        block((1.1, 0.7, 0.7), -25.0),
        GRANITE,
        BROKEN_GRANITE,
        (0.4, 0.2, 0.95),
        (0.1, 0.9, -0.5),
        camera=((0.35, -2.4, 1.45), (0.0, 0.0, 0.36)),
        burst=Burst((0.42, 0.5, 0.4), 0.03, 0.45, 0.25, 0.9),
    ),
    Exhibit(
        "Concrete, near",
        "Concrete",
        block((1.0, 0.6, 0.7), -37.0),
        CONCRETE,
        BROKEN_CONCRETE,
        (0.5, 0.5, 1.0),
        count=10,
        camera=((0.35, -1.75, 0.95), (-0.1, 0.0, 0.40)),
        side=(-0.8, 0.6, 0.0),
    ),
    Exhibit(
        "Clay, near",
        "Clay",
        block((1.0, 0.6, 0.7), -37.0),
        TERRACOTTA,
        BROKEN_CLAY,
        (0.5, 0.5, 1.0),
        count=10,
        camera=((0.35, -1.75, 0.95), (-0.1, 0.0, 0.40)),
        side=(-0.8, 0.6, 0.0),
    ),
    Exhibit(
        "Plank",
        "Wood",
        plank,
        TIMBER,
        SPLIT_TIMBER,
        (0.5, 0.5, 1.0),
        (0.0, 0.0, -1.0),
        camera=((0.4, -2.1, 1.15), (0.0, 0.0, 0.5)),
        strength=0.9,
        speed=6.0,
        frame=7,
        seed=1,
    ),
    Exhibit(
        "Bowl",
        "Window Pane",
        askew(bowl, -15.0, -115.0),
        partial(demo_scene.matt, "Glaze", (0.55, 0.60, 0.60), 0.12),
        BISCUIT,
        (0.3, 0.05, 0.4),
        (0.3, 0.9, 0.1),
        count=50,
        camera=((0.2, -2.7, 1.2), (0.0, 0.0, 0.48)),
        burst=Burst((0.55, 0.55, 0.5), 0.02, 0.4, 0.25, 0.5),
    ),
    Exhibit(
        "Vase",
        "Window Pane",
        vase,
        partial(demo_scene.matt, "Glaze", (0.04, 0.16, 0.24), 0.12),
        BISCUIT,
        (0.45, 0.0, 0.45),
        (0.1, 1.0, 0.0),
        count=50,
        camera=((0.4, -3.1, 1.35), (0.0, 0.0, 0.56)),
        burst=Burst((0.5, 0.5, 0.45), 0.02, 0.25, 0.3, 0.4),
    ),
    Exhibit(
        "Glass bottle",
        "Window Pane",
        gallery_meshes.bottle,
        (0.10, 0.30, 0.14),
        (0.06, 0.22, 0.10),
        (0.45, 0.0, 0.35),
        (0.1, 1.0, 0.0),
        repair={"thickness": 0.012},
        count=50,
        camera=((0.4, -3.1, 1.35), (0.0, 0.0, 0.58)),
        burst=Burst((0.5, 0.5, 0.35), 0.02, 0.25, 0.3, 0.4),
    ),
)
