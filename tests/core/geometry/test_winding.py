"""The generalised winding number against solid angles in closed form, exact counts and itself without a tree."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.geometry.inside import winding_number
from core.geometry.mesh import edge_table, find_shells, volume
from core.geometry.winding import ACCURACY, sample_points, winding_at, winding_of_others, winding_tree, winding_volume

from .solids import box, bumpy, joined, moved, soup, sphere, subdivided, torus


def directly(vertices, triangles, points):
    return winding_at(winding_tree(vertices, triangles), points, np.inf)


def roughly(vertices, triangles, points):
    return winding_at(winding_tree(vertices, triangles), points)


def van_oosterom(vertices, triangles, points):
    """Sum of the signed solid angles / 4 pi (van Oosterom and Strackee 1983, eq. 8)."""
    a, b, c = (vertices[triangles[:, k]][None] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=2) for x in (a, b, c))
    det = np.einsum("pti,pti->pt", a, np.cross(b, c))
    ab, bc, ca = (np.einsum("pti,pti->pt", x, y) for x, y in ((a, b), (b, c), (c, a)))
    return np.arctan2(det, la * lb * lc + ab * lc + bc * la + ca * lb).sum(axis=1) / (2.0 * np.pi)


def test_an_octant_seen_from_the_origin_is_an_eighth():
    vertices, triangles = np.eye(3), np.array([[0, 1, 2]])
    assert directly(vertices, triangles, np.zeros((1, 3)))[0] == pytest.approx(1.0 / 8.0, abs=1e-15)
    assert directly(vertices, triangles[:, ::-1], np.zeros((1, 3)))[0] == pytest.approx(-1.0 / 8.0, abs=1e-15)


def test_a_rectangle_on_its_axis():
    # Solid angle of a rectangle of 2a x 2b from a height h: 4 asin(ab / sqrt((a^2 + h^2)(b^2 + h^2))).
    a, b = 0.7, 1.9
    vertices = np.array([[-a, -b, 0.0], [a, -b, 0.0], [a, b, 0.0], [-a, b, 0.0]])
    height = np.array([0.1, 0.5, 1.0, 4.0])
    points = np.stack([0.0 * height, 0.0 * height, -height], axis=1)
    wanted = 4.0 * np.arcsin(a * b / np.sqrt((a**2 + height**2) * (b**2 + height**2))) / (4.0 * np.pi)
    quad = np.array([[0, 1, 2], [0, 2, 3]])
    assert np.abs(directly(vertices, quad, points) - wanted).max() < 1e-14


@pytest.mark.parametrize("solid", [sphere(4), torus(1.0, 0.4, 40, 20), moved(bumpy(3, 5), seed=3)])
def test_one_inside_and_none_outside_of_closed_meshes(solid):
    points = np.random.default_rng(0).uniform(-1.4, 1.4, (1000, 3))
    found = directly(*solid, points)
    assert np.abs(found - winding_number(*solid, points)).max() < 1e-9
    assert 0.1 < found.mean() < 0.9
    assert np.abs(roughly(*solid, points) - found).max() < 1e-2


def test_the_tree_agrees_with_the_sum_on_open_and_crossing_meshes_and_grows_more_accurate():
    vertices, triangles = joined(bumpy(4, 1), moved(torus(1.0, 0.3), (0.5, 0.0, 0.2), seed=4))
    triangles = triangles[np.random.default_rng(1).random(len(triangles)) < 0.8]
    points = np.random.default_rng(2).uniform(-2.0, 2.0, (2000, 3))
    wanted = van_oosterom(vertices, triangles, points)
    tree = winding_tree(vertices, triangles)
    assert np.abs(winding_at(tree, points, np.inf) - wanted).max() < 1e-12
    coarse, fine = (np.abs(winding_at(tree, points, accuracy) - wanted).max() for accuracy in (ACCURACY, 2 * ACCURACY))
    assert coarse < 1e-2
    assert fine < coarse / 4.0  # third order: an eighth, were the same nodes used


def test_far_away_the_three_terms_of_the_series_leave_a_relative_error_of_third_order():
    rng = np.random.default_rng(3)
    vertices, triangles = rng.normal(size=(9, 3)), np.arange(9).reshape(3, 3)
    tree = winding_tree(vertices, triangles)
    direction = np.array([0.48, -0.6, 0.64])
    points = direction * np.array([[25.0], [50.0], [100.0]])
    exact = winding_at(tree, points, np.inf)
    error = np.abs(winding_at(tree, points, 0.0) - exact) / np.abs(exact)
    assert (error[:-1] / error[1:] > 6.0).all()
    assert (error[:-1] / error[1:] < 11.0).all()


def test_a_half_sphere_counts_half_at_its_centre_and_the_rest_of_its_opening_angle_elsewhere():
    vertices, triangles = subdivided(*sphere(4))
    upper = triangles[vertices[triangles].mean(axis=1)[:, 2] > 0.0]
    height = np.array([-3.0, -1.0, -0.2, 0.0, 0.2, 0.7])
    points = np.stack([0.0 * height, 0.0 * height, height], axis=1)
    # Inside: all directions but those through the mouth, a cone of half angle atan(1/h): 1 - (1 - h/sqrt(1+h^2))/2.
    # Below the mouth the cone that looks at it.
    cone = 0.5 * (1.0 - np.abs(height) / np.sqrt(1.0 + height**2))
    wanted = np.where(height < 0.0, cone, 1.0 - cone)
    rim = 2e-3  # the polygon of 128 sides in the mouth is that much smaller than the circle
    assert np.abs(directly(vertices, upper, points) - wanted).max() < rim
    assert np.abs(roughly(vertices, upper, points) - wanted).max() < rim + 1e-2


def test_turning_the_triangles_turns_the_sign_and_order_does_not_matter():
    vertices, triangles = bumpy(3, 2)
    triangles = triangles[:300]
    points = np.random.default_rng(4).uniform(-1.3, 1.3, (500, 3))
    found = roughly(vertices, triangles, points)
    assert np.abs(roughly(vertices, triangles[:, [0, 2, 1]], points) + found).max() < 1e-12
    assert np.abs(roughly(*soup(vertices, triangles), points) - found).max() < 1e-12
    assert (roughly(vertices, triangles, points) == found).all()  # bit-equal


def test_several_layers_wind_several_times():
    # The angles are added as complex numbers: whole turns must not get lost.
    solid = joined(*(moved(sphere(2), scale=s) for s in (1.0, 1.1, 1.2, 1.3, 1.4)))
    inside_out = solid[0], solid[1][:, ::-1]
    points = np.array([[0.01, 0.02, 0.03], [1.15, 0.0, 0.0], [2.0, 0.0, 0.0]])
    assert np.abs(directly(*solid, points) - [5.0, 3.0, 0.0]).max() < 1e-12
    assert np.abs(directly(*inside_out, points) - [-5.0, -3.0, 0.0]).max() < 1e-12


def test_points_on_the_surface_get_a_number():
    vertices, triangles = subdivided(*subdivided(*box()))
    corner = vertices[triangles]
    centre, edge = corner.mean(axis=1), 0.5 * (corner[:, 0] + corner[:, 1])
    for points in (vertices, centre, edge):
        for found in (directly(vertices, triangles, points), roughly(vertices, triangles, points)):
            assert (found > -0.01).all()
            assert (found < 1.01).all()
    assert np.abs(directly(vertices, triangles, centre) - 0.5).max() < 1e-9  # the mean of both sides
    flat = np.abs(np.abs(vertices).max(axis=1) - 1.0) == 0.0
    deep = np.sort(np.abs(vertices), axis=1)[:, 1] < 0.9  # not on an edge of the box
    assert np.abs(directly(vertices, triangles, vertices[flat & deep]) - 0.5).max() < 1e-9


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), flat=st.booleans(), scale=st.sampled_from([1e-3, 1.0, 1e3]))
def test_any_triangles_at_any_lattice_point(seed, flat, scale):
    rng = np.random.default_rng(seed)
    vertices = rng.integers(-3, 4, (8, 3)).astype(float)  # equal and collinear vertices are common
    if flat:
        vertices[:, 2] = 0.0
    triangles, points = rng.integers(0, 8, (12, 3)), rng.integers(-4, 5, (10, 3)).astype(float)
    found = directly(vertices * scale, triangles, points * scale)
    assert np.isfinite(found).all()
    assert (np.abs(found) <= 6.0).all()  # a triangle counts a half at most
    clear = points + rng.uniform(0.1, 0.2, points.shape)
    assert (
        np.abs(directly(vertices * scale, triangles, clear * scale) - van_oosterom(vertices, triangles, clear)).max()
        < 1e-9
    )
    assert (
        np.abs(roughly(vertices * scale, triangles, clear * scale) - van_oosterom(vertices, triangles, clear)).max()
        < 0.05
    )


def test_no_points_and_wrong_numbers():
    vertices, triangles = sphere(1)
    assert roughly(vertices, triangles, np.empty((0, 3))).shape == (0,)
    with pytest.raises(IndexError):
        winding_tree(vertices, triangles + 1)
    with pytest.raises(ValueError, match="triangle"):
        winding_tree(vertices, triangles[:0])


def test_the_others_leave_out_a_points_own_shell():
    solid = joined(bumpy(2, 1), moved(sphere(1), (0.6, 0.0, 0.0)), moved(torus(1.0, 0.4), (0.5, 0.3, 0.0)))
    triangles = solid[1][np.random.default_rng(5).random(len(solid[1])) < 0.9]
    shell = find_shells(edge_table(triangles))
    assert np.bincount(shell).max() > 256  # one with a tree of its own
    assert shell.max() >= 2
    points, point_shell = [], []
    for s in range(shell.max() + 1):
        own = solid[0][np.unique(triangles[shell == s])][:50]
        points.append(own)
        point_shell.append(np.full(len(own), s))
    points, point_shell = np.concatenate(points), np.concatenate(point_shell)
    found = winding_of_others(winding_tree(solid[0], triangles), solid[0], triangles, shell, points, point_shell)
    for s in range(shell.max() + 1):
        here = point_shell == s
        assert np.abs(found[here] - van_oosterom(solid[0], triangles[shell != s], points[here])).max() < 2e-2
    with pytest.raises(IndexError):
        winding_of_others(
            winding_tree(solid[0], triangles), solid[0], triangles, shell, points, point_shell + shell.max() + 1
        )


@pytest.mark.parametrize("scale", [0.01, 100.0])
@pytest.mark.parametrize("solid", [sphere(4), torus(1.0, 0.4, 96, 48), moved(box(), (0.2, 0.1, 0.0), seed=6)])
def test_volumes_of_closed_meshes_lie_within_the_deviation(solid, scale):
    vertices, triangles = moved(solid, scale=scale)
    found, deviation = winding_volume(vertices, triangles)
    wanted = volume(vertices, triangles)
    assert abs(found - wanted) < 4.0 * deviation  # Student's t with 15 degrees of freedom: 1 in 1,000
    assert deviation < 3e-3 * wanted


def test_the_deviation_is_that_of_the_estimates():
    solid = moved(torus(1.0, 0.4, 96, 48), seed=2)
    runs = [winding_volume(*solid, samples=4096, seed=seed) for seed in range(30)]
    error = (np.array([found for found, _ in runs]) - volume(*solid)) / np.array([deviation for _, deviation in runs])
    assert 0.7 < np.sqrt((error**2).mean()) < 1.5  # 1 +- 1/sqrt(60), and the spread of 15 degrees of freedom
    assert runs[3] == winding_volume(*solid, samples=4096, seed=3)


def test_volumes_of_unions_open_inside_out_and_flat_meshes():
    overlapping = joined(box(), moved(box(), (1.0, 0.0, 0.0)))
    found, deviation = winding_volume(*overlapping)
    assert abs(found - 12.0) <= 4.0 * deviation + 1e-12  # the overlap counts once
    vertices, triangles = sphere(4)
    assert winding_volume(vertices, triangles[:, ::-1]) == (0.0, 0.0)
    assert winding_volume(vertices, triangles[:0]) == (0.0, 0.0)
    assert (
        winding_volume(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), np.array([[0, 1, 2]]))[0] == 0.0
    )
    holes = triangles[np.random.default_rng(7).random(len(triangles)) < 0.97]
    found, deviation = winding_volume(vertices, holes)
    assert abs(found - volume(vertices, triangles)) < 0.02 * found


def test_sample_points_fill_the_cube_evenly():
    points = sample_points(1 << 14, 1)
    assert points.shape == (1 << 14, 3)
    assert (points >= 0.0).all()
    assert (points < 1.0).all()
    each = points.reshape(16, -1, 3)[0]
    cell = np.bincount(np.ravel_multi_index((each * 8).astype(int).T, (8, 8, 8)), minlength=512)
    assert np.count_nonzero(cell == 0) < 35  # 1,024 points over 512 cells: random ones leave 70 of them empty
