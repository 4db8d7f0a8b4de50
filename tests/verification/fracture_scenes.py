"""Scenes in which things stay whole until they are hit, and what is measured of them without the driver's help."""

from dataclasses import replace

import numpy as np

from core.arithmetic.small_matrices import rotation_matrices
from core.breaking import RULES
from core.config.breakable import Breakable
from core.config.material import Material
from core.config.params import from_mapping
from core.object_simulation import Item, simulation_steps
from core.pieces import PARTITIONS
from core.settings import Settings
from core.types import Clock, Collider, Ground, Mesh, Scene
from tests import shapes

GRAVITY = np.array([0.0, 0.0, -9.81])
CLOCK = Clock(24.0, 24)
#: Of the paper's Fig. 4, in metres: 150 x 10 x 100.
WALL = ((-0.75, -0.05, 0.0), (0.75, 0.05, 1.0))
#: A threshold that nothing in these scenes exceeds.
NEVER = 1e4


def settings(pieces="pattern", rule="placed_pattern", seed=1, material=None, layout=None, how=None, **breakable):
    """Settings of a thing that breaks on contact; `layout` and `how` are params of the pieces and of the rule."""
    return Settings(
        seed,
        pieces,
        from_mapping(PARTITIONS[pieces].params, layout or {}),
        rule,
        from_mapping(RULES[rule].params, how or {}),
        material or Material(),
        breakable=replace(Breakable(breaks=True, strength=1.0), **breakable),
    )


def mesh_of(name, shape):
    return Mesh(name, shape.vertices, shape.triangles)


def item(name, shape, chosen, place=(0, 0, 0), **scene):
    """A thing that falls freely above a ground at 0, unless its scene says otherwise."""
    common = {"impacts": (), "gravity": GRAVITY, "ground": Ground(0.0), "clock": CLOCK}
    return Item(Scene(mesh=mesh_of(name, shape), **(common | scene)), chosen, np.array(place, np.float64))


def ball(radius, place, velocity, chosen=None, density=8000.0, name="Ball", subdivisions=1, **scene):
    """A ball that does not break unless settings say so."""
    chosen = chosen or settings(material=Material(density=density), speed=NEVER)
    shape = shapes.icosphere(subdivisions, radius)
    return item(name, shape, chosen, place, velocity=np.array(velocity, np.float64), **scene)


def led_ball(radius, start, step, clock=CLOCK, subdivisions=1):
    """A collider in the shape of a ball, keyframed along a line: `step` (3,) a frame [m]."""
    position = np.asarray(start, np.float64) + np.arange(clock.frames)[:, None] * np.asarray(step, np.float64)
    turn = np.tile([1.0, 0.0, 0.0, 0.0], (clock.frames, 1))
    return Collider(mesh_of("Led ball", shapes.icosphere(subdivisions, radius)), position, turn)


def broken(*items, most=3000):
    """What came of each of the things."""
    job = simulation_steps(items, most)
    while True:
        try:
            next(job)
        except StopIteration as end:
            return end.value


def counts(result):
    """(S,) pieces alive at each stored frame."""
    return result.motion.alive.sum(axis=1)


def last(result):
    """Rows of the pieces that are there at the end."""
    return np.flatnonzero(result.motion.alive[-1])


def first_break(result):
    """The stored frame in which pieces are seen first; the number of frames where nothing broke."""
    born = result.fracture.birth[result.fracture.parent >= 0]
    return int(born.min(initial=len(result.motion.time)))


def moved(result, frame, rows=None):
    """(K,) how far each fragment's centre of mass is from where it was at rest, at a stored frame [m]."""
    away = np.linalg.norm(result.motion.position[frame] - result.fragments.centre, axis=1)
    return away if rows is None else away[rows]


def corners(result, row, frame):
    """The corners (n,3) of a fragment at a stored frame, in the thing's coordinates."""
    f = result.fragments
    vertices = f.vertices[f.vertex_start[row] : f.vertex_start[row + 1]]
    turn = rotation_matrices(result.motion.rotation[frame, row][None])[0]
    return vertices @ turn.T + result.motion.position[frame, row]


def extent(result):
    """(K,) cube root of the volume of each fragment [m]."""
    return np.cbrt(result.fragments.volume)


def extruded(side, faces, half):
    """A prism: an outline (n,2) of (x, z), counter-clockwise, with its triangles, from y = -half to half."""
    count = len(side)
    vertices = np.concatenate([np.insert(np.asarray(side, np.float64), 1, y, axis=1) for y in (-half, half)])
    caps = [row for a, b, c in faces for row in ((a, b, c), (count + a, count + c, count + b))]
    around = [(k, (k + 1) % count) for k in range(count)]
    walls = [row for k, n in around for row in ((k, count + k, count + n), (k, count + n, n))]
    return shapes.body(vertices, np.array(caps + walls))


def hare(subdivisions=3):
    """A body with two ears, 0.7 x 0.6 x 0.45 m: a sphere that is pulled out in two directions."""
    ball = shapes.icosphere(subdivisions)
    ears = np.array([[0.0, 0.5, 0.9], [0.0, -0.5, 0.9]])
    towards = ball.vertices @ (ears / np.linalg.norm(ears, axis=1)[:, None]).T
    points = ball.vertices * (1.0 + 1.6 * np.exp(-14.0 * (1.0 - towards)).sum(axis=1))[:, None]
    low, high = points.min(axis=0), points.max(axis=0)
    return shapes.body((points - 0.5 * (low + high)) * np.array([0.45, 0.6, 0.7]) / (high - low), ball.triangles)
