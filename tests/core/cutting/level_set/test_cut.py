"""The cut by level sets: closed pieces that fit, flat walls, sharp edges, and near enough to the body."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cutting.cut import cut
from core.cutting.level_set.cut import cut_by_level_sets
from core.cutting.level_set.faces import find_dual_faces
from core.cutting.level_set.sheets import VOXEL_EDGES, sheets_of
from core.cutting.units import units
from core.errors import InputError
from core.fragments.build import are_closed, build_fragments
from core.geometry.mesh import diagonal, volume
from core.geometry.nearest import nearest
from core.types import Cells
from tests import shapes
from tests.core.cutting.closedness import cell_triangles, mesh_moments, open_cells, voronoi

BODIES = {
    "box": shapes.box(),
    "sphere": shapes.icosphere(3),
    "bumpy": shapes.bumpy_sphere(4),
    "torus": shapes.torus(),
    "hollow": shapes.hollow_box(),
    "two": shapes.two_boxes(),
    "plate": shapes.plate(20),
}


def every_unit(c: Cells, body):
    return build_fragments(c, [np.array([unit]) for unit in range(int(c.unit.max()) + 1)], 1000.0, body)


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize(("count", "resolution"), [(1, 12), (40, 24), (300, 16)])
def test_cells_are_closed_and_know_their_measures(name, count, resolution):
    body = BODIES[name]
    if (name, count) == ("torus", 300):
        count = 100  # there are too few cells across its ring
    c = cut_by_level_sets(body, voronoi(body, count, seed=count), resolution)
    assert open_cells(c) == 0
    for cell in range(len(c.volume)):  # its own surface, face by face
        size, centroid, second = mesh_moments(c.vertices, cell_triangles(c, cell))
        assert c.volume[cell] == pytest.approx(size, rel=1e-7) and size > 0.0
        np.testing.assert_allclose(c.centroid[cell], centroid, atol=1e-7)
        np.testing.assert_allclose(c.second_moment[cell], second, atol=1e-9)
    f = every_unit(c, body)
    assert are_closed(f).all()
    assert f.volume.sum() == pytest.approx(c.volume.sum(), rel=1e-12)
    assert np.array_equal(np.unique(c.unit), np.arange(c.unit.max() + 1))
    assert (c.outer_weight >= 0.0).all()
    np.testing.assert_allclose(c.outer_weight.sum(axis=1), 1.0, rtol=1e-14)
    assert len(units(c).volume) == len(f.mass)


def test_halves_of_a_box_are_exact():
    # Planes are met exactly, so nothing is rounded off: two boxes with all of their corners.
    body = shapes.box(high=(1.0, 0.7, 0.45))
    p = voronoi(body, 2, seed=1)
    ours, exact = cut_by_level_sets(body, p, 20), cut(body, p)
    for field in ("volume", "centroid", "second_moment", "bond_area", "bond_normal", "bond_centroid", "region"):
        np.testing.assert_allclose(getattr(ours, field), getattr(exact, field), atol=1e-12, err_msg=field)


def test_cells_converge_to_those_of_the_exact_cut():
    # Smooth skin is approximated to h^2; pieces of which corners are rounded off lose some h^2 per length of edge.
    body = BODIES["bumpy"]
    p = voronoi(body, 8, seed=5)
    exact = cut(body, p)
    assert len(exact.volume) == 8
    errors = []
    for resolution in (16, 32, 64):
        c = cut_by_level_sets(body, p, resolution)
        assert np.array_equal(c.region, exact.region)
        h = 2.4 / resolution
        assert np.abs(c.volume - exact.volume).max() < 4.0 * h**2
        assert np.abs(c.centroid - exact.centroid).max() < 2.0 * h
        errors.append([np.abs(c.volume - exact.volume).sum(), np.abs(c.second_moment - exact.second_moment).sum()])
    rate = np.log2(np.array(errors[0]) / errors[2]) / 2.0
    assert (rate > 1.3).all()  # 2 without rims; first order would be 1


def test_walls_are_flat_and_lie_in_their_facets():
    # Vertices of a wall lie on its facet but where more than one ends in a voxel. By area, nearly all of it is flat.
    body = BODIES["box"]
    p = voronoi(body, 20, seed=2)
    c = cut_by_level_sets(body, p, 32)
    facet = {tuple(pair): f for f, pair in enumerate(np.sort(p.facet_regions, axis=1).tolist())}
    off, total = 0, 0
    for bond in range(len(c.bond_area)):
        rows = np.flatnonzero(c.inner_bond == bond)
        corner = np.concatenate([c.inner_vertex[c.inner_start[f] : c.inner_start[f + 1]] for f in rows])
        pair = tuple(np.sort(c.region[c.bond_cells[bond]]).tolist())
        if pair not in facet:  # something thin between them
            continue
        point = p.facet_point[facet[pair]]
        away = np.abs((c.vertices[corner] - point) @ c.bond_normal[bond])
        off += np.count_nonzero(away > 1e-9)
        total += len(away)
    assert off < 0.03 * total


@pytest.mark.parametrize("name", ["bumpy", "box", "torus"])
def test_the_skin_is_within_a_cell_of_the_bodys(name):
    body = BODIES[name]
    c = cut_by_level_sets(body, voronoi(body, 20, seed=4), 32)
    h = float(np.ptp(body.vertices, axis=0).max()) / 32
    away = nearest(body.vertices, body.triangles, c.vertices[np.unique(c.outer_vertex)])[2]
    assert away.max() < h
    assert np.median(away) < 0.05 * h
    # And corners are near the place that their weights say, which is in the one triangle of their face.
    triangle = np.repeat(c.outer_triangle, np.diff(c.outer_start))
    place = np.einsum("nk,nki->ni", c.outer_weight, body.vertices[body.triangles[triangle]])
    assert np.linalg.norm(place - c.vertices[c.outer_vertex], axis=1).max() < 4 * h


def test_groups_stay_together_and_bonds_carry_the_strength_of_their_facets():
    body = BODIES["box"]
    p = voronoi(body, 30, seed=3)
    p = dataclasses.replace(p, group=np.arange(30) % 4, facet_strength=np.linspace(0.1, 1.0, len(p.facet_strength)))
    ours, exact = cut_by_level_sets(body, p, 40), cut(body, p)
    table = {tuple(c): s for c, s in zip(exact.region[exact.bond_cells].tolist(), exact.bond_strength, strict=True)}
    known = [
        (table[tuple(c)], s)
        for c, s in zip(ours.region[ours.bond_cells].tolist(), ours.bond_strength, strict=True)
        if tuple(c) in table
    ]
    assert len(known) > 0.95 * len(ours.bond_area)
    assert all(a == b for a, b in known)
    inside = ours.unit[ours.bond_cells[:, 0]] == ours.unit[ours.bond_cells[:, 1]]
    same = p.group[ours.region[ours.bond_cells]]
    assert (inside >= (same[:, 0] == same[:, 1])).all()
    turned = np.einsum("bi,bi->b", ours.bond_normal, np.diff(ours.centroid[ours.bond_cells], axis=1)[:, 0])
    large = ours.bond_area > 0.01
    assert (turned[large] > 0.0).all()
    f = every_unit(ours, body)
    assert len(f.mass) < 30 and are_closed(f).all()


def test_two_runs_are_equal_to_the_bit_and_size_does_not_matter():
    body = BODIES["torus"]
    a, b = (cut_by_level_sets(body, voronoi(body, 20, seed=9), 32) for _ in range(2))
    for field in dataclasses.fields(Cells):
        assert getattr(a, field.name).tobytes() == getattr(b, field.name).tobytes()
    large = shapes.moved(body, np.zeros(3), 1024.0)  # a power of two: no number is rounded in another way
    c = cut_by_level_sets(large, voronoi(large, 20, seed=9), 32)
    assert np.array_equal(c.outer_vertex, a.outer_vertex)
    np.testing.assert_allclose(c.vertices, 1024.0 * a.vertices, atol=1e-9 * diagonal(large.vertices))


def test_what_is_too_thin_is_refused_with_a_resolution_that_will_do():
    bottle = shapes.bottle()
    for resolution in (8, 24):
        with pytest.raises(InputError, match="raise the Resolution to about 16"):
            cut_by_level_sets(bottle, voronoi(bottle, 5), resolution)
    c = cut_by_level_sets(bottle, voronoi(bottle, 5), 162)
    assert c.volume.sum() == pytest.approx(volume(bottle.vertices, bottle.triangles), rel=0.01)
    needle = shapes.box(high=(1.0, 0.001, 0.001))  # its middle is between the nodes of an even number
    turned = dataclasses.replace(needle, vertices=needle.vertices @ np.linalg.qr(np.arange(9).reshape(3, 3) + 2.0)[0])
    with pytest.raises(InputError, match="Resolution"):
        cut_by_level_sets(turned, voronoi(turned, 2), 8)


@settings(max_examples=60)
@given(st.lists(st.integers(-1, 2), min_size=27, max_size=27))
def test_any_labels_give_closed_surfaces(values):
    # Every face of a label has its corners in sheets; around each of them edges come in pairs, whatever the labels.
    label = np.full((5, 5, 5), -1)
    label[1:4, 1:4, 1:4] = np.array(values).reshape(3, 3, 3)
    faces = find_dual_faces(label)
    flat = label.reshape(-1)
    for piece in range(3):
        ring = np.concatenate(
            [faces.corner[flat[faces.begin] == piece], faces.corner[flat[faces.end] == piece][:, ::-1]]
        )
        forward = np.stack([ring, np.roll(ring, -1, axis=1)], axis=2).reshape(-1, 2)
        keys = forward @ np.array([len(faces.voxel), 1])
        opposite = forward[:, ::-1] @ np.array([len(faces.voxel), 1])
        np.testing.assert_array_equal(np.sort(keys), np.sort(opposite))


def test_sheets_that_only_come_near_have_vertices_of_their_own():
    # Two opposite corners of a voxel in one label, nothing else: two sheets; with two neighbours: one.
    for corners, count in (((0, 7), 2), ((0, 3), 2), ((0, 1), 1), ((0, 3, 5, 6), 4), ((), 0)):
        label = np.full(8, -1)
        label[list(corners)] = 0
        sheets = sheets_of(label.reshape(2, 2, 2), np.array([0]))
        assert len(sheets.voxel) == count
        np.testing.assert_array_equal(sheets.sheet[0] >= 0, label[VOXEL_EDGES[:, 0]] != label[VOXEL_EDGES[:, 1]])
