"""Smith, Witkin, Baraff 2001: the equations of the lattice, by numbers that were computed apart from this code.

Vectors V1 to V6 and resolutions are those of docs/papers/smith2001.md.
"""

import numpy as np
import pytest

from core.breaking.constraint_lattice.dual import Dual
from core.breaking.constraint_lattice.equilibrium import Equilibrium
from core.breaking.constraint_lattice.growth import moderate, moderate_printed, strong
from core.breaking.constraint_lattice.rigid import rigid_motion, rigid_velocities
from core.breaking.constraint_lattice.structure import accelerated, momenta, reaction, tensions
from tests.verification.lattice_reference import jacobian, solve_by_cg
from tests.verification.lattices import (
    KINDS,
    PAIR,
    all_of,
    bars,
    boxes,
    kuhn,
    lambdas,
    lattice,
    loads,
    meshed,
    plank,
    torque,
)

K5 = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.3, 0.4, 0.5)])
EDGES = [(a, b) for a in range(5) for b in range(a + 1, 5)]
#: Minimum-norm lambda of the redundant K5, V2, to the digits that are given there.
K5_FORCES = [
    -0.139782983, -0.192244429, -0.191902537, 0.351439075, -0.113720477, 0.040414583, 0.234430620, 0.073783050,
    0.280010384, -0.162998080,
]  # fmt: skip
DIGITS = 1e-9


def pull(count, body, force):
    load = np.zeros((count, 6))
    load[body, :3] = force
    return load


def k5(**how):
    structure, _ = bars(K5, np.arange(1.0, 6.0), EDGES, **how)
    return structure, pull(5, 4, (0, 0, -1.0))


def test_two_tetrahedra_under_one_force():
    # V1: volumes 1/6 and 1/3, masses with 2500 kg/m^3, J, A = .0036, b = -.138564065 and what follows.
    cells = meshed(*PAIR)
    structure, joints = lattice(cells, "dual")
    np.testing.assert_allclose(cells.volume, (1 / 6, 1 / 3), rtol=1e-15)
    np.testing.assert_allclose(joints.area, 0.8660254, atol=1e-7)
    assert len(cells.outer_triangle) == 6
    np.testing.assert_allclose(structure.mass, (416.666667, 833.333333), atol=1e-6)
    np.testing.assert_allclose(structure.position, [3 * [0.25], 3 * [0.5]], rtol=1e-15)
    J = jacobian(structure).toarray()
    np.testing.assert_allclose(J, [3 * [-0.577350269] + 3 * [0.577350269]], atol=DIGITS)
    w = np.repeat(structure.inverse_mass, 3)
    np.testing.assert_allclose(J @ (w[:, None] * J.T), [[0.0036]], rtol=1e-15)
    Q = pull(2, 0, (0, 0, -100.0))
    np.testing.assert_allclose(-J @ (w * Q[:, :3].ravel()), [-0.138564065], atol=DIGITS)
    for solution in (
        solve_by_cg(structure, all_of(structure), Q),
        Dual(structure).solve(all_of(structure), Q, 1e-12, 100, np.zeros(1)),
    ):
        np.testing.assert_allclose(lambdas(structure, solution), [-38.490017946], atol=DIGITS)
        R = reaction(structure, solution.force)
        np.testing.assert_allclose(R[0, :3], 22.222222222, atol=DIGITS)
        a = accelerated(structure, Q + R)[:, :3]
        expected = (0.0533333, 0.0533333, -0.1866667), (-0.0266667, -0.0266667, -0.0266667)
        np.testing.assert_allclose(a, expected, atol=1e-7)


def test_two_tetrahedra_pulled_apart():
    # V1: 10 N on both ends along the bar is a tension of 10 N in it.
    structure, _ = lattice(meshed(*PAIR), "dual")
    Q = np.zeros((2, 6))
    Q[:, :3] = 10.0 * np.array([[1.0], [-1.0]]) * structure.direction[0]
    assert lambdas(structure, solve_by_cg(structure, all_of(structure), Q)) == pytest.approx([-10.0], rel=1e-14)


def test_jacobian_is_the_derivative_of_the_lengths():
    # C_i = |p_a - p_b| - d_i. Central differences of h: error h^2 |C'''|/6 < 1e-10 for bars of 0.3 and more, and
    # round-off 1e-16/h.
    structure, _ = k5()
    h, J = 1e-5, np.zeros((10, 15))
    a, b = structure.pair.T
    for k in range(15):
        ahead, behind = K5.copy(), K5.copy()
        ahead.flat[k] += h
        behind.flat[k] -= h
        C = [np.linalg.norm(p[a] - p[b], axis=1) for p in (ahead, behind)]
        J[:, k] = (C[0] - C[1]) / (2 * h)
    np.testing.assert_allclose(jacobian(structure).toarray(), J, atol=1e-9)


def test_redundant_bars_get_the_forces_of_least_norm_from_zero_only():
    # V2: rank 9 of 10. From ones the norm is .848522388, with the Jacobi preconditioner .638741547; what they do to
    # the points is the same.
    structure, Q = k5()
    J, w = jacobian(structure).toarray(), np.repeat(structure.inverse_mass, 3)
    A = J @ (w[:, None] * J.T)
    assert np.linalg.matrix_rank(A) == 9
    everything = all_of(structure)
    found = solve_by_cg(structure, everything, Q, 1e-14)
    force = lambdas(structure, found)
    np.testing.assert_allclose(force, K5_FORCES, atol=DIGITS)
    assert np.linalg.norm(force) == pytest.approx(0.629900578, abs=DIGITS)
    b = -J @ (w * Q[:, :3].ravel())
    np.testing.assert_allclose(force, np.linalg.pinv(A, rcond=1e-10) @ b, atol=1e-13)  # round-off times kappa
    ones = solve_by_cg(structure, everything, Q, 1e-14, start=np.ones(10))
    jacobi = Dual(structure).solve(everything, Q, 1e-13, 1000, np.zeros(10))
    assert np.linalg.norm(lambdas(structure, ones)) == pytest.approx(0.848522388, abs=DIGITS)
    assert np.linalg.norm(lambdas(structure, jacobi)) == pytest.approx(0.638741547, abs=DIGITS)
    for other in (ones, jacobi):
        R = reaction(structure, other.force)
        np.testing.assert_allclose(R, reaction(structure, found.force), atol=1e-11)  # page: 1.5e-12


def test_equilibrium_of_redundant_bars_has_least_norm_as_well():
    # The soft ground of 1e-11 and a tolerance of 1e-11.
    structure, Q = k5()
    solver = Equilibrium(structure)
    solution = solver.solve(all_of(structure), Q, 1e-11, 1000, solver.blank())
    np.testing.assert_allclose(lambdas(structure, solution), K5_FORCES, atol=1e-8)


def test_prestress_that_no_displacement_makes_is_left_out():
    # V2: C = .01 everywhere has a part of .0056852 out of the range of J. Resolution 4.3.
    structure, _ = k5()
    kC = np.full(10, 0.01)
    solution = solve_by_cg(structure, all_of(structure), np.zeros((5, 6)), 1e-14, kC=kC)
    J, w = jacobian(structure).toarray(), np.repeat(structure.inverse_mass, 3)
    A = J @ (w[:, None] * J.T)
    left = kC + A @ lambdas(structure, solution)
    assert np.linalg.norm(left) == pytest.approx(0.0056852, abs=1e-7)
    np.testing.assert_allclose(J.T @ left, 0.0, atol=1e-13)
    assert solution.converged


def test_prestress_as_loads_gives_the_same_forces_as_kC():
    # Bars that are too long, C > 0, are pulled short: with C = J W J^T e / k equation (1) is A lambda = -A e, a tension
    # e in all bars but for what is no displacement's; the loads J^T e say the same.
    structure, _ = k5(prestress=np.linspace(-0.5, 1.0, 10))
    J, w = jacobian(structure).toarray(), np.repeat(structure.inverse_mass, 3)
    e = structure.prestress
    kC = J @ (w * (J.T @ e))
    apart = -reaction(structure, tensions(structure, e))
    np.testing.assert_allclose(apart[:, :3].ravel(), J.T @ e, atol=1e-15)
    by_loads = solve_by_cg(structure, all_of(structure), apart, 1e-14)
    by_C = solve_by_cg(structure, all_of(structure), np.zeros((5, 6)), 1e-14, kC=kC)
    np.testing.assert_allclose(by_loads.force, by_C.force, atol=1e-12)
    pull = -lambdas(structure, by_C)
    np.testing.assert_allclose(J.T @ (pull - e), 0.0, atol=1e-12)


@pytest.mark.parametrize("kind", ["dual", "braced"])
def test_prestress_of_what_is_left_is_that_of_the_equation(kind):
    # Ties that keep their tensions and let go of those that are gone, as `crack` has them, against equation (1) with
    # the loads J^T e of all ties: equal where lambda is unique, else up to what the ties hold among themselves.
    cells = plank((4, 3, 3))
    structure, _ = lattice(cells, kind, prestress=np.random.default_rng(0).normal(size=len(cells.bond_area)))
    gone = np.random.default_rng(1).uniform(size=len(structure.pair)) < 0.1
    e = structure.prestress
    let_go = -reaction(structure, tensions(structure, np.where(gone, e, 0.0)))
    found = solve_by_cg(structure, ~gone, let_go, 1e-12).force + tensions(structure, np.where(gone, 0.0, e))
    literal = solve_by_cg(structure, ~gone, -reaction(structure, tensions(structure, e)), 1e-12).force
    size = np.linalg.norm(literal)
    if kind == "dual":
        np.testing.assert_allclose(found, literal, atol=1e-9 * size)
    self_stress = reaction(structure, found - literal)
    np.testing.assert_allclose(self_stress, 0.0, atol=1e-9 * size)


def test_growth_functions_at_the_angles_of_the_page():
    # V3: printed, described, equation (4).
    table = {
        0: (0, 0.5, 0.001),
        15: (0.133975, 0.533494, 0.25075),
        30: (0.5, 0.625, 0.75025),
        45: (1, 0.75, 1),
        60: (1.5, 0.875, 0.75025),
        75: (1.866025, 0.966506, 0.25075),
        90: (2, 1, 0.001),
    }
    theta = np.radians(list(table))
    for function, column in zip((moderate_printed, moderate, strong), np.array(list(table.values())).T, strict=True):
        np.testing.assert_allclose(function(theta), column, atol=5e-7)  # digits given


@pytest.mark.parametrize(("count", "tets", "faces"), [(1, 6, 6), (2, 48, 72), (3, 162, 270), (4, 384, 672)])
def test_lattices_of_kuhn_grids_have_full_row_rank(count, tets, faces):
    # V4.
    structure, _ = lattice(kuhn(count), "dual")
    assert (len(structure.position), len(structure.pair)) == (tets, faces)
    assert np.linalg.matrix_rank(jacobian(structure).toarray()) == faces
    assert structure.loose and structure.determined == (count > 1)  # six in a cube have their centres in a plane


@pytest.mark.parametrize("seed", [0, 1])
def test_lattices_of_delaunay_tetrahedra_are_loose_and_braced_ones_are_rigid(seed):
    # Resolution 4.1: rank m of the paper's lattice; 4.2: rank 3N - 6 with braces, which are then too many.
    cells = plank((5, 4, 3), seed=seed)
    dual, braced = (lattice(cells, kind)[0] for kind in ("dual", "braced"))
    N, m = len(dual.position), len(dual.pair)
    assert np.linalg.matrix_rank(jacobian(dual).toarray()) == m < 3 * N - 6
    assert np.linalg.matrix_rank(jacobian(braced).toarray(), tol=1e-9) == 3 * N - 6 < len(braced.pair)
    assert dual.determined and not braced.determined


def test_forces_of_a_rigid_lattice_are_those_of_the_pseudo_inverse():
    # Resolution 4.2; CG to 1e-12, kappa 1e4 to 1e5.
    structure, _ = lattice(plank((4, 3, 3)), "braced", by_area=False)
    Q = loads(structure, np.random.default_rng(0))
    J, w = jacobian(structure).toarray(), np.repeat(structure.inverse_mass, 3)
    A = J @ (w[:, None] * J.T)
    expected = -np.linalg.pinv(A, rcond=1e-11, hermitian=True) @ (J @ (w * Q[:, :3].ravel()))
    force = lambdas(structure, solve_by_cg(structure, all_of(structure), Q, 1e-12))
    np.testing.assert_allclose(force, expected, atol=1e-7 * np.linalg.norm(expected))


def test_motion_of_four_points_with_the_velocities_of_a_rigid_body():
    # V5: points 0, e1, e2, e3 with masses 1..4, exact recovery.
    p, mass = np.concatenate([np.zeros((1, 3)), np.eye(3)]), np.arange(1.0, 5.0)
    v = np.array([1.0, 2, 3]) + np.cross([0.5, -1, 2], p)
    motion, label = fitted(p, mass, v), np.zeros(4, int)
    np.testing.assert_allclose(motion.spin, [(0.5, -1, 2)], atol=1e-14)
    np.testing.assert_allclose(rigid_velocities(motion, label, p)[:, :3], v, atol=1e-14)
    v[3] += (0, 0.3, -0.2)
    motion = fitted(p, mass, v)
    np.testing.assert_allclose(motion.velocity, [(0, 2.32, 3.27)], atol=1e-14)
    np.testing.assert_allclose(motion.spin, [(0.402126176, -1.013523876, 1.960683165)], atol=DIGITS)
    r = p - motion.centre
    L = np.cross(r, mass[:, None] * (v - motion.velocity)).sum(axis=0)
    np.testing.assert_allclose(L, (2.77, -1.46, 6.36), atol=1e-14)
    after = np.cross(r, mass[:, None] * (rigid_velocities(motion, label, p)[:, :3] - motion.velocity)).sum(axis=0)
    np.testing.assert_allclose(after, L, atol=1e-14)
    # The same as the least squares by the masses of v + omega x r.
    each = [np.concatenate([np.eye(3), np.cross(np.eye(3), x).T], axis=1) for x in r]
    rows = np.concatenate(each) * np.sqrt(np.repeat(mass, 3))[:, None]
    fit = np.linalg.lstsq(rows, (np.sqrt(mass)[:, None] * v).ravel(), rcond=None)[0]
    np.testing.assert_allclose(np.concatenate([motion.velocity[0], motion.spin[0]]), fit, atol=1e-14)


def test_motion_of_two_points_has_no_spin_about_their_line_and_that_of_one_none():
    # V5: the first two points.
    p, mass = np.concatenate([np.zeros((1, 3)), np.eye(3)]), np.arange(1.0, 5.0)
    v = np.array([1.0, 2, 3]) + np.cross([0.5, -1, 2], p)
    motion = fitted(p[:2], mass[:2], v[:2])
    np.testing.assert_allclose(motion.velocity, [(1, 10 / 3, 11 / 3)], rtol=1e-14)
    np.testing.assert_allclose(motion.spin, [(0, -1, 2)], atol=1e-14)
    alone = fitted(p[3:], mass[3:], v[3:])
    np.testing.assert_allclose(alone.velocity, v[3:], rtol=1e-14)
    assert (alone.spin == 0.0).all()


def fitted(p, mass, v):
    label = np.zeros(len(p), np.int64)
    momentum = np.concatenate([mass[:, None] * v, np.zeros((len(p), 3))], axis=1)
    return rigid_motion(label, p, mass, np.zeros((len(p), 3, 3)), momentum)


def test_total_and_incremental_loads_are_equal_after_twenty_removals():
    # V6, resolution 4.4: with Q + J^T lambda of the bars that are left as the load the solution is the increment.
    structure, _ = lattice(kuhn(2), "dual")
    rng = np.random.default_rng(0)
    Q, holds = loads(structure, rng), all_of(structure)
    first = solve_by_cg(structure, holds, Q, 1e-13).force
    holds[rng.permutation(len(holds))[:20]] = False
    kept = np.where(holds[:, None], first, 0.0)
    more = solve_by_cg(structure, holds, Q + reaction(structure, kept), 1e-13).force
    total = solve_by_cg(structure, holds, Q, 1e-13).force
    assert np.abs(more).max() > 0.1
    np.testing.assert_allclose(kept + more, total, atol=1e-11 * np.linalg.norm(total))  # CG to 1e-13, kappa below 1e3


@pytest.mark.parametrize("kind", KINDS)
def test_forces_in_ties_change_no_momentum(kind):
    # sum Q^ = 0 and sum r x Q^ = 0, for any forces; round-off of sums. The body is a hundred times its size away.
    for offset in (0.0, 100.0):
        cells = boxes((3, 3, 4), (1.0, 0.5, 0.7), offset) if kind == "welded" else plank((5, 4, 3))
        structure, _ = lattice(cells, kind)
        rng = np.random.default_rng(1)
        force = rng.normal(size=(len(structure.pair), 6))
        if structure.points:
            force = np.concatenate([rng.normal(size=(len(force), 1)) * structure.direction, 0.0 * force[:, 3:]], axis=1)
        R = reaction(structure, force)
        size = np.abs(R).sum()
        np.testing.assert_allclose(R[:, :3].sum(axis=0), 0.0, atol=1e-12 * size)
        np.testing.assert_allclose(torque(structure, R), 0.0, atol=1e-12 * size * max(1.0, offset))


@pytest.mark.parametrize("kind", KINDS)
def test_no_length_accelerates(kind):
    # Equation (2): J W (Q + Q^) = 0 in a truss; a rigid structure moves as a rigid body does.
    structure, _ = lattice(boxes((3, 2, 4)) if kind == "welded" else plank((4, 3, 3)), kind)
    Q = loads(structure, np.random.default_rng(2))
    if kind == "welded":
        solver = Equilibrium(structure)
        solution = solver.solve(all_of(structure), Q, 1e-12, 5000, solver.blank())
    else:
        solution = solve_by_cg(structure, all_of(structure), Q, 1e-12)
    a = accelerated(structure, Q + reaction(structure, solution.force))
    J = jacobian(structure)
    np.testing.assert_allclose(J @ a[:, :3].ravel(), 0.0, atol=1e-9 * np.abs(a).max())
    if kind != "dual":
        label, at = np.zeros(len(a), np.int64), structure.position / structure.scale
        fit = rigid_motion(label, at, structure.mass, structure.inertia, momenta(structure, a))
        rigid = rigid_velocities(fit, label, at)
        columns = slice(None, 3) if structure.points else slice(None)
        np.testing.assert_allclose(a[:, columns], rigid[:, columns], atol=1e-7 * np.abs(a).max())
