"""What is led: where its path says until it breaks, and then as its parts moved; the energy is accounted for."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from core.arithmetic.small_matrices import rotation_matrices
from core.path import Path
from core.rigid.advance import advance_frame
from core.simulation.environment import Environment
from core.simulation.frame_loop import run_frame_loop
from core.simulation.spec import SimulationSpec
from core.types import Clock
from tests.core.simulation.breaking import FPS, Told, at_once, block, box_object, model_of, prepared
from tests.rigid_bodies import rotate_quaternions

FRAMES = 8
#: Round-off of a few dozen operations on numbers of the order of 1.
EXACT = 1e-12


def path_of(velocity, spin, last=FRAMES - 1):
    """Straight ahead while it turns about an axis, at rest from frame `last` on."""
    dt, steps = 1.0 / FPS, np.minimum(np.arange(FRAMES), last)
    rotation = [np.array([[1.0, 0.0, 0.0, 0.0]])]
    for _ in range(FRAMES - 1):
        rotation.append(rotate_quaternions(rotation[-1], dt * np.array([spin])))
    turn = np.where(np.arange(FRAMES - 1)[:, None] < last, dt * np.asarray(spin), 0.0)
    start = np.array([0.1, 0.2, 0.3])
    position = start + dt * steps[:, None] * np.asarray(velocity)
    return Path(position, np.concatenate(rotation)[steps], turn, last)


@pytest.fixture(scope="module")
def model():
    return model_of(block().body, 5)


@pytest.mark.parametrize("gravity", [0.0, 9.81])
@pytest.mark.parametrize("place", [(0.0, 0.0, 0.0), (5.0, -3.0, 2.0)])
def test_it_is_where_its_path_says_at_each_frame_and_the_energy_is_work(model, gravity, place):
    path = path_of((3.0, -1.0, 2.0), (0.0, 4.0, 1.0))
    obj = replace(box_object(model, place), path=path)
    environment = Environment(np.array([0.0, 0.0, -gravity]), None, [], FRAMES)
    job = run_frame_loop([obj], SimulationSpec(environment, Clock(FPS, FRAMES), partial(at_once, advance_frame)))
    while True:
        try:
            next(job)
        except StopIteration as end:
            ((came,),) = (end.value,)
            break
    centre = came.motion.position[0, 0]
    turn = rotation_matrices(path.rotation)
    expected = path.position + (turn * (centre - path.position[0])).sum(axis=2)
    assert np.abs(came.motion.position[:, 0] - expected).max() < EXACT
    assert np.abs(rotation_matrices(came.motion.rotation[:, 0]) - turn).max() < EXACT
    energy = came.motion.energy.sum(axis=1)
    assert np.abs(np.diff(energy) - came.motion.work[1:]).max() < EXACT * np.abs(energy).max()


def test_its_pieces_fly_on_as_its_parts_moved(model):
    """Su 2009: a piece keeps the spin, and has the speed of the point at which its centre lies."""
    velocity, spin, hit = np.array([3.0, -1.0, 2.0]), np.array([0.0, 4.0, 1.0]), 4
    path = path_of(velocity, spin)

    def touch(bodies, state):
        return [(0, 1, (0.0, 0.0, 1e4), bodies.centre[0])] if len(told.calls) >= hit and len(bodies.mass) == 1 else []

    told = Told(touch)
    run = prepared([replace(box_object(model), path=path)], told, FRAMES)
    run.follow(0)
    live = run.live
    for frame in range(1, FRAMES):
        before = live.state, live.rest.centre
        run.advance(frame)
        run.follow(frame)
        assert (len(live.alive) > 1) == (frame >= hit)
        if frame == hit:  # taken back: they begin where the whole was before the frame
            R = rotation_matrices(before[0].rotation)[0]
            arm = ((live.rest.centre - before[1][0])[:, None] * R).sum(axis=2)
            whole = before[0].velocity[0]
            speed = whole + np.cross(spin, arm)
            assert np.abs(live.state.velocity - speed).max() < 1e-10  # inertias of needle-like pieces are inverted
            start = before[0].position + arm
        if frame >= hit:
            assert np.abs(live.state.position - (start + (frame - hit + 1) / FPS * speed)).max() < 1e-10


def test_where_the_path_ends_it_keeps_the_velocity_with_which_it_came(model):
    path = path_of((3.0, 0.0, 0.0), (0.0, 0.0, 0.0), last=3)
    run = prepared([replace(box_object(model), path=path)], Told(), FRAMES)
    run.follow(0)
    start = run.live.state.position.copy()
    for frame in range(1, FRAMES):
        run.advance(frame)
        run.follow(frame)
        assert np.abs(run.live.state.position - start - frame / FPS * np.array([3.0, 0.0, 0.0])).max() < EXACT
