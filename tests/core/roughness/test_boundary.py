"""Loops of bonds: what their edges run along, and the points that they get."""

from dataclasses import replace

import numpy as np
import pytest

from core.cutting.cut import cut
from core.geometry import packed
from core.roughness.boundary import INSIDE_BODY, bond_boundary, subdivided, with_rim_points
from tests import shapes
from tests.core.cutting.closedness import open_cells, voronoi

BOX = shapes.box((0.0, 0.0, 0.0), (2.0, 2.0, 2.0))
SPACING = 0.15


@pytest.fixture(scope="module")
def cells():
    return cut(BOX, voronoi(BOX, 20))


def edges(boundary) -> tuple[np.ndarray, np.ndarray]:
    """The ends of the edges of all loops."""
    return boundary.vertex, boundary.vertex[packed.following(boundary.start)]


def lengths(boundary, position) -> np.ndarray:
    a, b = edges(boundary)
    return np.linalg.norm(position[b] - position[a], axis=1)


def test_sides_are_those_of_outer_faces_with_the_same_edge(cells):
    boundary = bond_boundary(cells)
    known = {}
    for face, triangle in enumerate(cells.outer_triangle):
        corner = cells.outer_vertex[cells.outer_start[face] : cells.outer_start[face + 1]]
        for a, b in zip(corner, np.roll(corner, -1), strict=True):
            known.setdefault(frozenset((a, b)), set()).add(triangle)
    sides = [known.get(frozenset(edge), {INSIDE_BODY}) for edge in zip(*edges(boundary), strict=True)]
    assert all(side in of for side, of in zip(boundary.side, sides, strict=True))
    assert 0 < np.count_nonzero(boundary.side == INSIDE_BODY) < len(boundary.side)


def test_struts_get_points_that_all_loops_share(cells):
    before = bond_boundary(cells)
    after, points = subdivided(before, cells.vertices, SPACING)
    position = np.concatenate([cells.vertices, points])
    partition_edges = after.side == INSIDE_BODY
    # The parts of an edge are equal: longer than the spacing by round-off at most.
    assert lengths(after, position)[partition_edges].max() < SPACING * (1.0 + 1e-12)
    np.testing.assert_array_equal(after.vertex[~partition_edges], before.vertex[before.side != INSIDE_BODY])
    assert lengths(after, position).sum() == pytest.approx(lengths(before, cells.vertices).sum(), rel=1e-12)
    # A strut is an edge of the partition, around which three regions and so three facets meet.
    new = after.vertex[after.vertex >= len(cells.vertices)]
    np.testing.assert_array_equal(np.bincount(new)[len(cells.vertices) :], 3)


def test_nothing_is_new_where_all_edges_are_short(cells):
    before = bond_boundary(cells)
    after, points = subdivided(before, cells.vertices, 10.0)
    assert points.shape == (0, 3)
    np.testing.assert_array_equal(after.vertex, before.vertex)
    assert with_rim_points(cells, before, 10.0)[0] is cells


def test_points_on_the_rim_are_corners_of_the_outer_faces_too(cells):
    before = bond_boundary(cells)
    finer, after = with_rim_points(cells, before, SPACING)
    rim = after.side != INSIDE_BODY
    assert lengths(after, finer.vertices)[rim].max() < SPACING * (1.0 + 1e-12)
    assert len(finer.vertices) > len(cells.vertices)
    # Faces with the new loops as inner faces close every cell: each bond of this body has one loop.
    loops = replace(finer, inner_start=after.start, inner_vertex=after.vertex, inner_bond=after.bond)
    assert open_cells(loops) == 0
    # The weights of each corner say where its vertex is: to round-off of coordinates of 2.
    triangle = np.repeat(finer.outer_triangle, np.diff(finer.outer_start))
    place = np.einsum("nk,nki->ni", finer.outer_weight, BOX.vertices[BOX.triangles[triangle]])
    np.testing.assert_allclose(place, finer.vertices[finer.outer_vertex], atol=1e-14)
