import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.cutting.units import units
from core.types import Cells


def cells_of(
    unit, bonds=(), *, volume=None, centroid=None, area=None, normal=None, bond_centroid=None, site=None, strength=None
):
    """Cells without faces: only what the units are made of."""
    count, bonds = len(unit), np.array(bonds, dtype=np.int64).reshape(-1, 2)
    start, none, points = np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros((0, 3))

    def either(value, default):
        return default if value is None else np.array(value, dtype=float)

    return Cells(
        vertices=points, outer_start=start, outer_vertex=none, outer_weight=points, outer_triangle=none,
        outer_cell=none, inner_start=start, inner_vertex=none, inner_bond=none, bond_cells=bonds,
        bond_area=either(area, np.ones(len(bonds))),
        bond_normal=either(normal, np.tile((1.0, 0.0, 0.0), (len(bonds), 1))),
        bond_centroid=either(bond_centroid, np.zeros((len(bonds), 3))),
        bond_strength=either(strength, np.ones(len(bonds))),
        volume=either(volume, np.ones(count)),
        centroid=either(centroid, np.zeros((count, 3))),
        second_moment=np.zeros((count, 3, 3)), region=np.arange(count),
        site=either(site, np.zeros((count, 3))), unit=np.array(unit, dtype=np.int64), crumb=np.zeros(count, bool),
    )  # fmt: skip


def test_unit_of_one_cell_keeps_site_and_centroid_bit_for_bit():
    centroid, site = [(0.1, 0.2, 0.3)], [(0.7, 0.1, 0.9)]
    result = units(cells_of([0], volume=[0.3], centroid=centroid, site=site))
    assert result.centroid.tolist() == [list(centroid[0])]
    assert result.site.tolist() == [list(site[0])]


def test_larger_unit_has_the_volume_weighted_centroid_as_site():
    result = units(
        cells_of(
            [1, 0, 1],
            volume=[1, 5, 3],
            centroid=[(0, 0, 0), (9, 9, 9), (4, 8, 0)],
            site=[(7, 7, 7), (2, 2, 2), (7, 7, 7)],
        )
    )
    assert result.volume.tolist() == [5.0, 4.0]
    # c = (1*(0,0,0) + 3*(4,8,0)) / 4
    assert result.centroid.tolist() == [[9, 9, 9], [3, 6, 0]]
    assert result.site.tolist() == [[2, 2, 2], [3, 6, 0]]


def test_bonds_between_the_same_units_become_one_link():
    result = units(
        cells_of(
            [0, 1, 1, 0],
            [(0, 1), (3, 2), (2, 1), (2, 3)],
            area=[1, 2, 7, 3],
            # The last bond runs from unit 1 to unit 0: its normal is turned round.
            normal=[(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, -1, 0)],
            bond_centroid=[(6, 0, 0), (0, 6, 0), (99, 99, 99), (0, 0, 6)],
        )
    )
    assert result.links.tolist() == [[0, 1]]
    assert result.bond_link.tolist() == [0, 0, -1, 0]
    assert result.area.tolist() == [6.0]
    # sum of area * normal = (1, 2 + 3, 0)
    assert np.allclose(result.normal, np.array([(1, 5, 0)]) / np.sqrt(26), rtol=1e-15)
    # (1*(6,0,0) + 2*(0,6,0) + 3*(0,0,6)) / 6
    assert np.allclose(result.centroid_link, [(1, 2, 3)], rtol=1e-15)


def test_links_are_sorted_pairs():
    result = units(cells_of([2, 0, 1, 3], [(3, 0), (0, 1), (2, 3), (1, 2)]))
    assert result.links.tolist() == [[0, 1], [0, 2], [1, 3], [2, 3]]
    assert result.bond_link.tolist() == [3, 1, 2, 0]


def test_the_strength_of_a_link_is_the_mean_over_its_area():
    result = units(cells_of([0, 1], [(0, 1), (1, 0)], area=[3, 1], strength=[1.0, 0.2]))
    assert np.allclose(result.strength, [(3 * 1.0 + 1 * 0.2) / 4], rtol=1e-15)


def test_normals_that_cancel_leave_that_of_the_largest_bond():
    result = units(cells_of([0, 1], [(0, 1)] * 3, area=[1, 2, 1], normal=[(1, 0, 0), (-1, 0, 0), (1, 0, 0)]))
    assert result.normal.tolist() == [[-1, 0, 0]]


def test_bond_without_area_still_links():
    result = units(cells_of([0, 1], [(0, 1)], area=[0], bond_centroid=[(1, 2, 3)]))
    assert result.area.tolist() == [0.0]
    assert result.normal.tolist() == [[1, 0, 0]]
    assert result.centroid_link.tolist() == [[1, 2, 3]]


def test_one_whole_unit_has_no_links():
    result = units(cells_of([0, 0, 0], [(0, 1), (1, 2)]))
    assert result.links.shape == (0, 2)
    assert result.normal.shape == (0, 3)
    assert result.centroid_link.shape == (0, 3)
    assert result.bond_link.tolist() == [-1, -1]


@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.integers(0, 30))
def test_matches_a_loop_over_the_bonds(seed, cell_count, bond_count):
    rng = np.random.default_rng(seed)
    unit = np.unique(rng.integers(0, cell_count, cell_count), return_inverse=True)[1]
    bonds = rng.integers(0, cell_count, (bond_count, 2))
    bonds = bonds[bonds[:, 0] != bonds[:, 1]]
    normal = rng.normal(size=(len(bonds), 3))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    cells = cells_of(
        unit, bonds, volume=rng.uniform(0.1, 1, cell_count), centroid=rng.normal(size=(cell_count, 3)),
        area=rng.uniform(0.1, 1, len(bonds)), normal=normal, bond_centroid=rng.normal(size=(len(bonds), 3)),
    )  # fmt: skip
    result = units(cells)

    expected = {}
    for bond, (lo, hi) in enumerate(bonds):
        a, b = unit[lo], unit[hi]
        if a != b:
            expected.setdefault((min(a, b), max(a, b)), []).append((bond, 1.0 if a < b else -1.0))
    assert [tuple(pair) for pair in result.links] == sorted(expected)
    for link, pair in enumerate(sorted(expected)):
        own, sign = (np.array(column) for column in zip(*expected[pair], strict=True))
        assert np.array_equal(np.flatnonzero(result.bond_link == link), own)
        area = cells.bond_area[own]
        pull = (sign[:, None] * area[:, None] * normal[own]).sum(axis=0)
        # Round-off of a sum of at most 30 terms of size 1.
        assert abs(result.area[link] - area.sum()) < 1e-13
        assert np.allclose(result.normal[link] * np.linalg.norm(pull), pull, atol=1e-13)
        assert np.allclose(result.centroid_link[link], np.average(cells.bond_centroid[own], axis=0, weights=area))
    assert np.isclose(result.volume.sum(), cells.volume.sum(), rtol=1e-14)
