"""Cells that resist being pressed flat: forces are those of their energy, both momenta are kept; hard surfaces."""

import numpy as np
import pytest

from core.continuum.spring_lattice.cell_volumes import (
    measure_rest_cells,
    soften_grown_cells,
    volume_energy,
    volume_rows,
)
from core.continuum.spring_lattice.energy import lattice_energy, lattice_momentum
from core.continuum.spring_lattice.hexahedra import HexahedralComplex, hexahedron_volumes
from core.continuum.spring_lattice.state import ContactLaw, LatticeLaws
from tests.spring_lattices import DOWN, RUBBER, Around, resting, run, slab

HARD = ContactLaw(stiffness=np.inf, friction=0.5)


@pytest.mark.parametrize("laws", [LatticeLaws(bulk_modulus=2e5), LatticeLaws(flat_modulus=2e5)])
def test_forces_are_those_of_the_energy(laws):
    # f = -dW/dx by central differences, against the change of velocity in one short step with and without.
    lattice = slab((2, 1, 1))
    rng = np.random.default_rng(4)
    squeezed = lattice.rest_position * [1.0, 1.0, 0.35] + 0.05 * rng.normal(size=lattice.rest_position.shape)

    def energy(x):
        return volume_energy(lattice, _moved(lattice, x), laws)

    dt = 1e-7
    with_, without = (
        run(lattice, _moved(lattice, squeezed), law, Around(dt))[0].velocity for law in (laws, LatticeLaws())
    )
    force = (with_ - without) * lattice.mass[:, None] / dt
    assert np.abs(force).max() > 1.0
    for i, k in ((0, 0), (3, 1), (7, 2), (10, 2)):
        step = np.zeros_like(squeezed)
        step[i, k] = 1e-5
        slope = (energy(squeezed + step) - energy(squeezed - step)) / 2e-5
        assert force[i, k] == pytest.approx(-slope, abs=1e-4 * np.abs(force).max())


def _moved(lattice, x):
    state = resting(lattice)
    object.__setattr__(state, "position", np.ascontiguousarray(x))
    return state


def test_both_momenta_and_the_energy_are_kept():
    # To round-off, and to the order of the step: see the test of springs alone.
    lattice = slab((3, 2, 2))
    laws = LatticeLaws(bulk_modulus=2e5, flat_modulus=2e5)
    centre = np.average(lattice.rest_position, axis=0, weights=lattice.mass)
    start = resting(lattice, np.cross([0.0, 1.0, 2.0], lattice.rest_position - centre) * 1.5)
    totals = []
    state, _ = run(lattice, start, laws, Around(0.02), 60,
                   seen=lambda s: totals.append(lattice_energy(lattice, s, laws, Around(0.02)).total))  # fmt: skip
    for first, last in zip(*(lattice_momentum(lattice, s, np.zeros(3)) for s in (start, state)), strict=True):
        np.testing.assert_allclose(last, first, atol=1e-10 * lattice.mass.sum())
    assert np.abs(np.array(totals) / totals[0] - 1.0).max() < 0.03


def test_a_block_that_falls_too_hard_is_not_left_inside_out():
    # 1 m of 20 kPa that falls at 8 m/s, faster than its waves of 4.5 m/s: springs alone let cells turn over for good.
    soft = type(RUBBER)(2e4, 1000.0, 1e3, damping_ratio=0.1)
    lattice = slab((5, 5, 5), (1.0, 1.0, 1.0), soft)

    def inside_out(laws):
        state, _ = run(lattice, resting(lattice, [0.0, 0.0, -8.0]), laws, Around(1 / 24, DOWN * 0.2, floor=-0.05), 40)
        solid = HexahedralComplex(state.position, lattice.cell_node, np.zeros(len(lattice.cell_node), np.int64))
        return int((hexahedron_volumes(solid) <= 0.0).sum())

    assert inside_out(LatticeLaws(surface=HARD)) > 5
    assert inside_out(LatticeLaws(surface=HARD, flat_modulus=4e4)) == 0


def test_nodes_stop_at_a_hard_floor_and_bear_the_weight():
    lattice = slab((2, 2, 2), (0.2, 0.2, 0.2), type(RUBBER)(1e5, 1000.0, 1e3, damping_ratio=0.3))
    around = Around(1 / 24, DOWN, floor=0.0)
    state, reports = run(lattice, resting(lattice), LatticeLaws(surface=HARD), around, 48)
    assert state.position[:, 2].min() > -1e-9
    assert reports[-1].impulse[2] / around.dt == pytest.approx(9.81 * lattice.mass.sum(), rel=1e-3)
    slope = Around(1 / 24, 9.81 * np.array([0.5, 0.0, -np.sqrt(0.75)]), floor=0.0)
    # tan 30 = 0.577 is more than the 0.5 of its friction: it slides, with g (sin 30 - 0.5 cos 30).
    slid, _ = run(lattice, state, LatticeLaws(surface=HARD), slope, 12)
    later, _ = run(lattice, slid, LatticeLaws(surface=HARD), slope, 12)
    gained = lattice_momentum(lattice, later, np.zeros(3))[0] - lattice_momentum(lattice, slid, np.zeros(3))[0]
    pull = (0.5 - 0.5 * np.sqrt(0.75)) * 9.81 * lattice.mass.sum() * 0.5
    assert gained[0] == pytest.approx(pull, rel=0.05)


def test_cells_that_were_pressed_flat_for_good_swing_no_faster_than_springs():
    # Pressed to a quarter and twice as wide, sides are four times as large, and w^2 sixteen times, at one modulus.
    lattice, laws = slab((2, 2, 2)), LatticeLaws(bulk_modulus=1e5, flat_modulus=1e5, yield_strain=0.05)
    rest = measure_rest_cells(lattice)
    rows = volume_rows(lattice, laws, rest)
    soften_grown_cells(rows, lattice, laws, rest, lattice.rest_position)
    np.testing.assert_array_equal(rows, volume_rows(lattice, laws, rest))
    flat = lattice.rest_position * [2.0, 2.0, 0.25]
    before = rows.copy()
    soften_grown_cells(rows, lattice, laws, rest, flat)
    for field, most in (("bulk_energy", 1.0), ("flat_energy", 1.5)):
        assert (rows[field] <= before[field]).all() and (rows[field] < before[field]).any()
        # Of one cell alone: B V |dj/dx|^2/(m/8), half of that, within what springs alone have at their fastest node.
        rate = 4.0 * rows[field] * 0.5 * (16.0 + 2.0 * 0.25) / (RUBBER.density * 1.0)
        fastest = (_sums_of_stiffness(lattice) / lattice.mass).max()
        assert (rate <= most * fastest * (1.0 + 1e-12)).all()
    soften_grown_cells(rows, lattice, laws, rest, lattice.rest_position)
    assert (rows["bulk_energy"] < before["bulk_energy"]).any(), "what is lost does not come back"


def _sums_of_stiffness(lattice):
    return sum(np.bincount(end, lattice.stiffness, len(lattice.mass)) for end in lattice.bond_node.T)
