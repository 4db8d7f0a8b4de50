"""Things whose animation deforms them, for simulations without Blender: their points are where a function says."""

from dataclasses import replace

import numpy as np

from core.object_simulation import Deformation, Item
from core.types import Clock, Mesh
from tests import shapes
from tests.verification.fracture_scenes import item

CLOCK = Clock(24.0, 24)
#: Step of the central difference of velocities [s].
STEP = 1e-5


def divided_box(low, high, counts):
    """A box whose sides are grids of so many faces along each axis."""
    low, high = np.asarray(low, np.float64), np.asarray(high, np.float64)
    number, points, triangles = {}, [], []

    def at(*place):
        key = tuple(int(k) for k in place)
        if key not in number:
            number[key] = len(points)
            points.append(low + (high - low) * np.array(key) / counts)
        return number[key]

    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for end in (0, counts[axis]):
            for i in range(counts[u]):
                for j in range(counts[v]):
                    corner = []
                    for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        place = [0, 0, 0]
                        place[axis], place[u], place[v] = end, i + a, j + b
                        corner.append(at(*place))
                    a, b, c, d = corner if end else corner[::-1]
                    triangles += [(a, b, c), (a, c, d)]
    return shapes.body(np.array(points), np.array(triangles))


def deforming(name, shape, form, chosen, place=(0, 0, 0), clock=CLOCK, **scene):
    """An item whose points (V,3) are at `form(points, t)`, seen from its place, `t` [s] after the first frame."""
    place, points = np.asarray(place, np.float64), shape.vertices

    def mesh(time):
        return Mesh(name, np.ascontiguousarray(form(points, time)), shape.triangles)

    def at(frame):
        yield from ()
        time = frame / clock.fps
        flow = (form(points, time + STEP) - form(points, time - STEP)) / (2.0 * STEP)
        return replace(start, scene=replace(start.scene, mesh=mesh(time), flow=flow))

    start: Item = item(name, shape, chosen, place, clock=clock, **scene)
    start = replace(start, scene=replace(start.scene, mesh=mesh(0.0)))
    world = [mesh(frame / clock.fps) for frame in range(clock.frames)]
    meshes = tuple(Mesh(name, one.vertices + place, shape.triangles) for one in world)
    return replace(start, deformation=Deformation(meshes, at))
