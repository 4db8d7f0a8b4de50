"""Particles of pieces: on their surfaces, near enough to each other, and enough for hulls."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull, cKDTree

from core.cutting.level_set.flood import flooded
from core.cutting.level_set.grid import grid_around, inside_nodes
from core.cutting.level_set.particles import facet_triangles, particles_of, sample_middles, sample_triangles
from core.cutting.level_set.regions import node_regions, region_distance
from core.geometry.mesh import area
from core.geometry.nearest import nearest
from tests import shapes
from tests.core.cutting.closedness import voronoi


def made(body, count, resolution):
    partition, grid = voronoi(body, count, seed=2), grid_around(body, resolution)
    region = node_regions(partition, grid, inside_nodes(body, grid))
    pieces = flooded(region, fewest=1)
    return (
        partition,
        grid,
        pieces,
        particles_of(body, partition, grid, region, pieces.label, len(pieces.region)),
    )


def test_particles_lie_on_the_surface_of_their_piece():
    # On the skin of the body or on a facet of the region, and never outside of either: both level sets <= 0 = max.
    body = shapes.bumpy_sphere(3)
    partition, _, pieces, particles = made(body, 12, 24)
    for piece, region in enumerate(pieces.region):
        points = particles.point[particles.start[piece] : particles.start[piece + 1]]
        assert len(points) > 0
        phi = region_distance(partition, int(region), points)
        away = nearest(body.vertices, body.triangles, points)[2]
        assert phi.max() < 1e-12
        assert np.minimum(np.abs(phi), away).max() < 1e-12


def test_hulls_of_particles_are_those_of_convex_pieces():
    # A box cut in convex pieces. What is missing of a hull are its corners on the rim: less than a layer of cells.
    body = shapes.box()
    partition, grid, pieces, particles = made(body, 8, 24)
    for piece, region in enumerate(pieces.region):
        hull = ConvexHull(particles.point[particles.start[piece] : particles.start[piece + 1]])
        nodes = np.flatnonzero(pieces.label == piece)
        assert region_distance(partition, int(region), grid.places(nodes)).max() <= 0.0
        assert abs(hull.volume - len(nodes) * grid.spacing**3) < 1.5 * grid.spacing * hull.area / 2


@pytest.mark.parametrize("spacing", [0.07, 0.5, 9.0])
def test_a_lattice_is_dense_and_a_covering_has_the_area(spacing):
    body = shapes.box(high=(1.0, 0.3, 0.6))
    corner = body.vertices[body.triangles]
    points, triangle = sample_triangles(corner, spacing)
    rng = np.random.default_rng(0)
    weight = rng.dirichlet(np.ones(3), 12)
    probes = np.einsum("mk,tki->tmi", weight, corner).reshape(-1, 3)
    assert cKDTree(points).query(probes)[0].max() <= spacing
    assert set(range(12)) == set(triangle.tolist())
    for k in range(3):
        assert np.isin(np.round(corner[:, k], 12), np.round(points, 12)).all()
    middle, share = sample_middles(body.vertices, body.triangles, spacing)
    assert share.sum() == pytest.approx(area(body.vertices, body.triangles), rel=1e-12)
    centre = np.einsum("n,ni->i", share, middle) / share.sum()
    np.testing.assert_allclose(centre, [0.5, 0.15, 0.3], atol=1e-12)  # of equal parts, hence of the surface


def test_facets_of_a_pattern_become_triangles_in_their_planes():
    partition = voronoi(shapes.box(), 10, seed=4)
    corner, facet = facet_triangles(partition)
    away = np.einsum("tki,ti->tk", corner - partition.facet_point[facet][:, None], partition.facet_normal[facet])
    assert np.abs(away).max() < 1e-10 * np.ptp(partition.vertices)
    assert set(facet.tolist()) == set(np.flatnonzero(partition.facet_regions[:, 1] >= 0).tolist())
