"""Bricks: staggered joints, whole bricks that never part, mortar between them only."""

from itertools import pairwise

import numpy as np
import pytest

from core.cutting.units import units
from core.geometry.mesh import volume
from core.pieces.bricks import running_bond
from core.pieces.lattice_fit import BOXES, BOXES_EACH
from core.types import Cells, Floats
from tests import shapes

from .lattices import cells_of, partition, rotation, turned

WALL = shapes.box(high=(4.0, 0.25, 2.5))


def extents(cells: Cells) -> Floats:
    """Low and high corner (U,2,3) of each brick, from its outer faces (each brick of a wall has two)."""
    low, high = np.full((cells.unit.max() + 1, 3), np.inf), np.full((cells.unit.max() + 1, 3), -np.inf)
    face = np.repeat(np.arange(len(cells.outer_cell)), np.diff(cells.outer_start))
    brick = cells.unit[cells.outer_cell[face]]
    np.minimum.at(low, brick, cells.vertices[cells.outer_vertex])
    np.maximum.at(high, brick, cells.vertices[cells.outer_vertex])
    return np.stack((low, high), axis=1)


@pytest.mark.parametrize("n", [(6, 1, 5), (7, 1, 4), (5, 2, 3), (1, 1, 4), (2, 3, 2)])
def test_running_bond_pairs_half_bricks_and_shifts_every_course(n: tuple[int, int, int]) -> None:
    brick = running_bond(np.array(n))
    assert np.array_equal(np.unique(brick), np.arange(brick.max() + 1))
    size = np.bincount(brick.ravel())
    assert size.max() <= 2 and (n[0] == 1 or np.count_nonzero(size == 1) <= 2 * n[1] * n[2])
    joint = brick[1:] != brick[:-1]  # (nx-1,ny,nz): joints across the length
    assert not np.any(joint[:, :, 1:] & joint[:, :, :-1])  # none goes on in the next course
    assert not np.any(joint[:, 1:] & joint[:, :-1])  # nor through the wall
    i = np.indices(n)[0]
    for one in np.flatnonzero(size == 2):
        assert np.ptp(i[brick == one]) == 1  # neighbours along the wall
        assert np.unique(np.argwhere(brick == one)[:, 1:], axis=0).shape[0] == 1


def test_no_upright_joint_runs_through_two_courses() -> None:
    cells = cells_of("bricks", WALL, count=200)
    box = extents(cells)
    course = np.round(box[:, 0, 2], 4)
    levels = np.unique(course)
    assert len(levels) > 5
    for below, above in pairwise(levels):
        ends = [np.round(box[course == level, 0, 0], 4) for level in (below, above)]
        inner = [row[row > 1e-4] for row in ends]
        assert len(inner[0]) > 0 and not set(inner[0]) & set(inner[1])


def test_bricks_have_their_proportions_and_the_ends_are_halves() -> None:
    size = np.ptp(extents(cells_of("bricks", WALL, count=300)), axis=1)
    whole = size[:, 0] > 0.75 * size[:, 0].max()
    # the wall stretches bricks to fit: at most by one part in twice the number of half-bricks or courses
    np.testing.assert_allclose(size[whole, 0] / size[whole, 2], 3.0, rtol=0.1)
    np.testing.assert_allclose(size[whole, 0], size[whole, 0].mean(), rtol=1e-4)
    np.testing.assert_allclose(size[~whole, 0], 0.5 * size[whole, 0].mean(), rtol=1e-4)
    assert 0.03 < np.mean(~whole) < 0.15
    np.testing.assert_allclose(size[:, 1], 0.25, rtol=1e-6)  # one brick thick


@pytest.mark.parametrize("count", [5, 40, 300, 1000])
def test_walls_get_about_the_asked_number(count: int) -> None:
    cells = cells_of("bricks", WALL, count=count)
    assert abs(len(units(cells).volume) - count) <= 0.15 * count + 1
    assert cells.volume.sum() == pytest.approx(2.5, rel=1e-12)


def test_mortar_is_between_bricks_and_nowhere_else() -> None:
    cells = cells_of("bricks", WALL, count=100, mortar=0.3)
    lo, hi = cells.unit[cells.bond_cells].T
    assert np.array_equal(cells.bond_strength, np.where(lo == hi, 1.0, 0.3))
    assert 0 < np.count_nonzero(lo == hi) < len(lo)
    np.testing.assert_allclose(units(cells).strength, 0.3, rtol=1e-14)


@pytest.mark.parametrize("angle", [0.0, 0.4, np.pi / 2, 2.5])
def test_courses_follow_a_wall_that_is_turned(angle: float) -> None:
    p = partition("bricks", turned(WALL, rotation(angle)), count=100)
    along, up = rotation(angle) @ (1.0, 0.0, 0.0), np.array((0.0, 0.0, 1.0))
    straight = partition("bricks", WALL, count=100)
    assert len(np.unique(p.group)) == len(np.unique(straight.group))
    lo, hi = p.facet_regions[(p.facet_regions[:, 1] >= 0) & (p.facet_strength == 1.0)].T
    halves = p.site[hi] - p.site[lo]  # the two halves of a brick lie along the wall
    np.testing.assert_allclose(np.abs(halves @ along), np.linalg.norm(halves, axis=1), rtol=1e-9)
    assert np.abs(p.facet_normal @ up).max() == 1.0


@pytest.mark.parametrize("body", [shapes.box(high=(2.0, 2.0, 0.01)), shapes.box(high=(0.01, 2.0, 2.0)), shapes.torus()])
def test_thin_and_round_bodies_keep_their_volume(body) -> None:
    cells = cells_of("bricks", body, count=80)
    assert cells.volume.sum() == pytest.approx(volume(body.vertices, body.triangles), rel=1e-12)
    assert 0.7 * 80 <= len(units(cells).volume) <= 1.4 * 80


def test_a_thin_body_askew_does_not_get_millions_of_boxes() -> None:
    # A needle along the diagonal fills a millionth of its room: boxes for nine bricks in it would be millions.
    needle = turned(shapes.box(high=(0.001, 0.001, 1.0)), rotation(0.7, (1.0, -1.0, 0.3)))
    p = partition("bricks", needle, count=9, length=3.84, depth=6.0)
    assert len(p.site) <= BOXES + 9 * BOXES_EACH
    cells = cells_of("bricks", needle, count=9, length=3.84, depth=6.0)
    assert cells.volume.sum() == pytest.approx(volume(needle.vertices, needle.triangles), rel=1e-9)
