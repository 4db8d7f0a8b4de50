"""The convex parts of cells: exact between neighbours, all of each cell, hollows left free."""

from dataclasses import replace

import numpy as np
import pytest

from core.cutting.cut import cut
from core.geometry.inside import winding_number
from core.geometry.mesh import diagonal
from core.rigid.shapes.cell_parts import PARTS, make_cell_parts
from tests import shapes as bodies
from tests.core.cutting.built import blocks, tetrahedra
from tests.core.cutting.closedness import cell_triangles, voronoi
from tests.core.rigid.convexity import assert_sound, corners_of, height_over, inside_some, volume_of
from tests.core.rigid.solids_of import cup, head

BODIES = {"ball": bodies.icosphere(3), "cup": cup(), "torus": bodies.torus(), "head": head(), "box": bodies.box()}
CUTS = {(name, count): cut(body, voronoi(body, count, 3)) for name, body in BODIES.items() for count in (3, 30)}


@pytest.mark.parametrize(("name", "count"), CUTS)
def test_parts_are_sound_and_in_the_order_of_their_cells(name, count):
    cells = CUTS[name, count]
    shapes, cell = make_cell_parts(cells)
    assert_sound(shapes)
    assert np.all(np.diff(cell) >= 0)
    assert np.array_equal(np.unique(cell), np.arange(len(cells.volume)))
    assert np.bincount(cell).max() <= PARTS


@pytest.mark.parametrize(("name", "count"), CUTS)
def test_the_plane_of_a_bond_separates_the_parts_of_its_cells(name, count):
    cells = CUTS[name, count]
    shapes, cell = make_cell_parts(cells)
    size = diagonal(cells.vertices)
    for bond, pair in enumerate(cells.bond_cells):
        for own, sign in zip(pair, (1.0, -1.0), strict=True):
            for part in np.flatnonzero(cell == own):
                height = (corners_of(shapes, part) - cells.bond_centroid[bond]) @ cells.bond_normal[bond]
                assert (sign * height).max() <= 1e-12 * size


@pytest.mark.parametrize(("name", "count"), CUTS)
def test_faces_on_bonds_have_its_normal_and_a_part_beyond_as_mate(name, count):
    cells = CUTS[name, count]
    shapes, cell = make_cell_parts(cells)
    g = shapes.geometry
    owner = cell[np.repeat(np.arange(len(cell)), np.diff(g.parts.face)[:, 0])]
    for bond, (lo, hi) in enumerate(cells.bond_cells):
        for own, other, normal in ((lo, hi, cells.bond_normal[bond]), (hi, lo, -cells.bond_normal[bond])):
            faces = np.flatnonzero((owner == own) & (g.faces.normal == normal).all(axis=1))
            assert len(faces) > 0
            assert np.all(g.faces.adjacent[faces] >= 0)
            assert other in cell[g.faces.adjacent[faces]]


@pytest.mark.parametrize("name", ["cup", "torus", "head", "ball"])
def test_parts_hold_their_cells(name):
    cells = CUTS[name, 30]
    shapes, cell = make_cell_parts(cells)
    rng = np.random.default_rng(0)
    g = shapes.geometry
    for c in range(0, len(cells.volume), 3):
        triangles = cell_triangles(cells, c)
        place = cells.vertices[np.unique(triangles)]
        points = rng.uniform(place.min(axis=0), place.max(axis=0), (300, 3))
        points = points[winding_number(cells.vertices, triangles, points) == 1]
        own = np.flatnonzero(cell == c)
        height = np.min([height_over(shapes, k, points) for k in own], axis=0) if len(points) else np.zeros(1)
        # round parts leave up to 1 % of their radius away
        assert height.max() <= 0.01 * g.parts.radius[own].max()


def test_cells_of_a_convex_body_are_one_part_with_their_volume():
    cells = CUTS["box", 30]
    shapes, cell = make_cell_parts(cells)
    assert np.array_equal(cell, np.arange(len(cells.volume)))
    volume = [volume_of(shapes, k) for k in range(len(cell))]
    assert np.allclose(volume, cells.volume, rtol=1e-6, atol=0.0)


def test_hollows_stay_free():
    for name, point in (("cup", [0.0, 0.0, 1.0]), ("torus", [0.0, 0.0, 0.0])):
        shapes, _ = make_cell_parts(CUTS[name, 3])
        assert not inside_some(shapes, np.array([point])).any()


def test_blocks_mate_all_their_inner_faces():
    _, cells = blocks((3, 2, 2))
    shapes, cell = make_cell_parts(cells)
    g = shapes.geometry
    assert np.array_equal(cell, np.arange(12))
    assert all(tuple(np.diff(g.parts[name])[k, 0] for name in ("vertex", "face")) == (8, 6) for k in range(12))
    assert np.count_nonzero(g.faces.adjacent >= 0) == 2 * len(cells.bond_cells)


def test_tetrahedra_are_parts_as_they_are():
    _, cells = tetrahedra(40, 1)
    shapes, cell = make_cell_parts(cells)
    assert_sound(shapes)
    assert np.array_equal(cell, np.arange(len(cells.volume)))


def test_cells_without_a_volume_get_a_part():
    _, cells = blocks((2, 1, 1))
    flat = replace(cells, vertices=cells.vertices * [1.0, 1.0, 0.0])
    shapes, cell = make_cell_parts(flat)
    assert_sound(shapes)
    assert np.array_equal(cell, [0, 1])


@pytest.mark.parametrize("scale", [1 / 128, 128.0])
def test_size_does_not_matter(scale):
    cells = CUTS["cup", 30]
    small = replace(
        cells,
        vertices=cells.vertices * scale,
        bond_centroid=cells.bond_centroid * scale,
        centroid=cells.centroid * scale,
    )
    (one, first), (other, second) = make_cell_parts(cells), make_cell_parts(small)
    assert np.array_equal(first, second)
    assert np.array_equal(one.loop, other.loop)
    assert np.array_equal(one.geometry.faces.adjacent, other.geometry.faces.adjacent)
    assert np.allclose(one.vertices * scale, other.vertices, rtol=0.0, atol=1e-12 * scale)


def test_two_calls_give_the_same_bits():
    (one, _), (other, _) = make_cell_parts(CUTS["head", 30]), make_cell_parts(CUTS["head", 30])
    assert one.vertices.tobytes() == other.vertices.tobytes()
    assert one.faces.tobytes() == other.faces.tobytes()
