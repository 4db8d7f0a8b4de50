"""The momentum of a blow: against numerical integration of the speed field over a box-shaped cell."""

import numpy as np

from core.simulation.impact_momentum import gather_impact_momentum, speed_field
from core.types import Cells, Impact


def box_cells(centres: np.ndarray, edges: np.ndarray) -> Cells:
    """Cells that are axis-aligned boxes, by their mass properties alone."""
    volume = edges.prod(axis=1)
    second = np.einsum("c,ci,ij->cij", volume / 12.0, edges**2, np.eye(3))  # integral of x_i^2 = V a_i^2 / 12
    empty, none = np.zeros(0, np.int64), np.zeros((0, 3))
    count = np.arange(len(centres))
    return Cells(
        none, np.zeros(1, np.int64), empty, none, empty, empty, np.zeros(1, np.int64), empty, empty,
        np.zeros((0, 2), np.int64), np.zeros(0), none, none, np.zeros(0), volume, centres, second, count,
        centres, count, np.zeros(len(centres), bool),
    )  # fmt: skip


def integrated(centre: np.ndarray, edges: np.ndarray, density: float, impact: Impact, spread: float):
    """Momentum and angular momentum about the centre by Gauss-Legendre quadrature of order 8 per axis."""
    node, weight = np.polynomial.legendre.leggauss(8)
    grid = np.stack(np.meshgrid(node, node, node, indexing="ij"), axis=-1).reshape(-1, 3) / 2.0 * edges
    w = np.einsum("i,j,k->ijk", weight, weight, weight).ravel() / 8.0 * edges.prod()
    p = density * w[:, None] * speed_field(centre + grid, impact, spread)
    return p.sum(axis=0), np.cross(grid, p).sum(axis=0)


def test_momentum_and_spin_of_a_small_cell_match_the_integral():
    # The field is linearised inside the cell: the error of p is second order, that of L third order in size / R.
    impact = Impact(np.zeros(3), np.array([0.0, 0.0, -1.0]), 1.0, 4.0, 0.5, 0.0)
    centre, edges = np.array([0.2, -0.1, 0.3]), np.array([0.01, 0.02, 0.015])
    given = gather_impact_momentum(
        box_cells(centre[None], edges[None]), np.array([0]), centre[None], 2500.0, impact, 0.3
    )
    p, spin = integrated(centre, edges, 2500.0, impact, 0.3)
    relative = (edges.max() / impact.radius) ** 2
    np.testing.assert_allclose(given.momentum[0], p, atol=relative * np.linalg.norm(p))
    np.testing.assert_allclose(given.angular_momentum[0], spin, atol=2 * relative * np.linalg.norm(spin))


def test_angular_momentum_counts_the_lever_of_each_cell():
    impact = Impact(np.zeros(3), np.array([1.0, 0.0, 0.0]), 1.0, 2.0, 1.0, 0.0)
    centres = np.array([[0.0, 0.2, 0.0], [0.0, -0.2, 0.1]])
    edges = np.full((2, 3), 1e-3)  # so small that only the lever counts
    cells = box_cells(centres, edges)
    middle = centres.mean(axis=0)
    given = gather_impact_momentum(cells, np.array([0, 0]), middle[None], 1000.0, impact, 0.0)
    p = 1000.0 * 1e-9 * speed_field(centres, impact, 0.0)
    np.testing.assert_allclose(given.angular_momentum[0], np.cross(centres - middle, p).sum(axis=0), rtol=1e-4)


def test_cells_out_of_reach_get_nothing():
    impact = Impact(np.zeros(3), np.array([1.0, 0.0, 0.0]), 1.0, 2.0, 1.0, 0.0)
    centres = np.array([[0.1, 0.0, 0.0], [0.2, 0.0, 0.0]])
    cells = box_cells(centres, np.full((2, 3), 0.1))
    both = gather_impact_momentum(cells, np.array([0, 1]), centres, 1000.0, impact, 0.3)
    one = gather_impact_momentum(cells, np.array([-1, 0]), centres[1:], 1000.0, impact, 0.3)
    np.testing.assert_array_equal(one.momentum[0], both.momentum[1])


def test_the_field_points_along_the_blow_on_its_line_and_outwards_beside_it():
    impact = Impact(np.zeros(3), np.array([0.0, 0.0, 1.0]), 1.0, 3.0, 0.2, 0.0)
    on_line, beside = speed_field(np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]]), impact, 0.5)
    np.testing.assert_allclose(on_line, [0.0, 0.0, 3.0])
    assert beside[0] > 0.0 and beside[1] == 0.0 and 0.0 < beside[2] < 3.0
