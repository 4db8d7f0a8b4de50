"""Bodies cut along their elements: cells and volumes, whose each cell is, places that follow affine maps."""

from functools import cache

import numpy as np
import pytest

from core.continuum.tetrahedralization.element_embedding import (
    ElementEmbedding,
    cut_by_tetrahedra,
    embed_elements_steps,
)
from core.continuum.tetrahedralization.element_places import locate_in_elements, weigh_points
from core.cutting.units import units
from core.geometry.mesh import volume
from core.stepwise import result_of
from core.types import Floats
from tests import shapes
from tests.core.cutting.closedness import assert_sound

#: Bodies with the size of their elements [m].
BODIES = {
    "cube": (shapes.box(), 0.3),
    "torus": (shapes.torus(), 0.25),
    "plate 1:50": (shapes.box(high=(1.0, 1.0, 0.02)), 0.3),
    "wine glass": (shapes.wine_glass(wall=0.06), 0.3),
    "two boxes": (shapes.two_boxes(), 0.3),
}
FLAT = ("cube", "plate 1:50", "two boxes")


@cache
def embedded(name: str) -> ElementEmbedding:
    return result_of(embed_elements_steps(*BODIES[name], 0))


def volumes(found: ElementEmbedding) -> Floats:
    corner = found.nodes[found.elements]
    return np.linalg.det(corner[:, 1:] - corner[:, :1]) / 6.0


@pytest.mark.parametrize("name", BODIES)
def test_cells_are_the_body(name):
    assert_sound(BODIES[name][0], embedded(name).cells)


@pytest.mark.parametrize("name", BODIES)
def test_all_matter_belongs_to_elements(name):
    (body, _), found = BODIES[name], embedded(name)
    assert found.matter.sum() == pytest.approx(volume(body.vertices, body.triangles), rel=1e-12)
    assert found.matter.min() > 0.0
    if name in FLAT:
        # faces are moved by up to 5e-6 of the size, which is so large a share of the smallest altitude
        size = np.linalg.norm(np.ptp(body.vertices, axis=0))
        least = min(solid.quality.altitude.min() for solid in found.solids)
        assert found.matter == pytest.approx(volumes(found), rel=3.0 * 5e-6 * size / least)


@pytest.mark.parametrize("name", BODIES)
def test_a_unit_has_one_element_and_elements_have_units(name):
    found = embedded(name)
    count = len(found.elements)
    assert len(np.unique(found.cells.unit * count + found.element)) == found.cells.unit.max() + 1
    # only what is too thin for a piece is none
    without = np.setdiff1d(np.arange(count), found.element)
    assert len(without) <= 1e-3 * count
    altitude = np.concatenate([solid.quality.altitude for solid in found.solids])
    assert (altitude[without] <= 0.1 * np.median(altitude)).all()
    assert len(units(found.cells).volume) == found.cells.unit.max() + 1


@pytest.mark.parametrize("name", BODIES)
def test_cells_lie_in_their_elements_or_beside_them(name):
    (_, spacing), found = BODIES[name], embedded(name)
    weight = weigh_points(found.nodes, found.elements, found.cells.centroid, found.element)
    corner = found.nodes[found.elements[found.element]]
    low, high = corner.min(axis=1), corner.max(axis=1)
    beside = np.maximum(np.maximum(low - found.cells.centroid, found.cells.centroid - high).max(axis=1), 0.0)
    # Outer faces are within a fifth of a size of the surface. What is cut off beyond them may reach farther, in chips.
    assert found.cells.volume[beside > 0.25 * spacing].sum() <= 1e-3 * found.cells.volume.sum()
    assert np.average(weight.min(axis=1) > -1e-5, weights=found.cells.volume) > 0.9


@pytest.mark.parametrize("name", BODIES)
def test_points_are_the_sums_of_their_nodes(name):
    found, points = embedded(name), embedded(name).cells.vertices
    element, weight = locate_in_elements(found.nodes, found.elements, points, np.arange(len(found.elements)))
    assert np.abs(weight.sum(axis=1) - 1.0).max() <= 1e-14
    # most are corners of elements: within them but for how far nodes were moved
    assert np.median(weight.min(axis=1)) > -1e-3
    for turn in (np.eye(3), np.diag([-1.0, 1.0, 2.0]), np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])):
        moved = (weight[:, :, None] * (found.nodes @ turn.T + 7.0)[found.elements[element]]).sum(axis=1)
        assert np.abs(moved - (points @ turn.T + 7.0)).max() <= 1e-12 * np.abs(weight).max() * 10.0


def test_points_are_found_in_the_element_around_them():
    found, rng = embedded("torus"), np.random.default_rng(5)
    own = np.arange(len(found.elements))
    share = rng.dirichlet(np.ones(4), len(own))
    points = (share[:, :, None] * found.nodes[found.elements]).sum(axis=1)
    element, weight = locate_in_elements(found.nodes, found.elements, points, own)
    assert np.array_equal(element, own)
    assert np.abs(weight - share).max() <= 1e-11
    some = own[::3]
    element, _ = locate_in_elements(found.nodes, found.elements, points, some)
    assert np.isin(element, some).all()
    assert np.array_equal(element[::3], some)


def test_points_far_away_belong_to_the_nearest_element():
    found = embedded("cube")
    element, _ = locate_in_elements(
        found.nodes, found.elements, np.array([[9.0, 9.0, 9.0]]), np.arange(len(found.elements))
    )
    middle = found.nodes[found.elements].mean(axis=1)
    assert element[0] == np.square(middle - 9.0).sum(axis=1).argmin()


def test_solids_share_no_nodes():
    found = embedded("two boxes")
    first = len(found.solids[0].nodes)
    assert len(found.solids) == 2
    assert (found.elements < first).all(axis=1).sum() == len(found.solids[0].elements)
    assert ((found.elements < first).any(axis=1) == (found.elements < first).all(axis=1)).all()


def test_elements_with_one_owner_never_part():
    # as pieces of elements that were cut further do: here halves by where their middles are
    body, found = BODIES["cube"][0], embedded("cube").solids[0]
    middle = found.nodes[found.elements].mean(axis=1)
    owner = np.where(found.owner >= 0, np.where(middle[found.owner, 0] < 0.5, 0, 1), -1)
    cells, piece, _ = cut_by_tetrahedra(body, found.moved, found.complex, owner, 0)
    assert_sound(body, cells)
    size = [np.linalg.det(corner[:, 1:] - corner[:, :1]).sum() / 6.0 for corner in (
        found.nodes[found.elements[middle[:, 0] < 0.5]], found.nodes[found.elements[middle[:, 0] >= 0.5]]
    )]  # fmt: skip
    assert np.bincount(piece, cells.volume) == pytest.approx(size, rel=1e-4)


def test_the_same_body_gives_the_same_bits():
    again, first = result_of(embed_elements_steps(*BODIES["torus"], 0)), embedded("torus")
    for field in ("nodes", "elements", "element", "matter"):
        assert getattr(again, field).tobytes() == getattr(first, field).tobytes()
    assert again.cells.vertices.tobytes() == first.cells.vertices.tobytes()


def test_shares_of_the_work_never_fall():
    told = list(embed_elements_steps(*BODIES["two boxes"], 0))
    assert told == sorted(told)
    assert 0.0 <= told[0] <= told[-1] <= 1.0
