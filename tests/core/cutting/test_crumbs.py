"""Units: groups stay together where they touch, and thin cells join the neighbour with the largest bond."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cutting import crumbs
from core.cutting.cut import cut
from core.geometry.graph import connected_labels
from core.pieces.voronoi_complex import voronoi_complex
from tests import shapes


def joined(pairs, area, volume, outer, group, dropped=None):
    """The units and crumbs; nothing is dropped unless it is said."""
    none = np.zeros(len(volume), bool) if dropped is None else np.asarray(dropped, bool)
    return crumbs.units_of_cells(pairs, area, volume, outer, group, none)


def test_without_groups_and_crumbs_each_cell_is_a_unit() -> None:
    pairs = np.array([[0, 1], [1, 2]])
    unit, crumb = joined(pairs, np.ones(2), np.ones(3), np.full(3, 4.0), np.arange(3))
    assert np.array_equal(unit, [0, 1, 2])
    assert not crumb.any()


def test_a_group_that_does_not_touch_itself_becomes_several_units() -> None:
    pairs = np.array([[0, 1], [1, 2], [2, 3]])  # a row of cubes in groups 5, 5, 7, 5
    unit, crumb = joined(pairs, np.ones(3), np.ones(4), np.full(4, 4.0), np.array([5, 5, 7, 5]))
    assert np.array_equal(unit, [0, 0, 1, 2])
    assert not crumb.any()


def test_a_crumb_joins_the_neighbour_with_the_largest_bond_in_total() -> None:
    # cell 1 is a flake; it touches cell 0 through 0.5 and cell 2 through 0.3 + 0.3 after those two bonds are summed
    pairs = np.array([[0, 1], [1, 2], [1, 2]])
    volume = np.array([1.0, 1e-6, 1.0])
    unit, crumb = joined(pairs, np.array([0.5, 0.3, 0.3]), volume, np.array([5.0, 0.1, 5.0]), np.arange(3))
    assert np.array_equal(unit, [0, 1, 1])
    assert np.array_equal(crumb, [False, True, False])


def test_a_chain_of_crumbs_ends_in_a_real_cell() -> None:
    pairs = np.array([[0, 1], [1, 2], [2, 3]])
    volume = np.array([1e-6, 1e-6, 1e-6, 1.0])
    unit, crumb = joined(pairs, np.array([0.5, 0.4, 0.3]), volume, np.full(4, 1.0), np.arange(4))
    assert np.array_equal(unit, [0, 0, 0, 0])
    assert np.array_equal(crumb, [True, True, True, False])


def test_a_lonely_crumb_stays() -> None:
    unit, crumb = joined(np.zeros((0, 2), np.int64), np.zeros(0), np.array([1.0, 1e-9]), np.ones(2), np.arange(2))
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


def test_a_dropped_cell_joins_a_real_neighbour_before_a_dropped_one_with_a_larger_bond() -> None:
    # In a row of cubes 1 and 2 are dropped and share most; each goes to its own end of the row.
    pairs = np.array([[0, 1], [1, 2], [2, 3]])
    unit, crumb = joined(
        pairs, np.array([0.5, 1.0, 0.5]), np.ones(4), np.full(4, 4.0), np.arange(4), [False, True, True, False]
    )
    assert np.array_equal(unit, [0, 0, 1, 1])
    assert np.array_equal(crumb, [False, True, True, False])


def test_a_bunch_of_dropped_cells_ends_in_the_only_real_one_and_a_body_without_real_cells_stays() -> None:
    pairs, area = np.array([[0, 1], [1, 2], [2, 3], [4, 5]]), np.ones(4)
    dropped = [True, True, True, False, True, True]  # 4 and 5 are a body of their own
    unit, crumb = joined(pairs, area, np.ones(6), np.full(6, 4.0), np.arange(6), dropped)
    assert np.array_equal(unit, [0, 0, 0, 0, 1, 2])
    assert np.array_equal(crumb, [True, True, True, False, False, False])


def test_a_dropped_cell_between_crumbs_is_no_piece() -> None:
    # 1 is dropped, 0 and 2 are flakes around it, 3 is the only piece.
    pairs = np.array([[0, 1], [1, 2], [2, 3]])
    volume, outer = np.array([1e-6, 1.0, 1e-6, 1.0]), np.full(4, 4.0)
    unit, crumb = joined(pairs, np.ones(3), volume, outer, np.arange(4), [False, True, False, False])
    assert np.array_equal(unit, [0, 0, 0, 0])
    assert np.array_equal(crumb, [True, True, True, False])


def test_a_group_is_dropped_only_as_a_whole() -> None:
    pairs, group = np.array([[0, 1], [1, 2]]), np.array([7, 7, 8])
    unit, crumb = joined(pairs, np.ones(2), np.ones(3), np.full(3, 4.0), group, [True, False, False])
    assert np.array_equal(unit, [0, 0, 1]) and not crumb.any()


@st.composite
def complexes(draw: st.DrawFn) -> tuple[np.ndarray, ...]:
    """Small graphs of cells, some thin, some dropped, some in groups; often of several bodies."""
    count = draw(st.integers(2, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pairs = np.array([(a, b) for a in range(count) for b in range(a + 1, count)])
    pairs = pairs[rng.random(len(pairs)) < draw(st.sampled_from([0.15, 0.3, 0.6]))]
    volume = np.where(rng.random(count) < draw(st.sampled_from([0.0, 0.4])), 1e-6, 1.0) * rng.uniform(0.5, 2.0, count)
    group = rng.integers(0, count, count) if draw(st.booleans()) else np.arange(count)
    dropped = rng.random(count) < draw(st.sampled_from([0.2, 0.6, 0.95]))
    return pairs.reshape(-1, 2), rng.uniform(0.1, 1.0, len(pairs)), volume, rng.uniform(1.0, 4.0, count), group, dropped


@given(complexes())
@settings(max_examples=300)
def test_dropped_cells_end_with_real_neighbours_in_connected_units(case: tuple[np.ndarray, ...]) -> None:
    pairs, area, volume, outer, group, dropped = case
    unit, crumb = joined(*case)
    count, bodies = len(volume), connected_labels(len(volume), pairs)
    together = unit[pairs[:, 0]] == unit[pairs[:, 1]]
    assert len(np.unique(connected_labels(count, pairs[together]))) == int(unit.max()) + 1  # units are connected
    # Cells of one group that touch never part.
    alike = group[pairs[:, 0]] == group[pairs[:, 1]]
    assert together[alike].all()
    start = connected_labels(count, pairs[alike])
    kept = np.bincount(start, ~dropped)[start] > 0  # a group is dropped as a whole
    surface = outer + sum(np.bincount(pairs[:, k], area * ~alike, count) for k in range(2))
    thickness = 3.0 * (np.bincount(start, volume) / np.bincount(start, surface))[start]
    # Thickness 3 V / A is 6 at the most here, so the limit, 0.05 of a median, is 0.3 at the most.
    real = kept & (thickness > 0.3)
    for body in range(int(bodies.max()) + 1):
        there = bodies == body
        if real[there].any():
            assert not dropped[there & ~crumb & ~kept].any()  # all of them have joined
            assert (np.bincount(unit[there], kept[there], int(unit.max()) + 1)[unit[there]] > 0).all()
        elif (~kept[there]).all() and (thickness[there] > 0.3).all():
            assert not crumb[there].any() and len(np.unique(unit[there])) == len(np.unique(start[there]))
    # A unit has at least one cell that did not join another.
    assert (np.bincount(unit, ~crumb) > 0).all()
    assert not crumb[np.bincount(unit)[unit] == 1].any()
