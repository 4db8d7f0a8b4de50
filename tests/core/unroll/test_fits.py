"""Spheres and axes fitted to points and meshes that are known by formula."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.unroll.fits import FLATTEST, fit_axis, fit_sphere
from tests.shapes import box, bumpy_sphere, icosphere


def turned(seed):
    """A random rotation and a shift."""
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return turn * np.sign(np.linalg.det(turn)), rng.normal(size=3)


def cap(rng, radius, angle, count=500):
    """Points of a sphere about the origin, within an angle of the direction z."""
    height, around = rng.uniform(np.cos(angle), 1.0, count), rng.uniform(0.0, 2.0 * np.pi, count)
    across = np.sqrt(1.0 - height**2)
    return radius * np.stack((across * np.cos(around), across * np.sin(around), height), axis=1)


def lathe(profile, sectors=64, share=1.0):
    """Vertices and triangles of a profile (r, z) turned about z, all around or along a share of it."""
    r, z = np.asarray(profile, dtype=float).T
    columns = sectors + (share < 1.0)
    angle = 2.0 * np.pi * share * np.arange(columns) / sectors
    vertices = np.stack((np.outer(np.cos(angle), r), np.outer(np.sin(angle), r), np.tile(z, (columns, 1))), axis=-1)
    i, j = np.meshgrid(np.arange(sectors), np.arange(len(r) - 1), indexing="ij")
    a, b = (i * len(r) + j).ravel(), ((i + 1) % columns * len(r) + j).ravel()
    triangles = np.concatenate((np.stack((a, b, b + 1), 1), np.stack((a, b + 1, a + 1), 1)))
    return vertices.reshape(-1, 3), triangles


BOTTLE = [(0.0, 0.0), (0.036, 0.0), (0.037, 0.01), (0.037, 0.18), (0.03, 0.21), (0.014, 0.24), (0.013, 0.3),
          (0.010, 0.3), (0.011, 0.24), (0.027, 0.21), (0.034, 0.18), (0.034, 0.01), (0.0, 0.005)]  # fmt: skip


@given(seed=st.integers(0, 2**31), radius=st.sampled_from([0.01, 1.0, 40.0]), angle=st.floats(0.05, 3.1))
def test_points_of_a_sphere_find_it(seed, radius, angle):
    rng = np.random.default_rng(seed)
    turn, shift = turned(seed)
    points = cap(rng, radius, angle) @ turn.T + shift
    centre, found = fit_sphere(points, rng.uniform(0.1, 1.0, len(points)))
    # Round-off of the places, 1e-16 (|shift| + R), seen from a cap whose sagitta is R angle^2 / 2.
    near = 1e-12 * (np.linalg.norm(shift) + radius) / min(angle, 1.0) ** 4
    assert found == pytest.approx(radius, abs=near)
    assert centre == pytest.approx(shift, abs=near)


def test_the_two_sides_of_a_curved_sheet():
    # 1 m of a windscreen of radius 5 m, 6 mm thick: the sagitta, 25 mm, is only four times that.
    rng = np.random.default_rng(1)
    points = np.concatenate([cap(rng, 5.0 + side, 0.1, 4000) for side in (0.003, -0.003)])
    centre, radius = fit_sphere(points, np.ones(len(points)))
    # The random points of the two sides do not match: 1 / root 4000 of the thickness against the sagitta's spread.
    assert radius == pytest.approx(5.0, rel=0.02)
    assert np.linalg.norm(points - centre, axis=1) == pytest.approx(radius, abs=0.004)


@pytest.mark.parametrize("thickness", [0.0, 0.01])
def test_a_flat_sheet_is_a_very_large_sphere(thickness):
    x, y, z = np.meshgrid(np.linspace(-1, 1, 21), np.linspace(-1, 1, 21), [-0.5, 0.5], indexing="ij")
    turn, shift = turned(3)
    points = np.stack((x, y, z * thickness), axis=-1).reshape(-1, 3) @ turn.T + shift
    centre, radius = fit_sphere(points, np.ones(len(points)))
    extent = np.sqrt(np.mean(np.sum((points - shift) ** 2, axis=1)))
    assert radius == pytest.approx(FLATTEST * extent, rel=1e-3)
    assert np.abs((centre - shift) @ turn[:, 2]) == pytest.approx(radius, rel=1e-3)
    # No farther from the sheet than its sagitta and its thickness.
    assert np.abs(np.linalg.norm(points - centre, axis=1) - radius).max() < 1.0 / radius + 0.5 * thickness


@given(seed=st.integers(0, 2**31))
def test_a_bottle_has_its_axis(seed):
    vertices, triangles = lathe(BOTTLE)
    turn, shift = turned(seed)
    fit = fit_axis(vertices @ turn.T + shift, triangles)
    # The mesh is symmetric under its own rotations, so that its axis is exact; the rest is round-off.
    assert np.abs(fit.axis @ turn[:, 2]) == pytest.approx(1.0, abs=1e-12)
    assert np.linalg.norm(np.cross(fit.point - shift, turn[:, 2])) < 1e-10
    assert 0.02 < fit.radius < 0.036
    # Across a flat strip the angle to its middle is even over +-pi / 64: its rms is a root of 3 below that.
    assert fit.error == pytest.approx(np.pi / 64 / np.sqrt(3.0), rel=0.01)


def test_an_oblique_part_of_a_shell():
    profile = [(0.98, 0.0), (1.02, 0.0), (1.02, 2.0), (0.98, 2.0), (0.98, 0.0)]
    vertices, triangles = lathe(profile, sectors=48, share=0.3)
    turn, shift = turned(8)
    fit = fit_axis(vertices @ turn.T + shift, triangles)
    # An arc is not symmetric, and its strips are flat: what errs is the strips' width squared.
    assert np.abs(fit.axis @ turn[:, 2]) == pytest.approx(1.0, abs=1e-4)
    assert np.linalg.norm(np.cross(fit.point - shift, turn[:, 2])) < 0.01
    assert fit.radius == pytest.approx(1.0, rel=0.01)
    assert fit.error < 0.03


def test_a_wall_without_ends():
    # Nothing says where along the axis it is: the normals have no part along it.
    vertices, triangles = lathe([(1.0, 0.0), (1.0, 0.5), (1.0, 3.0)])
    fit = fit_axis(vertices, triangles)
    assert np.abs(fit.axis[2]) == pytest.approx(1.0, abs=1e-12)
    assert np.hypot(*fit.point[:2]) < 1e-12
    assert fit.point[2] == pytest.approx(1.5, abs=0.01)
    assert fit.radius == pytest.approx(np.cos(np.pi / 64), rel=1e-3)


def test_a_ball_is_round_about_any_axis():
    ball = icosphere(4)
    fit = fit_axis(ball.vertices + 5.0, ball.triangles)
    assert np.linalg.norm(fit.point - 5.0) < 1e-3
    # Flat triangles with sides of 0.07: their normals are up to half of that beside the radius.
    assert fit.error < 0.035


@pytest.mark.parametrize(
    "body", [box(), box(high=(1.0, 2.0, 7.0)), box(high=(1.0, 1.0, 0.01)), bumpy_sphere(4)], ids=range(4)
)
def test_what_is_not_round_says_so(body):
    # On the side x = 1 of a square bar it is the root of the integral of y^2 over that of 1 + y^2: 0.5.
    assert fit_axis(body.vertices, body.triangles).error > 0.3


def test_the_fit_scales_with_the_body():
    vertices, triangles = lathe(BOTTLE)
    one, other = fit_axis(vertices, triangles), fit_axis(vertices * 1024.0, triangles)
    assert other.radius == 1024.0 * one.radius
    assert np.array_equal(other.axis, one.axis)
    assert other.error == one.error
