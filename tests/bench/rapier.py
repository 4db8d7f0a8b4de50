"""The same pieces in rapier3d: convex hulls, four steps a frame with its default iterations, one thread."""

import time
from typing import Any

import numpy as np
import rapier3d

from core.types import Floats
from tests.bench.falling import FPS, FRICTION, Scene, corners_of

STEPS = 4  #: of a frame
SLAB = (100.0, 100.0, 5.0)  #: half of the edges of a floor that is a box [m]


def fall(scene: Scene, frames: int, *, half_space: bool = False) -> tuple[Floats, Floats]:
    """CPU seconds (F,) of each frame, and the places (K,3) of the centres of mass after the last."""
    world = _world(scene, half_space)
    handles = _insert(scene, world)
    seconds = []
    for _ in range(frames):
        begin = time.process_time()
        for _ in range(STEPS):
            world.step()
        seconds.append(time.process_time() - begin)
    places = [world.rigid_bodies[handle].center_of_mass.to_tuple() for handle in handles]
    return np.array(seconds), np.array(places)


def _world(scene: Scene, half_space: bool) -> Any:
    world = rapier3d.PhysicsWorld(gravity=tuple(scene.world.gravity))
    world.set_num_threads(1)
    world.integration_parameters.dt = 1 / (FPS * STEPS)
    floor = rapier3d.Collider.halfspace((0.0, 0.0, 1.0)) if half_space else rapier3d.Collider.cuboid(*SLAB)
    below = 0.0 if half_space else SLAB[2]
    still = rapier3d.RigidBodyBuilder(rapier3d.RigidBodyType.FIXED)
    body = still.translation((0.0, 0.0, scene.world.ground.height - below))
    world.add_body(body, [floor.friction(FRICTION).restitution(0.0)])
    return world


def _insert(scene: Scene, world: Any) -> list[Any]:
    handles = []
    density = scene.bodies.mass.sum() / 8.0  # the cube has 8 m^3
    for corners, place, turn in zip(corners_of(scene.bodies), scene.start.position, scene.start.rotation, strict=True):
        rotation = rapier3d.Rotation3.from_quaternion(*turn.tolist())
        pose = rapier3d.Isometry3(tuple(place.tolist()), rotation)
        hull = rapier3d.Collider.convex_hull(corners).density(density).friction(FRICTION).restitution(0.0)
        handles.append(world.add_body(rapier3d.RigidBodyBuilder(rapier3d.RigidBodyType.DYNAMIC).position(pose), [hull]))
    return handles
