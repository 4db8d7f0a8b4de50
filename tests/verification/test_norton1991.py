"""Norton, Turk, Bacon, Gerth, Sweeney 1991: vectors of docs/papers/norton1991.md, and what lattices are worth."""

import numpy as np
import pytest

from core.continuum.plane_contacts import (
    DT,
    MOST_WAY,
    MOST_WAY_ASIDE,
)
from core.continuum.spring_lattice.breaking import (
    broken_bonds,
    broken_cells,
    component_labels,
    isolated_nodes,
    weakest_cells,
)
from core.continuum.spring_lattice.contact_pairs import contact_reach
from core.continuum.spring_lattice.energy import lattice_energy, lattice_momentum
from core.continuum.spring_lattice.state import ContactLaw, LatticeLaws
from core.continuum.spring_lattice.substeps import (
    CELL_PRESSURE,
    NODE_PAIR,
    PAPER_EULER,
    SPRING,
    STEP_NUMBERS,
    TOTALS,
    YIELD_STRAIN,
    NodePairs,
    PressedCells,
    SpringNet,
    run_substeps,
)
from core.record_arrays import plain_view, zero_records
from tests.spring_lattices import RUBBER, A, Around, B, C, bond_of, resting, run, slab, springs

CGS = 1e-3  # of stiffness and damping, and of mass; lengths in cm are 0.01 m
NO_CELLS = PressedCells(np.zeros((0, 8), dtype=np.uint32), plain_view(zero_records(CELL_PRESSURE, 0)))
NO_SURFACES = np.zeros(0, dtype=np.int64), np.zeros((0, 11))
NO_PAIRS = NodePairs(np.zeros((0, 2), dtype=np.int64), plain_view(zero_records(NODE_PAIR, 0)))


def step_once(lattice, position, velocity, dt, paper=False, steps=1):
    """The motion after some steps of a given length, without gravity or contacts."""
    motion = np.zeros((2, len(position), 6))
    motion[0, :, :3], motion[0, :, 3:] = position, velocity
    spring = plain_view(zero_records(SPRING, len(lattice.rest_length)))
    spring["length"], spring["stiffness"], spring["damping"] = lattice.rest_length, lattice.stiffness, lattice.damping
    spring["breaking_length"] = np.inf
    numbers = np.zeros(STEP_NUMBERS)
    numbers[[DT, PAPER_EULER]] = dt, paper
    numbers[[YIELD_STRAIN, MOST_WAY, MOST_WAY_ASIDE]] = np.inf
    bonds = lattice.bond_node.astype(np.uint32), lattice.half_start, lattice.half_bond
    net = SpringNet(1.0 / lattice.mass, *bonds, spring, np.empty(len(spring)))
    done, torn = run_substeps(motion, net, NO_CELLS, NO_SURFACES, NO_PAIRS, numbers, np.zeros(TOTALS), 0, steps)
    assert (done, torn) == (steps, 0)
    now = motion[steps % 2]
    return now[:, :3], now[:, 3:]


@pytest.mark.parametrize(
    ("paper", "ahead"), [(True, [[0, 0, 0], [1.02, 0.0005, 0]]), (False, [[0.002, 0, 0], [1.018, 0.0005, 0]])]
)
def test_two_nodes_by_hand(paper, ahead):
    # V1, in cm, g, s. k (r - l) = 1e5 * 0.02 = 2000 dyn; (V_j - V_i).u = 0. Round-off of 1.02 - 1 times k.
    lattice = springs([[0, 0, 0], [1.02, 0, 0]], [[0, 1]], 1.0, 1e5, 10.0, length=1.0)
    start = np.array([[0.0, 0, 0], [0, 0.5, 0]])
    position, velocity = step_once(lattice, lattice.rest_position, start, 1e-3, paper)
    np.testing.assert_allclose(velocity, [[2, 0, 0], [-2, 0.5, 0]], atol=1e-11)
    np.testing.assert_allclose(position, ahead, atol=1e-13)


def test_the_papers_euler_gains_energy_and_the_symplectic_one_does_not():
    # V2: E/E0 = (1 + w^2 dt^2)^n with w^2 = 2 k/m; 1.04825e6 after step 79.
    lattice = springs([[0, 0, 0], [1.02, 0, 0]], [[0, 1]], 1.0, 1e5, length=1.0)
    still = np.zeros((2, 3))

    def energy(position, velocity):
        stretch = position[1, 0] - position[0, 0] - 1.0
        return 0.5 * (velocity**2).sum() + 0.5e5 * stretch**2

    first = energy(lattice.rest_position, still)
    assert energy(*step_once(lattice, lattice.rest_position, still, 1e-3, True)) / first == pytest.approx(1.2, rel=1e-9)
    late = energy(*step_once(lattice, lattice.rest_position, still, 1e-3, True, 79)) / first
    assert late == pytest.approx(1.04825e6, rel=1e-5)
    most = max(energy(*step_once(lattice, lattice.rest_position, still, 1e-3, False, n)) for n in range(1, 1001, 7))
    assert 1.0 < most / first < 1.29


@pytest.mark.parametrize(
    ("counts", "nodes", "bonds", "shared"),
    [
        ((2, 1, 1), 12, 28, {1: 24, 2: 4}),
        ((3, 1, 1), 16, 40, {1: 32, 2: 8}),
        ((3, 3, 3), 64, 252, {1: 144, 2: 72, 4: 36}),
    ],
)
def test_cells_share_bonds(counts, nodes, bonds, shared):
    # V3
    lattice = slab(counts, microgeometry=A)
    times = np.bincount(lattice.cell_bond, minlength=len(lattice.rest_length))
    assert (len(lattice.mass), len(times)) == (nodes, bonds)
    assert {int(n): int((times == n).sum()) for n in np.unique(times)} == shared


def trip(lattice, bond):
    tripped = np.arange(len(lattice.rest_length)) == bond
    cells = broken_cells(lattice, tripped, np.zeros(len(lattice.cell_node), np.bool_))
    broken = broken_bonds(lattice, tripped, cells, np.zeros(len(tripped), np.bool_))
    return np.flatnonzero(cells).tolist(), broken


def test_a_broken_cell_takes_the_bonds_that_only_it_had():
    # V4: the four body diagonals and the four lengthwise edges of the middle cell.
    lattice = slab((3, 1, 1), microgeometry=A)
    cells, broken = trip(lattice, bond_of(lattice, lattice.cell_node[1, 0], lattice.cell_node[1, 7]))
    assert cells == [1] and broken.sum() == 8
    label = component_labels(lattice, broken)
    assert np.bincount(label).tolist() == [8, 8]
    assert isolated_nodes(lattice, broken).sum() == 0


def test_a_shared_bond_takes_both_cells():
    # V5
    lattice = slab((3, 1, 1), microgeometry=A)
    shared = np.intersect1d(lattice.cell_node[0], lattice.cell_node[1])
    cells, broken = trip(lattice, bond_of(lattice, shared[0], shared[1]))
    assert cells == [0, 1] and broken.sum() == 24
    assert isolated_nodes(lattice, broken).sum() == 8
    assert component_labels(lattice, broken).max() + 1 == 9


def test_weakest_cell_mode_breaks_the_more_stretched_one():
    lattice = slab((3, 1, 1), microgeometry=A)
    shared = np.intersect1d(lattice.cell_node[0], lattice.cell_node[1])
    tripped = np.arange(len(lattice.rest_length)) == bond_of(lattice, shared[0], shared[1])
    position = lattice.rest_position * [1.0, 1.0, 1.0]
    position[lattice.rest_position[:, 0] >= 2.0, 0] += 0.1  # cell 1 is longer than cell 0
    whole = np.zeros(3, np.bool_)
    assert weakest_cells(lattice, position, tripped, whole).tolist() == [False, True, False]


def test_what_broke_at_rest_stores_nothing():
    # V6: k_c L.. = 0.5 * 1e5 (2h - h)^2 = 5e4 erg with the paper's length 2 h, 0 with h.
    lattice = springs([[0, 0, 0], [1, 0, 0]], [[0, 1]], stiffness=1e5)
    reach = contact_reach(lattice, np.array([[0, 1]]), lattice.rest_length)
    assert reach[0] == 1.0
    assert 0.5e5 * (2.0 * lattice.radius.sum() - 1.0) ** 2 == 5e4


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize(("kind", "floppy"), [(A, 3), (B, 0), (C, 0)])
def test_ranks_of_the_microgeometries(kind, floppy, n):
    # Columns of the rigidity matrix less rank less the six rigid motions; 16, 86, 252 bonds of A, 18, 90, 252 of B.
    lattice = slab((n, n, n), microgeometry=kind)
    matrix = rigidity(lattice)
    assert matrix.shape[1] - np.linalg.matrix_rank(matrix) - 6 == floppy
    if kind != C:
        assert len(matrix) == {A: (16, 86, 252), B: (18, 90, 252)}[kind][n - 1]


def test_edges_alone_have_six_floppy_modes_a_cell():
    assert np.linalg.matrix_rank(rigidity(slab((1, 1, 1)))[np.isclose(slab((1, 1, 1)).rest_length, 1.0)]) == 12


def rigidity(lattice):
    """(b,3n) how lengths change by motions of the nodes."""
    i, j = lattice.bond_node.T
    u = (lattice.rest_position[j] - lattice.rest_position[i]) / lattice.rest_length[:, None]
    matrix = np.zeros((len(i), len(lattice.mass), 3))
    matrix[np.arange(len(i)), j], matrix[np.arange(len(i)), i] = u, -u
    return matrix.reshape(len(i), -1)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("kind", [A, B, C])
def test_a_bar_breaks_by_tension_only(kind, n):
    # NB: pressed by three thresholds it holds, pulled by 1.01 thresholds it breaks, at every resolution.
    count = len(slab((3 * n, n, n), microgeometry=kind).rest_length)
    factor = np.full(count, 0.02 / RUBBER.failure_strain)
    lattice = slab((3 * n, n, n), (3.0, 1.0, 1.0), microgeometry=kind, strength_factor=factor)
    for stretch, breaks in ((1.0 - 3 * 0.02, False), (1.0 + 0.99 * 0.02, False), (1.0 + 1.01 * 0.02, True)):
        start = resting(lattice)
        moved = np.ascontiguousarray(lattice.rest_position * [stretch, 1.0, 1.0])
        state = type(start)(moved, start.velocity, start.rest_length, start.broken, start.cell_broken, start.label)
        state, reports = run(lattice, state, LatticeLaws(), Around(1e-6))
        assert state.broken.any() == breaks
        assert bool(len(reports[0].trip_time)) == breaks


def broken_plane(lattice, state, bonds_across):
    """The state after the bonds across a plane were broken, as they are."""
    label = component_labels(lattice, bonds_across)
    return type(state)(state.position, state.velocity, state.rest_length, bonds_across, state.cell_broken, label)


@pytest.mark.parametrize("papers_length", [False, True])
def test_what_breaks_does_not_explode(papers_length, monkeypatch):
    # NX: two blocks, parted at rest along a plane. With the paper's radius, the whole distance to the nearest
    # neighbour, pairs at rest store k h^2/2 out of nothing, and the test's own bound fails.
    lattice = slab((4, 2, 2))
    if papers_length:
        module = "core.continuum.spring_lattice.contacts"
        monkeypatch.setattr(f"{module}.contact_reach", lambda lattice, pair, *_: lattice.radius[pair].sum(axis=1) * 2.0)
    x = lattice.rest_position[lattice.bond_node, 0]
    across = (x.min(axis=1) < 1.5) & (x.max(axis=1) > 1.5)
    laws = LatticeLaws(nodes=ContactLaw(damping_ratio=0.0))
    # A little strain, so that there is some energy to begin with.
    start = resting(lattice, 1e-3 * np.sin(lattice.rest_position))
    around = Around(1e-3)
    state = run(lattice, start, laws, around, 5)[0]
    stored = lattice_energy(lattice, state, laws, around)
    most = []
    parted = broken_plane(lattice, state, across)
    run(
        lattice,
        parted,
        laws,
        around,
        20,
        seen=lambda now: most.append(lattice_energy(lattice, now, laws, around).kinetic),
    )
    assert (max(most) > 1.01 * stored.total) == papers_length


def test_momentum_changes_by_floor_and_gravity_only():
    # NS: 10x10x2 cells, unbreakable, A as in the paper: 363 nodes, 902 edges, 800 body diagonals.
    lattice = slab((10, 10, 2), (0.5, 0.5, 0.1), microgeometry=A)
    assert (len(lattice.mass), len(lattice.rest_length)) == (363, 1702)
    around = Around(1 / 24, np.array([0.0, 0.0, -9.81]), floor=-0.02)
    start = resting(lattice, np.array([0.3, 0.0, -1.0]))
    lowest = []
    state, reports = run(
        lattice, start, LatticeLaws(), around, 8, seen=lambda now: lowest.append(now.position[:, 2].min())
    )
    first, last = (lattice_momentum(lattice, s, np.zeros(3))[0] for s in (start, state))
    impulse = sum(report.impulse for report in reports)
    weight = lattice.mass.sum() * around.gravity * around.dt * len(reports)
    np.testing.assert_allclose(last - first, impulse + weight, atol=1e-9 * np.abs(impulse).max())
    assert not state.broken.any() and state.label.max() == 0
    assert impulse[2] > 0.0 and impulse[0] < 0.0  # it was caught, and friction braked it
    assert min(lowest) > -0.05 and max(lowest[3:]) > 0.0  # it bounced
