"""Welded grains against the theory of bars and beams, and what ties bear."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.breaking.constraint_lattice.equilibrium import Equilibrium
from core.breaking.constraint_lattice.method import solver_of
from core.breaking.constraint_lattice.structure import WEAKEST, overload, reaction, tensions
from tests.verification.lattices import PAIR, all_of, bars, boxes, crack, lattice, meshed, once, parts, plank

NEAR = 1e-7  # solutions to 1e-9
SIDE = 0.5  # of the blocks of a beam


def solved(structure, load, tolerance=1e-9):
    solver = solver_of(structure)
    solution = solver.solve(all_of(structure), load, tolerance, 20_000, solver.blank())
    assert solution.converged
    return solution.force


def beam(shape, size=3 * (SIDE,), anchored=None):
    """Blocks along x with strength 1 Pa, their places in the grid, and no load."""
    cells = boxes(shape, size)
    structure, joints = lattice(cells, "welded", anchored=anchored)
    return structure, joints, np.array(list(np.ndindex(*shape))), np.zeros((len(structure.position), 6))


def across(structure, joints, place, k):
    """Joints across x between the layers k and k + 1."""
    return np.flatnonzero((place[joints.pair[:, 0], 0] == k) & (place[joints.pair[:, 1], 0] == k + 1))


def test_tension_of_a_bar_is_the_same_all_over():
    # 10 N on each of 2 x 3 ends of .5 x .5 m: 40 Pa, everywhere, and nothing along the bar's sides.
    structure, joints, place, Q = beam((4, 2, 3))
    Q[place[:, 0] == 0, 0], Q[place[:, 0] == 3, 0] = -10.0, 10.0
    ratio = overload(structure, solved(structure, Q), structure.strength, 8.0)
    lengthwise = np.abs(joints.normal[:, 0]) > 0.5
    np.testing.assert_allclose(ratio[lengthwise], 40.0, rtol=NEAR)
    np.testing.assert_allclose(ratio[~lengthwise], 0.0, atol=40.0 * NEAR)


def test_bending_by_moments_is_linear_over_the_section():
    # Stresses sigma = M y / I on both ends: plane sections stay plane, and blocks of one section do not move against
    # each other, so the discrete beam is exact. I = b h^3 / 12, at the edges sigma = M c / I.
    structure, joints, place, Q = beam((5, 2, 4))
    z = structure.position[:, 2] - 2 * SIDE
    area, height, width = SIDE**2, 4 * SIDE, 2 * SIDE
    inertia = width * height**3 / 12.0
    M = 3.0
    for end, sign in ((0, -1.0), (4, 1.0)):
        here = place[:, 0] == end
        Q[here, 0] = sign * M / inertia * z[here] * area
        # The part of the stress within each block: integral of sigma z' over its end, moment y = z f_x.
        Q[here, 4] = sign * M / inertia * SIDE**4 / 12.0 / structure.scale
    ratio = overload(structure, solved(structure, Q), structure.strength, 8.0)
    for k in range(4):
        cut = across(structure, joints, place, k)
        y = joints.middle[cut, 2] - 2 * SIDE
        sigma = M / inertia * (y + 0.5 * SIDE)  # at the upper edge of each face, at the lower one for pressure
        pressed = M / inertia * (-y + 0.5 * SIDE)
        np.testing.assert_allclose(ratio[cut], np.maximum(sigma, pressed / 8.0), rtol=1e-6)
        assert ratio[cut].max() == pytest.approx(M * 0.5 * height / inertia, rel=1e-6)


@pytest.mark.parametrize("size", [(0.5, 0.5, 0.5), (0.5, 0.3, 0.8)])
def test_cantilever_of_single_blocks(size):
    # Statically determinate: M = F (L - x) at each face; sigma = M c / I = 6 M / (b h^2) with tau = F / A by Rankine.
    anchored = np.arange(8) == 0
    structure, joints, _, Q = beam((8, 1, 1), size, anchored)
    F = 2.0
    Q[7, 2] = -F
    _, b, h = size
    x = joints.middle[:, 0]
    M = F * (7.5 * size[0] - x)  # the force acts on the centre of the last block
    sigma, tau = 6.0 * M / (b * h**2), F / (b * h)
    expected = 0.5 * sigma + np.sqrt(0.25 * sigma**2 + tau**2)
    np.testing.assert_allclose(overload(structure, solved(structure, Q), structure.strength, 8.0), expected, rtol=1e-6)


def test_cantilever_of_many_blocks_has_the_stress_of_beam_theory_at_its_root():
    # Three blocks high, with forces spread over the end. Shear bends the sections of blocks a little, and the root is
    # held flat: for a length of 4 heights M c / I holds within a few per cent of the largest stress.
    shape, F = (13, 1, 3), 1.0
    grid = np.array(list(np.ndindex(*shape)))
    structure, joints, place, Q = beam(shape, anchored=grid[:, 0] == 0)
    Q[place[:, 0] == 12, 2] = -F / 3.0
    ratio = overload(structure, solved(structure, Q), structure.strength, 8.0)
    height = 3 * SIDE
    for k in (0, 6):
        cut = across(structure, joints, place, k)
        M = F * (12.5 * SIDE - joints.middle[cut[0], 0])
        assert ratio[cut].max() == pytest.approx(6.0 * M / (SIDE * height**2), rel=0.05)
        assert cut[np.argmax(ratio[cut])] == cut[np.argmax(joints.middle[cut, 2])]


def test_a_bent_wall_of_one_layer_cracks_across_where_it_is_stretched_most():
    structure, joints, _, Q = beam((9, 1, 1))
    Q[[0, 8], 2], Q[4, 2] = 1.0, -2.0  # three points
    force = solved(structure, Q)
    ratio = overload(structure, force, structure.strength, 8.0)
    outcome = crack(
        structure, joints, Equilibrium(structure), 1.01 / ratio.max() * Q, once(worst_share=0.9, settle=False)
    )
    assert set(np.flatnonzero(outcome.broken)) <= {3, 4} and outcome.broken.any()


def test_torsion_of_a_bar_of_single_blocks():
    # Rigid faces that turn: tau(r) = T r / P with P = a^4 / 6, at the corner sqrt(2) a / 2: 4.243 T / a^3.
    # Saint-Venant, whose sections warp, has 4.808 T / a^3 in the middle of the sides: 12 % more.
    structure, _, _, Q = beam((5, 1, 1))
    T = 2.0
    Q[0, 3], Q[4, 3] = -T / structure.scale, T / structure.scale
    ratio = overload(structure, solved(structure, Q), structure.strength, 8.0)
    np.testing.assert_allclose(ratio, 3.0 * np.sqrt(2.0) * T / SIDE**3, rtol=1e-6)
    np.testing.assert_allclose(ratio, 4.808 * T / SIDE**3, rtol=0.13)


def test_torsion_of_a_bar_of_many_blocks_passes_every_section():
    # The moment of what a section transmits about the bar's axis is T; at the outside it is larger than inside.
    structure, joints, place, Q = beam((7, 3, 3))
    r = structure.position - (0.0, 1.5 * SIDE, 1.5 * SIDE)
    around = np.cross((1.0, 0.0, 0.0), r * (0, 1, 1))
    T = 2.0
    for end, sign in ((0, -1.0), (6, 1.0)):
        here = place[:, 0] == end
        weight = np.square(around[here]).sum()
        Q[here, :3] = sign * T / weight * around[here]
    force = solved(structure, Q)
    ratio = overload(structure, force, structure.strength, 8.0)
    for k in range(6):
        cut = across(structure, joints, place, k)
        arm = joints.middle[cut] - (0.0, 1.5 * SIDE, 1.5 * SIDE)
        moment = np.cross(arm, force[cut, :3])[:, 0].sum() + structure.scale * force[cut, 3].sum()
        assert moment == pytest.approx(T, rel=NEAR)  # what the layer ahead does to the one behind
        away = np.linalg.norm(arm[:, 1:], axis=1)
        assert ratio[cut][np.argmin(away)] < ratio[cut][away > 0.9 * SIDE].min()


def test_shear_is_borne_as_the_tension_across_it():
    # Rankine: pure shear tau has the principal stresses tau and -tau.
    structure, _, _, _ = beam((2, 1, 1))
    force = np.array([[0.0, 0.6, -0.8, 0.0, 0.0, 0.0]])
    assert overload(structure, force, np.ones(1), 8.0) == pytest.approx([1.0], rel=1e-15)


@given(st.lists(st.floats(-10, 10), min_size=3, max_size=3), st.floats(1.0, 20.0))
def test_principal_stress_of_a_force(force, compression):
    # The eigenvalues of ((N, V), (V, 0)); the least one counts against `compression` strengths.
    structure, _, _, _ = beam((2, 1, 1))
    N, V = force[0], np.hypot(force[1], force[2])
    low, high = np.linalg.eigvalsh([[N, V], [V, 0.0]])
    expected = max(high, -low / compression)
    found = overload(structure, np.array([[*force, 0, 0, 0]], float), np.ones(1), compression)
    assert found == pytest.approx([expected], rel=1e-9, abs=1e-7)  # V from squares: root of 1e-16 times 10


@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1e6), st.floats(1.0, 100.0))
def test_overload_is_a_ratio(seed, size, compression):
    structure, _ = lattice(boxes((2, 2, 2), (1.0, 0.6, 0.3)), "welded")
    rng = np.random.default_rng(seed)
    force, strength = rng.normal(size=(len(structure.pair), 6)), rng.uniform(0.1, 1.0, len(structure.pair))
    ratio = overload(structure, force, strength, compression)
    assert (ratio > 0.0).all()
    np.testing.assert_allclose(overload(structure, size * force, strength, compression), size * ratio, rtol=1e-12)
    np.testing.assert_allclose(overload(structure, force, size * strength, compression), ratio / size, rtol=1e-12)
    even = overload(structure, force, strength, 1.0)
    np.testing.assert_allclose(overload(structure, -force, strength, 1.0), even, rtol=1e-12)  # alike in both
    assert (even >= ratio * (1 - 1e-12)).all() and (ratio >= even / compression * (1 - 1e-12)).all()
    both = np.maximum(ratio, overload(structure, -force, strength, compression))
    np.testing.assert_allclose(both, even, rtol=1e-12)


@pytest.mark.parametrize("kind", ["dual", "braced"])
def test_bars_bear_tension_and_eight_times_the_pressure(kind):
    structure, _ = lattice(plank((4, 3, 3)), kind)
    pull = np.random.default_rng(0).normal(size=len(structure.pair))
    ratio = overload(structure, tensions(structure, pull), structure.strength, 8.0)
    np.testing.assert_allclose(ratio, np.maximum(pull, -pull / 8.0) / structure.strength, rtol=1e-12)


def test_what_has_no_strength_bears_nothing():
    structure, _ = bars([(0, 0, 0), (1, 0, 0)], [1, 1], [(0, 1)])
    for pull, wanted in ((0.0, 0.0), (1.0, 0.9 / WEAKEST), (1e12, 0.9e12 / WEAKEST)):
        ratio = overload(structure, tensions(structure, np.array([pull])), np.zeros(1), 8.0)
        assert ratio >= wanted and np.isfinite(ratio)


@pytest.mark.parametrize("force", [-7.9, -8.1, 0.99, 1.01])
@pytest.mark.parametrize("what", ["blocks of points", "welded blocks", "two tetrahedra"])
def test_bars_break_under_tension_and_under_eight_times_the_pressure(what, force):
    # S8 of docs/papers/smith2001.md: pushed with 7.9 strengths intact, with 8.1 broken; pulled with 1.01 broken.
    if what == "two tetrahedra":
        structure, joints = lattice(meshed(*PAIR), "dual")
    else:
        structure, joints = lattice(boxes((5, 1, 1)), "welded" if what == "welded blocks" else "dual")
    Q, last = np.zeros((len(structure.position), 6)), len(structure.position) - 1
    Q[0, :3], Q[last, :3] = (sign * force * structure.strength[0] * structure.direction[0] for sign in (1.0, -1.0))
    outcome = crack(structure, joints, solver_of(structure), Q, once())
    assert outcome.broken.any() == (force in (-8.1, 1.01))
    expected = max(force, -force / 8.0)
    np.testing.assert_allclose(outcome.ratio, expected, rtol=NEAR)
    assert (parts(structure, outcome.broken).max() > 0) == outcome.broken.any()


@pytest.mark.parametrize("kind", ["dual", "welded"])
def test_forces_in_a_bar_that_is_pushed_at_one_end_grow_with_the_mass_behind(kind):
    # Inertia relief: between blocks i and i + 1 of n the force is F (n - 1 - i)/n, of pressure: F x/L.
    structure, _ = lattice(boxes((6, 1, 1), 3 * (SIDE,)), kind)
    Q = np.zeros((6, 6))
    Q[0, 0] = 3.0
    force = solved(structure, Q)
    N = np.einsum("ti,ti->t", force[:, :3], structure.normal)
    np.testing.assert_allclose(N, -3.0 * np.arange(5, 0, -1) / 6.0, rtol=NEAR)
    again = np.sum(reaction(structure, force)[:, 0])
    assert again == pytest.approx(0.0, abs=1e-12)


@given(st.floats(0.2, 5.0), st.floats(0.2, 5.0), st.floats(0.2, 5.0))
def test_a_joint_of_any_rectangle_has_the_stress_of_its_edges(a, b, c):
    # A moment m about y or z on a face b x c: 6 m/(b c^2) and 6 m/(c b^2), and the sum of both at the corner.
    structure, _ = lattice(boxes((2, 1, 1), (a, b, c)), "welded")
    m = np.array([0.3, -0.2])
    force = np.zeros((1, 6))
    force[0, 4:] = m / structure.scale
    expected = 6.0 * (0.3 / (b * c**2) + 0.2 / (c * b**2))
    assert overload(structure, force, structure.strength, 8.0) == pytest.approx([expected], rel=1e-9)


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=10)
def test_square_faces_are_stressed_alike_at_any_size(seed):
    # All directions in a square have the same moment, so round-off would say where bending stresses its edges.
    rng = np.random.default_rng(seed)
    turn, cells = np.linalg.qr(rng.normal(size=(3, 3)))[0], boxes((2, 2, 2))
    turn *= np.linalg.det(turn)

    def placed(size):
        return replace(
            cells,
            vertices=size * cells.vertices @ turn.T,
            bond_area=size**2 * cells.bond_area,
            bond_normal=cells.bond_normal @ turn.T,
            bond_centroid=size * cells.bond_centroid @ turn.T,
            volume=size**3 * cells.volume,
            centroid=size * cells.centroid @ turn.T,
            site=size * cells.site @ turn.T,
            second_moment=size**5 * turn @ cells.second_moment @ turn.T,
        )

    one, *others = (lattice(placed(size), "welded")[0] for size in (1.0, 0.01, 100.0, rng.uniform(0.1, 10.0)))
    for other in others:
        np.testing.assert_allclose(other.bend, one.bend, atol=1e-6 * np.abs(one.bend).max())
