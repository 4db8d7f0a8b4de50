"""Prisms over planar subdivisions: orientation, shared planes, slabs, refusal of what does not fit, and cuts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import Delaunay

from core.cutting.complex import as_complex
from core.cutting.cut import cut
from core.errors import CutError
from core.pieces.prism_complex import Frame, prism_complex
from core.types import Floats, Partition
from tests.core.cutting.closedness import assert_sound
from tests.shapes import bumpy_sphere, moved, torus

LEVEL = Frame(np.zeros(3), np.eye(3))
SQUARE = np.array(((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)))
#: Two by two quadrangles with a middle off the centre; a pentagon and a triangle among them would do as well.
GRID = np.array([(x, y) for y in (0.0, 0.4, 1.0) for x in (0.0, 0.6, 1.0)])
QUADS = [[0, 1, 4, 3], [1, 2, 5, 4], [3, 4, 7, 6], [4, 5, 8, 7]]


def tilted(seed: int) -> Frame:
    """A right-handed frame in any direction."""
    rng = np.random.default_rng(seed)
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return Frame(rng.uniform(-1.0, 1.0, 3), axes * np.sign(np.linalg.det(axes)))


def triangulated(count: int, seed: int) -> tuple[Floats, list[list[int]]]:
    """Random points in a square with its corners, and their Delaunay triangles, counter-clockwise."""
    points = np.concatenate((4.0 * SQUARE - 2.0, np.random.default_rng(seed).uniform(-1.9, 1.9, (count, 2))))
    return points, [[int(i) for i in t] for t in Delaunay(points).simplices]


def outward_distance(p: Partition, points: Floats, region: int) -> Floats:
    """Largest signed distance (n,) of points from the planes of a region: negative inside."""
    facets = p.region_facet[p.region_start[region] : p.region_start[region + 1]]
    outward = np.where(p.facet_regions[facets, 0] == region, 1.0, -1.0)
    offset = np.einsum("fk,fk->f", p.facet_normal[facets], p.facet_point[facets])
    return ((points @ p.facet_normal[facets].T - offset) * outward).max(axis=1)


def assert_complex(p: Partition) -> None:
    """Each facet is one polygon, counter-clockwise seen from hi, in its plane; lines run through their edges."""
    as_complex(p)  # every region meets each of its edges with two facets, or this raises
    size = float(np.ptp(p.vertices, axis=0).max())
    for f in range(len(p.facet_regions)):
        slots = slice(p.facet_start[f], p.facet_start[f + 1])
        ends = p.edge_vertices[p.facet_edge[slots]]
        ahead = p.facet_edge_sign[slots] > 0
        begin, end = np.where(ahead, *ends.T), np.where(ahead, *ends.T[::-1])
        assert np.array_equal(np.sort(begin), np.sort(end))
        middle = p.vertices[begin].mean(axis=0)
        area = 0.5 * np.cross(p.vertices[begin] - middle, p.vertices[end] - middle).sum(axis=0)
        assert area @ p.facet_normal[f] >= (1.0 - 1e-9) * np.linalg.norm(area) > 0.0
        assert np.abs((p.vertices[begin] - p.facet_point[f]) @ p.facet_normal[f]).max() < 1e-13 * size
    start, end = p.vertices[p.edge_vertices].transpose(1, 0, 2)
    line, direction = p.edge_line.transpose(1, 0, 2)
    assert np.allclose(np.linalg.norm(direction, axis=1), 1.0, rtol=0, atol=1e-14)
    assert np.all(np.einsum("ij,ij->i", end - start, direction) > 0.0)
    for point in (start, end):
        assert np.linalg.norm(np.cross(point - line, direction), axis=1).max() < 1e-13 * size


@pytest.mark.parametrize("frame", [LEVEL, tilted(1), tilted(2)], ids=["level", "tilted", "tilted again"])
@pytest.mark.parametrize("heights", [(0.0, 1.0), (-1.0, 0.25, 0.5, 3.0)], ids=["one slab", "three slabs"])
def test_quadrangles_make_a_valid_complex(frame: Frame, heights: tuple[float, ...]) -> None:
    p = prism_complex(GRID, QUADS, np.array(heights), frame)
    slabs = len(heights) - 1
    assert_complex(p)
    # 12 walls a slab, 4 floors a height; 12 edges a height, 9 struts a slab.
    assert len(p.facet_regions) == 12 * slabs + 4 * (slabs + 1)
    assert len(p.edge_vertices) == 12 * (slabs + 1) + 9 * slabs
    local = (p.site - frame.origin) @ frame.axes.T
    for region in range(4 * slabs):
        assert outward_distance(p, p.site[region : region + 1], region)[0] < 0.0
        polygon, slab = QUADS[region % 4], region // 4
        wanted = (*GRID[polygon].mean(axis=0), 0.5 * (heights[slab] + heights[slab + 1]))
        assert local[region] == pytest.approx(wanted, abs=1e-14)
    inner = p.facet_regions[p.facet_regions[:, 1] >= 0]
    assert len(inner) == 4 * slabs + 4 * (slabs - 1)


@settings(max_examples=20)
@given(count=st.integers(0, 25), seed=st.integers(0, 1000))
def test_triangulations_fill_their_square_once(count: int, seed: int) -> None:
    points, triangles = triangulated(count, seed)
    p = prism_complex(points, triangles, np.array((-2.0, 0.1, 2.0)), tilted(seed))
    assert_complex(p)
    frame = tilted(seed)
    places = np.random.default_rng(seed).uniform(-2.0, 2.0, (200, 3))
    inside = np.array(
        [outward_distance(p, frame.origin + places @ frame.axes, region) < 0.0 for region in range(len(p.site))]
    )
    assert np.array_equal(inside.sum(axis=0), np.ones(len(places)))
    assert np.array_equal(inside.argmax(axis=0) >= len(triangles), places[:, 2] > 0.1)


def test_walls_along_a_run_and_floors_at_a_height_share_the_bits_of_their_plane() -> None:
    rng = np.random.default_rng(4)
    # Three rows of points on straight slanting lines, not on a grid of representable numbers.
    base, step = rng.uniform(0.1, 0.2, 2), rng.uniform(0.3, 0.4, 2)
    points = np.array([base + i * step * (1.0, 0.1) + j * step * (0.2, 1.0) for j in range(3) for i in range(3)])
    frame = tilted(9)
    p = prism_complex(points, QUADS, np.array((0.0, 0.3, 1.0)), frame, runs=[(3, 4, 5), (7, 4, 1)])
    assert_complex(p)
    middle = p.vertices[p.edge_vertices].mean(axis=1)
    centre = np.array([middle[np.unique(p.facet_edge[a:b])].mean(axis=0) for a, b in np.array(
        (p.facet_start[:-1], p.facet_start[1:])).T])  # fmt: skip
    for run in ((3, 4, 5), (7, 4, 1)):
        first, last = points[run[0]], points[run[-1]]
        across = np.array((-(last - first)[1], (last - first)[0]))
        local = (centre - frame.origin) @ frame.axes.T
        wall = np.abs(p.facet_normal @ frame.axes[2]) < 0.5
        on = wall & (np.abs((local[:, :2] - first) @ across) < 1e-12)
        assert on.sum() == 4  # two edges, two slabs
        assert len(np.unique(np.abs(p.facet_normal[on]), axis=0)) == 1
        assert len(np.unique(p.facet_point[on], axis=0)) == 1
    floor = np.abs(p.facet_normal @ frame.axes[2]) > 0.5
    assert len(np.unique(np.abs(p.facet_normal[floor]), axis=0)) == 1
    assert len(np.unique(p.facet_point[floor], axis=0)) == 3
    strut = np.abs(p.edge_line[:, 1] @ frame.axes[2]) > 0.5
    assert np.array_equal(p.edge_line[strut, 1], np.tile(frame.axes[2], (strut.sum(), 1)))


@pytest.mark.parametrize(
    ("points", "polygons"),
    [
        (SQUARE, [[0, 3, 2, 1]]),  # clockwise
        (np.vstack((SQUARE, (0.5, 0.5))), [[0, 1, 4, 2, 3]]),  # a corner that points inwards
        (np.vstack((SQUARE, (0.5, 0.0))), [[0, 4, 1, 2, 3]]),  # a corner without an angle
        (np.vstack((SQUARE, (2.0, 2.0))), [[0, 1, 2, 3]]),  # a point that nothing uses
        (SQUARE, [[0, 1, 2, 3], [0, 1, 2, 3]]),  # the same place twice
        # A corner of the upper two inside an edge of the lower one
        (np.vstack((SQUARE, (0, 2), (0.5, 1), (0.5, 2), (1, 2))), [[0, 1, 2, 3], [3, 5, 6, 4], [5, 2, 7, 6]]),
        # Two patches
        (np.vstack((SQUARE, SQUARE + 2.0)), [[0, 1, 2, 3], [4, 5, 6, 7]]),
    ],
    ids=["clockwise", "dented", "straight", "unused", "twice", "T-junction", "apart"],
)
def test_what_does_not_fit_is_refused(points: Floats, polygons: list[list[int]]) -> None:
    with pytest.raises(CutError):
        prism_complex(points, polygons, np.array((0.0, 1.0)), LEVEL)


@pytest.mark.parametrize("seed", range(3))
def test_bodies_are_cut_into_closed_cells_of_the_right_volume(seed: int) -> None:
    points, triangles = triangulated(30, seed)
    for body in (moved(bumpy_sphere(3), (0.1, 0.0, 0.2)), torus(0.9, 0.35, 24, 12)):
        frame = Frame(np.zeros(3), tilted(seed).axes)
        cells = cut(body, prism_complex(points, triangles, np.array((-2.0, -0.3, 0.4, 2.0)), frame))
        assert_sound(body, cells)
        assert len(np.unique(cells.region)) > 20


def test_groups_and_sites_are_kept() -> None:
    site = np.array(((0.1, 0.1, 1.5), (0.9, 0.1, 1.5), (0.1, 0.9, 1.5), (0.9, 0.9, 1.5)))
    p = prism_complex(GRID, QUADS, np.array((0.0, 2.0)), LEVEL, group=np.array((5, 5, 1, 1)), site=site)
    assert np.array_equal(p.group, (5, 5, 1, 1))
    assert np.array_equal(p.site, site)
