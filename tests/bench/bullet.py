"""The same block in Blender's rigid-body world: convex hulls, its default 10 substeps of 10 iterations.

`python -m tests.bench.bullet start.npz FRAMES BAKED` in a process of its own, under a limit, prints a line of JSON: the
frames that were simulated and the CPU seconds for them, the frames that were baked to keyframes and the CPU seconds for
those. The file is that of `falling.save_start`.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import bpy
import numpy as np

from core.types import Floats
from tests.bench.falling import FPS, FRICTION

SUBSTEPS, ITERATIONS = 10, 10
BUDGET = 150.0  #: CPU seconds after which no further frame is simulated


def main(path: str, frames: int, baked: int) -> None:
    """Simulate, then bake; the simulation stays in Blender's cache, so that the bake does not simulate again."""
    given = np.load(path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = FPS, 1, frames
    parts = [given["corners"][a:b] for a, b in pairwise(given["start"])]
    pieces = [_hull(corners, place) for corners, place in zip(parts, given["place"], strict=True)]
    _set_up(scene, pieces, given["mass"], float(given["ground"]), frames)
    done, seconds = _simulated(scene, frames)
    print(json.dumps({"frames": done, "simulate_s": seconds, "bake_s": _bake(pieces, min(baked, done))}))
    sys.stdout.flush()
    os._exit(0)  # Blender's module may hang at exit


def _hull(corners: Floats, place: Floats) -> Any:
    import bmesh

    mesh = bpy.data.meshes.new("Piece")
    shape = bmesh.new()
    for corner in corners:
        shape.verts.new(corner)
    bmesh.ops.convex_hull(shape, input=shape.verts)
    shape.to_mesh(mesh)
    shape.free()
    piece = bpy.data.objects.new("Piece", mesh)
    piece.location = place
    bpy.context.collection.objects.link(piece)
    return piece


def _set_up(scene: Any, pieces: list[Any], mass: Floats, ground: float, frames: int) -> None:
    bpy.ops.rigidbody.world_add()
    _add(pieces, "ACTIVE")
    for piece, own in zip(pieces, mass, strict=True):
        piece.rigid_body.collision_shape = "CONVEX_HULL"
        piece.rigid_body.mass, piece.rigid_body.friction, piece.rigid_body.restitution = own, FRICTION, 0.0
    bpy.ops.mesh.primitive_plane_add(size=60, location=(0.0, 0.0, ground))
    floor = bpy.context.object
    _add([floor], "PASSIVE")
    floor.rigid_body.collision_shape, floor.rigid_body.friction, floor.rigid_body.restitution = "MESH", FRICTION, 0.0
    world = scene.rigidbody_world
    world.substeps_per_frame, world.solver_iterations = SUBSTEPS, ITERATIONS
    world.point_cache.frame_start, world.point_cache.frame_end = 1, frames


def _add(objects: list[Any], kind: str) -> None:
    _select(objects)
    bpy.ops.rigidbody.objects_add(type=kind)


def _select(objects: list[Any]) -> None:
    bpy.ops.object.select_all(action="DESELECT")
    for item in objects:
        item.select_set(True)
    bpy.context.view_layer.objects.active = objects[0]


def _simulated(scene: Any, frames: int) -> tuple[int, float]:
    """How many frames fit into the budget, and their CPU time."""
    scene.frame_set(1)
    begin, spent = time.process_time(), 0.0
    for frame in range(2, frames + 1):
        scene.frame_set(frame)
        spent = time.process_time() - begin
        if spent > BUDGET:
            return frame, spent
    return frames, spent


def _bake(pieces: list[Any], frames: int) -> float:
    _select(pieces)
    begin = time.process_time()
    with _in_a_view():
        bpy.ops.rigidbody.bake_to_keyframes(frame_start=1, frame_end=frames, step=1)
    spent = time.process_time() - begin
    if pieces[0].animation_data is None:
        raise RuntimeError("Nothing was baked.")
    return spent


@contextmanager
def _in_a_view() -> Iterator[None]:
    """The operator wants a 3D View, which the default window of the module has."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=window, screen=window.screen, area=area, region=region):
        yield


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
