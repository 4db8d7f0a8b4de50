"""Objects that break on contact, and a motion that is told what pressed on what."""

from dataclasses import replace
from functools import partial

import numpy as np

from core.arithmetic.small_matrices import rotation_matrices
from core.breaking import RULES
from core.config.breakable import Breakable
from core.config.material import Material
from core.cutting.cut import cut
from core.cutting.units import units
from core.geometry.mesh import bounds
from core.pieces.voronoi_complex import voronoi_complex
from core.rigid.contract import StepReport
from core.simulation.environment import Environment, make_parts_of_colliders
from core.simulation.frame_loop import FrameLoop
from core.simulation.spec import FractureModel, InitialMotion, RefracturePolicy, SimObject, SimulationSpec
from core.stepwise import result_of
from core.strength.bonded import bonded
from core.types import Clock, Ground, Influence
from tests import shapes
from tests.rigid_bodies import rotate_quaternions

SIZE = np.array([1.0, 0.6, 0.4])
FPS = 24.0


def model_of(body, count=0, sites=None, seed=5, rule="placed_pattern", **params):
    """A body in `count` Voronoi pieces or those of `sites`, of which a blow parts all that it reaches."""
    low, high = bounds(body.vertices)
    if sites is None:
        sites = np.random.default_rng(seed).uniform(low, high, (count, 3))
    cells = cut(body, voronoi_complex(np.asarray(sites, np.float64), low, high))
    graph, chosen = units(cells), RULES[rule]
    how = replace(chosen.params(), **(({"reach": 0.0} if rule == "placed_pattern" else {}) | params))
    return FractureModel(body, cells, graph, bonded(cells, graph), Material(), chosen.run, how, 0)


def policy(whole_first=False, anew=False, pieces=4, **params):
    """An answer to blows; pieces that are cut anew fall into `pieces`."""

    def anew_around(body, impacts, seen=None):
        return model_of(body, pieces)

    return RefracturePolicy(
        Breakable(**{"breaks": True, "strength": 1.0, **params}),
        anew_around,
        whole_first,
        anew,
    )


def breaking_object(name, model, place=(0, 0, 0), momentum=None, influence=None, **params):
    """An object that breaks on contact, by an answer of these params."""
    at, stands = np.array(place, np.float64), params.get("stands", False)
    return SimObject(name, model, (), momentum, at, policy(**params), influence or Influence(), stands)


def box_object(model, *where, **how):
    return breaking_object("Box", model, *where, **how)


def moving(velocity=(1.0, -2.0, 0.5), spin=(0.0, 3.0, -1.0)):
    return InitialMotion(np.array(velocity, np.float64), np.array(spin, np.float64), np.array([0.2, 0.1, 0.0]))


class Told:
    """A motion without forces that lets bodies fly and reports the touches that it is told.

    `touch` (bodies, state) -> rows (a, b, impulse on a, spot on a), spots in material coordinates; b = K is the ground.
    Keeps what it was called with.
    """

    def __init__(self, touch=lambda bodies, state: []):
        self.touch, self.calls = touch, []

    def __call__(self, bodies, state, world, dt):
        self.calls.append((bodies, state))
        rows = self.touch(bodies, state)
        anchor = np.array([[row[3], _seen_by(bodies, state, row)] for row in rows], np.float64).reshape(-1, 2, 3)
        account = StepReport(
            np.zeros(3),
            0.0,
            np.array([row[:2] for row in rows], np.int64).reshape(-1, 2),
            np.array([row[2] for row in rows], np.float64).reshape(-1, 3),
            np.zeros((len(rows), 3)),
            anchor,
            np.zeros((len(rows), 3)),
        )
        omega = _spins(bodies, state)
        turned = rotate_quaternions(state.rotation, dt * omega)
        return replace(state, position=state.position + dt * state.velocity, rotation=turned), account


def _spins(bodies, state):
    turn = rotation_matrices(state.rotation)
    inertia = turn @ bodies.inertia @ turn.transpose(0, 2, 1)
    return np.linalg.solve(inertia, state.angular_momentum[:, :, None])[:, :, 0]


def _seen_by(bodies, state, row):
    """The spot of a touch in the coordinates of the other one."""
    a, b, _, anchor = row
    at = rotation_matrices(state.rotation[a][None])[0] @ (np.asarray(anchor) - bodies.centre[a]) + state.position[a]
    if b >= len(bodies.mass):
        return at
    return rotation_matrices(state.rotation[b][None])[0].T @ (at - state.position[b]) + bodies.centre[b]


def prepared(objects, move, frames=10, most=100_000, ground=None, gravity=0.0, colliders=()):
    """A run of the clock in which a motion acts, before its first frame; blows that are told have no bounds."""
    shaped = result_of(make_parts_of_colliders(colliders))
    shaped = result_of(make_parts_of_colliders(colliders))
    environment = Environment(
        np.array([0.0, 0.0, -gravity]), None if ground is None else Ground(ground), shaped, frames
    )
    run = FrameLoop(objects, SimulationSpec(environment, Clock(FPS, frames), partial(at_once, move), most=most))
    if isinstance(move, Told):
        run.bounds = lambda live, pressing, world, dt: unbounded(pressing)
    run.strike(0)
    run.anchoring.update()
    run.live.take_shape()
    return run


def at_once(move, *frame):
    """A motion that makes its frame in one step."""
    yield 0.0
    return move(*frame)


def unbounded(pressing):
    return np.full(len(pressing.body), np.inf)


def played(run, frames):
    """Numbers of living fragments after each of the frames, 1 to `frames`."""
    living = []
    for frame in range(1, frames + 1):
        run.advance(frame)
        living.append(len(run.live.alive))
    return living


def block(count=12):
    return model_of(shapes.box(high=SIZE), count)


def momentum(bodies, state):
    """Linear and angular momentum about the world's zero (3,), and kinetic energy of translation and rotation."""
    p = bodies.mass[:, None] * state.velocity
    turning = (np.cross(state.position, p) + state.angular_momentum).sum(axis=0)
    energy = 0.5 * np.sum(p * state.velocity) + 0.5 * np.sum(_spins(bodies, state) * state.angular_momentum)
    return p.sum(axis=0), turning, energy
