"""Units: groups stay together where they touch, and thin cells join the neighbour with the largest bond."""

import numpy as np

from core.cells.crumbs import units_of_cells
from core.cells.cut import cut
from core.pieces.voronoi_complex import voronoi_complex
from tests import shapes


def test_without_groups_and_crumbs_each_cell_is_a_unit() -> None:
    pairs = np.array([[0, 1], [1, 2]])
    unit, crumb = units_of_cells(pairs, np.ones(2), np.ones(3), np.full(3, 4.0), np.arange(3))
    assert np.array_equal(unit, [0, 1, 2])
    assert not crumb.any()


def test_a_group_that_does_not_touch_itself_becomes_several_units() -> None:
    pairs = np.array([[0, 1], [1, 2], [2, 3]])  # a row of cubes in groups 5, 5, 7, 5
    unit, crumb = units_of_cells(pairs, np.ones(3), np.ones(4), np.full(4, 4.0), np.array([5, 5, 7, 5]))
    assert np.array_equal(unit, [0, 0, 1, 2])
    assert not crumb.any()


def test_a_crumb_joins_the_neighbour_with_the_largest_bond_in_total() -> None:
    # cell 1 is a flake; it touches cell 0 through 0.5 and cell 2 through 0.3 + 0.3 after those two bonds are summed
    pairs = np.array([[0, 1], [1, 2], [1, 2]])
    volume = np.array([1.0, 1e-6, 1.0])
    unit, crumb = units_of_cells(pairs, np.array([0.5, 0.3, 0.3]), volume, np.array([5.0, 0.1, 5.0]), np.arange(3))
    assert np.array_equal(unit, [0, 1, 1])
    assert np.array_equal(crumb, [False, True, False])


def test_a_chain_of_crumbs_ends_in_a_real_cell() -> None:
    pairs = np.array([[0, 1], [1, 2], [2, 3]])
    volume = np.array([1e-6, 1e-6, 1e-6, 1.0])
    unit, crumb = units_of_cells(pairs, np.array([0.5, 0.4, 0.3]), volume, np.full(4, 1.0), np.arange(4))
    assert np.array_equal(unit, [0, 0, 0, 0])
    assert np.array_equal(crumb, [True, True, True, False])


def test_a_lonely_crumb_stays() -> None:
    unit, crumb = units_of_cells(
        np.zeros((0, 2), np.int64), np.zeros(0), np.array([1.0, 1e-9]), np.ones(2), np.arange(2)
    )
    assert np.array_equal(unit, [0, 1])
    assert not crumb.any()  # it joined nobody


def test_a_flake_that_the_cut_makes_is_merged_and_keeps_its_volume() -> None:
    sites = np.array([[0.25, 0.5, 0.5], [0.75, 0.5001, 0.5], [1.249, 0.5, 0.5002]])  # the last plane is at x = 0.9995
    c = cut(shapes.box(), voronoi_complex(sites, np.zeros(3), np.ones(3)))
    assert len(c.volume) == 3
    assert np.array_equal(c.unit, [0, 1, 1])
    assert abs(c.volume.sum() - 1.0) < 1e-14


def test_cells_of_one_group_share_a_unit() -> None:
    sites = np.array([[0.25, 0.5, 0.5], [0.75, 0.5001, 0.5]])
    c = cut(shapes.box(), voronoi_complex(sites, np.zeros(3), np.ones(3), group=np.zeros(2, np.int64)))
    assert len(c.volume) == 2
    assert np.array_equal(c.unit, [0, 0])
