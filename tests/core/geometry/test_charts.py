"""Charts of spheres and cylinders: closed forms, both ways, against geometry."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.geometry.charts import cylinder, rolled, sphere, unrolled
from core.roughness.bend import bent, flattened, jacobians, rough

RADII = st.sampled_from([0.5, 1.0, 30.0, 1e3])
SEEDS = st.integers(0, 2**31)


def unit(rng):
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def placed(kind, radius, rng):
    """A chart somewhere, turned somehow, whose flat origin is near the origin: bodies are."""
    out, axis = unit(rng), unit(rng)
    if kind == "sphere":
        return sphere(-radius * out, radius, out)
    axis -= out * np.dot(axis, out)
    return cylinder(-radius * out, axis / np.linalg.norm(axis), radius, out)


def flat_points(radius, rng, extent=1.0, count=50):
    """A body of the size of the extent, or of that of the radius where it is smaller."""
    size = min(extent, radius)
    points = rng.uniform(-1.0, 1.0, (count, 3)) * size * [1.5, 1.5, 0.4]
    points[0] = 0.0
    points[1, :2] = 0.0
    points[2, :2] *= 1e-9
    return points


KINDS = pytest.mark.parametrize("kind", ["sphere", "cylinder"])


@KINDS
@given(radius=RADII, seed=SEEDS)
def test_there_and_back(kind, radius, seed):
    rng = np.random.default_rng(seed)
    chart, flat = placed(kind, radius, rng), flat_points(radius, rng)
    # Round-off of the body's size, not of the radius; near the centre of a small sphere angles amplify it.
    assert unrolled(chart, rolled(chart, flat)) == pytest.approx(flat, abs=4e-15 + 1e-13 * min(radius, 1.0))


@given(radius=RADII, seed=SEEDS)
def test_sphere_measures_arcs_from_the_hit_and_heights_from_the_wall(radius, seed):
    rng = np.random.default_rng(seed)
    out, centre = unit(rng), rng.normal(size=3)
    chart = sphere(centre, radius, out)
    flat = flat_points(radius, rng)
    arm = rolled(chart, flat) - centre
    assert np.linalg.norm(arm, axis=1) == pytest.approx(radius + flat[:, 2], rel=1e-14)
    angle = np.arctan2(np.linalg.norm(np.cross(arm, out), axis=1), arm @ out)
    assert angle * radius == pytest.approx(np.hypot(*flat[:, :2].T), abs=1e-14 * radius)


@given(radius=RADII, seed=SEEDS)
def test_cylinder_measures_around_along_and_out(radius, seed):
    rng = np.random.default_rng(seed)
    axis, point = unit(rng), rng.normal(size=3)
    towards = np.cross(axis, unit(rng))
    chart = cylinder(point, axis, radius, towards + 0.7 * axis)
    flat = flat_points(radius, rng)
    arm = rolled(chart, flat) - point
    height = arm @ axis
    across = arm - height[:, None] * axis
    assert height == pytest.approx(flat[:, 1], abs=1e-13 * radius)
    assert np.linalg.norm(across, axis=1) == pytest.approx(radius + flat[:, 2], rel=1e-13)
    e0 = towards / np.linalg.norm(towards)
    angle = np.arctan2(across @ np.cross(axis, e0), across @ e0)
    assert angle * radius == pytest.approx(flat[:, 0], abs=1e-13 * radius)


@KINDS
def test_a_wall_as_good_as_flat_stays_as_it_is(kind):
    # A windscreen of 1 m on a radius of 1000 m: what differs from flat is the sagitta rho^2 / 2R.
    rng = np.random.default_rng(4)
    chart, flat = placed(kind, 1e3, rng), flat_points(1e3, rng)
    local = np.einsum("ni,ji->nj", rolled(chart, flat) - chart.origin, chart.axes)
    rho2 = flat[:, 0] ** 2 + (flat[:, 1] ** 2 if kind == "sphere" else 0.0)
    sagitta = 2.0 * (1e3 + flat[:, 2]) * np.sin(0.5 * np.sqrt(rho2) / 1e3) ** 2
    assert local[:, 2] == pytest.approx(flat[:, 2] - sagitta, abs=1e-14)


@KINDS
@given(radius=RADII, seed=SEEDS)
def test_jacobians_are_those_of_the_map_and_keep_the_orientation(kind, radius, seed):
    rng = np.random.default_rng(seed)
    bend = rough(0.0, 1.0, 0, 1, placed(kind, radius, rng))
    flat, h = flat_points(radius, rng), 1e-5 * min(radius, 1.0)
    slope = jacobians(bend, flat)
    for j in range(3):
        step = h * np.eye(3)[j]
        difference = (bent(bend, flat + step) - bent(bend, flat - step)) / (2.0 * h)
        # Third derivatives are some 1 / R^2: h^2 / R^2, and round-off 1e-16 / 1e-5.
        assert np.abs(slope[:, :, j] - difference).max() < 1e-9
    assert np.linalg.det(slope).min() > 0.0


def test_the_flat_origin_is_smooth():
    chart = sphere(np.zeros(3), 1.0, np.array([0.0, 0.6, 0.8]))
    bend = rough(0.0, 1.0, 0, 1, chart)
    middle = jacobians(bend, np.zeros((1, 3)))
    assert middle[0] == pytest.approx(chart.axes.T, abs=1e-15)
    near = jacobians(bend, 1e-7 * np.random.default_rng(1).normal(size=(50, 3)))
    assert np.abs(near - middle).max() < 1e-6


def test_a_guess_chooses_the_side_of_the_seam():
    chart = cylinder(np.zeros(3), np.array([0.0, 0.0, 1.0]), 2.0, np.array([1.0, 0.0, 0.0]))
    seam = np.array([[-2.0, 0.0, 0.5], [-2.0, 0.01, 0.5], [-2.0, -0.01, 0.5]])
    half = 2.0 * np.pi
    alone = unrolled(chart, seam)[:, 0]
    assert alone == pytest.approx([half, half - 0.01, -half + 0.01], abs=1e-6)
    for side in (1.0, -1.0):
        guess = np.tile([side * 6.0, 0.0, 0.0], (3, 1))
        flat = unrolled(chart, seam, guess)
        assert flat[:, 0] == pytest.approx(side * half - np.array([0.0, 0.01, -0.01]), abs=1e-6)
        assert rolled(chart, flat) == pytest.approx(seam, abs=1e-14)
        bend = rough(0.001, 0.1, 2, 1, chart)
        assert flattened(bend, bent(bend, flat), guess) == pytest.approx(flat, abs=1e-8)


def test_points_without_image_are_refused():
    up, right = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    ball, pipe = sphere(np.zeros(3), 1.0, up), cylinder(np.zeros(3), up, 1.0, right)
    for chart, point in ((ball, (0.0, 0.0, 0.0)), (ball, (0.05, 0.0, -1.0)), (pipe, (0.0, 0.0, 3.0))):
        with pytest.raises(InputError, match="bent around"):
            unrolled(chart, np.array([point]))
    assert len(unrolled(ball, np.array([[0.1, 0.0, -1.0]]))) == 1
    assert len(unrolled(pipe, np.array([[1e-5, 0.0, 3.0]]))) == 1


@KINDS
def test_curvature_bounds_how_far_straight_segments_bend(kind):
    # Segments whose middle lies on the wall; on a sphere over the half that faces the hit.
    rng = np.random.default_rng(2)
    R, L = 3.0, 0.15
    chart = placed(kind, R, rng)
    reach = 0.5 * np.pi * R if kind == "sphere" else np.pi * R
    angle = rng.uniform(0.0, 2.0 * np.pi, 100_000)
    distance = reach * np.sqrt(rng.uniform(0.0, 0.95, 100_000))
    flat = np.stack((distance * np.cos(angle), distance * np.sin(angle), np.zeros(100_000)), axis=1)
    along = rng.normal(size=flat.shape)
    along *= 0.5 * L / np.linalg.norm(along, axis=1, keepdims=True)
    middle = rolled(chart, flat)
    ends = [unrolled(chart, middle + way * along, flat) for way in (-1.0, 1.0)]
    deviation = np.linalg.norm(0.5 * (ends[0] + ends[1]) - flat, axis=1)
    bound = chart.curvature * L**2 / 8.0
    # Terms of fourth order are (L / R)^2 of it, less than a percent.
    assert deviation.max() < 1.02 * bound
    assert deviation.max() > 0.9 * bound
