"""The grid around a body, its level set, and what is too thin for it."""

import numpy as np
import pytest

from core.cutting.level_set.flood import flooded
from core.cutting.level_set.grid import NODES_MAX, grid_around, inside_nodes
from core.cutting.level_set.regions import node_regions
from core.cutting.level_set.thin import lost_share
from core.errors import CutError, InputError
from core.geometry.mesh import area, mass_properties
from core.pieces.voronoi_complex import voronoi_complex
from tests import shapes
from tests.core.cutting.closedness import voronoi
from tests.verification.level_sets import grid_masses, signed_distance


@pytest.mark.parametrize("high", [(1.0, 1.0, 1.0), (2.0, 0.31, 0.7), (0.01, 0.002, 0.01)])
def test_the_border_of_the_grid_is_outside_and_the_box_in_the_middle(high):
    box = shapes.box(high=high)
    grid = grid_around(box, 16)
    within = inside_nodes(box, grid)
    for axis in range(3):
        assert not np.take(within, [0, -1], axis=axis).any()
        assert np.take(within, [1, -2], axis=axis).any()
    middle = grid.origin + 0.5 * grid.spacing * (np.array(grid.shape) - 1)
    np.testing.assert_allclose(middle, 0.5 * np.array(high), rtol=1e-12)
    assert grid.spacing == pytest.approx(max(high) / 16)


def test_the_level_set_is_the_distance_near_the_surface_and_less_beyond():
    box = shapes.box()
    grid = grid_around(box, 20)
    within = inside_nodes(box, grid)
    phi = signed_distance(box, grid, within, layers=3)
    x = grid.places(np.arange(within.size)).reshape(*grid.shape, 3)
    d = np.abs(x - 0.5) - 0.5  # signed distance of a box
    exact = np.linalg.norm(np.maximum(d, 0.0), axis=3) + np.minimum(d.max(axis=3), 0.0)
    near = np.abs(exact) < 3 * grid.spacing
    np.testing.assert_allclose(phi[near], exact[near], atol=1e-14)
    np.testing.assert_array_equal(np.sign(phi), np.sign(exact))
    assert (np.abs(phi) <= np.abs(exact) + 1e-14).all()


def test_small_parts_join_their_neighbour_and_no_cell_is_lost():
    region = np.full((7, 6, 6), -1)
    region[1:6, 1:5, 1:5] = 0
    region[3:6, 1:5, 1:5] = 2
    region[5, 1, 1] = 0  # between nodes of region 2 only
    region[1, 4, 4] = 1
    pieces = flooded(region, fewest=2)
    assert (pieces.region.tolist(), pieces.dropped) == ([0, 2], 2)
    assert pieces.label[5, 1, 1] == 1 and pieces.label[1, 4, 4] == 0
    np.testing.assert_array_equal(pieces.label >= 0, region >= 0)
    assert len(flooded(region, fewest=1).region) == 4


def test_a_small_part_without_neighbours_stays():
    region = np.full((5, 5, 5), -1)
    region[1, 1, 1], region[3, 3, 2:4] = 0, 1
    pieces = flooded(region, fewest=10)
    assert (pieces.region.tolist(), pieces.dropped) == ([0, 1], 0)


def test_inertia_converges_to_that_of_the_mesh():
    # A cell that the surface crosses is right or wrong by 0.3 h^3 at random (the spread of a uniform share), and there
    # are some A / h^2 of them: 0.3 h^2 sqrt(A), times 5 for five standard deviations. A body without symmetries.
    body = shapes.bumpy_sphere(4)
    volume, centroid, second = mass_properties(body.vertices, body.triangles)
    exact = np.trace(second) * np.eye(3) - second
    for resolution in (12, 24, 48, 96):
        grid = grid_around(body, resolution)
        label = np.where(inside_nodes(body, grid), 0, -1)
        mass = grid_masses(grid, label, 1, volume)
        error = 5 * 0.3 * grid.spacing**2 * area(body.vertices, body.triangles) ** 0.5
        reach = 1.2  # the farthest point of the body
        np.testing.assert_allclose(mass.volume[0], volume, atol=error)
        np.testing.assert_allclose(mass.centre[0] * volume, centroid * volume, atol=reach * error)
        np.testing.assert_allclose(mass.inertia[0], exact, atol=2 * reach**2 * error)


def test_flat_walls_lose_nothing_and_thin_ones_do():
    box, pane = shapes.box(), shapes.wine_glass()
    for body, thin in ((box, False), (shapes.bumpy_sphere(4), False), (pane, True)):
        grid = grid_around(body, 16)
        assert (lost_share(body, grid, inside_nodes(body, grid)) > 0.05) == thin


def test_a_body_beyond_the_pattern_is_refused():
    box = shapes.box(high=(3.0, 1.0, 1.0))
    partition = voronoi_complex(np.array([[0.2, 0.5, 0.5], [0.8, 0.5, 0.5]]), np.zeros(3), np.ones(3) * 0.5)
    grid = grid_around(shapes.box((-90.0, 0.0, 0.0), (90.0, 1.0, 1.0)), 90)
    with pytest.raises(CutError, match="out of the pattern"):
        node_regions(partition, grid, inside_nodes(shapes.box((-90.0, 0.0, 0.0), (90.0, 1.0, 1.0)), grid))
    with pytest.raises(InputError, match="Resolution"):
        grid_around(box, 1)
    with pytest.raises(InputError, match="lower it to") as refusal:
        grid_around(box, 4000)
    told = int(str(refusal.value).rstrip(".").rsplit(" ", 1)[1])
    assert np.prod(grid_around(box, told).shape) <= NODES_MAX < 1.1 * np.prod(grid_around(box, told).shape)


def test_nodes_looked_at_some_at_a_time_are_those_looked_at_at_once(monkeypatch):
    body = shapes.bumpy_sphere(3)
    grid, partition = grid_around(body, 20), voronoi(body, 7, seed=5)
    assert [slab.stop - slab.start for slab in grid.slabs()] == [np.prod(grid.shape)]
    within = inside_nodes(body, grid)
    region = node_regions(partition, grid, within)
    monkeypatch.setattr("core.cutting.level_set.grid.SLAB", 3 * grid.shape[1] * grid.shape[2] + 1)
    assert len(list(grid.slabs())) == -(-grid.shape[0] // 3)
    np.testing.assert_array_equal(inside_nodes(body, grid), within)
    np.testing.assert_array_equal(node_regions(partition, grid, within), region)
