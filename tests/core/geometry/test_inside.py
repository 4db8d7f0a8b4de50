"""Winding numbers against solid angles, analytic solids and points in degenerate positions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.geometry.inside import inside, winding_number
from core.geometry.nearest import nearest
from core.types import Body

from .solids import box, bumpy, joined, moved, sphere, subdivided, torus


def solid_angle_winding(vertices, triangles, points):
    """Sum of the signed solid angles / 4 pi (van Oosterom and Strackee 1983)."""
    a, b, c = (vertices[triangles[:, k]][None] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=2) for x in (a, b, c))
    det = np.einsum("pti,pti->pt", a, np.cross(b, c))
    ab, bc, ca = (np.einsum("pti,pti->pt", x, y) for x, y in ((a, b), (b, c), (c, a)))
    return np.arctan2(det, la * lb * lc + ab * lc + bc * la + ca * lb).sum(axis=1) / (2.0 * np.pi)


def body(solid):
    return Body(solid[0], solid[1], np.arange(len(solid[1])))


def test_a_sphere_away_from_its_surface():
    vertices, triangles = sphere(5)
    points = np.random.default_rng(0).uniform(-1.3, 1.3, (20000, 3))
    radius = np.linalg.norm(points, axis=1)
    clear = (radius > 1.0) | (radius < 0.99)  # the polyhedron lies between
    assert (inside(body((vertices, triangles)), points) == (radius < 1.0))[clear].all()


def test_a_torus_away_from_its_surface():
    solid = moved(torus(1.0, 0.4, 96, 48))
    points = np.random.default_rng(1).uniform(-1.5, 1.5, (20000, 3))
    depth = np.hypot(np.hypot(points[:, 0], points[:, 1]) - 1.0, points[:, 2])
    clear = np.abs(depth - 0.4) > 0.01
    assert (inside(body(solid), points) == (depth < 0.4))[clear].all()


@pytest.mark.parametrize("seed", range(4))
def test_random_points_agree_with_the_solid_angle(seed):
    solid = joined(
        bumpy(2, seed), moved(bumpy(2, seed + 10), (0.7, 0.2, 0.1), seed=seed), moved(box(), (0.0, 1.5, 0.0))
    )
    points = np.random.default_rng(seed).uniform(-2.0, 2.5, (500, 3))
    wanted = solid_angle_winding(*solid, points)
    whole = np.rint(wanted)
    assert np.abs(wanted - whole).max() < 1e-6  # no point lies on the surface
    assert (winding_number(*solid, points) == whole).all()
    assert whole.max() >= 2


def test_rays_through_vertices_and_edges_are_counted_once():
    solid = subdivided(*subdivided(*box()))
    grid = np.linspace(-1.5, 1.5, 25)  # hits the mesh's own grid of 0.5 exactly, and the faces' diagonals
    points = np.stack(np.meshgrid(grid, grid, grid, indexing="ij"), axis=-1).reshape(-1, 3)
    largest = np.abs(points).max(axis=1)
    clear = largest != 1.0
    assert (inside(body(solid), points) == (largest < 1.0))[clear].all()


@pytest.mark.parametrize("solid", [sphere(1), bumpy(2, 5), torus(1.0, 0.4, 10, 6), moved(bumpy(1, 1), seed=7)])
def test_points_exactly_above_and_below_vertices_and_edge_midpoints(solid):
    vertices, triangles = solid
    targets = np.concatenate([vertices, vertices[triangles[:, :2]].mean(axis=1)])
    for axis in range(3):
        points = np.repeat(targets, 6, axis=0)
        points[:, axis] = np.tile([-3.0, -0.31, -0.01, 0.02, 0.3, 3.0], len(targets))
        wanted = solid_angle_winding(vertices, triangles, points)
        clear = nearest(vertices, triangles, points)[2] > 1e-9  # the solid angle means nothing on the surface
        assert clear.mean() > 0.7
        assert (winding_number(vertices, triangles, points) == np.rint(wanted))[clear].all()


def test_a_point_next_to_a_face_is_on_the_right_side_down_to_round_off():
    vertices, triangles = moved(bumpy(3, 3), seed=2)
    corner = vertices[triangles]
    centre = corner.mean(axis=1)
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    assert (winding_number(vertices, triangles, centre - 1e-12 * normal) == 1).all()
    assert (winding_number(vertices, triangles, centre + 1e-12 * normal) == 0).all()


def test_cavities_inside_out_and_double_matter():
    outer, inner = box(), moved(box(), scale=0.5)
    points = np.array([[0.1, 0.2, 0.3], [0.7, 0.1, 0.2], [1.5, 0.0, 0.0]])
    hollow = joined(outer, (inner[0], inner[1][:, ::-1]))
    assert winding_number(*hollow, points).tolist() == [0, 1, 0]
    assert winding_number(*joined(outer, inner), points).tolist() == [2, 1, 0]
    assert winding_number(outer[0], outer[1][:, ::-1], points).tolist() == [-1, -1, 0]
    assert inside(body(hollow), points).tolist() == [False, True, False]


def test_large_and_needle_triangles_over_a_fine_grid_of_points():
    n = 400  # a disc of needles: triangles that cross hundreds of rows of the grid
    angle = np.arange(n) * 2.0 * np.pi / n
    ring = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    vertices = np.concatenate([ring, [[0.0, 0.0, 0.3], [0.0, 0.0, -0.3]]])
    i = np.arange(n)
    j = (i + 1) % n
    triangles = np.concatenate([np.stack([np.full(n, n), i, j], 1), np.stack([np.full(n, n + 1), j, i], 1)])
    points = np.random.default_rng(2).uniform(-1.0, 1.0, (40000, 3)) * [1.0, 1.0, 0.4]
    radius = np.hypot(points[:, 0], points[:, 1])
    height = 0.3 * (1.0 - radius)
    clear = np.abs(np.abs(points[:, 2]) - height) > 1e-3
    assert (inside(body((vertices, triangles)), points) == (np.abs(points[:, 2]) < height))[clear].all()


def test_points_outside_the_box_and_no_points_at_all():
    vertices, triangles = sphere(1)
    assert winding_number(vertices, triangles, np.empty((0, 3))).shape == (0,)
    assert not winding_number(vertices, triangles, np.full((3, 3), 9.0)).any()
    assert winding_number(vertices, triangles, np.array([[0.0, 0.0, 0.0]])).tolist() == [1]
    assert winding_number(vertices, np.empty((0, 3), dtype=np.int64), np.zeros((1, 3))).tolist() == [0]


@settings(max_examples=150)
@given(
    seed=st.integers(0, 1000),
    corner=st.lists(st.integers(-4, 4), min_size=3, max_size=3),
    scale=st.sampled_from([1e-3, 1.0, 1e3]),
)
def test_a_lattice_point_in_a_random_tetrahedral_fan(seed, corner, scale):
    """Integer vertices and integer points: every kind of tie between ray, edges and vertices occurs."""
    rng = np.random.default_rng(seed)
    octahedron, triangles = sphere(0)
    vertices = np.rint(octahedron * 4.0 + rng.integers(-2, 3, octahedron.shape))
    point = np.array([corner], dtype=float)
    wanted = solid_angle_winding(vertices, triangles, point)
    if nearest(vertices, triangles, point)[2][0] > 1e-9:  # the solid angle means nothing on the surface
        assert (winding_number(vertices * scale, triangles, point * scale) == np.rint(wanted)).all()
