"""Rough cells and the plain ones that stand for them in contacts."""

from dataclasses import replace

import numpy as np
import pytest

from core.config.surface import Surface
from core.cutting.cut import cut
from core.diagram import grain_of
from core.roughness.collision_proxy import matched
from core.roughness.rough import rough_cut
from tests import shapes
from tests.core.cutting.closedness import voronoi

BODY = shapes.torus(1.0, 0.3, 48, 24)
PATTERN = voronoi(BODY, 40, 3)


@pytest.fixture(scope="module")
def pair():
    bend, grain = grain_of(Surface(octaves=2), 0.012, 0.3, 1)
    return rough_cut(BODY, PATTERN, bend, grain), cut(BODY, PATTERN)


def test_every_rough_cell_that_counts_has_plain_ones_of_its_region_near_it(pair):
    rough, plain = pair
    joined, contact = matched(rough, plain)
    assert len(contact.cell) == len(plain.volume)
    assert (joined.unit[contact.cell] == contact.cells.unit).all()
    assert np.isin(np.arange(joined.unit.max() + 1), contact.cells.unit).all()  # no piece is without a body
    same = rough.region[contact.cell] == plain.region
    away = np.linalg.norm(rough.centroid[contact.cell] - plain.centroid, axis=1)
    assert same.mean() > 0.9 and away[same].max() < 0.05  # a few amplitudes


def test_a_rough_cell_without_a_plain_one_joins_its_best_neighbour(pair):
    rough, plain = pair
    alone = (np.bincount(rough.unit)[rough.unit] == 1) & (np.bincount(plain.region)[rough.region] == 1)
    lost = int(np.flatnonzero(alone)[np.argmin(rough.volume[alone])])
    fewer = plain.region != rough.region[lost]
    # As if the plain cut had none there: its cells are taken for those of a neighbour.
    bond = np.flatnonzero((plain.bond_cells[:, 0] != plain.bond_cells[:, 1]) & ~fewer[plain.bond_cells].all(axis=1))
    assert len(bond)
    moved = plain.region.copy()
    other = plain.bond_cells[bond[0]]
    moved[~fewer] = plain.region[other[fewer[other]][0]]
    joined, contact = matched(rough, replace(plain, region=moved))
    mates = rough.bond_cells[(rough.bond_cells == lost).any(axis=1)]
    areas = rough.bond_area[(rough.bond_cells == lost).any(axis=1)]
    best = mates[np.argmax(areas)]
    assert joined.unit[best[0]] == joined.unit[best[1]] and joined.crumb[lost]
    assert joined.unit.max() == rough.unit.max() - 1
    assert (joined.unit[contact.cell] == contact.cells.unit).all()


def test_a_plain_cell_of_an_unknown_region_follows_its_neighbour(pair):
    rough, plain = pair
    strange = plain.region.copy()
    alone = int(np.argmin(plain.volume))
    strange[alone] = plain.region.max() + 1
    _, contact = matched(rough, replace(plain, region=strange))
    mates = plain.bond_cells[(plain.bond_cells == alone).any(axis=1)]
    areas = plain.bond_area[(plain.bond_cells == alone).any(axis=1)]
    best = mates[np.argmax(areas)]
    assert contact.cell[best[0]] == contact.cell[best[1]]
