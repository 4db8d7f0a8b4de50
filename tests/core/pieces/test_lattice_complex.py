"""The lattice complex: boxes in their places, closed and consistent facets, shared planes and lines."""

import numpy as np
import pytest

from core.cutting.complex import as_complex
from core.errors import CutError
from core.pieces.convention import JITTER
from core.pieces.lattice_complex import draw_shift, lattice_complex
from core.types import Floats, Partition

#: Unevenly spaced planes: 3 x 2 x 4 boxes.
PLANES = (np.array((-1.0, -0.2, 0.5, 1.0)), np.array((0.0, 0.3, 1.0)), np.array((-2.0, -1.0, 0.0, 0.5, 2.0)))
SIZE = (3, 2, 4)
TURN = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))[0]
TURN = TURN * np.linalg.det(TURN)
ORIGIN = np.array((0.3, -0.7, 5.0))


def turned() -> Partition:
    return lattice_complex(PLANES, TURN, ORIGIN)


def facet_ends(p: Partition, f: int) -> tuple[Floats, Floats]:
    """Start and end (n,3) of the edges of a facet, counter-clockwise seen from hi."""
    slots = slice(p.facet_start[f], p.facet_start[f + 1])
    ends = p.edge_vertices[p.facet_edge[slots]]
    forward = p.facet_edge_sign[slots] > 0
    return p.vertices[np.where(forward, ends[:, 0], ends[:, 1])], p.vertices[np.where(forward, ends[:, 1], ends[:, 0])]


def test_it_is_a_complex_with_the_counts_of_a_grid() -> None:
    p = turned()
    as_complex(p)  # every region meets each of its edges with two facets, or this raises
    nx, ny, nz = SIZE
    assert len(p.vertices) == (nx + 1) * (ny + 1) * (nz + 1)
    assert len(p.facet_regions) == (nx + 1) * ny * nz + nx * (ny + 1) * nz + nx * ny * (nz + 1)
    assert len(p.edge_vertices) == nx * (ny + 1) * (nz + 1) + (nx + 1) * ny * (nz + 1) + (nx + 1) * (ny + 1) * nz
    assert np.array_equal(np.diff(p.region_start), np.full(nx * ny * nz, 6))


def test_each_region_is_the_box_between_its_planes() -> None:
    # region (i ny + j) nz + k lies between planes i, i+1 of x and so on
    p = turned()
    points = np.random.default_rng(0).uniform([-1.0, 0.0, -2.0], [1.0, 1.0, 2.0], (400, 3))
    i, j, k = (np.searchsorted(PLANES[axis], points[:, axis]) - 1 for axis in range(3))
    expected = (i * SIZE[1] + j) * SIZE[2] + k
    world = ORIGIN + points @ TURN
    for region in range(len(p.site)):
        facets = p.region_facet[p.region_start[region] : p.region_start[region + 1]]
        outward = np.where(p.facet_regions[facets, 0] == region, 1.0, -1.0)
        side = np.einsum("nfi,fi->nf", world[:, None] - p.facet_point[facets], p.facet_normal[facets]) * outward
        assert np.array_equal(np.all(side <= 0.0, axis=1), expected == region)
        middle = [
            0.5 * (PLANES[a][index] + PLANES[a][index + 1]) for a, index in enumerate(np.unravel_index(region, SIZE))
        ]
        np.testing.assert_allclose(p.site[region], ORIGIN + middle @ TURN, atol=1e-12)


def test_facets_are_closed_and_run_counter_clockwise_seen_from_hi() -> None:
    p = turned()
    for f in range(len(p.facet_regions)):
        start, end = facet_ends(p, f)
        assert {tuple(v) for v in start} == {tuple(v) for v in end} and len(start) == 4
        area = 0.5 * np.cross(start - start[0], end - start[0]).sum(axis=0)
        assert area @ p.facet_normal[f] == pytest.approx(np.linalg.norm(area), rel=1e-12)
        lo, hi = p.facet_regions[f]
        if hi >= 0:
            assert (p.site[hi] - p.site[lo]) @ p.facet_normal[f] > 0.0
        else:
            assert (start[0] - p.site[lo]) @ p.facet_normal[f] > 0.0


def test_edges_lie_on_their_lines_in_their_direction() -> None:
    p = turned()
    start, end = (p.vertices[p.edge_vertices[:, k]] for k in range(2))
    point, direction = p.edge_line[:, 0], p.edge_line[:, 1]
    assert np.all(np.einsum("ij,ij->i", end - start, direction) > 0.0)
    assert np.abs(np.cross(start - point, direction)).max() < 1e-14 * np.abs(p.vertices).max() * 4


def test_facets_of_one_plane_share_its_bits() -> None:
    # a point has one and the same distance from all of them, whatever its rounding
    p = turned()
    planes = np.unique(np.concatenate([p.facet_point, np.abs(p.facet_normal)], axis=1), axis=0)
    assert len(planes) == sum(len(family) for family in PLANES)
    assert len(np.unique(p.edge_line.reshape(-1, 6), axis=0)) == 4 * 3 + 3 * 5 + 4 * 5


def test_the_margin_moves_the_outermost_planes_and_no_site() -> None:
    p, wide = lattice_complex(PLANES), lattice_complex(PLANES, margin=0.25)
    assert np.array_equal(p.site, wide.site)
    assert np.array_equal(wide.vertices.min(axis=0), p.vertices.min(axis=0) - 0.25)
    assert np.array_equal(wide.vertices.max(axis=0), p.vertices.max(axis=0) + 0.25)
    assert np.array_equal(np.unique(wide.vertices[:, 0])[1:-1], PLANES[0][1:-1])


def test_joints_are_the_inner_facets_between_groups() -> None:
    group = np.arange(24) // 4
    p = lattice_complex(PLANES, group=group, joint=0.25)
    lo, hi = p.facet_regions.T
    between = (hi >= 0) & (group[lo] != group[hi])
    assert np.array_equal(p.facet_strength, np.where(between, 0.25, 1.0)) and between.sum() == 28


@pytest.mark.parametrize("row", [(0.0, 0.0, 1.0), (0.0, 1.0, 0.5), (0.0,)])
def test_planes_that_coincide_or_run_backwards_are_refused(row: tuple[float, ...]) -> None:
    with pytest.raises(CutError):
        lattice_complex((PLANES[0], np.array(row), PLANES[2]))


def test_the_jitter_is_small_never_zero_and_follows_its_stream() -> None:
    shifts = np.stack([draw_shift(2.0, (seed, 1, 0)) for seed in range(50)])
    assert np.abs(shifts).max() <= 2.0 * JITTER and np.abs(shifts).min() >= JITTER
    assert np.array_equal(draw_shift(2.0, (3, 1, 0)), shifts[3])
    assert not np.array_equal(draw_shift(2.0, (3, 1, 1)), shifts[3])
