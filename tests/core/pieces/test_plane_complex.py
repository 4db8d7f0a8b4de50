"""Arrangements of planes: the counts of theory, each region where its planes say, closed and consistent facets."""

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cutting.complex import as_complex
from core.errors import CutError, InputError
from core.pieces.plane_complex import plane_complex
from core.types import Floats, Partition

LOW, HIGH = np.full(3, -1.0), np.full(3, 1.0)


def random_planes(count: int, seed: int = 0, spread: float = 0.3) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, 3)), rng.uniform(-spread, spread, (count, 3))


def sides(p: Partition, region: int, points: Floats) -> Floats:
    """Signed distances (n,facets) of points outwards through the facets of a region."""
    facets = p.region_facet[p.region_start[region] : p.region_start[region + 1]]
    outward = np.where(p.facet_regions[facets, 0] == region, 1.0, -1.0)
    return np.einsum("nfi,fi->nf", points[:, None] - p.facet_point[facets], p.facet_normal[facets]) * outward


def facet_ends(p: Partition, f: int) -> tuple[Floats, Floats]:
    slots = slice(p.facet_start[f], p.facet_start[f + 1])
    ends, forward = p.edge_vertices[p.facet_edge[slots]], p.facet_edge_sign[slots] > 0
    return p.vertices[np.where(forward, ends[:, 0], ends[:, 1])], p.vertices[np.where(forward, ends[:, 1], ends[:, 0])]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 6, 12])
def test_planes_in_general_position_make_the_regions_of_theory(count: int) -> None:
    # All that meet inside of the box: 1 + n + C(n,2) + C(n,3) regions (Schlaefli), C(n,3) inner corners.
    normals, points = random_planes(count, 3, 1e-4)
    steep = normals / np.linalg.norm(normals, axis=1)[:, None] + 0.0
    p = plane_complex(steep, points, 500.0 * LOW, 500.0 * HIGH)
    as_complex(p)
    assert len(p.site) == 1 + count + comb(count, 2) + comb(count, 3)


def test_each_point_lies_in_exactly_the_region_of_its_sides() -> None:
    normals, points = random_planes(9)
    p = plane_complex(normals, points, LOW, HIGH)
    cloud = np.random.default_rng(1).uniform(LOW, HIGH, (500, 3))
    side = np.einsum("nki,ki->nk", cloud[:, None] - points, normals) > 0.0
    owner = np.full(len(cloud), -1)
    for region in range(len(p.site)):
        inside = np.all(sides(p, region, cloud) < 0.0, axis=1)
        assert np.all(owner[inside] == -1)
        owner[inside] = region
        assert len(np.unique(side[inside], axis=0)) <= 1
        assert np.all(sides(p, region, p.site[region : region + 1]) < 0.0)
    assert np.all(owner >= 0)
    assert len(np.unique(side, axis=0)) == len(np.unique(owner))


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), count=st.integers(0, 14), spread=st.sampled_from([0.05, 0.5, 2.0]))
def test_any_planes_give_closed_regions_and_facets_seen_from_hi(seed: int, count: int, spread: float) -> None:
    p = plane_complex(*random_planes(count, seed, spread), LOW, HIGH)
    as_complex(p)
    volume = np.zeros(len(p.site))
    for f in range(len(p.facet_regions)):
        start, end = facet_ends(p, f)
        assert {tuple(v) for v in start} == {tuple(v) for v in end}
        area = 0.5 * np.cross(start - start[0], end - start[0]).sum(axis=0)
        assert area @ p.facet_normal[f] > 0.0
        for region, turn in zip(p.facet_regions[f], (1.0, -1.0), strict=True):
            if region >= 0:  # a pyramid from the region's site
                volume[region] += turn * area @ (start[0] - p.site[region]) / 3.0
    assert np.all(volume > 0.0) and volume.sum() == pytest.approx(8.0, rel=1e-9)
    for region in range(len(p.site)):  # Euler: V - E + F = 2
        facets = p.region_facet[p.region_start[region] : p.region_start[region + 1]]
        edges = np.unique(np.concatenate([p.facet_edge[p.facet_start[f] : p.facet_start[f + 1]] for f in facets]))
        assert len(np.unique(p.edge_vertices[edges])) - len(edges) + len(facets) == 2


def test_edges_lie_on_the_lines_of_their_planes() -> None:
    p = plane_complex(*random_planes(10, 5), LOW, HIGH)
    start, end = (p.vertices[p.edge_vertices[:, k]] for k in range(2))
    point, direction = p.edge_line[:, 0], p.edge_line[:, 1]
    assert np.all(np.einsum("ij,ij->i", end - start, direction) > 0.0)
    for ends in (start, end):
        assert np.linalg.norm(np.cross(ends - point, direction), axis=1).max() < 1e-9


def test_parallel_planes_make_slabs() -> None:
    heights = np.array((-0.5, 0.1, 0.3))
    p = plane_complex(np.tile((0.0, 0.0, 2.0), (3, 1)), heights[:, None] * (0.0, 0.0, 1.0), LOW, HIGH)
    as_complex(p)
    np.testing.assert_allclose(np.sort(p.site[:, 2]), (-0.75, -0.2, 0.2, 0.65), atol=1e-15)


@pytest.mark.parametrize("place", [np.zeros(3), np.array((300.0, -200.0, 50.0))])
def test_place_and_size_do_not_matter(place: Floats) -> None:
    normals, points = random_planes(12, 8)
    p = plane_complex(normals, points, LOW, HIGH)
    q = plane_complex(normals, 8.0 * points + place, 8.0 * LOW + place, 8.0 * HIGH + place)
    assert np.array_equal(p.facet_regions, q.facet_regions) and np.array_equal(p.facet_edge, q.facet_edge)
    np.testing.assert_allclose(q.vertices, 8.0 * p.vertices + place, atol=1e-9)


def test_planes_through_one_point_are_refused_and_jittered_ones_are_not() -> None:
    normals = random_planes(5, 2)[0]
    with pytest.raises(CutError):
        as_complex(plane_complex(normals, np.zeros((5, 3)), LOW, HIGH))
    jitter = 1e-6 * np.random.default_rng(0).uniform(-1.0, 1.0, (5, 3))
    as_complex(plane_complex(normals, jitter, LOW, HIGH))


def test_too_many_crossing_planes_are_refused_with_a_sentence() -> None:
    with pytest.raises(InputError, match="fewer"):
        plane_complex(*random_planes(400, 1), LOW, HIGH)
