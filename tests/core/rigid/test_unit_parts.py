"""Cells that never part as few convex parts: exact where units are convex, close where they are nearly."""

import functools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from core.cutting.cut import cut
from core.geometry.mesh import diagonal
from core.pieces.layouts.grouping import group_sites
from core.rigid.shapes.cell_parts import CELL_TOLERANCE, FINEST, make_cell_parts
from core.rigid.shapes.unit_parts import EXCESS
from tests import shapes as bodies
from tests.core.cutting.built import blocks
from tests.core.cutting.closedness import cell_triangles, voronoi
from tests.core.rigid.convexity import assert_sound, corners_of, height_over, volume_of
from tests.core.rigid.solids_of import cup


def in_units(cells, unit):
    return replace(cells, unit=np.asarray(unit, np.int64))


def clumps(body, count, shards, seed, layered=False):
    """Voronoi cells, some of which stay together at random, as the Clumping of the partition does."""
    partition = voronoi(body, count, seed)
    group = group_sites(partition.site, shards, layered, np.random.default_rng(seed))
    return cut(body, replace(partition, group=group))


PANE = bodies.box(low=np.array([-0.6, -0.005, 0.0]), high=np.array([0.6, 0.005, 1.3]))
CUTS = {"box": clumps(bodies.box(), 60, 12, 1), "pane": clumps(PANE, 150, 20, 2, True), "cup": clumps(cup(), 24, 8, 3)}


@functools.cache
def shapes_of(name):
    return make_cell_parts(CUTS[name])


def vertices_of(cells, c):
    return np.unique(cell_triangles(cells, c))


@pytest.mark.parametrize("name", CUTS)
def test_parts_are_sound_few_and_each_unit_has_some(name):
    cells = CUTS[name]
    shapes, cell = shapes_of(name)
    assert_sound(shapes)
    assert np.all(np.diff(cell) >= 0)
    assert np.array_equal(np.unique(cells.unit[cell]), np.unique(cells.unit))
    # of random clumps few are nearly convex, and the wall of the cup is as round as hulls may be where it is one cell
    assert name == "cup" or len(shapes.parts) < len(cells.volume)


@pytest.mark.parametrize("name", CUTS)
def test_no_cell_is_lost(name):
    cells = CUTS[name]
    shapes, cell = shapes_of(name)
    for c in range(len(cells.volume)):
        points = cells.vertices[vertices_of(cells, c)]
        own = np.flatnonzero(cells.unit[cell] == cells.unit[c])
        height = np.min([height_over(shapes, k, points) for k in own], axis=0)
        # hulls of more than 60 corners leave up to 1 % of their radius away
        assert height.max() <= 0.01 * shapes.parts.radius[own].max()


@pytest.mark.parametrize("name", ["box", "pane"])
def test_hulls_hold_little_more_than_their_cells(name):
    cells = CUTS[name]
    shapes, cell = shapes_of(name)
    volume = np.array([volume_of(shapes, k) for k in range(len(cell))])
    unit = cells.unit[cell]
    of_cells = np.bincount(cells.unit, cells.volume)
    # every part keeps the bound, so their sums do; volumes of faces that count as planar differ by round-off
    assert np.all(np.bincount(unit, volume) <= (1.0 + EXCESS) * of_cells * (1.0 + 1e-6))
    assert np.all(np.bincount(unit, volume) >= of_cells * (1.0 - 1e-6))


@pytest.mark.parametrize("name", ["box", "pane"])
def test_parts_of_different_units_overlap_by_no_more_than_their_gaps(name):
    """Along the normal of the bonds between them: it separates the cells, and hulls pass it by their gaps."""
    cells = CUTS[name]
    shapes, cell = shapes_of(name)
    g, least = shapes.geometry, FINEST * diagonal(cells.vertices)
    low = np.array([corners_of(shapes, k).min(axis=0) for k in range(len(cell))])
    high = np.array([corners_of(shapes, k).max(axis=0) for k in range(len(cell))])
    for i, j in zip(*np.triu_indices(len(cell), 1), strict=True):
        if (low[i] >= high[j]).any() or (low[j] >= high[i]).any() or cells.unit[cell[i]] == cells.unit[cell[j]]:
            continue
        normals = np.concatenate([g.faces.normal[slice(*g.parts.face[k])] for k in (i, j)])
        a, b = corners_of(shapes, i) @ normals.T, corners_of(shapes, j) @ normals.T
        depth = np.minimum(a.max(axis=0) - b.min(axis=0), b.max(axis=0) - a.min(axis=0)).min()
        # each of the two reaches into what is between them by its own gap at most
        assert depth <= 2.0 * max(least, CELL_TOLERANCE * max(g.parts.radius[i], g.parts.radius[j]))


def test_an_l_of_blocks_is_two_parts_without_an_overlap():
    _, cells = blocks((3, 3, 1))
    place = np.floor(cells.centroid).astype(int)
    in_l = (place[:, 0] == 0) | (place[:, 1] == 0)
    unit = np.where(in_l, 0, 1)
    shapes, cell = make_cell_parts(in_units(cells, unit))
    own = np.flatnonzero(unit[cell] == 0)
    assert len(own) == 2
    assert np.isclose(sum(volume_of(shapes, k) for k in own), 5.0, rtol=1e-12)
    rest = np.flatnonzero(unit[cell] == 1)
    assert len(rest) == 1
    assert np.isclose(volume_of(shapes, rest[0]), 4.0, rtol=1e-12)


@given(st.integers(2, 40), st.integers(0, 1000))
@settings(max_examples=15)
def test_a_convex_unit_of_many_cells_is_its_hull(count, seed):
    body = bodies.icosphere(1)
    cells = cut(body, voronoi(body, count, seed))
    shapes, cell = make_cell_parts(in_units(cells, np.zeros(len(cells.volume))))
    assert_sound(shapes)
    assert np.array_equal(cell, [0])
    assert len(shapes.vertices) == len(body.vertices)
    assert np.isclose(volume_of(shapes, 0), ConvexHull(body.vertices).volume, rtol=1e-9)
    assert np.all(shapes.faces.adjacent == -1)


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3), st.integers(1, 3))
@settings(max_examples=20)
def test_mates_of_two_units_share_a_plane_and_point_at_each_other(left, right, wide, high):
    _, cells = blocks((left + right, wide, high))
    unit = (cells.centroid[:, 0] > left).astype(np.int64)
    shapes, cell = make_cell_parts(in_units(cells, unit))
    assert np.array_equal(unit[cell], [0, 1])
    g = shapes.geometry
    owner = np.repeat([0, 1], np.diff(g.parts.face)[:, 0])
    adjacent = np.flatnonzero(g.faces.adjacent >= 0)
    assert np.array_equal(owner[adjacent], [0, 1])
    assert np.array_equal(g.faces.adjacent[adjacent], [1, 0])
    assert np.array_equal(g.faces.normal[adjacent[0]], -g.faces.normal[adjacent[1]])
    assert np.array_equal(g.faces.offset[adjacent], [left, -left])


def test_a_face_before_two_units_has_no_mate():
    _, cells = blocks((2, 2, 1))
    unit = np.array([0, 0, 1, 2])  # the first two are one brick, before the joint of the others
    shapes, cell = make_cell_parts(in_units(cells, unit))
    g = shapes.geometry
    owner = unit[cell][np.repeat(np.arange(3), np.diff(g.parts.face)[:, 0])]
    assert np.all(g.faces.adjacent[owner == 0] == -1)
    assert np.count_nonzero(g.faces.adjacent[owner == 1] >= 0) == 2  # the brick and the other block


@pytest.mark.parametrize("name", CUTS)
def test_the_matter_of_a_mate_lies_behind_the_face(name):
    """A step below the middle of a face with an adjacent part is inside of a part of its unit, or within its gap."""
    cells = CUTS[name]
    shapes, cell = shapes_of(name)
    g, least = shapes.geometry, FINEST * diagonal(cells.vertices)
    merged = np.bincount(cells.unit)[cells.unit[cell]] > 1
    part = np.repeat(np.arange(len(cell)), np.diff(g.parts.face)[:, 0])
    faces = np.flatnonzero((g.faces.adjacent >= 0) & merged[part])
    assert len(faces) > 0
    for f in faces:
        corner = corners_of(shapes, part[f])[g.loop[slice(*g.faces.loop[f])]]
        room = max(least, CELL_TOLERANCE * g.parts.radius[[part[f], g.faces.adjacent[f]]].max())
        beyond = np.flatnonzero(cells.unit[cell] == cells.unit[cell[g.faces.adjacent[f]]])
        height = [height_over(shapes, k, corner.mean(axis=0)[None]).max() for k in beyond]
        assert min(height) <= room


def test_cells_without_mates_do_not_know_of_units():
    cells = CUTS["cup"]
    alone = in_units(cells, np.arange(len(cells.volume)))
    other = in_units(cells, np.arange(len(cells.volume))[::-1])
    (one, first), (two, second) = make_cell_parts(alone), make_cell_parts(other)
    assert np.array_equal(first, second)
    assert one.faces.tobytes() == two.faces.tobytes()
    assert one.vertices.tobytes() == two.vertices.tobytes()


def test_two_calls_give_the_same_bits():
    (one, _), (other, _) = make_cell_parts(CUTS["pane"]), make_cell_parts(CUTS["pane"])
    assert one.vertices.tobytes() == other.vertices.tobytes()
    assert one.faces.tobytes() == other.faces.tobytes()
