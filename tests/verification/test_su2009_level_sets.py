"""Su, Schroeder, Fedkiw 2009, part B on level sets.

B4 to B6, B8, B10, vectors V3 and V4 and resolutions are those of docs/papers/su2009.md.
"""

import numpy as np
import pytest
from scipy import ndimage

from core.cutting.level_set.flood import flooded
from core.cutting.level_set.grid import Grid, grid_around, inside_nodes
from core.cutting.level_set.regions import node_regions
from core.pieces.voronoi_complex import voronoi_complex
from tests import shapes
from tests.core.cutting.closedness import voronoi

from .level_sets import fragment_distance, grid_masses, region_distance, signed_distance, snap_to_node


def nodes_of(grid: Grid) -> np.ndarray:
    return grid.places(np.arange(int(np.prod(grid.shape))))


def test_inertia_of_a_box_is_exact():
    # V3: 1 x 0.6 x 0.4 at (.3, -.2, .1), rho 2700, h = .02: m (b^2 + c^2) / 12. The cells' own term makes a box that is
    # aligned to the grid exact; without it each entry would be short of rho V h^2 / 6 = 0.0432.
    size, middle, h = np.array([1.0, 0.6, 0.4]), np.array([0.3, -0.2, 0.1]), 0.02
    grid = Grid(middle - 0.5 * size + 0.5 * h, h, (50, 30, 20))
    mass = grid_masses(grid, np.zeros(grid.shape, np.int64), 1, 2700 * 0.24)
    assert mass.volume[0] == pytest.approx(0.24, rel=1e-12)
    np.testing.assert_allclose(mass.centre[0], middle, atol=1e-13)
    np.testing.assert_allclose(mass.inertia[0], np.diag([28.08, 62.64, 73.44]), atol=1e-10)
    np.testing.assert_allclose(
        np.diag(mass.inertia[0]) - 2700 * 0.24 * h**2 / 6, [28.0368, 62.5968, 73.3968], atol=1e-10
    )


def sphere_grid() -> tuple[Grid, np.ndarray]:
    """61^3 nodes over [-1.5, 1.5], with the rounding of V4."""
    grid = Grid(np.full(3, -1.5), 0.05, (61, 61, 61))
    return grid, np.linspace(-1.5, 1.5, 61)[np.stack(np.unravel_index(np.arange(61**3), grid.shape), axis=1)]


def test_half_of_a_sphere_has_the_nodes_of_v4():
    # phi_f = max(phi_region, phi_parent); nodes with 0 are outside. Nine nodes lie on the sphere: rounded as in V4,
    # four of them are inside; without these it would be 16063.
    grid, x = sphere_grid()
    within = fragment_distance(x[:, 0], np.linalg.norm(x, axis=1) - 1.0) < 0.0
    mass = grid_masses(grid, np.where(within, 0, -1).reshape(grid.shape), 1, 1.0)
    assert within.sum() == 16067
    assert mass.volume[0] == pytest.approx(2.008375, rel=1e-12)
    assert mass.centre[0, 0] == pytest.approx(-0.38894, abs=5e-6)


def test_flood_fill_splits_the_dumbbell_of_v4():
    # Spheres of radius .5 at y = +-.8, joined by a bar of radius .15 at x = .3, cut by x < 0.
    grid, x = sphere_grid()
    ends = [np.linalg.norm(x - [0.0, y, 0.0], axis=1) - 0.5 for y in (-0.8, 0.8)]
    along = np.clip(x[:, 1], -0.8, 0.8)
    bar = np.linalg.norm(x - np.stack([np.full(len(x), 0.3), along, np.zeros(len(x))], axis=1), axis=1) - 0.15
    parent = np.minimum(np.minimum(*ends), bar)
    whole = flooded(np.where(parent < 0.0, 0, -1).reshape(grid.shape))
    half = flooded(np.where(fragment_distance(x[:, 0], parent) < 0.0, 0, -1).reshape(grid.shape))
    assert len(whole.region) == 1 and half.dropped == 0
    np.testing.assert_array_equal(np.bincount(half.label[half.label >= 0]), [1923, 1923])


@pytest.mark.parametrize("shape", [shapes.bumpy_sphere(3), shapes.torus(), shapes.hollow_box()])
def test_one_label_says_what_all_level_sets_say(shape):
    # B4 for every region at every node; the walk from region to region asks only few of them.
    grid, partition = grid_around(shape, 14), voronoi(shape, 25, seed=3)
    within = inside_nodes(shape, grid)
    parent = signed_distance(shape, grid, within).reshape(-1)
    label = node_regions(partition, grid, within).reshape(-1)
    for region in range(25):
        phi = fragment_distance(region_distance(partition, region, nodes_of(grid)), parent)
        np.testing.assert_array_equal(phi < 0.0, label == region)


def test_nodes_on_a_facet_go_to_one_region_and_no_mass_is_lost():
    # A wall exactly through a layer of nodes: phi = 0 in both regions, and strictly below 0 in none (resolution 4.6).
    box = shapes.box()
    sites = np.array([[0.2, 0.5, 0.5], [0.8, 0.5, 0.5]])
    grid = grid_around(box, 9)
    label = node_regions(voronoi_complex(sites, np.zeros(3), np.ones(3)), grid, inside_nodes(box, grid))
    assert (np.bincount(label[label >= 0]).sum(), np.ptp(label[5][label[5] >= 0])) == (9**3, 0)


def test_pieces_are_the_components_of_each_region():
    # B5 against scipy, region by region.
    shape = shapes.torus()
    grid, partition = grid_around(shape, 24), voronoi(shape, 12, seed=1)
    region = node_regions(partition, grid, inside_nodes(shape, grid))
    pieces = flooded(region, fewest=1)
    assert len(pieces.region) == sum(ndimage.label(region == r)[1] for r in range(12))
    for r in range(12):
        parts, count = ndimage.label(region == r)
        for part in range(1, count + 1):
            assert np.unique(pieces.label[parts == part]).size == 1
    np.testing.assert_array_equal(pieces.region[pieces.label[pieces.label >= 0]], region[region >= 0])


def test_momentum_and_energy_are_kept_at_the_break():
    # Resolution 4.7: a box of voxels, h = .05, 960 kg, v = (1, 2, -1), omega = (3, -2, 5), in 7 Voronoi regions. B10:
    # v_f = v_p + omega_p x r_f, omega_f = omega_p. Sums of some 10^4 terms: round-off of 1e-12, by the largest.
    box = shapes.box(high=(1.0, 0.8, 0.6))
    grid = grid_around(box, 20)
    region = node_regions(voronoi(box, 7, seed=5), grid, inside_nodes(box, grid))
    pieces = flooded(region)
    count = len(pieces.region)
    parent = grid_masses(grid, np.where(region >= 0, 0, -1), 1, 960.0)
    parts = grid_masses(grid, pieces.label, count, 960.0)
    v, omega = np.array([1.0, 2.0, -1.0]), np.array([3.0, -2.0, 5.0])
    r = parts.centre - parent.centre[0]
    velocity = v + np.cross(omega, r)
    assert parts.mass.sum() == pytest.approx(960.0, rel=1e-14)
    np.testing.assert_allclose(parts.mass @ velocity, 960.0 * v, atol=1e-12 * 960)
    spin = np.einsum("k,ki->i", parts.mass, np.cross(r, velocity)) + parts.inertia.sum(axis=0) @ omega
    np.testing.assert_allclose(spin, parent.inertia[0] @ omega, atol=1e-12 * 960)
    energy = (
        0.5 * (parts.mass * np.square(velocity).sum(axis=1)).sum() + 0.5 * omega @ parts.inertia.sum(axis=0) @ omega
    )
    assert energy == pytest.approx(480.0 * v @ v + 0.5 * omega @ parent.inertia[0] @ omega, rel=1e-12)


def test_a_pattern_is_snapped_by_half_a_cell_at_most():
    # Resolution 4.10: the error of B6 is at most h sqrt(3) / 2, and the snapped centre is a node.
    grid = grid_around(shapes.box(), 10)
    for point in np.random.default_rng(1).uniform(-2.0, 3.0, (50, 3)):
        place = snap_to_node(grid, point)
        assert np.linalg.norm(place - point) <= grid.spacing * 3**0.5 / 2 * (1.0 + 1e-12)
        steps = (place - grid.origin) / grid.spacing
        np.testing.assert_allclose(steps, np.rint(steps), atol=1e-9)
