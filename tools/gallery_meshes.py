"""The second sheet of the gallery: meshes that other tools refuse or break wrongly, as artists have them."""

import math
import sys
from collections.abc import Callable

import checkout

# isort: split
# Blender's module comes after it, see there.
import bmesh
import bpy
import numpy as np

import demo_meshes
from exhibit import Exhibit

# The zoo of the tests holds the formulas.
sys.path.append(str(checkout.ROOT))

from tests.zoo import architecture, sheets, teapot

Solid = tuple[np.ndarray, np.ndarray]


def standing(
    name: str, make: Callable[[], Solid], height: float, turn: float = 0.0, shade: bool = True
) -> bpy.types.Object:
    """A mesh of the zoo as an object of this height on the ground, turned about z by degrees."""
    vertices, triangles = make()
    angle = math.radians(turn)
    around = np.array([[math.cos(angle), -math.sin(angle), 0.0], [math.sin(angle), math.cos(angle), 0.0], [0, 0, 1]])
    vertices = vertices @ around.T
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    vertices = (vertices - [*(0.5 * (low + high))[:2], low[2]]) * (height / (high - low)[2])
    data = bpy.data.meshes.new(name)
    data.from_pydata(vertices, [], triangles)
    obj = bpy.data.objects.new(name, data)
    bpy.context.collection.objects.link(obj)
    return demo_meshes.smooth(obj) if shade else obj


def suzanne() -> bpy.types.Object:
    """As she comes out of Blender's menu, subdivided: holes for the eyes, and eyes that are open behind."""
    mesh = bmesh.new()
    bmesh.ops.create_monkey(mesh)
    bmesh.ops.scale(mesh, vec=(0.5, 0.5, 0.5), verts=mesh.verts)
    bmesh.ops.translate(mesh, vec=(0.0, 0.0, 0.5), verts=mesh.verts)
    obj = demo_meshes.placed("Suzanne", mesh)
    demo_meshes.subdivided(obj, 2)
    return demo_meshes.smooth(obj)


def pot() -> bpy.types.Object:
    """Newell's teapot, each patch a shell of its own."""
    return standing("Teapot", lambda: teapot.teapot(10), 0.85, 35.0)


def loops() -> bpy.types.Object:
    """A curve with three loops and a round bevel; it runs through itself at every loop."""
    curve = bpy.data.curves.new("Loops", "CURVE")
    curve.dimensions, curve.bevel_depth, curve.bevel_resolution, curve.use_fill_caps = "3D", 0.085, 4, True
    spline = curve.splines.new("POLY")
    steps = np.linspace(0.0, 1.0, 120)
    spline.points.add(len(steps) - 1)
    for point, t in zip(spline.points, steps, strict=True):
        turn = 6.0 * math.pi * t
        point.co = (1.1 * t - 0.55 + 0.27 * math.sin(turn), 0.0, 0.5 - 0.34 * math.cos(turn), 1.0)
    made = bpy.data.objects.new("Curve", curve)
    bpy.context.collection.objects.link(made)
    bpy.context.view_layer.update()
    data = bpy.data.meshes.new_from_object(made.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    bpy.data.objects.remove(made)
    obj = bpy.data.objects.new("Loops", data)
    bpy.context.collection.objects.link(obj)
    return demo_meshes.smooth(obj)


def crate() -> bpy.types.Object:
    """Posts, slats that are nailed a little into them, and two walls inside."""
    return standing("Crate", architecture.slatted_crate, 0.72, 28.0, shade=False)


def bottle() -> bpy.types.Object:
    """The outside of a bottle and nothing else."""
    return standing("Bottle", sheets.bottle, 1.05)


def moebius() -> bpy.types.Object:
    """A Moebius strip that stands on its rim."""

    def upright() -> Solid:
        vertices, triangles = sheets.moebius(96, 6)
        return vertices[:, [0, 2, 1]] * [1.0, -1.0, 1.0], triangles

    return standing("Band", upright, 1.0, 20.0)


def house() -> bpy.types.Object:
    """A house of a kit: bare rectangles that do not touch."""
    return standing("House", architecture.house, 0.78, 30.0, shade=False)


EXHIBITS = (
    Exhibit("Suzanne: open eyes, shells that overlap", "Clay", suzanne, (0.66, 0.50, 0.36), (0.30, 0.21, 0.14)),
    Exhibit(
        "Utah teapot: 32 open shells",
        "Clay",
        pot,
        (0.60, 0.62, 0.60),
        (0.62, 0.30, 0.18),
        repair={"open": "thicken", "thickness": 0.02},
    ),
    Exhibit("Curve: runs through itself", "Clay", loops, (0.15, 0.30, 0.42), (0.55, 0.62, 0.66), count=90),
    Exhibit(
        "Crate: planks stuck into each other",
        "Clay",
        crate,
        (0.48, 0.28, 0.13),
        (0.62, 0.43, 0.23),
        count=80,
        apart=(0.2, 0.2, 0.2),
    ),
    Exhibit(
        "Bottle: one surface without thickness",
        "Standard Glass",
        bottle,
        (0.20, 0.45, 0.25),
        (0.10, 0.35, 0.18),
        apart=(0.25, 0.25, 0.12),
        repair={"thickness": 0.012},
    ),
    Exhibit(
        "House: 58 open panels, gaps of 5 mm",
        "Clay",
        house,
        (0.55, 0.48, 0.38),
        (0.35, 0.22, 0.16),
        count=150,
        apart=(0.2, 0.2, 0.2),
    ),
)
