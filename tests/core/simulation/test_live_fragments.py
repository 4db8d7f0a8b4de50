"""Breaking inside the motion: pieces inherit mass, momentum and energy of the fragment that they broke from."""

from collections.abc import Callable

import numpy as np
import pytest

from core.arithmetic.small_matrices import rotation_matrices
from core.breaking import RULES
from core.config.material import Material
from core.cutting.cut import cut
from core.cutting.units import units
from core.pieces.voronoi_complex import voronoi_complex
from core.rigid.advance import advance_frame
from core.rigid.solver.energy_budget import energy_of
from core.rigid.state import World
from core.simulation.anchoring import Anchoring
from core.simulation.impact_fracture import CrackRecord, ImpactFracture
from core.simulation.live_fragments import LiveFragments
from core.simulation.spec import FractureModel, InitialMotion, SimObject
from core.strength.bonded import bonded
from core.types import Impact
from tests import shapes

NOWHERE = World(np.zeros(3), None)


@pytest.fixture(scope="module")
def model() -> FractureModel:
    body = shapes.box(high=np.array([1.0, 0.6, 0.4]))
    sites = np.random.default_rng(5).uniform([0, 0, 0], [1.0, 0.6, 0.4], (12, 3))
    cells = cut(body, voronoi_complex(sites, np.zeros(3), np.array([1.0, 0.6, 0.4])))
    graph = units(cells)
    rule = RULES["impact_factor"]
    return FractureModel(body, cells, graph, bonded(cells, graph), Material(), rule.run, rule.params(), 0)


def event(strength: float, speed: float, point=(1.0, 0.1, 0.4)) -> Impact:
    direction = np.array([-0.6, 0.64, -0.48])  # unit
    return Impact(np.array(point), direction, strength, speed, 0.2, 0.0)


def prepared(
    model: FractureModel, momentum: InitialMotion | None = None
) -> tuple[LiveFragments, Callable[[Impact, int, float], None]]:
    """The live fragments of one box, and how it is struck."""
    live = LiveFragments([SimObject("Box", model, momentum=momentum)])
    striker = ImpactFracture(live, 0, CrackRecord(), Anchoring(live, None))
    return live, lambda impact, frame, time: striker.strike([impact], frame, time)


def members(live: LiveFragments, number: int) -> np.ndarray:
    return live.tree[int(number)].units


def momentum(live: LiveFragments) -> tuple[np.ndarray, np.ndarray]:
    """Linear momentum, and angular momentum about the world's origin."""
    p = live.rest.mass[:, None] * live.state.velocity
    return p.sum(axis=0), (np.cross(live.state.position, p) + live.state.angular_momentum).sum(axis=0)


def test_a_break_keeps_momentum_and_energy(model):
    # B10 and resolution 4.7 of docs/papers/su2009.md: v_f = v_p + omega x r_f, omega_f = omega_p keep P, L and the
    # kinetic energy.
    live, strike = prepared(model)
    strike(event(strength=0.0, speed=6.0), 0, 0.0)  # sets it spinning, breaks nothing
    live.take_shape()
    for _ in range(5):
        live.state, _ = live.move(advance_frame, NOWHERE, 1 / 24)
    P, L = momentum(live)
    before = energy_of(live.bodies, live.state, NOWHERE)[:2].sum()
    R = rotation_matrices(live.state.rotation)[0]
    corner = R @ (np.array([1.0, 0.1, 0.4]) - live.rest.centre[0]) + live.state.position[0]
    strike(event(strength=50.0, speed=0.0, point=corner), 5, 5 / 24)
    assert len(live.alive) > 3
    live.take_shape()
    after_P, after_L = momentum(live)
    np.testing.assert_allclose(after_P, P, atol=1e-12 * np.abs(P).max())
    np.testing.assert_allclose(after_L, L, atol=1e-11 * np.abs(L).max())
    assert energy_of(live.bodies, live.state, NOWHERE)[:2].sum() == pytest.approx(before, rel=1e-11)


def test_the_swap_of_a_break_moves_nothing(model):
    live, strike = prepared(model)
    strike(event(strength=0.0, speed=6.0), 0, 0.0)
    live.take_shape()
    for _ in range(3):
        live.state, _ = live.move(advance_frame, NOWHERE, 1 / 24)
    R, x, c = rotation_matrices(live.state.rotation)[0], live.state.position[0], live.rest.centre[0]
    strike(event(strength=50.0, speed=0.0, point=x), 3, 3 / 24)
    # A point X of the matter is at x + R (X - c), before and after.
    for k, centre in enumerate(live.rest.centre):
        np.testing.assert_allclose(live.state.position[k], x + R @ (centre - c), atol=1e-14)
        np.testing.assert_allclose(rotation_matrices(live.state.rotation[k : k + 1])[0], R, atol=1e-14)


def test_the_struck_fragment_is_the_one_at_the_point(model):
    live, strike = prepared(model)
    strike(event(strength=50.0, speed=0.0), 0, 0.0)
    before = [set(members(live, k).tolist()) for k in live.alive]
    big = int(np.argmax([len(m) for m in before]))
    unit = sorted(before[big])[0]
    strike(event(strength=500.0, speed=0.0, point=model.units.site[unit]), 1, 1 / 24)
    after = [set(members(live, k).tolist()) for k in live.alive]
    untouched = [m for k, m in enumerate(before) if k != big]
    assert all(m in after for m in untouched)
    assert set().union(*after) == set(range(len(model.units.volume)))


def test_a_hit_outside_of_the_body_acts_at_the_nearest_point(model):
    (inside, strike_inside), (outside, strike_outside) = prepared(model), prepared(model)
    strike_inside(event(strength=5.0, speed=1.0, point=(1.0, 0.1, 0.2)), 0, 0.0)
    strike_outside(event(strength=5.0, speed=1.0, point=(1.4, 0.1, 0.2)), 0, 0.0)
    assert [members(inside, k).tolist() for k in inside.alive] == [members(outside, k).tolist() for k in outside.alive]
    np.testing.assert_allclose(inside.state.velocity, outside.state.velocity, atol=1e-12)


def test_the_pieces_of_a_moving_object_go_on_as_it_went(model):
    velocity, spin, pivot = np.array([1.0, -2.0, 0.5]), np.array([0.0, 3.0, -1.0]), np.array([0.2, 0.1, 0.0])
    live, strike = prepared(model, InitialMotion(velocity, spin, pivot))
    strike(event(strength=50.0, speed=0.0), 0, 0.0)
    assert len(live.alive) > 3
    arm = live.state.position - pivot
    np.testing.assert_allclose(live.state.velocity, velocity + np.cross(spin, arm), atol=1e-13)
    omega = np.linalg.solve(live.rest.inertia, live.state.angular_momentum[:, :, None])[:, :, 0]
    np.testing.assert_allclose(omega, np.broadcast_to(spin, omega.shape), atol=1e-10)


def test_each_piece_has_the_parts_of_its_cells(model):
    live, strike = prepared(model)
    strike(event(strength=5.0, speed=0.0), 0, 0.0)
    live.take_shape()
    bodies = live.bodies
    assert sorted(bodies.part.tolist()) == list(range(len(live.shapes.parts)))
    for row, number in enumerate(live.alive):
        mine = bodies.part[bodies.part_start[row] : bodies.part_start[row + 1]]
        assert set(live.part_unit[mine].tolist()) == set(members(live, number).tolist())
