"""Bent space: there and back, no folds, and what a bend says of itself."""

import numpy as np
import pytest

from core.errors import CutError
from core.geometry.charts import cylinder, sphere
from core.roughness.bend import bent, bent_at, bent_slope_at, flattened, folding, halved, jacobians, rough

UP, RIGHT = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
CHARTS = {"none": None, "sphere": sphere(-2.0 * UP, 2.0, UP), "cylinder": cylinder(-RIGHT, UP, 1.0, RIGHT)}
OCTAVES = pytest.mark.parametrize("octaves", [1, 2, 3, 4])
EVERY_CHART = pytest.mark.parametrize("chart", CHARTS.values(), ids=CHARTS.keys())


def flat_points(count=20_000, seed=0):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 3)) * [1.5, 1.5, 0.3]


@OCTAVES
@EVERY_CHART
def test_there_and_back(octaves, chart):
    bend = rough(0.04 * 0.2, 0.2, octaves, 3, chart)
    flat = flat_points()
    real = bent(bend, flat)
    back = flattened(bend, real)
    assert np.abs(bent(bend, back) - real).max() < 1e-6 * bend.finest
    assert np.abs(back - flat).max() < 1e-6 * bend.finest
    # With neighbours to begin from, the same to the same precision.
    near = flattened(bend, real, flat + 0.3 * bend.finest)
    assert np.abs(near - back).max() < 1e-6 * bend.finest


@OCTAVES
def test_the_chart_comes_first(octaves):
    # Noise lives in real space: with a chart it is the same field, at the real points.
    chart = CHARTS["cylinder"]
    flat = flat_points(1000)
    noisy, plain = rough(0.01, 0.25, octaves, 3), rough(0.0, 1.0, 0, 3, chart)
    both = rough(0.01, 0.25, octaves, 3, chart)
    assert bent(both, flat) == pytest.approx(bent(noisy, bent(plain, flat)), abs=1e-15)
    product = np.einsum("nij,njk->nik", jacobians(noisy, bent(plain, flat)), jacobians(plain, flat))
    assert jacobians(both, flat) == pytest.approx(product, abs=1e-14)


# Smallest det of 200,000 samples as on the prototype: .53, .32, .16, .08 at 0.04. Extremes of few samples scatter.
@pytest.mark.parametrize(
    ("octaves", "ratio", "least"), [(1, 0.04, 0.53), (2, 0.04, 0.32), (3, 0.04, 0.16), (4, 0.04, 0.08)]
)
def test_space_does_not_fold(octaves, ratio, least):
    bend = rough(ratio, 1.0, octaves, 1)
    samples = np.random.default_rng(5).uniform(0.0, 20.0, (200_000, 3))
    smallest = np.linalg.det(jacobians(bend, samples)).min()
    assert folding(bend, samples) == 0
    assert smallest == pytest.approx(least, abs=0.15)
    assert smallest > 0.0


def test_two_octaves_bear_half_as_much_again():
    samples = np.random.default_rng(5).uniform(0.0, 20.0, (200_000, 3))
    assert folding(rough(0.06, 1.0, 2, 1), samples) == 0


def test_folds_are_counted():
    # Shares that were measured on the prototype at 0.08: 6e-4, 9e-3 and 3e-2 for 2, 3 and 4 octaves.
    samples = np.random.default_rng(5).uniform(0.0, 20.0, (200_000, 3))
    for octaves, share in ((2, 6e-4), (3, 9e-3), (4, 3e-2)):
        bend = rough(0.08, 1.0, octaves, 1)
        count = folding(bend, samples)
        assert 0.5 * share < count / 200_000 < 2.0 * share
        assert count == np.count_nonzero(np.linalg.det(jacobians(bend, samples)) <= 0.0)
        assert folding(halved(bend), samples) == 0


def test_folds_of_the_chart_are_counted():
    # Beyond the axis, Z < -R, a cylinder turns flat space inside out.
    bend = rough(0.0, 1.0, 0, 1, CHARTS["cylinder"])
    assert folding(bend, np.array([[0.1, 0.2, -0.9], [0.1, 0.2, -1.1], [0.1, 0.2, -1.0]])) == 2


def test_what_folds_cannot_be_flattened():
    bend = rough(0.2, 1.0, 4, 1)
    with pytest.raises(CutError, match="too rough"):
        flattened(bend, flat_points())


def test_half_of_it():
    bend = rough(0.01, 0.25, 3, 3, CHARTS["sphere"])
    half, flat = halved(bend), flat_points(500)
    plain = bent(rough(0.0, 1.0, 0, 1, bend.chart), flat)
    assert bent(half, flat) - plain == pytest.approx(0.5 * (bent(bend, flat) - plain), abs=1e-15)
    assert (half.reach, half.noise_curvature) == (0.5 * bend.reach, 0.5 * bend.noise_curvature)
    assert (half.finest, half.chart_curvature) == (bend.finest, bend.chart_curvature)
    assert half.field.octave[:, 1] == pytest.approx(rough(0.005, 0.25, 3, 3).octave[:, 1], rel=1e-15)


@EVERY_CHART
def test_two_runs_are_equal_in_every_bit(chart):
    flat = flat_points(2000)
    first, second = ((bent(b, flat), flattened(b, bent(b, flat)), jacobians(b, flat)) for b in (
        rough(0.004, 0.1, 3, 9, chart), rough(0.004, 0.1, 3, 9, chart)
    ))  # fmt: skip
    for one, other in zip(first, second, strict=True):
        assert np.array_equal(one, other)


def test_a_point_does_not_depend_on_the_others():
    bend, flat = rough(0.004, 0.1, 3, 9, CHARTS["sphere"]), flat_points(2000)
    real = bent(bend, flat)
    assert np.array_equal(bent(bend, flat[700:703]), real[700:703])
    assert np.array_equal(flattened(bend, real[700:703]), flattened(bend, real)[700:703])


@EVERY_CHART
def test_parts_for_kernels_are_the_same_map(chart):
    bend, flat = rough(0.004, 0.1, 2, 9, chart), flat_points(20)
    real, slope = bent(bend, flat), jacobians(bend, flat)
    for n, point in enumerate(flat):
        assert bent_at(bend.field, *point) == pytest.approx(real[n], abs=1e-14)
        assert bent_slope_at(bend.field, *point) == pytest.approx([*real[n], *slope[n].ravel()], abs=1e-14)


def test_nothing_bent_is_nothing_changed():
    flat = flat_points(100)
    bend = rough(0.0, 1.0, 0, 1)
    assert np.array_equal(bent(bend, flat), flat)
    assert np.array_equal(flattened(bend, flat), flat)
    assert np.array_equal(jacobians(bend, flat), np.tile(np.eye(3), (100, 1, 1)))
    assert (bend.noise_curvature, bend.chart_curvature, bend.reach, bend.finest) == (0.0, 0.0, 0.0, np.inf)


def test_no_points_are_no_points():
    bend = rough(0.004, 0.1, 2, 9, CHARTS["sphere"])
    assert bent(bend, np.zeros((0, 3))).shape == flattened(bend, np.zeros((0, 3))).shape == (0, 3)
