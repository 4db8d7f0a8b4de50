"""Borders that belong together are joined, others are left alone; every part lies in its parent."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.geometry.mesh import diagonal, edge_census, edge_table
from core.intake.borders import stitch_borders
from core.intake.junctions import Junctions, split_sides
from core.intake.weld import exact_weld

from ..geometry.solids import box, bumpy, joined, moved, rotation, soup, sphere


def run(solid):
    """Exact weld, then the borders; what must always hold is looked at here."""
    vertices, triangles = solid
    triangles = exact_weld(vertices, triangles).map[triangles]
    found = stitch_borders(vertices, triangles)
    assert np.array_equal(found.vertices[: len(vertices)], vertices)
    assert np.array_equal(np.unique(found.parent), np.arange(len(triangles)))  # no face is lost
    assert (np.diff(found.parent) >= 0).all()
    assert len(found.triangles) == len(found.parent)
    assert all(len(set(t)) == 3 for t in found.triangles.tolist())
    size = diagonal(vertices)
    parent = vertices[triangles[found.parent]]
    for k in range(3):
        away = distance(found.vertices[found.triangles[:, k]], parent)
        # A cluster is a chain of two or three steps here.
        assert away.max() <= (3.0 * found.tolerance + 1e-14) * size
    if found.split == 0:
        assert len(found.vertices) == len(vertices)
    return found


def distance(points, corners):
    """Distance of points (n,3) from triangles (n,3,3), by their plane and sides."""
    a, b, c = corners.transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    inside = np.ones(len(points), bool)
    nearest = np.full(len(points), np.inf)
    for p, q in ((a, b), (b, c), (c, a)):
        inside &= np.einsum("ni,ni->n", np.cross(q - p, points - p), normal) >= 0.0
        along = np.einsum("ni,ni->n", points - p, q - p) / np.einsum("ni,ni->n", q - p, q - p)
        foot = p + np.clip(along, 0.0, 1.0)[:, None] * (q - p)
        nearest = np.minimum(nearest, np.linalg.norm(points - foot, axis=1))
    return np.where(inside, np.abs(np.einsum("ni,ni->n", points - a, normal)), nearest)


def is_joined(found):
    return edge_census(edge_table(found.triangles))[0] == 0 and edge_census(edge_table(found.triangles))[2] == 0


def noisy(solid, relative, seed=0):
    vertices, triangles = solid
    shift = np.random.default_rng(seed).uniform(-1.0, 1.0, vertices.shape)
    return vertices + relative * diagonal(vertices) * shift, triangles


def grid(count, sides=(1.0, 1.0), at=(0.0, 0.0, 0.0)):
    i, j = np.meshgrid(np.arange(count + 1), np.arange(count + 1), indexing="ij")
    vertices = np.stack([sides[0] * i, sides[1] * j, 0 * i], axis=2).reshape(-1, 3) / count
    i, j = np.meshgrid(np.arange(count), np.arange(count), indexing="ij")
    a = (i * (count + 1) + j).reshape(-1)
    b = a + count + 1
    return vertices + np.asarray(at), np.concatenate([np.stack([a, b, b + 1], 1), np.stack([a, b + 1, a + 1], 1)])


def quad_box(counts):
    """The six sides of the unit cube, each a grid of its own fineness with vertices of its own."""
    parts = []
    for k, count in enumerate(counts):
        vertices, triangles = grid(count)
        vertices = np.roll(vertices + np.array([0.0, 0.0, k % 2]), k // 2, axis=1)
        parts.append((vertices, triangles if k % 2 else triangles[:, ::-1]))
    return joined(*parts)


def apart(solid, gap):
    """The six sides of a cube, each moved outward."""
    vertices, triangles = soup(*solid)
    centre = vertices.reshape(6, 6, 3).mean(axis=1)
    return vertices + np.repeat(gap * centre / np.linalg.norm(centre, axis=1)[:, None], 6, axis=0), triangles


def test_a_closed_mesh_is_returned_as_it_is():
    for solid in (bumpy(3), joined(box(), moved(box(), (5.0, 0.0, 0.0)))):
        found = run(solid)
        assert found.triangles is solid[1] or np.array_equal(found.triangles, solid[1])
        assert (found.welded, found.split, found.tolerance) == (0, 0, 0.0)


@pytest.mark.parametrize("scale", [0.02, 2.0, 200.0])
@pytest.mark.parametrize(("noise", "tolerance"), [(3e-7, 1e-6), (1e-6, 1e-5), (1e-5, 1e-4), (1e-4, 1e-3)])
def test_a_soup_with_noise_is_joined_at_the_least_tolerance_that_does(scale, noise, tolerance):
    solid = moved(soup(*sphere(3)), seed=5, scale=scale)
    found = run(noisy(solid, noise))
    assert is_joined(found)
    assert found.welded == len(solid[0]) - len(sphere(3)[0])
    assert found.tolerance == tolerance


def test_faces_turned_at_random_are_joined_all_the_same():
    vertices, triangles = noisy(soup(*bumpy(3, 1)), 1e-6)
    flip = np.random.default_rng(1).random(len(triangles)) < 0.5
    assert is_joined(run((vertices, np.where(flip[:, None], triangles[:, ::-1], triangles))))


def test_many_triangles_that_meet_in_a_point_are_joined():
    count = 40  # more than are looked at first
    angle = 2.0 * np.pi * np.arange(count) / count
    ring = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    vertices = np.concatenate([ring, [[0, 0, 1.0], [0, 0, -1.0]]])
    a, b = np.arange(count), (np.arange(count) + 1) % count
    top, bottom = np.full(count, count), np.full(count, count + 1)
    cones = vertices, np.concatenate([np.stack([a, b, top], axis=1), np.stack([b, a, bottom], axis=1)])
    found = run(noisy(soup(*cones), 1e-6))
    assert is_joined(found) and found.welded == 6 * count - len(vertices)


@pytest.mark.parametrize("gap", [1e-4, 2e-3, 4e-3])
def test_a_cube_in_six_parts_is_joined(gap):
    found = run(apart(box(), gap))  # corners are gap sqrt(2) apart, 3.5 is the diagonal
    assert is_joined(found) and found.welded == 16
    assert edge_census(edge_table(found.triangles)) == (0, 0, 0)


def test_sides_of_unequal_fineness_are_split_where_vertices_stand_on_them():
    # 5 and 3 have no common places, so all 12 edges of the cube but those between equal sides have some on both.
    counts = (1, 2, 3, 5, 5, 1)
    found = run(quad_box(counts))
    assert edge_census(edge_table(found.triangles)) == (0, 0, 0)
    assert found.welded == 0
    corner = found.vertices[found.triangles]
    volume = np.einsum("ti,ti->t", corner[:, 0], np.cross(corner[:, 1], corner[:, 2])).sum() / 6.0
    assert volume == pytest.approx(1.0, rel=1e-12)
    twice = np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=1)
    assert twice.sum() == pytest.approx(12.0, rel=1e-12) and twice.min() > 1e-3


def test_splits_and_welds_go_together():
    found = run(noisy(soup(*quad_box((1, 2, 1, 3, 1, 1))), 1e-6))
    assert is_joined(found) and found.split > 0 and found.tolerance <= 1e-4


def test_a_vertex_that_stands_on_a_border_by_chance_splits_nothing():
    # A pole whose foot is a corner that stands on the border of a sheet: no border finds a partner.
    pole = np.array([[0.3, 0.0, 0.0], [0.35, -0.1, 1.0], [0.25, -0.1, 1.0]]), np.array([[0, 1, 2]])
    solid = joined(grid(1), pole)
    found = run(solid)
    assert np.array_equal(found.triangles, solid[1]) and found.split == 0


@pytest.mark.parametrize("layers", [2, 3])
@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("away", [1e-5, 3e-4, 3e-3])
def test_panels_one_behind_the_other_are_left_alone(layers, count, away):
    solid = joined(*(grid(count, at=(0.0, 0.0, k * away)) for k in range(layers)))
    found = run(moved(solid, seed=4))
    assert np.array_equal(found.triangles, solid[1])


@pytest.mark.parametrize("away", [5e-3, 3e-2])  # 1.2e-3 and 7e-3 of the diagonal
def test_panels_set_side_by_side_are_left_alone(away):
    solid = joined(*(grid(2, at=((1.0 + away) * i, (1.0 + away) * j, 0.0)) for i in range(4) for j in range(2)))
    found = run(solid)
    assert np.array_equal(found.triangles, solid[1])


def test_a_seam_in_a_sheet_too_narrow_to_be_seen_is_joined():
    found = run(joined(grid(4), grid(4, at=(1.0 + 1e-5, 0.0, 0.0))))
    assert edge_census(edge_table(found.triangles)) == (2 * 4 + 2 * 8, 0, 0) and found.welded == 5


def three_sheets(gap):
    """Three square sheets of 3 x 3 with one side each near the y axis."""
    angles = (0.3, 2.0, 4.0)
    return joined(
        *((v @ rotation_about_y(a) + [0.0, 0.0, gap * k], t) for k, a in enumerate(angles) for v, t in [grid(3)])
    )


def test_three_sheets_at_one_line_are_joined_only_where_rounding_parts_them():
    solid = three_sheets(1e-4)
    assert np.array_equal(run(solid).triangles, solid[1])
    found = run(three_sheets(1e-6))
    assert edge_census(edge_table(found.triangles))[::2] == (27, 3)


@pytest.mark.parametrize("noise", [2e-7, 5e-7, 1e-6, 2e-6])
def test_chambers_with_a_common_wall_survive_as_a_soup_with_noise(noise):
    a, b = box((0, 0, 0), (1, 1, 1)), box((1, 0, 0), (2, 1, 1))
    wall = (b[0][b[1]][:, :, 0] == 1.0).all(axis=1)
    chambers = soup(*joined(a, (b[0], b[1][~wall])))
    found = run(noisy(chambers, noise))
    assert edge_census(edge_table(found.triangles))[::2] == (0, 4)


def rotation_about_y(angle):
    return np.array([[np.cos(angle), 0, -np.sin(angle)], [0, 1, 0], [np.sin(angle), 0, np.cos(angle)]])


def test_a_bad_place_forbids_nothing_elsewhere():
    # A ball in two halves that are 1e-5 apart, and three sheets that meet in a line, all in one mesh.
    vertices, triangles = sphere(3)
    upper = vertices[triangles].mean(axis=1)[:, 2] > 0.0
    halves = joined((vertices, triangles[upper]), (vertices - [0.0, 0.0, 1e-5], triangles[~upper]))
    sheets = moved(three_sheets(1e-4), (5.0, 0.0, 0.0))
    found = run(joined(halves, sheets))
    assert edge_census(edge_table(found.triangles[: len(triangles)])) == (0, 0, 0)
    assert edge_census(edge_table(found.triangles))[0] == 3 * 12


def test_edges_with_three_faces_that_are_there_already_are_no_hindrance():
    vertices, triangles = apart(box(), 1e-3)
    fin = np.concatenate([vertices, [[0.0, 0.0, 5.0], [0.0, 0.1, 5.0], [0.0, 0.0, 6.0]]])
    three = np.array([[36, 37, 38], [36, 37, 0], [36, 37, 2]])  # on an edge of its own, which corners of the cube share
    found = run((fin, np.concatenate([triangles, three])))
    assert edge_census(edge_table(found.triangles))[2] >= 1


SPLITS = [[[0.5]], [[0.2, 0.7, 0.9]], [[0.5], [0.25, 0.75]], [[], [0.5], [0.1, 0.4]], [[], [], [0.3]]]
SPLITS += [[[0.1], [], [0.6, 0.7]], [[0.5, 0.6], [0.5], [0.2, 0.4, 0.9]]]


@pytest.mark.parametrize("along", SPLITS, ids=str)
def test_a_split_triangle_is_tiled_by_its_parts(along):
    vertices = np.array([[0.0, 0, 0], [4, 0, 0], [0, 3, 0], [9, 9, 9]])
    triangles = np.array([[3, 2, 1], [0, 1, 2]])
    places = Junctions(np.array([3 + k for k, some in enumerate(along) for _ in some]), np.concatenate(along))
    points, parts, parent = split_sides(vertices, triangles, places)
    count = sum(map(len, along))
    assert parent.tolist() == [0, 1] + [1] * count and np.array_equal(parts[0], triangles[0])
    corner = points[parts[parent == 1]]
    area = 0.5 * np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])[:, 2]
    assert area.min() > 0.0 and area.sum() == pytest.approx(6.0, rel=1e-13)
    border = [(0, 1), (1, 2), (2, 0)]
    for k, some in enumerate(along):
        for i, s in enumerate(some):
            a, b = border[k]
            at = 4 + sum(map(len, along[:k])) + i
            assert points[at] == pytest.approx(vertices[a] + s * (vertices[b] - vertices[a]), abs=1e-13)
    assert edge_census(edge_table(parts[parent == 1]))[:2] == (3 + count, 0)  # each place is a corner of the border


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_torn_meshes_lose_no_face_and_are_never_more_open(seed):
    rng = np.random.default_rng(seed)
    vertices, triangles = sphere(2)
    torn = rng.random(len(triangles)) < rng.random()
    own = triangles.copy()
    loose = vertices[triangles[torn]].reshape(-1, 3)
    own[torn] = len(vertices) + np.arange(len(loose)).reshape(-1, 3)
    vertices = np.concatenate([vertices, loose])
    vertices += rng.choice([0.0, 1e-7, 1e-6, 1e-5, 1e-4]) * rng.uniform(-1.0, 1.0, vertices.shape)
    own = own[rng.random(len(own)) < 0.97]
    found = run((vertices @ rotation(seed % 7), own))
    before = edge_census(edge_table(exact_weld(vertices, own).map[own]))
    after = edge_census(edge_table(found.triangles))
    assert after[0] <= before[0] and after[2] <= before[2]


def test_nothing_and_a_point_are_no_trouble():
    none = np.empty((0, 3), np.int64)
    assert len(stitch_borders(np.empty((0, 3)), none).triangles) == 0
    point = stitch_borders(np.ones((3, 3)), np.array([[0, 1, 2]]))
    assert point.triangles.tolist() == [[0, 1, 2]]


def test_the_parts_of_one_triangle_carry_its_number():
    vertices, triangles = quad_box((1, 4, 1, 1, 1, 1))
    found = run((vertices, triangles))
    split = np.bincount(found.parent) > 1
    assert split.sum() == found.split == 4
    assert np.bincount(found.parent)[split].tolist() == [4] * 4
