"""The Voronoi complex: duality, signs, rings, metric, and refusal of degenerate sites."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import Delaunay, cKDTree

from core.cutting.complex import as_complex
from core.errors import CutError
from core.pieces.voronoi_complex import voronoi_complex
from core.types import Floats, Partition

LOW, HIGH = np.zeros(3), np.ones(3)


def unit_sites(count: int, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).uniform(LOW, HIGH, (count, 3))


def facet_sides(p: Partition, points: Floats, region: int) -> Floats:
    """Signed distances (n, facets) of points outwards through each facet of a region."""
    facets = p.region_facet[p.region_start[region] : p.region_start[region + 1]]
    outward = np.where(p.facet_regions[facets, 0] == region, 1.0, -1.0)
    offset = np.einsum("fk,fk->f", p.facet_normal[facets], p.facet_point[facets])
    return (np.einsum("nk,fk->nf", points, p.facet_normal[facets]) - offset) * outward


@pytest.mark.parametrize("count", [1, 2, 3, 4, 50])
def test_each_point_lies_in_the_region_of_its_nearest_site(count: int) -> None:
    sites = unit_sites(count)
    p = voronoi_complex(sites, LOW, HIGH)
    points = np.random.default_rng(1).uniform(-0.5, 1.5, (500, 3))
    nearest = cKDTree(sites).query(points)[1]
    for region in range(count):
        inside = np.all(facet_sides(p, points, region) <= 0.0, axis=1)
        assert np.array_equal(inside, nearest == region)


def test_facets_join_sites_that_are_delaunay_neighbours() -> None:
    sites = unit_sites(60, 3)
    p = voronoi_complex(sites, LOW, HIGH)
    inner = p.facet_regions[p.facet_regions[:, 1] >= 0]
    ours = {tuple(pair) for pair in np.sort(inner, axis=1)}
    simplices = np.sort(Delaunay(sites).simplices, axis=1)
    theirs = {tuple(t[[i, j]]) for t in simplices for i in range(4) for j in range(i + 1, 4)}
    # far facets at the hull may be cut off by the ghosts, so ours is a subset that lacks few
    assert ours <= theirs
    assert len(ours) >= 0.9 * len(theirs)


def test_vertices_are_equidistant_from_the_sites_of_their_facets() -> None:
    sites = unit_sites(40, 5)
    p = voronoi_complex(sites, LOW, HIGH)
    for f in np.flatnonzero(p.facet_regions[:, 1] >= 0):
        edges = p.facet_edge[p.facet_start[f] : p.facet_start[f + 1]]
        ends = p.vertices[np.unique(p.edge_vertices[edges])]
        a, b = sites[p.facet_regions[f]]
        gap = np.linalg.norm(ends - a, axis=1) - np.linalg.norm(ends - b, axis=1)
        assert np.abs(gap).max() < 1e-9  # far circumcentres carry the round-off of their distance


@pytest.mark.parametrize("metric", [None, np.diag([1.0, 0.1, 3.0]), np.diag([-1.0, 1.0, 1.0])])
def test_edge_signs_run_counter_clockwise_seen_from_hi(metric: Floats | None) -> None:
    p = voronoi_complex(unit_sites(30, 7), LOW, HIGH, metric=metric)
    for f in range(len(p.facet_regions)):
        slots = slice(p.facet_start[f], p.facet_start[f + 1])
        edges, sign = p.facet_edge[slots], p.facet_edge_sign[slots]
        ends = p.edge_vertices[edges]
        begin = np.where(sign > 0, ends[:, 0], ends[:, 1])
        end = np.where(sign > 0, ends[:, 1], ends[:, 0])
        assert np.array_equal(np.sort(begin), np.sort(end))  # one closed polygon
        centre = p.vertices[begin].mean(axis=0)
        area = 0.5 * np.cross(p.vertices[begin] - centre, p.vertices[end] - centre).sum(axis=0)
        assert area @ p.facet_normal[f] > 0.0


def test_edge_lines_run_through_both_ends_from_p_to_q() -> None:
    p = voronoi_complex(unit_sites(80, 9), LOW, HIGH)
    start, end = (p.vertices[p.edge_vertices[:, k]] for k in range(2))
    point, direction = p.edge_line[:, 0], p.edge_line[:, 1]
    assert np.allclose(np.linalg.norm(direction, axis=1), 1.0, rtol=0, atol=1e-14)
    assert np.all(np.einsum("ij,ij->i", end - start, direction) > 0.0)
    off = np.linalg.norm(np.cross(start - point, direction), axis=1)
    size = 1.0 + np.linalg.norm(start, axis=1) + np.linalg.norm(point, axis=1)
    assert np.all(off < 1e-10 * size)


def test_rings_list_the_facets_that_list_the_edge() -> None:
    p = voronoi_complex(unit_sites(25, 11), LOW, HIGH)
    owner = np.repeat(np.arange(len(p.facet_regions)), np.diff(p.facet_start))
    listed = {(int(e), int(f)) for e, f in zip(p.facet_edge, owner, strict=True)}
    edge = np.repeat(np.arange(len(p.edge_vertices)), np.diff(p.edge_start))
    assert listed == {(int(e), int(f)) for e, f in zip(edge, p.edge_facet, strict=True)}
    as_complex(p)  # every region meets each of its edges with two facets, or this raises


def test_metric_gives_the_regions_of_the_mapped_distance() -> None:
    rng = np.random.default_rng(2)
    metric = np.diag([1.0, 0.01, 1.0]) @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
    sites = unit_sites(30, 13)
    p = voronoi_complex(sites, LOW, HIGH, metric=metric)
    points = rng.uniform(LOW, HIGH, (400, 3))
    nearest = cKDTree(sites @ metric.T).query(points @ metric.T)[1]
    for region in range(30):
        inside = np.all(facet_sides(p, points, region) <= 0.0, axis=1)
        assert np.array_equal(inside, nearest == region)


@pytest.mark.parametrize("power", [-7, 5])
def test_scaling_by_a_power_of_two_scales_every_number_exactly(power: int) -> None:
    scale = 2.0**power
    sites = unit_sites(40, 15)
    p, q = voronoi_complex(sites, LOW, HIGH), voronoi_complex(sites * scale, LOW * scale, HIGH * scale)
    assert np.array_equal(p.facet_regions, q.facet_regions)
    assert np.array_equal(p.facet_edge, q.facet_edge)
    assert np.array_equal(p.vertices * scale, q.vertices)
    assert np.array_equal(p.facet_normal, q.facet_normal)


def test_sites_far_outside_the_box_keep_bounded_regions() -> None:
    sites = np.concatenate([unit_sites(10, 17), [[8.0, 0.0, 0.0], [0.0, -5.0, 1.0]]])
    p = voronoi_complex(sites, LOW, HIGH)
    assert np.all(np.isfinite(p.vertices))
    assert np.all(np.diff(p.region_start) >= 4)


def test_coincident_sites_are_refused() -> None:
    sites = unit_sites(10, 19)
    sites[3] = sites[7]
    with pytest.raises(CutError):
        voronoi_complex(sites, LOW, HIGH)


def test_an_exact_cubic_lattice_is_refused_and_a_jittered_one_is_not() -> None:
    axis = (np.arange(4) + 0.5) / 4
    lattice = np.stack(np.meshgrid(axis, axis, axis), axis=-1).reshape(-1, 3)
    with pytest.raises(CutError):
        voronoi_complex(lattice, LOW, HIGH)
    jitter = np.random.default_rng(0).uniform(-1e-6, 1e-6, lattice.shape)
    as_complex(voronoi_complex(lattice + jitter, LOW, HIGH))


def test_group_is_kept_and_defaults_to_one_region_each() -> None:
    sites = unit_sites(5)
    assert np.array_equal(voronoi_complex(sites, LOW, HIGH).group, np.arange(5))
    group = np.array([0, 0, 1, 1, 2])
    assert np.array_equal(voronoi_complex(sites, LOW, HIGH, group=group).group, group)


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 40))
def test_any_random_sites_give_a_complex_of_closed_regions(seed: int, count: int) -> None:
    p = voronoi_complex(unit_sites(count, seed), LOW, HIGH)
    as_complex(p)
    # Euler for each closed region: V - E + F = 2
    for region in range(count):
        facets = p.region_facet[p.region_start[region] : p.region_start[region + 1]]
        edges = np.unique(np.concatenate([p.facet_edge[p.facet_start[f] : p.facet_start[f + 1]] for f in facets]))
        assert len(np.unique(p.edge_vertices[edges])) - len(edges) + len(facets) == 2
