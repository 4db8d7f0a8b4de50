"""Complexes of tetrahedra: duality-free checks of faces, edges, signs and planes, and refusal of degenerate points."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cutting.complex import as_complex
from core.cutting.cut import cut
from core.cutting.retry import cut_with_retry
from core.errors import CutError
from core.pieces.delaunay_complex import delaunay_complex
from core.types import Floats, Partition
from tests import shapes

LOW, HIGH = np.zeros(3), np.ones(3)


def unit_points(count: int, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).uniform(LOW - 0.2, HIGH + 0.2, (count, 3))


def jittered(points: Floats, attempt: int) -> Floats:
    return points + np.random.default_rng(attempt).uniform(-1e-6, 1e-6, points.shape)


def corners_of_facets(p: Partition) -> Floats:
    """Numbers (F,3) of the vertices of each facet, ascending."""
    ends = p.edge_vertices[p.facet_edge.reshape(-1, 3)].reshape(-1, 6)
    ends.sort(axis=1)
    assert np.array_equal(ends[:, 0::2], ends[:, 1::2])  # each corner on two of the three edges
    return ends[:, 0::2]


def corners_of_regions(p: Partition) -> Floats:
    """Numbers (R,4) of the vertices of each tetrahedron."""
    facet = corners_of_facets(p)[p.region_facet.reshape(-1, 4)].reshape(-1, 12)
    facet.sort(axis=1)
    assert np.array_equal(facet[:, 0::3], facet[:, 2::3])  # each corner in three of the four facets
    return facet[:, 0::3]


def volumes(p: Partition) -> Floats:
    corner = p.vertices[corners_of_regions(p)]
    return np.abs(np.linalg.det(corner[:, 1:] - corner[:, :1])) / 6.0


@pytest.mark.parametrize("count", [1, 2, 5, 60, 700])
def test_tetrahedra_are_face_to_face_and_fill_the_far_tetrahedron(count: int) -> None:
    p = delaunay_complex(unit_points(count), LOW, HIGH)
    as_complex(p)  # every region meets each of its edges with two facets, or this raises
    size = volumes(p)
    far = p.vertices[-4:]
    assert size.min() > 0.0
    assert size.sum() == pytest.approx(abs(np.linalg.det(far[1:] - far[0])) / 6.0, rel=1e-12)
    assert np.count_nonzero(p.facet_regions[:, 1] < 0) == 4
    # V - E + F - R = 1 for a ball that is divided into cells (Euler)
    assert len(p.vertices) - len(p.edge_vertices) + len(p.facet_regions) - len(p.region_start) + 1 == 1


def test_the_points_are_the_first_vertices_and_all_are_used() -> None:
    points = unit_points(90, 3)
    p = delaunay_complex(points, LOW, HIGH)
    assert np.array_equal(p.vertices[:90], points)
    assert np.array_equal(np.unique(p.edge_vertices), np.arange(94))


def test_planes_run_through_their_corners_and_part_the_two_regions() -> None:
    p = delaunay_complex(unit_points(80, 5), LOW, HIGH)
    corner = p.vertices[corners_of_facets(p)] - p.facet_point[:, None]
    size = np.linalg.norm(corner, axis=2).max(axis=1)
    assert np.all(np.abs(np.einsum("fck,fk->fc", corner, p.facet_normal)).max(axis=1) <= 1e-14 * size)
    assert np.allclose(np.linalg.norm(p.facet_normal, axis=1), 1.0, rtol=0, atol=1e-15)
    for side, sign in ((0, -1.0), (1, 1.0)):
        known = p.facet_regions[:, side] >= 0
        there = p.site[p.facet_regions[known, side]] - p.facet_point[known]
        assert np.all(sign * np.einsum("fk,fk->f", there, p.facet_normal[known]) > 0.0)


def test_edges_run_counter_clockwise_seen_from_hi_and_along_their_lines() -> None:
    p = delaunay_complex(unit_points(50, 7), LOW, HIGH)
    ends = p.edge_vertices[p.facet_edge]
    begin = np.where(p.facet_edge_sign > 0, ends[:, 0], ends[:, 1]).reshape(-1, 3)
    end = np.where(p.facet_edge_sign > 0, ends[:, 1], ends[:, 0]).reshape(-1, 3)
    assert np.array_equal(np.sort(begin, axis=1), np.sort(end, axis=1))
    a, b = p.vertices[begin], p.vertices[end]
    area = 0.5 * np.cross(a, b).sum(axis=1)  # of the closed triangle
    assert np.all(np.einsum("fk,fk->f", area, p.facet_normal) > 0.0)
    p0, p1 = p.vertices[p.edge_vertices[:, 0]], p.vertices[p.edge_vertices[:, 1]]
    unit = (p1 - p0) / np.linalg.norm(p1 - p0, axis=1)[:, None]
    assert np.allclose(unit, p.edge_line[:, 1], rtol=0, atol=1e-14)
    assert np.allclose(p.edge_line[:, 0], 0.5 * (p0 + p1), rtol=1e-14, atol=0)


def test_rings_list_the_facets_that_list_the_edge() -> None:
    p = delaunay_complex(unit_points(40, 9), LOW, HIGH)
    facet = np.repeat(np.arange(len(p.facet_regions)), 3)
    edge = np.repeat(np.arange(len(p.edge_vertices)), np.diff(p.edge_start))
    listed = set(zip(p.facet_edge.tolist(), facet.tolist(), strict=True))
    assert listed == set(zip(edge.tolist(), p.edge_facet.tolist(), strict=True))


@pytest.mark.parametrize(
    "body", [shapes.box(), shapes.hollow_box(), shapes.torus(0.4, 0.1)], ids=["box", "hollow", "torus"]
)
def test_cells_fill_the_body(body) -> None:
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    c = cut(body, delaunay_complex(np.random.default_rng(3).uniform(low - 0.1, high + 0.1, (150, 3)), low, high))
    a, b, d = (body.vertices[body.triangles[:, k]] for k in range(3))
    whole = np.einsum("ij,ij->", a, np.cross(b, d)) / 6.0
    assert c.volume.min() > 0.0
    assert c.volume.sum() == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("side", [4, 9])
def test_an_exact_lattice_is_refused_and_a_jittered_one_is_not(side: int) -> None:
    axis = np.arange(side) / (side - 1.0)
    lattice = np.stack(np.meshgrid(axis, axis, axis), axis=-1).reshape(-1, 3)
    with pytest.raises(CutError):
        delaunay_complex(lattice, LOW, HIGH)
    # points on the body's corners, edges and faces: many crumbs, edges along the body's, and still every cell closes
    cells, _ = cut_with_retry(shapes.box(), lambda attempt: delaunay_complex(jittered(lattice, attempt), LOW, HIGH))
    assert cells.volume.sum() == pytest.approx(1.0, rel=1e-12)


def test_coincident_points_are_refused() -> None:
    points = unit_points(20)
    points[4] = points[11]
    with pytest.raises(CutError):
        delaunay_complex(points, LOW, HIGH)


@pytest.mark.parametrize("power", [-7, 5])
def test_scaling_by_a_power_of_two_scales_every_number_exactly(power: int) -> None:
    scale, points = 2.0**power, unit_points(60, 15)
    p, q = delaunay_complex(points, LOW, HIGH), delaunay_complex(points * scale, LOW * scale, HIGH * scale)
    assert np.array_equal(p.facet_regions, q.facet_regions)
    assert np.array_equal(p.facet_edge, q.facet_edge)
    assert np.array_equal(p.vertices * scale, q.vertices)
    assert np.array_equal(p.facet_normal, q.facet_normal)


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 60))
def test_any_random_points_give_a_complex_of_tetrahedra(seed: int, count: int) -> None:
    p = delaunay_complex(unit_points(count, seed), LOW, HIGH)
    as_complex(p)
    assert volumes(p).min() > 0.0
