"""Motion: CPU seconds for boxes that fall on the ground and come to rest."""

import time
import tracemalloc
from typing import Any

import numpy as np

from core.motion.advance import advance
from core.motion.shapes import rigid_bodies
from core.motion.state import RigidBodies, World, at_rest
from core.types import Fragments, Ground

FRAMES = 250
DT = 1 / 25
CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def boxes(count: int, seed: int = 1) -> RigidBodies:
    """Boxes with edges of 2 to 20 cm, density 2500 kg/m^3."""
    edge = np.random.default_rng(seed).uniform(0.02, 0.2, (count, 3))
    mass = 2500 * edge.prod(axis=1)
    square = edge**2
    inertia = np.zeros((count, 3, 3))
    for i in range(3):
        inertia[:, i, i] = mass / 12 * (square.sum(axis=1) - square[:, i])
    points = (edge[:, None] * CORNERS).reshape(-1, 3)
    return RigidBodies(
        mass, inertia, np.arange(count + 1) * 8, points, np.linalg.norm(edge, axis=1) / 2, friction=0.5, restitution=0.2
    )


def fall(bodies: RigidBodies, ground: Ground | None) -> dict[str, float]:
    """CPU seconds for all frames, and the share of bodies that sleep at the end."""
    rng = np.random.default_rng(2)
    count = len(bodies.mass)
    state = at_rest(rng.uniform([-5, -5, 0.5], [5, 5, 3.0], (count, 3)))
    world = World(np.array([0.0, 0.0, -9.81]), ground)
    advance(bodies, state, world, DT)  # compiles
    begin = time.process_time()
    for _ in range(FRAMES):
        state, _ = advance(bodies, state, world, DT)
    return {"seconds": time.process_time() - begin, "asleep": float(np.mean(state.asleep))}


def ball_fragments(count: int, corners: int) -> Fragments:
    """Fragments with the vertices of a ball of 5 cm; only what `rigid_bodies` reads is filled in."""
    rng = np.random.default_rng(3)
    vertices = rng.normal(size=(count * corners, 3))
    vertices *= 0.05 / np.linalg.norm(vertices, axis=1)[:, None]
    no_ints, ones = np.empty(0, np.int64), np.ones(count)
    return Fragments(
        vertex_start=np.arange(count + 1) * corners,
        vertices=vertices,
        face_start=np.zeros(count + 1, np.int64),
        corner_start=np.zeros(1, np.int64),
        corner_vertex=no_ints,
        corner_weight=np.empty((0, 3)),
        face_triangle=no_ints,
        face_bond=no_ints,
        mass=ones,
        volume=ones,
        centre=np.zeros((count, 3)),
        inertia=np.tile(np.eye(3), (count, 1, 1)),
    )


def peak_mib(work: Any) -> float:
    """Peak of numpy's memory while `work` runs [MiB]."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def run() -> list[dict[str, Any]]:
    """One row for each case; the reference of a fall is the same fall without ground."""
    rows = []
    for count in (100, 1000):
        bodies = boxes(count)
        ours, free = fall(bodies, Ground(0.0)), fall(bodies, None)
        state, world = at_rest(np.tile([0.0, 0.0, 0.05], (count, 1))), World(np.array([0, 0, -9.81]), Ground(0.0))
        rows.append(
            {
                "case": f"{count} boxes fall, {FRAMES} frames, {ours['asleep']:.0%} asleep at the end",
                "ours_s": ours["seconds"],
                "reference": "without ground",
                "reference_s": free["seconds"],
                "peak_mib": peak_mib(lambda: advance(bodies, state, world, DT)),  # noqa: B023
            }
        )
    fragments = ball_fragments(100, 80)
    begin = time.process_time()
    rigid_bodies(fragments, 0.5, 0.2)
    seconds = time.process_time() - begin
    peak = peak_mib(lambda: rigid_bodies(fragments, 0.5, 0.2))
    rows.append({"case": "hulls of 100 fragments of 80 vertices", "ours_s": seconds, "peak_mib": peak})
    return rows
