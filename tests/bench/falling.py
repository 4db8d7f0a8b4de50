"""What falls: the Voronoi cells of a cube with edges of 2 m, as a snug block or as a cloud that heaps up."""

import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from core.cutting.cut import cut
from core.pieces.voronoi_complex import voronoi_complex
from core.rigid.advance import advance_frame
from core.rigid.shapes.cell_parts import make_cell_parts
from core.rigid.state import RigidBodies, RigidState, World, at_rest
from core.types import Cells, Floats, Ground
from tests import shapes

FPS = 24
HALF = 1.0  #: of the edge [m]
DENSITY, FRICTION, GRAVITY = 2500.0, 0.5, 9.81  #: [kg/m^3], [-], [m/s^2]
HEIGHT = 2.0  #: from which the block is dropped [m]
SPREAD = 2.6  #: distances in the cloud, in those of the cube: no two pieces touch


@dataclass(frozen=True)
class Scene:
    """Bodies, how they start and what acts on them."""

    bodies: RigidBodies
    start: RigidState
    world: World


@dataclass(frozen=True)
class Run:
    """S frames of a scene, the first one its start; without the contacts, which would fill the memory."""

    position: Floats  #: (S,K,3) [m]
    rotation: Floats  #: (S,K,4)
    asleep: Floats  #: (S-1,) part of the bodies that sleeps after each frame
    speed: Floats  #: (S-1,) of the median body after each frame [m/s]
    seconds: Floats  #: (S-1,) of CPU


def cells_of(count: int) -> Cells:
    """The cube, cut at uniform sites."""
    low, high = np.full(3, -HALF), np.full(3, HALF)
    sites = np.random.default_rng(0).uniform(low, high, (count, 3))
    return cut(shapes.box(low=low, high=high), voronoi_complex(sites, low, high))


def bodies_of(cells: Cells) -> RigidBodies:
    """A body for each cell."""
    parts, cell = make_cell_parts(replace(cells, unit=np.arange(len(cells.volume))))
    second = cells.second_moment * DENSITY
    inertia = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
    part_start = np.searchsorted(cell, np.arange(len(cells.volume) + 1))
    return RigidBodies(
        cells.volume * DENSITY, inertia, cells.centroid, part_start, np.arange(len(cell)), parts, FRICTION, 0.0
    )


def corners_of(bodies: RigidBodies) -> list[Floats]:
    """The corners (n,3) of each body about its centre of mass [m]; a cell of a cube is a single part."""
    ends = bodies.shapes.parts.vertex[bodies.part]
    return [bodies.shapes.vertices[a:b] - centre for (a, b), centre in zip(ends, bodies.centre, strict=True)]


def block(bodies: RigidBodies) -> Scene:
    """The cube in one piece, unglued, above the ground."""
    start = at_rest(bodies.centre + np.array([0.0, 0.0, HALF + HEIGHT]))
    return Scene(bodies, start, _world(0.0))


def cloud(bodies: RigidBodies) -> Scene:
    """The pieces apart from each other, turned at random, the lowest just above the ground."""
    centre = bodies.centre * SPREAD
    turn = np.random.default_rng(1).normal(size=(len(centre), 4))
    turn /= np.linalg.norm(turn, axis=1)[:, None]
    return Scene(bodies, replace(at_rest(centre), rotation=turn), _world(float(np.min(centre[:, 2] - bodies.radius))))


def _world(ground: float) -> World:
    return World(np.array([0.0, 0.0, -GRAVITY]), Ground(ground))


def fall(scene: Scene, frames: int) -> Run:
    """So many frames after the start, with the CPU time of each."""
    state = scene.start
    position, rotation, asleep, speed, seconds = [state.position], [state.rotation], [], [], []
    for _ in range(frames):
        begin = time.process_time()
        state, _ = advance_frame(scene.bodies, state, scene.world, 1 / FPS)
        seconds.append(time.process_time() - begin)
        position.append(state.position.copy())  # the state holds all records of the bodies
        rotation.append(state.rotation.copy())
        asleep.append(np.mean(state.asleep))
        speed.append(np.median(np.linalg.norm(state.velocity, axis=1)))
    return Run(*(np.array(values) for values in (position, rotation, asleep, speed, seconds)))


def save_start(scene: Scene, path: Path) -> None:
    """Corners, masses and places of unturned pieces, for other engines in other processes."""
    corners = corners_of(scene.bodies)
    np.savez(
        path,
        corners=np.concatenate(corners),
        start=np.cumsum([0, *map(len, corners)]),
        place=scene.start.position,
        mass=scene.bodies.mass,
        ground=scene.world.ground.height,
    )


def save_run(run: Run, path: Path) -> None:
    """Positions and rotations, to make keys of them in another process."""
    np.savez(path, position=run.position, rotation=run.rotation)


def load_machine_code() -> None:
    """Compile all that a fall needs, or load it: some pieces fall and come to rest."""
    fall(cloud(bodies_of(cells_of(20))), 48)
