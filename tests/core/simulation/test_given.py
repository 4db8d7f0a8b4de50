"""Rules that know the forces: their pieces take up what the units were given, momentum for momentum."""

from dataclasses import replace

import numpy as np
import pytest

from core.arithmetic.small_matrices import rotation_matrices
from core.breaking import Verdict
from core.breaking.contract import UnitImpulses
from core.fragments.mass import cells_of, masses
from core.rigid.advance import advance_frame
from core.rigid.state import World
from core.simulation.anchoring import Anchoring
from core.simulation.impact_fracture import CrackRecord, ImpactFracture
from core.simulation.live_fragments import LiveFragments
from core.simulation.spec import SimObject
from core.types import Impact
from tests.core.simulation.breaking import block, momentum, moving

NOWHERE = World(np.zeros(3), None)
KINDS = ("one unit", "two units", "more")
#: Round-off of sums of some dozen terms, relative to the sum of their sizes.
EXACT = 1e-12


@pytest.fixture(scope="module")
def model():
    return block()


class Forces:
    """A rule that cracks the links between `groups (U,)` of units, and gives each unit some momentum and spin."""

    def __init__(self, units, groups, seed=0, size=30.0):
        rng, count = np.random.default_rng(seed), len(units.volume)
        self.cracked = np.asarray(groups)[units.links[:, 0]] != np.asarray(groups)[units.links[:, 1]]
        self.given = UnitImpulses(rng.normal(0.0, size, (count, 3)), rng.normal(0.0, 0.1 * size, (count, 3)))

    def __call__(self, struck, params):
        return Verdict(2.0 * self.cracked, np.ones(len(self.cracked)), self.cracked, self.given)


def groups_of(units, kind, seed):
    """Units each for themselves, two of them together, or all in about four groups."""
    alone = np.arange(len(units.volume))
    if kind == "one unit":
        return alone
    if kind == "two units":
        return np.where(alone == units.links[seed, 1], units.links[seed, 0], alone)
    return np.random.default_rng(seed).integers(0, 4, len(alone))


def flying(model, rule, motion):
    """The live fragments of one object after some frames of its flight, and what strikes it."""
    live = LiveFragments([SimObject("Box", replace(model, rule=rule), momentum=motion)])
    striker = ImpactFracture(live, 0, CrackRecord(), Anchoring(live, None))
    live.take_shape()
    for _ in range(4):
        live.state, _ = live.move(advance_frame, NOWHERE, 1 / 24)
    return live, lambda: striker.strike([Impact(live.state.position[0], np.array([0, 0, -1.0]), 1, 5.0, 0.1, 0)], 4, 0)


def totals(live):
    """Momentum, angular momentum about the world's zero, and kinetic energy."""
    return momentum(live.bodies, live.state)


@pytest.mark.parametrize("motion", [None, moving()], ids=["at rest", "moving"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_pieces_together_get_all_that_the_units_were_given(model, motion, kind, seed):
    # P: the sum of p. L about the world's zero: the sum of x cross p + s, with the places x of the units.
    units = model.units
    rule = Forces(units, groups_of(units, kind, seed), seed)
    live, strike = flying(model, rule, motion)
    P, L, _ = totals(live)
    R, x, c = rotation_matrices(live.state.rotation)[0], live.state.position[0], live.rest.centre[0]
    assert (motion is None) == bool(np.array_equal(R, np.eye(3)))
    strike()
    sizes = sorted(len(live.tree[int(number)].units) for number in live.alive)
    assert {"one unit": sizes[-1] == 1, "two units": sizes[-2:] == [1, 2]}.get(kind, 2 < sizes[-1] < 12)
    live.take_shape()
    after_P, after_L, _ = totals(live)
    p, s, at = rule.given.momentum @ R.T, rule.given.spin @ R.T, (units.centroid - c) @ R.T + x
    turning = np.cross(at, p) + s
    np.testing.assert_allclose(after_P, P + p.sum(axis=0), rtol=0, atol=EXACT * np.abs(p).sum())
    np.testing.assert_allclose(after_L, L + turning.sum(axis=0), rtol=0, atol=EXACT * np.abs(turning).sum())


@pytest.mark.parametrize("motion", [None, moving()], ids=["at rest", "moving"])
def test_each_piece_gets_what_its_own_units_were_given(model, motion):
    # The change of a piece's momentum is the sum over its units; that of its spin is taken about its centre of mass.
    rule = Forces(model.units, groups_of(model.units, "more", 3), 3)
    (live, strike), (same, without) = flying(model, rule, motion), flying(model, _silent(rule), motion)
    strike()
    without()
    assert same.alive.tolist() == live.alive.tolist() and len(live.alive) > 3
    assert len({len(live.tree[int(number)].units) for number in live.alive}) > 1
    for row, number in enumerate(live.alive):
        mine, R = live.tree[int(number)].units, rotation_matrices(live.state.rotation[row][None])[0]
        p, s = rule.given.momentum[mine], rule.given.spin[mine]
        arm = model.units.centroid[mine] - live.rest.centre[row]
        change = live.rest.mass[row] * (live.state.velocity[row] - same.state.velocity[row])
        spin = live.state.angular_momentum[row] - same.state.angular_momentum[row]
        size = np.abs(p).sum() + np.abs(live.rest.mass[row] * live.state.velocity[row]).sum()
        np.testing.assert_allclose(change, R @ p.sum(axis=0), rtol=0, atol=EXACT * size)
        turned = R @ (np.cross(arm, p) + s).sum(axis=0)
        size = np.abs(s).sum() + np.abs(p).sum() + np.abs(live.state.angular_momentum[row]).sum()
        np.testing.assert_allclose(spin, turned, rtol=0, atol=EXACT * size)


def _silent(rule):
    """The same cracks by a rule that gives nothing to any unit."""

    def judge(struck, params):
        verdict = rule(struck, params)
        nothing = np.zeros_like(verdict.unit_impulses.momentum)
        return replace(verdict, unit_impulses=UnitImpulses(nothing, nothing.copy()))

    return judge


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_pieces_have_no_more_energy_than_their_units_would_have(model, kind, seed):
    # Of all motions with the momentum and the angular momentum of the units that of a rigid piece has the least energy.
    rule = Forces(model.units, groups_of(model.units, kind, seed), seed)
    live, strike = flying(model, rule, None)
    strike()
    live.take_shape()
    _, _, energy = totals(live)
    count = len(model.units.volume)
    alone = masses(model.cells, *cells_of(model.cells.unit, [np.array([k]) for k in range(count)]), 2500.0)
    p, s = rule.given.momentum, rule.given.spin
    assert model.material.density == 2500.0
    turned = np.linalg.solve(alone.inertia, s[:, :, None])[:, :, 0]
    bound = 0.5 * (np.square(p).sum(axis=1) / alone.mass).sum() + 0.5 * (s * turned).sum()
    if kind == "one unit":
        assert energy == pytest.approx(bound, rel=1e-12)
    else:
        assert 0.0 < energy < bound


def test_a_piece_of_units_that_were_pushed_apart_stays(model):
    # Two units of a piece with momenta against each other along the line between them: nothing is left of these.
    units = model.units
    rule = Forces(units, groups_of(units, "two units", 7))
    a, b = units.links[7]
    along = units.centroid[b] - units.centroid[a]
    p = np.zeros((len(units.volume), 3))
    p[a], p[b] = 50.0 * along, -50.0 * along
    rule.given = UnitImpulses(p, np.zeros_like(p))
    live, strike = flying(model, rule, None)
    strike()
    assert len(live.alive) == len(units.volume) - 1
    np.testing.assert_allclose(live.state.velocity, 0.0, atol=EXACT * 50.0 / live.rest.mass.min())
    np.testing.assert_allclose(live.state.angular_momentum, 0.0, atol=EXACT * 50.0)


def test_other_fragments_feel_nothing_of_it(model):
    # The object in two pieces of which one is struck again.
    low = model.units.site[:, 0] < np.median(model.units.site[:, 0])
    rule = Forces(model.units, low)
    live, strike = flying(model, rule, moving())
    strike()
    assert len(live.alive) == 2
    rule.cracked, before, numbers = np.ones_like(rule.cracked), live.state, live.alive.copy()
    strike()  # in the middle of the first one
    (row,) = np.flatnonzero(live.alive == numbers[1])
    assert numbers[0] not in live.alive and len(live.alive) > 2
    for name in ("position", "rotation", "velocity", "angular_momentum"):
        assert np.array_equal(getattr(live.state, name)[row], getattr(before, name)[1])
