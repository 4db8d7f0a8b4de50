"""Rough cells as what is seen of plain ones."""

from dataclasses import replace

import numpy as np
import pytest

from core.config.surface import Surface
from core.cutting.cut import cut
from core.diagram import grain_of
from core.geometry.graph import connected_labels
from core.roughness.rough import rough_cut
from core.roughness.rough_units import PieceLost, assign_units
from tests import shapes
from tests.core.cutting.closedness import voronoi

BODY = shapes.torus(1.0, 0.3, 48, 24)
PATTERN = voronoi(BODY, 40, 3)


@pytest.fixture(scope="module")
def pair():
    bend, grain = grain_of(Surface(octaves=2), 0.012, 0.3, 1)
    return rough_cut(BODY, PATTERN, bend, grain), cut(BODY, PATTERN)


def best_neighbour(cells, cell):
    mine = (cells.bond_cells == cell).any(axis=1)
    a, b = cells.bond_cells[mine][np.argmax(cells.bond_area[mine])]
    return a if b == cell else b


def test_every_unit_is_seen_where_it_is(pair):
    rough, plain = pair
    seen = assign_units(rough, plain)
    assert np.array_equal(np.unique(seen.unit), np.unique(plain.unit))
    assert np.array_equal(seen.vertices, rough.vertices)
    size, middle = [], []
    for cells in (seen, plain):
        size.append(np.bincount(cells.unit, cells.volume))
        middle.append(
            np.stack([np.bincount(cells.unit, cells.volume * x) / size[-1] for x in cells.centroid.T], axis=1)
        )
    assert np.linalg.norm(middle[0] - middle[1], axis=1).max() < 0.05  # a few amplitudes
    assert size[0].sum() == pytest.approx(size[1].sum(), rel=1e-12)


def test_the_cells_of_a_unit_hold_together(pair):
    rough, plain = pair
    # As if two cells that share nothing were of one unit: the smaller one is seen with its best neighbour.
    apart = plain.unit.copy()
    first = int(np.argmax(plain.volume))
    near = np.unique(plain.bond_cells[(plain.bond_cells == first).any(axis=1)])
    far = int(np.setdiff1d(np.arange(len(apart)), near)[0])
    apart[far] = apart[first]
    apart = np.unique(apart, return_inverse=True)[1]
    seen = assign_units(rough, replace(plain, unit=apart))
    inside = seen.bond_cells[seen.unit[seen.bond_cells[:, 0]] == seen.unit[seen.bond_cells[:, 1]]]
    assert connected_labels(len(seen.unit), inside).max() == seen.unit.max() == apart.max()


def test_a_rough_cell_without_a_plain_one_follows_its_best_neighbour(pair):
    rough, plain = pair
    mine = assign_units(rough, plain).unit
    lone = int(np.argmin(rough.volume))
    strange = rough.region.copy()
    strange[lone] = rough.region.max() + 1
    other = best_neighbour(rough, lone)
    # What is then seen of its unit is nothing, unless that has another cell.
    joined = np.where(plain.unit == mine[lone], mine[other], plain.unit)
    joined = np.unique(joined, return_inverse=True)[1]
    seen = assign_units(replace(rough, region=strange), replace(plain, unit=joined))
    assert seen.unit[lone] == seen.unit[other] and seen.crumb[lone]


def test_a_piece_of_which_nothing_is_left_is_refused(pair):
    rough, plain = pair
    strange = plain.region.copy()
    alone = (np.bincount(plain.unit)[plain.unit] == 1) & (np.bincount(rough.region)[plain.region] == 1)
    strange[int(np.argmin(np.where(alone, plain.volume, np.inf)))] = plain.region.max() + 1
    kept = rough.region != plain.region[strange != plain.region][0]
    gone = replace(rough, region=np.where(kept, rough.region, rough.region[kept][0]))
    with pytest.raises(PieceLost):
        assign_units(gone, replace(plain, region=strange))
