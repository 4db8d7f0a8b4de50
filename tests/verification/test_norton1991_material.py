"""What lattices of springs are worth as an elastic solid: bars, cantilevers, waves, at several resolutions.

Solved as linear equations; E = 1, the closed forms are those of beams of Poisson's ratio 1/4.
"""

import numpy as np
import pytest
from scipy.sparse import csr_matrix, diags
from scipy.sparse.linalg import spsolve

from core.continuum.spring_lattice.blocks import ring_complex, slab_complex
from core.continuum.spring_lattice.elasticity import axial_stiffness, spring_moduli
from core.continuum.spring_lattice.hexahedra import HexahedralComplex, hexahedron_volumes
from core.continuum.spring_lattice.lattice import build_lattice
from core.continuum.spring_lattice.material import SpringMaterial, vary_thresholds
from core.continuum.spring_lattice.state import LatticeLaws
from core.errors import InputError
from tests.spring_lattices import A, Around, B, C, resting, run, slab

UNIT = SpringMaterial(1.0, 1.0, 0.01)
LENGTH = 4.0  # of bars with a square section of side 1


def stiffness_matrix(lattice):
    i, j = lattice.bond_node.T
    u = (lattice.rest_position[j] - lattice.rest_position[i]) / lattice.rest_length[:, None]
    row = np.repeat(np.arange(len(i)), 6)
    column = np.concatenate([3 * i[:, None] + np.arange(3), 3 * j[:, None] + np.arange(3)], axis=1).ravel()
    change = csr_matrix((np.concatenate([-u, u], axis=1).ravel(), (row, column)), (len(i), 3 * len(lattice.mass)))
    return (change.T @ diags(lattice.stiffness) @ change).tocsr()


def solved(lattice, fixed, force):
    """Displacements (n,3) under forces (n,3), with some coordinates (n,3) fixed."""
    free = np.flatnonzero(~fixed.ravel())
    u = np.zeros(fixed.size)
    u[free] = spsolve(stiffness_matrix(lattice)[free][:, free].tocsc(), force.ravel()[free])
    return u.reshape(-1, 3)


def share_of_end(position):
    """(n,) what each node at the far end has of its section."""
    weight = np.where(np.isclose(position[:, 0], LENGTH), 1.0, 0.0)
    for axis in (1, 2):
        weight *= np.where(np.isclose(position[:, axis] % 1.0, 0.0), 0.5, 1.0)
    return weight / weight.sum()


def bar(n, kind, aspect=1.0):
    counts = round(LENGTH * n / aspect), n, n
    return build_lattice(slab_complex(counts, (LENGTH, 1.0, 1.0)), UNIT, kind)


def n_across(lattice):
    """The node at (0, 1, 0)."""
    return int(np.flatnonzero(np.isclose(lattice.rest_position, [0.0, 1.0, 0.0]).all(axis=1))[0])


def pulled(lattice):
    """Young's modulus of a bar, and Poisson's ratio in its middle."""
    x = lattice.rest_position
    fixed = np.zeros(x.shape, bool)
    fixed[:, 0] = x[:, 0] == 0.0
    fixed[0], fixed[n_across(lattice), 2] = True, True
    share = share_of_end(x)
    u = solved(lattice, fixed, share[:, None] * [1.0, 0.0, 0.0])
    near, far = (u[np.isclose(x[:, 0], at), 0].mean() for at in (LENGTH / 4, 3 * LENGTH / 4))
    stretch = (far - near) / (LENGTH / 2)  # away from how the ends are held
    middle = np.isclose(x[:, 0], LENGTH / 2)
    across = u[middle & (x[:, 1] == 1), 1].mean() - u[middle & (x[:, 1] == 0), 1].mean()
    return 1.0 / stretch, -across / stretch


@pytest.mark.parametrize("aspect", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("n", [2, 4])
def test_a_bar_of_both_diagonals_has_the_given_modulus(n, aspect):
    # F = E A dL/L, exactly: all springs at each node are in balance. Round-off of the solution.
    modulus, poisson = pulled(bar(n, C, aspect))
    assert modulus == pytest.approx(1.0, rel=1e-9)
    assert aspect != 1.0 or poisson == pytest.approx(0.25, rel=1e-9)


def test_a_bar_of_alternating_diagonals_comes_near_it_with_the_resolution():
    # Springs at the surface are not in balance. The energy that they give up goes with the surface: 0.06/n, measured.
    loss = {n: 1.0 - pulled(bar(n, B))[0] for n in (1, 2, 4)}
    assert all(0.02 < n * lost < 0.065 for n, lost in loss.items())
    assert loss[4] < 0.55 * loss[2]
    assert pulled(bar(4, B))[1] == pytest.approx(0.25, abs=0.05)


@pytest.mark.parametrize(("kind", "within"), [(A, 0.002), (B, 0.01), (C, 0.002)])
def test_a_tube_of_deformed_cells_has_the_given_modulus(kind, within):
    # F = E A dL/L with A = V/L, between smooth plates; cells are wedges of 0.31 to 0.39 by 0.1 by 0.25. Measured: 3e-4,
    # 4e-3 and 8e-4 off.
    solid = ring_complex((16, 2, 8), 0.8, 1.0, 2.0)
    lattice = build_lattice(solid, UNIT, kind)
    x = lattice.rest_position
    top, bottom = np.isclose(x[:, 2], 2.0), np.isclose(x[:, 2], 0.0)
    fixed = np.repeat((top | bottom)[:, None], 3, axis=1) & [False, False, True]
    beside = int(np.flatnonzero(np.isclose(x[:, 0], 0.0, atol=1e-12) & bottom)[0])
    fixed[np.flatnonzero(bottom)[0]], fixed[beside, 0] = True, True
    lifted = np.where(top, 0.02, 0.0)[:, None] * [0.0, 0.0, 1.0]
    matrix = stiffness_matrix(lattice)
    u = lifted + solved(lattice, fixed, -(matrix @ lifted.ravel()).reshape(-1, 3))
    force = (matrix @ u.ravel()).reshape(-1, 3)[top, 2].sum()
    assert force == pytest.approx(0.01 * hexahedron_volumes(solid).sum() / 2.0, rel=within)


def test_the_seam_of_an_odd_ring_has_both_diagonals():
    # Around 5 cells no alternation closes: the faces of one plane get two diagonals, and nothing is floppy.
    even, odd = (build_lattice(ring_complex((n, 1, 2), 0.8, 1.0, 1.0), UNIT, B) for n in (6, 5))

    def per_cell(n):  # faces around, above and below, inside and outside; one diagonal each
        return n * 2 + n * 3 + n * 2 * 2

    edges = [int((n * 2 * 3) + (n * 1 * 3) + (n * 2 * 2)) for n in (6, 5)]
    assert len(even.rest_length) == edges[0] + per_cell(6)
    assert len(odd.rest_length) == edges[1] + per_cell(5) + 2
    assert np.linalg.matrix_rank(stiffness_matrix(odd).toarray(), tol=1e-9) == 3 * len(odd.mass) - 6


@pytest.mark.parametrize("kind", [B, C])
def test_a_cantilever_bends_as_a_beam_does(kind):
    # w = F L^3/(3 E I) + F L/(k G A) with I = 1/12, k = 5/6, G = E/2.5 (Timoshenko). Edges at the borders of n cells
    # lie farther out than matter does: n cells bend as if I were larger by 2/n^2 at most. Surface and ends of B are
    # softer by 0.13/n.
    beam = 4.0 * LENGTH**3 + LENGTH / (5 / 6 * 0.4)
    ratios = []
    for n in (2, 4):
        lattice = bar(n, kind)
        x = lattice.rest_position
        fixed = np.repeat((x[:, 0] == 0.0)[:, None], 3, axis=1)
        share = share_of_end(x)
        u = solved(lattice, fixed, share[:, None] * [0.0, 0.0, 1.0])
        ratios.append(beam / (share * u[:, 2]).sum())
        assert 1.0 - 0.13 / n - 0.05 < ratios[-1] < 1.0 + 2.0 / n**2
    assert abs(ratios[1] - 1.0) < 0.5 * abs(ratios[0] - 1.0)


def test_moduli_of_a_cube_are_isotropic():
    # C: 1.2, 0.4, 0.4 of E (lambda = mu = 0.4 E). B on a cube of h: k = 0.4 E h of an edge, 0.8 E h of a diagonal,
    # where no other cell shares it a fourth and half of that. A: 0.8 E h and 0.3 E h.
    assert axial_stiffness(np.full((1, 3), 0.4)) == pytest.approx(1.2, rel=1e-14)
    for kind, edge, diagonal in ((A, 0.2, 0.3), (B, 0.1, 0.4), (C, 0.1, 0.2)):
        lattice = build_lattice(slab_complex((1, 1, 1), (2.0,) * 3), UNIT, kind)
        of_edge = np.isclose(lattice.rest_length, 2.0)
        np.testing.assert_allclose(lattice.stiffness[of_edge], 2.0 * edge, rtol=1e-12)
        np.testing.assert_allclose(lattice.stiffness[~of_edge], 2.0 * diagonal, rtol=1e-12)


@pytest.mark.parametrize("kind", [A, B, C])
def test_no_spring_of_any_brick_pushes_by_itself(kind):
    sides = np.exp(np.random.default_rng(1).uniform(-3.0, 3.0, (2000, 3)))
    assert (spring_moduli(sides, kind) > 0.0).all()


@pytest.mark.parametrize("n", [1, 2])
def test_each_resolution_has_the_same_mass_and_first_wave(n):
    # A free bar of length L rings with pi c/L; with a damping ratio z it falls by exp(-2 pi z) each period. Lateral
    # inertia, (pi nu r/L)^2/2, and n cells, (pi h/2L)^2/6, change the frequency by less than 1 %.
    material = SpringMaterial(1e6, 1000.0, 1e3, damping_ratio=0.02)
    lattice = slab((8 * n, n, n), (0.8, 0.1, 0.1), material, C)
    assert lattice.mass.sum() == pytest.approx(8.0, rel=1e-13)
    along = np.cos(np.pi * lattice.rest_position[:, 0] / 0.8)
    state = resting(lattice, 1e-3 * along[:, None] * [1.0, 0.0, 0.0])
    period = 2 * 0.8 / np.sqrt(1e6 / 1e3)
    speeds = []
    run(lattice, state, LatticeLaws(), Around(period / 64), 80,
        seen=lambda now: speeds.append(np.average(now.velocity[:, 0] * along, weights=lattice.mass)))  # fmt: skip
    peak = next(k for k in range(32, 79) if speeds[k] > max(speeds[k - 1], speeds[k + 1]))
    assert peak == pytest.approx(63, abs=2)
    first = 1e-3 * np.average(along * along, weights=lattice.mass)
    assert speeds[peak] / first == pytest.approx(np.exp(-2 * np.pi * 0.02), rel=0.02)


def test_hexahedra_of_a_tube_have_its_volume():
    # n straight sides: area n/2 sin(2 pi/n) (R^2 - r^2).
    solid = ring_complex((12, 1, 6), 0.8, 1.0, 2.0)
    assert (len(solid.node_position), len(solid.cell_node)) == (168, 72)
    exact = 6 * np.sin(np.pi / 6) * (1.0 - 0.64) * 2.0
    assert hexahedron_volumes(solid).sum() == pytest.approx(exact, rel=1e-13)
    lattice = build_lattice(solid, UNIT, A)
    assert len(lattice.rest_length) == 396 + 288
    assert lattice.mass.sum() == pytest.approx(exact, rel=1e-13)


def test_volumes_of_warped_cells_sum_to_that_of_the_block():
    # Faces are shared, whatever their shape: moving inner nodes changes no sum.
    solid = slab_complex((3, 3, 3), (3.0, 3.0, 3.0))
    place = solid.node_position.copy()
    inner = ((place > 0.0) & (place < 3.0)).all(axis=1)
    place[inner] += np.random.default_rng(0).uniform(-0.2, 0.2, (inner.sum(), 3))
    warped = HexahedralComplex(place, solid.cell_node, solid.cell_parity)
    assert hexahedron_volumes(warped).std() > 0.01
    assert hexahedron_volumes(warped).sum() == pytest.approx(27.0, rel=1e-13)


def test_a_folded_cell_is_refused():
    solid = slab_complex((2, 1, 1), (2.0, 1.0, 1.0))
    place = solid.node_position.copy()
    place[np.isclose(place[:, 0], 1.0), 0] = 2.5
    with pytest.raises(InputError, match="1 folded cell"):
        build_lattice(HexahedralComplex(place, solid.cell_node, solid.cell_parity), UNIT)


def test_thresholds_vary_by_the_generator_alone():
    first, again = (vary_thresholds(np.full(1000, 0.01), 0.3, np.random.default_rng(4)) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert 0.007 < first.min() < 0.0071 and 0.0129 < first.max() < 0.013
    with pytest.raises(ValueError, match="vary"):
        vary_thresholds(first, 1.0, np.random.default_rng(4))
