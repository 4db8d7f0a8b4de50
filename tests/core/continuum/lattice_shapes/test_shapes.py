"""Shapes that are lattices: counts of docs/papers/norton1991.md, volumes and closed surfaces (N7)."""

import dataclasses
import math

import numpy as np
import pytest

from core.continuum.lattice_shapes.bezier import bezier_points, even_places, thicken_patch
from core.continuum.lattice_shapes.discs import disc_grid
from core.continuum.lattice_shapes.revolution import revolve_profiles
from core.continuum.lattice_shapes.shapes import LATTICE_SHAPES, find_shape, make_shape
from core.continuum.spring_lattice.hexahedra import corner_volumes, exposed_faces, hexahedron_volumes
from core.continuum.spring_lattice.lattice import joined_nodes
from core.errors import InputError
from core.geometry.mesh import edge_census, edge_table, volume
from tests.spring_lattices import A, B, C

every_shape = pytest.mark.parametrize("shape", LATTICE_SHAPES, ids=[shape.id for shape in LATTICE_SHAPES])


def made(name, **values):
    shape = find_shape(name)
    return make_shape(shape, dataclasses.replace(shape.params(), **values))


def both_triangulations(solid):
    """The outer faces cut along one diagonal, and along the other."""
    face = exposed_faces(solid.cell_node)
    return [
        np.concatenate([face[:, [k, (k + 1) % 4, (k + 2) % 4]], face[:, [k, (k + 2) % 4, (k + 3) % 4]]]) for k in (0, 1)
    ]


@every_shape
def test_cells_are_sound_and_their_surface_is_closed_around_them(shape):
    solid = make_shape(shape, shape.params())
    assert (corner_volumes(solid) > 0.0).all()
    assert (np.unique(solid.cell_node) == np.arange(len(solid.node_position))).all()
    around = []
    for triangles in both_triangulations(solid):
        assert edge_census(edge_table(triangles)) == (0, 0, 0), "it is open, or touches itself along edges"
        around.append(volume(solid.node_position, triangles))
    # A bilinear face encloses the mean of its two triangulations; the rest is round-off of some thousand terms.
    assert hexahedron_volumes(solid).sum() == pytest.approx(0.5 * sum(around), rel=1e-12)
    assert solid.node_position[:, 2].min() == pytest.approx(0.0, abs=1e-15)


@every_shape
def test_diagonals_of_faces_agree(shape):
    # One diagonal on each face with B, two with C: F faces more.
    solid = make_shape(shape, shape.params())
    outer = len(exposed_faces(solid.cell_node))
    faces = (6 * len(solid.cell_node) + outer) // 2
    one, two = (len(joined_nodes(solid, kind)[0]) for kind in (B, C))
    assert two - one == faces


@pytest.mark.parametrize("counts", [(1, 1, 1), (3, 1, 2), (10, 10, 2)])
def test_counts_of_a_slab(counts):
    a, b, c = counts
    solid = made("slab", cells_x=a, cells_y=b, cells_z=c)
    edges = a * (b + 1) * (c + 1) + (a + 1) * b * (c + 1) + (a + 1) * (b + 1) * c
    diagonals = a * b * (c + 1) + a * (b + 1) * c + (a + 1) * b * c
    assert len(solid.node_position) == (a + 1) * (b + 1) * (c + 1)
    assert len(joined_nodes(solid, A)[0]) == edges + 4 * a * b * c
    assert len(joined_nodes(solid, B)[0]) == edges + diagonals
    assert hexahedron_volumes(solid).sum() == pytest.approx(0.2 * 0.2 * 0.04)


@pytest.mark.parametrize("counts", [(12, 1, 6), (8, 2, 3)])
def test_counts_of_a_tube(counts):
    t, r, z = counts
    solid = made("tube", around=t, through=r, high=z)
    edges = t * (r + 1) * (z + 1) + t * r * (z + 1) + t * (r + 1) * z
    assert len(solid.node_position) == t * (r + 1) * (z + 1)
    assert len(solid.cell_node) == t * r * z
    assert len(joined_nodes(solid, A)[0]) == edges + 4 * t * r * z


@pytest.mark.parametrize("rings", [1, 4])
def test_a_cylinder_is_a_slab_bent_round(rings):
    solid = made("cylinder", rings=rings, high=3)
    n = 2 * rings
    assert len(solid.node_position) == (n + 1) * (n + 1) * 4
    assert len(solid.cell_node) == 3 * n * n
    radius = np.hypot(*solid.node_position[:, :2].T)
    assert (np.isclose(radius, 0.1, rtol=1e-14)).sum() == 8 * rings * 4
    # The area of a polygon of 8 rings corners on the circle.
    flat = 0.5 * 8 * rings * math.sin(2.0 * math.pi / (8 * rings)) * 0.1 * 0.1
    assert hexahedron_volumes(solid).sum() == pytest.approx(flat * 0.2, rel=1e-13)


def test_a_disc_has_even_rings():
    grid = disc_grid(3)
    for ring in (1, 2, 3):
        turn = np.sort(np.arctan2(*grid.direction[grid.ring == ring].T[::-1]) % (2.0 * math.pi))
        np.testing.assert_allclose(turn, 2.0 * math.pi * np.arange(8 * ring) / (8 * ring), atol=1e-14)
        half = grid.along[(grid.ring == ring) & (grid.side > 0.0)]
        np.testing.assert_allclose(np.sort(half), np.arange(1, 4 * ring) / (4 * ring), atol=1e-15)


def test_a_solid_of_revolution_has_the_volume_of_its_rings():
    # A closed cup of straight profiles: wall and bottom are prisms over regular polygons.
    outer = np.array([(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (1.0, 1.0), (1.0, 2.0)])
    inner = np.array([(0.0, 0.5), (0.4, 0.5), (0.8, 0.5), (0.8, 1.0), (0.8, 2.0)])
    solid = revolve_profiles(inner, outer, 16, 2)
    share = 0.5 * 16 * math.sin(2.0 * math.pi / 16.0)
    expected = share * (1.0 * 2.0 - 0.64 * 1.5)
    assert hexahedron_volumes(solid).sum() == pytest.approx(expected, rel=1e-12)
    with pytest.raises(InputError, match="8, 16, 24"):
        revolve_profiles(inner, outer, 12, 1)
    with pytest.raises(InputError, match="along its profile"):
        revolve_profiles(inner[:3], outer[:3], 16, 1)


def test_a_patch_lies_between_two_parallel_ones():
    net = np.empty((4, 4, 3))
    net[..., 0], net[..., 1] = np.arange(4)[:, None] / 3.0, np.arange(4) / 3.0
    net[..., 2] = 0.0
    flat = thicken_patch(net, (3, 4, 2), 0.1)
    assert hexahedron_volumes(flat).sum() == pytest.approx(0.1, rel=1e-13)
    net[1:3, 1:3, 2] = 0.5
    bent = thicken_patch(net, (6, 6, 2), 0.1).node_position.reshape(7, 7, 3, 3)
    side = bent[:, :, 2] - bent[:, :, 0]
    np.testing.assert_allclose(np.sqrt((side * side).sum(axis=-1)), 0.1, rtol=1e-13)
    middle = bezier_points(net[:, 0], np.array([0.5]))[0]
    np.testing.assert_allclose(bent[3, 0, 1], middle, atol=1e-15)
    with pytest.raises(InputError, match="folded"):
        thicken_patch(net, (6, 6, 2), 3.0)
    net[:, 1] = net[:, 0]
    with pytest.raises(InputError, match="normal"):
        thicken_patch(net, (6, 6, 2), 0.1)


def test_places_along_a_line_are_even():
    line = np.array([(0.0, 0.0), (1.0, 0.0), (4.0, 0.0)])
    np.testing.assert_allclose(even_places(line, 4), [0.0, 1.0, 4.0 / 3.0, 5.0 / 3.0, 2.0])


def test_bad_measures_get_a_sentence():
    with pytest.raises(InputError, match="no shape"):
        find_shape("cone")
    with pytest.raises(InputError, match="thicker than the radius"):
        made("tube", wall=0.1)
    with pytest.raises(InputError, match="must be at least"):
        made("slab", size_x=-1.0)
    with pytest.raises(InputError, match="at most 200,000"):
        made("slab", cells_x=1000, cells_y=1000)
    with pytest.raises(InputError, match="folded"):
        made("vase", wall=0.039, belly=0.05, foot=0.04, mouth=0.04, height=0.02)
