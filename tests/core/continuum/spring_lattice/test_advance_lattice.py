"""A lattice through frames: conservation, contacts, breaking, plasticity, and the same bits."""

from dataclasses import replace

import numpy as np
import pytest

from core.continuum.spring_lattice.advance_lattice import advance_lattice, flowing_share, frame_substeps
from core.continuum.spring_lattice.energy import lattice_energy, lattice_momentum
from core.continuum.spring_lattice.material import SpringMaterial, vary_thresholds
from core.continuum.spring_lattice.state import ContactLaw, LatticeLaws, rest_state
from core.continuum.spring_lattice.time_step import stable_step, substep_count
from core.errors import InputError
from core.stepwise import result_of
from tests.spring_lattices import DOWN, RUBBER, A, Around, B, C, resting, run, slab, springs

SMOOTH = ContactLaw(damping_ratio=0.0, friction=0.0)


def spinning(lattice, spin, velocity=(0.0, 0.0, 0.0)):
    centre = np.average(lattice.rest_position, axis=0, weights=lattice.mass)
    return resting(lattice, np.cross(spin, lattice.rest_position - centre) + velocity)


@pytest.mark.parametrize("kind", [A, B, C])
def test_momentum_and_angular_momentum_are_kept_while_it_breaks(kind):
    # Forces are equal and opposite to the bit and act along the line between two nodes; symplectic Euler keeps both
    # momenta to round-off, 1e-13 of each sum of sizes over a few hundred steps.
    weak = replace(RUBBER, failure_strain=0.02)
    lattice = slab((4, 3, 2), material=weak, microgeometry=kind)
    start = spinning(lattice, [0.0, 3.0, 2.0], [1.0, 0.0, 0.0])
    state, _ = run(lattice, start, LatticeLaws(), Around(0.1), 5)
    assert state.broken.any() and state.label.max() > 0
    for first, last in zip(*(lattice_momentum(lattice, s, np.zeros(3)) for s in (start, state)), strict=True):
        np.testing.assert_allclose(last, first, atol=1e-11 * lattice.mass.sum() * 10.0)


def test_energy_of_an_undamped_lattice_swings_with_the_step_and_drifts_nowhere():
    # Symplectic Euler keeps a Hamiltonian that differs from the energy by O(w dt) of what the fast modes have.
    lattice = slab((4, 2, 2), material=RUBBER)
    start, around = spinning(lattice, [0.0, 0.0, 2.0]), Around(0.02)
    totals = [lattice_energy(lattice, start, LatticeLaws(), around).total]
    run(lattice, start, LatticeLaws(), around, 100,
        seen=lambda s: totals.append(lattice_energy(lattice, s, LatticeLaws(), around).total))  # fmt: skip
    assert np.abs(np.array(totals) / totals[0] - 1.0).max() < 0.02
    assert np.mean(totals[50:]) == pytest.approx(np.mean(totals[:50]), rel=0.005)


def test_energy_never_rises_when_a_damped_block_drops_and_breaks():
    # Kinetic, springs, gravity and contact together, of a block that falls on a floor: 1 % of the start.
    brittle = SpringMaterial(1e5, 1000.0, 0.03, damping_ratio=0.05)
    lattice = slab((4, 4, 3), (0.4, 0.4, 0.3), brittle)
    lattice = replace(lattice, threshold=vary_thresholds(lattice.threshold, 0.5, np.random.default_rng(1)))
    around, laws = Around(1 / 240, DOWN, floor=-0.05), LatticeLaws()
    start = resting(lattice, [0.0, 0.0, -3.0])
    energies = [lattice_energy(lattice, start, laws, around).total]
    floor = -0.05 * lattice.mass.sum() * 9.81  # of what lies on the floor
    state, _ = run(lattice, start, laws, around, 60,
                   seen=lambda s: energies.append(lattice_energy(lattice, s, laws, around).total))  # fmt: skip
    assert state.label.max() > 3
    assert max(energies) - energies[0] < 0.01 * (energies[0] - floor)
    assert energies[-1] < 0.8 * energies[0]


def test_the_same_seed_gives_the_same_bits():
    def once():
        brittle = SpringMaterial(1e5, 1000.0, 0.03, damping_ratio=0.05)
        lattice = slab((4, 4, 3), (0.4, 0.4, 0.3), brittle)
        lattice = replace(lattice, threshold=vary_thresholds(lattice.threshold, 0.5, np.random.default_rng(1)))
        around = Around(1 / 24, DOWN, floor=-0.05)
        return run(lattice, resting(lattice, [0.0, 0.0, -3.0]), LatticeLaws(self_contact=True), around, 6)

    (state, reports), (again, _) = once(), once()
    for name in ("position", "velocity", "broken", "cell_broken", "label"):
        np.testing.assert_array_equal(getattr(state, name), getattr(again, name))
    assert state.broken.any() and sum(len(report.trip_time) for report in reports) > 0


def test_the_papers_euler_agrees_with_the_symplectic_one_as_steps_shrink():
    # Both are of the first order: their difference halves with the step.
    lattice = slab((2, 1, 1), material=replace(RUBBER, damping_ratio=0.2))
    start = resting(lattice, 0.1 * np.sin(lattice.rest_position))
    apart = []
    for dt in (2e-4, 1e-4):
        laws = LatticeLaws(), LatticeLaws(paper_euler=True)
        first, second = (run(lattice, start, law, Around(dt), round(0.05 / dt))[0] for law in laws)
        apart.append(np.abs(first.position - second.position).max())
    assert 0.0 < apart[1] < 0.6 * apart[0]


def test_a_block_comes_to_rest_on_the_floor_with_its_weight():
    lattice = slab((2, 2, 2), (0.2, 0.2, 0.2), replace(RUBBER, damping_ratio=0.1))
    around = Around(1 / 24, DOWN, floor=0.0)
    state, reports = run(lattice, resting(lattice), LatticeLaws(surface=ContactLaw(1.0, 0.5, 0.5)), around, 48)
    weight = 9.81 * lattice.mass.sum()
    assert reports[-1].impulse[2] / around.dt == pytest.approx(weight, rel=1e-3)
    assert np.abs(state.velocity).max() < 1e-3
    energy = lattice_energy(lattice, state, LatticeLaws(), around)
    assert energy.contact > 0.0 and energy.kinetic < 1e-6 * energy.contact


@pytest.mark.parametrize(("friction", "slides"), [(0.8, False), (0.2, True)])
def test_a_block_slides_on_a_slope_only_beyond_the_angle_of_friction(friction, slides):
    # tan 30 = 0.577: a = g (sin 30 - mu cos 30).
    lattice = slab((4, 4, 1), (0.4, 0.4, 0.1), replace(RUBBER, damping_ratio=0.3))
    gravity = 9.81 * np.array([0.5, 0.0, -np.sqrt(0.75)])
    around = Around(1 / 24, gravity, floor=0.0)
    laws = LatticeLaws(surface=ContactLaw(1.0, 0.7, friction))
    settled, _ = run(lattice, resting(lattice), laws, around, 12)
    state, _ = run(lattice, settled, laws, around, 12)
    gained = lattice_momentum(lattice, state, np.zeros(3))[0] - lattice_momentum(lattice, settled, np.zeros(3))[0]
    pull = (0.5 - friction * np.sqrt(0.75)) * 9.81 * lattice.mass.sum() * 0.5 if slides else 0.0
    assert gained[0] == pytest.approx(pull, rel=0.03, abs=0.01 * 9.81 * lattice.mass.sum())


def test_a_rising_floor_lifts_and_does_work():
    lattice = slab((2, 2, 2), (0.2, 0.2, 0.2), replace(RUBBER, damping_ratio=0.3))
    state, floor, work = resting(lattice), 0.0, 0.0
    for _ in range(24):
        around = Around(1 / 24, DOWN, floor=floor, rise=0.5)
        state, (report,) = run(lattice, state, LatticeLaws(surface=ContactLaw(1.0, 0.5, 0.5)), around)
        floor, work = floor + 0.5 / 24, work + report.work
    speed = lattice_momentum(lattice, state, np.zeros(3))[0] / lattice.mass.sum()
    assert speed[2] == pytest.approx(0.5, rel=0.02)
    risen = lattice.mass.sum() * (9.81 * 0.5 + 0.5 * 0.5**2)
    assert work == pytest.approx(risen, rel=0.1)


def test_a_floor_that_comes_from_afar_within_a_frame_is_felt():
    lattice = springs([[0, 0, 0], [1, 0, 0]], [[0, 1]], 1.0, 1e4)
    state, (report,) = run(lattice, resting(lattice), LatticeLaws(surface=SMOOTH), Around(1.0, floor=-2.0, rise=3.0))
    # Undamped, nodes at rest leave with twice the speed of the floor; it gave them their energy.
    np.testing.assert_allclose(state.velocity[:, 2], 6.0, rtol=0.03)
    assert report.work == pytest.approx(0.5 * 2.0 * 36.0, rel=0.03)


def test_held_nodes_stay():
    lattice = slab((4, 1, 1), (0.4, 0.1, 0.1))
    anchored = lattice.rest_position[:, 0] == 0.0
    state, _ = run(lattice, resting(lattice), LatticeLaws(), Around(1 / 24, DOWN), 4, anchored)
    np.testing.assert_array_equal(state.position[anchored], lattice.rest_position[anchored])
    assert state.position[~anchored, 2].min() < -0.01


def test_two_fragments_bounce_off_each_other_and_nothing_goes_through():
    # Two dumb-bells on one line: central, smooth and undamped, equal masses swap their velocities.
    lattice = springs([[0, 0, 0], [0, 0, 1], [3, 0, 0], [3, 0, 1]], [[0, 1], [2, 3]], 1.0, 1e4)
    start = resting(lattice, np.array([[1.0, 0, 0], [1.0, 0, 0], [0, 0, 0], [0, 0, 0]]))
    lowest = []
    state, _ = run(lattice, start, LatticeLaws(nodes=SMOOTH), Around(0.1), 40,
                   seen=lambda s: lowest.append(s.position[2, 0] - s.position[0, 0]))  # fmt: skip
    np.testing.assert_allclose(state.velocity[:, 0], [0, 0, 1, 1], atol=0.01)
    assert min(lowest) > 0.9


def test_contacts_are_found_within_a_frame_however_long_it_is():
    # What is far apart at its start meets within it: the same dumb-bells, and one that falls on a floor.
    lattice = springs([[0, 0, 0], [0, 0, 1], [3, 0, 0], [3, 0, 1]], [[0, 1], [2, 3]], 1.0, 1e4)
    start = resting(lattice, np.array([[1.0, 0, 0], [1.0, 0, 0], [0, 0, 0], [0, 0, 0]]))
    state, _ = run(lattice, start, LatticeLaws(nodes=SMOOTH), Around(4.0))
    np.testing.assert_allclose(state.velocity[:, 0], [0, 0, 1, 1], atol=0.01)
    faller = springs([[0, 0, 0], [1, 0, 0]], [[0, 1]], 1.0, 1e4)
    state, (report,) = run(faller, resting(faller, [0, 0, -2.0]), LatticeLaws(surface=SMOOTH), Around(3.0, floor=-3.0))
    assert report.impulse[2] == pytest.approx(2 * 2.0 * 2.0, rel=0.02)
    assert report.deepest == pytest.approx(2.0 * np.sqrt(1.0 / 1e4), rel=0.05)


def test_self_contact_keeps_a_folding_chain_apart():
    # Both ends of a chain of five nodes fly at each other; without self-contact they pass.
    position = [[0, 0, 0], [0, 1, 0], [1, 2, 0], [2, 1, 0], [2, 0, 0]]
    lattice = springs(position, [[0, 1], [1, 2], [2, 3], [3, 4]], 1.0, 1e3)
    start = resting(lattice, np.array([[1.0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [-1.0, 0, 0]]))

    def least(own):
        gaps = []
        run(lattice, start, LatticeLaws(self_contact=own), Around(0.05), 40,
            seen=lambda s: gaps.append(np.linalg.norm(s.position[4] - s.position[0])))  # fmt: skip
        return min(gaps)

    assert least(False) < 0.2 and least(True) > 0.8


def test_ends_of_a_broken_bond_repel_within_one_component():
    # The same chain with its ends joined by a bond that is broken: they do not attract, but they do not pass either.
    position = [[0, 0, 0], [0, 1, 0], [1, 2, 0], [2, 1, 0], [2, 0, 0]]
    lattice = springs(position, [[0, 1], [0, 4], [1, 2], [2, 3], [3, 4]], 1.0, 1e3)
    start = resting(lattice, np.array([[1.0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [-1.0, 0, 0]]))
    broken = np.array([False, True, False, False, False])
    gaps = []
    run(lattice, replace(start, broken=broken), LatticeLaws(), Around(0.05), 40,
        seen=lambda s: gaps.append(np.linalg.norm(s.position[4] - s.position[0])))  # fmt: skip
    assert 0.8 < min(gaps) < 1.0
    still, _ = run(lattice, replace(resting(lattice), broken=broken), LatticeLaws(), Around(0.05), 4)
    np.testing.assert_array_equal(still.position, lattice.rest_position)


def test_plastic_matter_keeps_its_new_length():
    # Pulled to 1.2 with a yield strain of 0.05, all of the excess flows: l' = 1.2/1.05. It never yields when it is
    # within. Then it swings about the new length, undamped.
    lattice = springs([[0, 0, 0], [1.2, 0, 0]], [[0, 1]], 1.0, 100.0, length=1.0)
    state, _ = run(lattice, resting(lattice), LatticeLaws(yield_strain=0.05), Around(1e-4))
    assert state.rest_length[0] == pytest.approx(1.2 / 1.05, rel=1e-6)
    elastic, _ = run(lattice, resting(lattice), LatticeLaws(yield_strain=0.25), Around(1e-4))
    assert elastic.rest_length[0] == 1.0
    assert flowing_share(2.0, 0.5) == 0.5


def test_stiffness_can_be_scaled_from_frame_to_frame():
    # A mass on a spring sags by m g/k: a tenth of the stiffness, ten times as far.
    lattice = springs([[0, 0, 0], [0, 0, -1]], [[0, 1]], 1.0, 1000.0, 40.0)
    anchored = np.array([True, False])
    for scale in (1.0, 0.1):
        state, _ = run(lattice, resting(lattice), LatticeLaws(stiffness_scale=scale), Around(0.5, DOWN), 10, anchored)
        assert -1.0 - state.position[1, 2] == pytest.approx(9.81 / (1000.0 * scale), rel=1e-3)


def test_weakest_cells_leave_fewer_lonely_nodes():
    brittle = replace(RUBBER, failure_strain=0.02)
    lattice = slab((6, 3, 3), material=brittle)
    start = spinning(lattice, [0.0, 1.5, 0.0])
    broken = {}
    for weakest in (False, True):
        state, _ = run(lattice, start, LatticeLaws(weakest_cell=weakest), Around(0.05), 6)
        broken[weakest] = int(state.cell_broken.sum())
    assert 0 < broken[True] <= broken[False]


def test_the_step_is_stable_and_not_far_from_the_limit():
    # Two nodes: w^2 = 2 k/m, Gershgorin's bound is exact: dt = 2/w. With damping (w h)^2 + 2 g h = 4, g = 2 d/m.
    none, free = np.zeros(2), np.zeros(2, np.bool_)
    lattice = springs([[0, 0, 0], [1, 0, 0]], [[0, 1]], 1.0, 1e5)
    assert stable_step(lattice, 1.0, none, none, free) == pytest.approx(4.472136e-3, rel=1e-6)
    damped = springs([[0, 0, 0], [1, 0, 0]], [[0, 1]], 1.0, 1e5, 50.0)
    h = stable_step(damped, 1.0, none, none, free)
    assert 2e5 * h * h + 2 * 100.0 * h == pytest.approx(4.0, rel=1e-12)
    assert frame_substeps(lattice, LatticeLaws(), 1.0) >= 1.0 / (0.5 * 4.472136e-3)


def test_what_would_take_for_ever_is_refused():
    with pytest.raises(InputError, match="substeps a frame: choose a softer"):
        substep_count(1.0, 1e-6)
    stiff = slab((2, 1, 1), (1e-3, 1e-3, 1e-3), SpringMaterial(1e15, 1.0, 0.01))
    with pytest.raises(InputError, match="substeps"):
        result_of(advance_lattice(stiff, rest_state(stiff), LatticeLaws(), Around(1 / 24)))


def test_numbers_that_get_out_of_hand_are_told():
    # The paper's Euler without damping doubles the energy with each step of (w h)^2 = 1.
    lattice = springs([[0, 0, 0], [1.1, 0, 0]], [[0, 1]], 1.0, 1e4, length=1.0, threshold=np.inf)
    with pytest.raises(InputError, match="ran away"):
        run(lattice, resting(lattice), LatticeLaws(paper_euler=True), Around(30.0))


def test_node_contacts_may_not_be_stiffer_than_springs():
    with pytest.raises(ValueError, match="harder"):
        LatticeLaws(nodes=ContactLaw(stiffness=1.5))
