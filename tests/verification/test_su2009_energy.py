"""Kinetic plus potential energy less the work of colliders never rises over a frame: 1,000 random scenes.

Everything counts: position correction, restitution, friction, waking, sleep. The measure of round-off is the sum of the
sizes of all energies that are added up.
"""

from dataclasses import replace

import numpy as np
import pytest

from core.rigid.advance import advance_frame
from core.rigid.state import World
from core.types import Ground
from tests.core.rigid.shapes_of import G, box, placed, solid
from tests.verification.motion_scenes import energies, led, played, scales, table, together

ROUND_OFF = 1e-12
SIZE = 0.1
APART = 50.0  # between scenes of one world [m]: they never meet


def body(rng):
    """A random convex body: a lump, a flat or long one, or a box."""
    if rng.random() < 0.3:
        return box(*(SIZE * np.exp(rng.uniform(-1.5, 0.3, 3))))
    return solid(rng.normal(size=(rng.integers(6, 24), 3)) * np.exp(rng.uniform(-2.0, 0, 3)) * SIZE)


def tower(rng, count):
    """Boxes one above the other, a little off, some with a gap or a tilt."""
    parts, z = [], 0.0
    for _ in range(count):
        a, b, c = SIZE * rng.uniform(0.5, 2.0, 3)
        one = box(a, b, c)
        gap = rng.choice([0.0, 0.1]) * SIZE
        place = [*(0.2 * SIZE * rng.uniform(-1, 1, 2)), z + gap + 0.5 * c]
        parts.append((one, placed(one, place, spin=rng.choice([0, 5]) * (gap > 0) * rng.normal(size=3))))
        z += gap + c
    return parts


def heap(rng, count):
    """Bodies above each other that tumble down on each other."""
    parts, z = [], 0.0
    for _ in range(count):
        one = body(rng)
        z += one.radius[0] * rng.uniform(1.0, 2.0)
        place = [*(0.5 * SIZE * rng.normal(size=2)), z]
        z += one.radius[0] * 1.01
        fast = np.sqrt(G * SIZE)
        parts.append(
            (one, placed(one, place, rng.normal(size=4), fast * rng.normal(size=3), fast / SIZE * rng.normal(size=3)))
        )
    return parts


def crash(rng, count):
    """Bodies around a point towards which they fly, one of them very fast."""
    parts = []
    for i in range(count):
        one = body(rng)
        way = rng.normal(size=3)
        way[2] = 0.2 * abs(way[2])
        way *= (6 * SIZE + 4 * SIZE * i) / np.linalg.norm(way)
        place = way + np.array([0, 0, 4 * SIZE])
        speed = rng.choice([1.0, 4.0, 20.0]) * np.sqrt(G * SIZE)
        velocity = -way / np.linalg.norm(way) * speed
        parts.append((one, placed(one, place, rng.normal(size=4), velocity, 3 * rng.normal(size=3))))
    return parts


KINDS = [tower, heap, crash]


def world_of_scenes(rng, scenes):
    """Many scenes side by side, and the scene of each body."""
    parts, scene = [], []
    for i in range(scenes):
        some = KINDS[i % 3](rng, rng.integers(2, 5))
        parts += [(one, replace(state, position=state.position + np.array([APART * i, 0, 0]))) for one, state in some]
        scene += [i] * len(some)
    bodies, state = together(parts)
    return bodies, state, np.array(scene)


@pytest.mark.parametrize("seed", range(12))
def test_energy_never_rises(seed):
    """900 scenes in twelve worlds of any friction and restitution, each scene held to account by itself."""
    rng = np.random.default_rng(seed)
    bodies, state, scene = world_of_scenes(rng, 75)
    friction, restitution = [0.0, 0.3, 0.6, 1.5][seed % 4], [0.0, 0.5, 1.0][seed % 3]
    bodies = replace(bodies, friction=friction, restitution=restitution)
    tilt = [0.0, 0.0, 0.3][seed % 3]
    gravity = [0.0, G, G, G][seed % 4] if seed == 8 else G
    world = World(gravity * np.array([np.sin(tilt), 0.0, -np.cos(tilt)]), Ground(0.0))
    before = energies(bodies, state, world.gravity)
    for _ in range(30):
        after, account = advance_frame(bodies, state, world, [1 / 24, 1 / 60][seed % 2])
        now = energies(bodies, after, world.gravity)
        scale = np.bincount(scene, scales(bodies, state, world.gravity) + scales(bodies, after, world.gravity))
        gain = np.bincount(scene, now - before)
        assert (gain <= ROUND_OFF * scale).all()
        assert account.work == 0.0
        assert account.energy.sum() == pytest.approx(now.sum(), abs=ROUND_OFF * scale.sum())
        before, state = now, after


def path(rng, frames):
    """A collider's positions (frames+1,3) and rotations: still, a lift, a shaker, a hammer, a turntable."""
    kind = rng.integers(5)
    t = np.arange(frames + 1) / 24
    place, angle = np.zeros((frames + 1, 3)), np.zeros(frames + 1)
    if kind == 1:
        place[:, 2] = rng.uniform(-1, 1) * t
    elif kind == 2:
        place[:, rng.integers(3)] = 0.3 * SIZE * np.sin(rng.uniform(5, 40) * t)
    elif kind == 3:
        place[:, 2] = np.where(t > 0.4, 2.0 * SIZE * np.sin(20 * (t - 0.4)), 0.0)
    elif kind == 4:
        angle = rng.uniform(-6, 6) * t
    axis = np.array([0.0, 0.0, 1.0]) if rng.random() < 0.5 else rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    return place, np.concatenate([np.cos(0.5 * angle)[:, None], np.sin(0.5 * angle)[:, None] * axis], axis=1)


@pytest.mark.parametrize("seed", range(4))
def test_energy_less_work_never_rises_with_driven_colliders(seed):
    """100 scenes on a table that is led, above a floor onto which bodies fall."""
    rng = np.random.default_rng(100 + seed)
    frames, tops = 30, table(20 * SIZE, 20 * SIZE, SIZE)
    for trial in range(25):
        parts = KINDS[trial % 3](rng, rng.integers(1, 5))
        bodies, state = together(parts)
        bodies = replace(bodies, friction=rng.choice([0.0, 0.5, 1.0]), restitution=rng.choice([0.0, 0.5, 1.0]))
        place, turn = path(rng, frames)
        base = np.array([0.0, 0.0, -0.5 * SIZE])
        worlds = [
            led(tops, base + place[i], base + place[i + 1], ground=Ground(-10 * SIZE), turn=(turn[i], turn[i + 1]))
            for i in range(frames)
        ]
        _, accounts, rise = played(bodies, state, worlds)
        assert rise <= ROUND_OFF, trial
        if (place == 0).all() and (turn == turn[0]).all():
            assert all(account.work == 0.0 for account in accounts)
