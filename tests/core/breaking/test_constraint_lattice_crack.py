"""The course of an impact: order of breaking, growth, votes, prestress, momentum, and what is told of it."""

from dataclasses import replace

import numpy as np
import pytest

from core.breaking.constraint_lattice.crack import FLOOR, _Run
from core.breaking.constraint_lattice.growth import strong
from core.breaking.constraint_lattice.method import solver_of
from core.breaking.constraint_lattice.schedule import steps_of
from core.breaking.constraint_lattice.structure import momenta, overload
from core.stepwise import result_of
from tests.verification.lattices import KINDS, all_of, bars, boxes, crack, lattice, once, parts, plank, torque

TRIANGLE = "0 0, 0.5 1, 1 0"


def body_of(kind, **how):
    """A plank of the structure's own kind of bodies."""
    cells = boxes((6, 3, 2), (0.5, 0.33, 0.1)) if kind == "welded" else plank((6, 3, 3))
    return cells, *lattice(cells, kind, **how)


def blow(structure, at=(1.4, 0.4, 0.2), reach=0.4):
    load = np.zeros((len(structure.position), 6))
    load[:, 2] = -structure.mass * np.exp(-np.linalg.norm(structure.position - at, axis=1) / reach)
    return load / np.abs(load[:, 2].sum())


def run(structure, joints, load, **how):
    return crack(
        structure, joints, solver_of(structure), load, once(**({"tolerance": 1e-6, "most_iterations": 3000} | how))
    )


def just_breaking(structure, joints, load, times=1.0):
    """That load so large that what breaks first, a joint or a brace, breaks at 1/times of it."""
    solver, holds = solver_of(structure), all_of(structure)
    force = solver.solve(holds, load, 1e-9, 20_000, solver.blank()).force
    return times / overload(structure, force, structure.strength, 8.0).max() * load


def row(pull, strength):
    """Points in a row under tension."""
    count = len(strength) + 1
    structure, joints = bars(
        [(k, 0, 0) for k in range(count)], np.ones(count), [(k, k + 1) for k in range(count - 1)], strength=strength
    )
    load = np.zeros((count, 6))
    load[0, 0], load[-1, 0] = -pull, pull
    return structure, joints, load


def test_the_weakest_breaks_first_or_all_that_cannot_bear_it():
    # A row under a pull of 2 has 2 everywhere. In two, each part is drawn along: of three points two thirds of it.
    structure, joints, load = row(2.0, [1.9, 1.8, 0.8, 3.0])
    assert run(structure, joints, load).broken.tolist() == [True, True, True, False]
    worst = run(structure, joints, load, worst_share=1.0)
    assert worst.broken.tolist() == [False, False, True, False]
    assert worst.ratio == pytest.approx([2 / 1.9, 2 / 1.8, 2.5, 2 / 3], rel=1e-5)
    some = run(structure, joints, load, worst_share=1.1 / 2.5)  # 2.5 and 1.11, not 1.05
    assert some.broken.tolist() == [False, True, True, False]


def test_each_step_has_its_force_and_breaks_what_that_breaks():
    structure, joints, load = row(2.0, [1.0, 3.0])
    for steps, broken in (((0.49, 0.4), False), ((0.1, 0.51, 0.2), True)):
        outcome = run(structure, joints, load, steps=np.array(steps))
        assert outcome.broken.any() == broken
        assert outcome.ratio[0] == pytest.approx(2.0 * max(steps), rel=1e-9)


def test_what_bears_nothing_breaks_with_the_first_force_and_not_before():
    # Its load over its strength has no end, but is a number: 0 of it is nothing, and 0 the share of the worst.
    structure, joints, load = row(1e10, [0.0, 1e12])
    before = run(structure, joints, load, steps=np.zeros(2))
    assert not before.broken.any() and (before.ratio == 0.0).all()
    outcome = run(structure, joints, load, steps=np.array([0.0, 1.0, 0.0]))
    assert outcome.broken.tolist() == [True, False] and 1e100 < outcome.ratio[0] < np.inf
    assert np.isfinite(outcome.motion).all()


def cascade(settle, steps):
    # Two layers of four blocks that hold by four faces; blocks of a layer never part. When the weak one goes the
    # others, which bear 1.0 each before, cannot bear what it leaves them.
    cells = boxes((2, 1, 4))
    between = cells.bond_normal[:, 0] > 0.5
    bond = np.where(between, [1.05] * len(between), np.inf)
    bond[np.flatnonzero(between)[1]] = 0.9
    structure, joints = lattice(cells, "welded", bond=bond)
    load = np.zeros((8, 6))
    load[:4, 0], load[4:, 0] = -1.0, 1.0
    outcome = run(structure, joints, load, settle=settle, steps=np.ones(steps))
    assert not outcome.broken[np.isinf(structure.strength)].any()
    return int(outcome.broken.sum())


def test_a_cascade_runs_within_one_step_or_step_by_step():
    assert cascade(settle=True, steps=1) == 4
    assert cascade(settle=False, steps=1) == 1
    assert cascade(settle=False, steps=4) == 4


@pytest.mark.parametrize("vote", [1.0, 0.5, 0.25])
def test_an_interface_opens_when_the_vote_says_so_and_else_heals(vote):
    # Two pieces of four cells each; one of the four faces between them cannot bear its part.
    cells = boxes((2, 1, 4))
    cells = replace(cells, unit=np.repeat([0, 1], 4))
    bond = np.full(len(cells.bond_area), 10.0)
    bond[np.flatnonzero(cells.bond_normal[:, 0] > 0.5)[1]] = 0.9
    structure, joints = lattice(cells, "welded", bond=bond, by_cell=True)
    load = np.zeros((8, 6))
    load[:4, 0], load[4:, 0] = -1.0, 1.0
    outcome = run(structure, joints, load, vote=vote)
    between = joints.link >= 0
    assert between.sum() == 4 and outcome.ratio[between].max() > 1.0
    assert outcome.broken.sum() == (4 if vote == 0.25 else 0)
    assert not outcome.broken[~between].any()


@pytest.mark.parametrize("kind", KINDS)
def test_a_cap_is_told(kind):
    _, structure, joints = body_of(kind)
    load = just_breaking(structure, joints, blow(structure), 5.0)
    free = run(structure, joints, load)
    assert free.broken.sum() > 3 and not free.capped
    capped = run(structure, joints, load, worst_share=1.0, most_solutions=2)
    assert capped.capped and capped.solutions == 2 and capped.ratio.max() > 1.0
    assert capped.broken.sum() < free.broken.sum()
    assert run(structure, joints, load, most_iterations=1).inexact and not free.inexact


@pytest.mark.parametrize("kind", KINDS)
def test_two_runs_have_equal_bits(kind):
    _, structure, joints = body_of(kind, prestress=0.1)
    load = just_breaking(structure, joints, blow(structure), 3.0)
    one, two = (
        run(structure, joints, load, growth=strong, worst_share=0.8, tolerance=1e-3, most_solutions=15)
        for _ in range(2)
    )
    for name in ("broken", "ratio", "motion"):
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes()
    assert one.broken.any() and one.solutions == two.solutions


@pytest.mark.parametrize("prestress", [0.0, 0.3], ids=["free of stress", "prestressed"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_free_body_takes_up_the_momentum_of_the_blow_and_nothing_else(kind, prestress):
    # Of the forces (n,6) in the steps: sum of F dt, and of their moments about the origin. Forces in ties add nothing.
    _, structure, joints = body_of(kind, prestress=prestress)
    load = just_breaking(structure, joints, blow(structure), 3.0)
    steps = steps_of(TRIANGLE, 6)
    outcome = run(structure, joints, load, growth=strong, steps=steps, dt=1e-3)
    p = momenta(structure, outcome.motion)
    assert outcome.broken.any()
    # What dangles from a braced lattice turns by some 1e6 of what its bars stretch, and costs as many digits of their
    # directions.
    round_off = 1e-7 if kind == "braced" else 1e-11
    size = 1e-3 * (steps.sum() * np.abs(load).sum() + len(steps) * np.abs(structure.prestress).sum())
    np.testing.assert_allclose(p[:, :3].sum(axis=0), 1e-3 * steps.sum() * load[:, :3].sum(axis=0), atol=1e-12 * size)
    np.testing.assert_allclose(
        torque(structure, p), 1e-3 * steps.sum() * torque(structure, load), atol=round_off * size
    )


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_held_stays(kind):
    cells, structure, joints = body_of(kind, anchored=None)
    anchored = cells.centroid[:, 0] < 0.5
    structure, joints = lattice(cells, kind, anchored=anchored)
    load = just_breaking(structure, joints, blow(structure), 2.0)
    outcome = run(structure, joints, load, most_solutions=10)
    assert (outcome.motion[anchored] == 0.0).all() and outcome.broken.any()
    whole = run(structure, joints, 0.2 * load, tolerance=1e-9)
    # All that hangs on what is anchored stays as well: a rigid lattice, to the solver's tolerance of 5e-9, weighed.
    if kind != "dual":
        alone = 1e-4 * 0.2 * np.abs(load[:, :3] / structure.mass[:, None]).max()
        assert not whole.broken.any()
        assert np.abs(whole.motion).max() < 1e-4 * alone


@pytest.mark.parametrize("kind", KINDS)
def test_prestress_is_there_before_anything_hits(kind):
    # The tension e of each joint, as told: below its strength nothing breaks, whatever the ties hold among themselves.
    cells, *_ = body_of(kind)
    e = np.random.default_rng(0).uniform(-1.0, 0.9, len(cells.bond_area))
    structure, joints = lattice(cells, kind, prestress=e)
    e = joints.prestress / joints.area
    assert e.min() < -0.5 and e.max() > 0.5
    outcome = run(structure, joints, np.zeros((len(structure.position), 6)))
    np.testing.assert_allclose(outcome.ratio, np.maximum(e, -e / 8.0), rtol=1e-12)
    assert not outcome.broken.any() and (outcome.motion == 0.0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_under_prestress_bursts_under_a_small_blow(kind):
    # Tension of .97 strengths: a blow that adds .05 anywhere starts what the same blow on the relaxed body does not.
    _, relaxed, joints = body_of(kind)
    small = just_breaking(relaxed, joints, blow(relaxed), 0.2)
    assert not run(relaxed, joints, small).broken.any()
    _, strained, joints = body_of(kind, prestress=0.97)
    assert not run(strained, joints, 0.0 * small).broken.any()
    broken = run(strained, joints, small).broken
    assert broken.sum() > 5


def test_a_joint_that_breaks_hands_its_prestress_on():
    # Two points joined by three bars side by side have tension 1, 1 and -2, in balance. Where the first one breaks, the
    # others have to balance each other: both lose 1/2 (least squares of equal bars).
    points = [(0, 0, 0), (1, 0, 0)]
    structure, joints = bars(points, [1, 1], [(0, 1)] * 3, strength=[0.9, 9, 9], prestress=[1.0, 1.0, -2.0])
    state = _Run(structure, joints, solver_of(structure), np.zeros((2, 6)), once())
    result_of(state.step(1.0))
    assert state.holds.tolist() == [False, True, True]
    pull = np.einsum("ti,ti->t", state._rest[:, :3], structure.normal)
    np.testing.assert_allclose(pull, (0.0, 1.5, -1.5), atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_load_and_strength_may_both_be_larger(kind):
    cells, structure, joints = body_of(kind)
    load = just_breaking(structure, joints, blow(structure), 3.0)
    how = {"growth": strong, "worst_share": 0.8}
    first = run(structure, joints, load, **how)
    strong_one, joints = lattice(cells, kind, bond=1024.0)
    second = run(strong_one, joints, 1024.0 * load, **how)
    assert first.broken.any()
    assert np.array_equal(first.broken, second.broken)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [2.0**-7, 2.0**7, 0.01, 100.0])
def test_a_body_breaks_alike_at_any_size(kind, size):
    # From 1 cm to 100 m. Forces and strengths by the square of the size. What a braced lattice does that has come loose
    # is decided by round-off, so that only its first cracks are held against each other.
    how = {"most_solutions": 2} if kind == "braced" else {}
    cells, structure, joints = body_of(kind)
    load = just_breaking(structure, joints, blow(structure), 3.0)
    shape = {name: getattr(cells, name) * size for name in ("vertices", "bond_centroid", "centroid", "site")}
    shape |= {"bond_area": cells.bond_area * size**2, "volume": cells.volume * size**3}
    large, other = lattice(replace(cells, second_moment=cells.second_moment * size**5, **shape), kind)
    first = run(structure, joints, load, **how)
    second = run(large, other, load * size**2, **how)
    assert first.ratio.max() > 1.0 and np.array_equal(first.broken, second.broken)
    np.testing.assert_allclose(second.ratio, first.ratio, rtol=1e-3, atol=1e-6)
    # Impulses grow by size^2, masses by size^3; turns are displacements at the scale of a body.
    np.testing.assert_allclose(second.motion * size, first.motion, atol=1e-3 * np.abs(first.motion).max())


def test_braces_between_parts_vanish_and_never_hold_them_together():
    _, structure, joints = body_of("braced")
    state = _Run(structure, joints, solver_of(structure), blow(structure), once())
    left = structure.position[:, 0] < 1.5
    across = left[structure.pair[:, 0]] != left[structure.pair[:, 1]]
    joint = np.arange(len(across)) < structure.joint_count
    one = np.flatnonzero(across & joint)[0]
    assert (across & ~joint).any()
    state._break(across & joint & (np.arange(len(across)) != one))
    assert state.holds[across & ~joint].all()  # they still hang on one face
    state._break(np.arange(len(across)) == one)
    assert not state.holds[across].any() and state.holds[~across].all()


def test_growth_weakens_by_each_broken_neighbour_down_to_a_floor():
    # Faces that lie in line or across are left a thousandth by each neighbour: two of them are below the floor.
    cells = boxes((3, 3, 3))
    structure, joints = lattice(cells, "welded")
    state = _Run(structure, joints, solver_of(structure), np.zeros((27, 6)), once(growth=strong))
    first = int(structure.around[0, 0])
    beside = np.unique(structure.around[(structure.around == first).any(axis=1)])
    state._break(np.arange(len(structure.pair)) == first)
    weakened = np.flatnonzero(state.strength < 1.0)
    assert weakened.tolist() == [k for k in beside.tolist() if k != first]
    np.testing.assert_allclose(state.strength[weakened], 0.001, rtol=1e-9)
    state._break(np.isin(np.arange(len(structure.pair)), weakened))
    left = state.strength[state.holds]
    assert left.min() == FLOOR and left.max() == 1.0


def test_growth_breaks_more():
    for kind in KINDS:
        _, structure, joints = body_of(kind)
        load = just_breaking(structure, joints, blow(structure), 2.5)
        none, grown = (run(structure, joints, load, growth=growth).broken.sum() for growth in (None, strong))
        assert 0 < none <= grown if kind == "dual" else 0 < none < grown  # a loose lattice hands on little


@pytest.mark.parametrize("growth", [None, strong], ids=["none", "strong"])
def test_the_number_of_steps_matters_little(growth):
    # SI of docs/papers/smith2001.md: with `settle` fragments are within a factor of two for 10, 20 and 50 steps, in the
    # mean of planks.
    counts = np.zeros(3)
    for seed in range(5):
        structure, joints = lattice(plank((6, 3, 3), seed=seed), "welded")
        load = just_breaking(structure, joints, blow(structure), 3.0)
        for k, count in enumerate((10, 20, 50)):
            steps = steps_of(TRIANGLE, count)
            outcome = run(structure, joints, load, growth=growth, steps=steps, tolerance=1e-3, worst_share=0.5)
            counts[k] += parts(structure, outcome.broken).max() + 1
    assert counts.min() > 5 and counts.max() <= 2.0 * counts.min()
