"""The remesh: volumes, closedness and attributes of meshes that have little of their own."""

import numpy as np
import pytest

from core.errors import InputError
from core.geometry.crossings import crossing_pairs
from core.geometry.mesh import area, cross_rows, edge_table, is_closed, volume
from core.geometry.nearest import nearest
from core.geometry.winding import winding_volume
from core.intake.remesh import remeshed

from ...zoo.teapot import teapot
from ..geometry.solids import box, bumpy, joined, moved, soup, sphere, torus


def damaged(solid, share, seed):
    vertices, triangles = solid
    return vertices, triangles[np.random.default_rng(seed).random(len(triangles)) < share]


def crossing_tube():
    def turn(u):  # a trefoil without its third dimension: the tube goes through itself three times
        return np.stack(
            [np.sin(u) + 2.0 * np.sin(2.0 * u), np.cos(u) - 2.0 * np.cos(2.0 * u), 0.1 * np.sin(3.0 * u)], 1
        )

    return torus(minor=0.4, around=200, across=24, turn=turn)


def check(result, solid):
    """What is promised of every remesh."""
    assert is_closed(result.triangles)
    assert (np.bincount(edge_table(result.triangles).of_half) == 2).all()
    assert len(crossing_pairs(result.vertices, result.triangles)) == 0
    assert volume(result.vertices, result.triangles) > 0.0
    assert len(np.unique(result.triangles)) == len(result.vertices)
    assert result.parent.min() >= 0
    assert result.parent.max() < len(solid[1])
    assert result.weight.shape == (len(result.triangles), 3, 3)
    assert (result.weight >= 0.0).all()
    assert np.abs(result.weight.sum(axis=2) - 1.0).max() < 1e-14
    for t in range(0, len(result.triangles), max(1, len(result.triangles) // 50)):
        corner = solid[0][solid[1][result.parent[t]]]
        wanted = nearest(corner, np.array([[0, 1, 2]]), result.vertices[result.triangles[t]])[0]
        assert np.abs(result.weight[t] @ corner - wanted).max() < 1e-9 * np.abs(solid[0]).max()


def unit_normals(vertices, triangles):
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normal = cross_rows(b - a, c - a)
    return normal / np.linalg.norm(normal, axis=1)[:, None], 0.5 * np.linalg.norm(normal, axis=1)


@pytest.mark.parametrize(
    ("solid", "wanted"),
    [
        (sphere(4), volume(*sphere(4))),
        (soup(*sphere(4)), volume(*sphere(4))),
        (damaged(sphere(5), 0.97, 1), volume(*sphere(5))),
        (joined(box(), moved(box(), (1.0, 0.6, 0.4))), 16.0 - 1.0 * 1.4 * 1.6),
        (joined(box(), box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5))), 8.0),
        (joined(box(), (box()[0] * 0.5, box()[1][:, ::-1])), 7.0),
    ],
    ids=["sphere", "soup", "holes", "overlap", "nested", "cavity"],
)
def test_volumes_within_a_hundredth(solid, wanted):
    result = remeshed(*solid, 48)
    check(result, solid)
    assert volume(result.vertices, result.triangles) == pytest.approx(wanted, rel=0.01)
    assert result.dropped == 0


@pytest.mark.parametrize("solid", [crossing_tube(), teapot()], ids=["crossing tube", "teapot"])
def test_the_volume_is_that_of_the_winding_number(solid):
    result = remeshed(*solid, 96)
    check(result, solid)
    wanted, deviation = winding_volume(*solid)
    assert abs(volume(result.vertices, result.triangles) - wanted) < 0.01 * wanted + 3.0 * deviation


def test_attributes_come_from_faces_that_face_the_same_way():
    solid = damaged(bumpy(5, 2), 0.98, 3)
    result = remeshed(*solid, 64)
    own, size = unit_normals(result.vertices, result.triangles)
    of_parent = unit_normals(*solid)[0][result.parent]
    agree = np.einsum("ti,ti->t", own, of_parent) > 0.9
    assert size[agree].sum() > 0.95 * size.sum()
    place = np.einsum("tkj,tji->tki", result.weight, solid[0][solid[1][result.parent]])
    away = np.linalg.norm(place - result.vertices[result.triangles], axis=2)
    foot = nearest(solid[0], solid[1], result.vertices)[2][result.triangles]
    assert (away >= foot - 1e-12).all()
    cell = (solid[0].max(axis=0) - solid[0].min(axis=0)).max() / 64
    assert np.median(away) < 0.1 * cell


def test_both_sides_of_a_thin_wall_keep_their_own_attributes():
    solid = box((-1.0, -1.0, -0.04), (1.0, 1.0, 0.04))
    result = remeshed(*solid, 40)  # the wall is 1.6 cells thick: the other side is often as near
    check(result, solid)
    own, size = unit_normals(result.vertices, result.triangles)
    of_parent = unit_normals(*solid)[0][result.parent]
    face = np.abs(own[:, 2]) > 0.9
    assert (np.einsum("ti,ti->t", own, of_parent)[face] > 0.9).all()
    assert size[face].sum() == pytest.approx(8.0, rel=0.06)


def test_the_area_of_a_smooth_surface():
    solid = sphere(5)
    result = remeshed(*solid, 64)
    assert area(result.vertices, result.triangles) == pytest.approx(area(*solid), rel=0.005)


def test_a_half_open_sphere_closes_by_a_membrane():
    vertices, triangles = sphere(5)
    bowl = vertices, triangles[vertices[triangles].mean(axis=1)[:, 2] < 0.5]
    result = remeshed(*bowl, 48)
    check(result, bowl)
    # Between the bowl cut off flat and the whole ball: the cap above z = 0.5 is pi (2/3 - 0.5 + 0.5^3 / 3).
    ball = 4.0 / 3.0 * np.pi
    assert ball - np.pi * (2.0 / 3.0 - 0.5 + 0.125 / 3.0) - 0.05 < volume(result.vertices, result.triangles) < ball


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_the_size_changes_nothing(scale):
    solid = damaged(bumpy(4, 1), 0.95, 2)
    result, scaled = remeshed(*solid, 32), remeshed(scale * solid[0], solid[1], 32)
    assert (result.triangles == scaled.triangles).all()
    assert np.abs(result.vertices * scale - scaled.vertices).max() < 1e-9 * scale
    assert np.abs(result.weight - scaled.weight).max() < 1e-6


def test_the_same_mesh_gives_the_same_bits():
    solid = damaged(bumpy(4, 1), 0.95, 2)
    for one, other in zip(remeshed(*solid, 32), remeshed(*solid, 32), strict=True):
        assert np.array_equal(one, other)


def test_an_inside_out_mesh_is_turned():
    vertices, triangles = bumpy(4, 5)
    result = remeshed(vertices, triangles[:, [0, 2, 1]], 32)
    check(result, (vertices, triangles[:, [0, 2, 1]]))
    assert volume(result.vertices, result.triangles) == pytest.approx(volume(vertices, triangles), rel=0.01)
    assert (result.parent == remeshed(vertices, triangles, 32).parent).mean() > 0.99


def test_crumbs_and_bubbles_are_dropped_and_counted():
    crumb = moved(sphere(1), scale=0.03)  # a cell of 0.09 or so: less than eight of them
    solid = joined(sphere(4), moved(crumb, (1.2, 0.0, 0.0)), (0.2 + crumb[0], crumb[1][:, ::-1]))
    result = remeshed(*solid, 48)
    alone = remeshed(*joined(sphere(4), (crumb[0] + [1.2, 0.0, 0.0], crumb[1])), 48)
    check(result, solid)
    assert result.dropped == 2
    assert alone.dropped == 1
    assert volume(result.vertices, result.triangles) == pytest.approx(volume(*sphere(4)), rel=0.01)


def test_what_encloses_nothing_is_refused_with_the_remedy():
    sheet = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), np.array([[0, 1, 2]])
    for vertices, triangles in (sheet, (sheet[0], sheet[1][:0]), (0.0 * sheet[0], sheet[1])):
        with pytest.raises(
            InputError, match=r"encloses nothing .* 32: raise the Resolution to about 64, or give the mesh thickness"
        ):
            remeshed(vertices, triangles, 32)
