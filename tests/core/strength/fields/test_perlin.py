"""Gradient noise: its statistics, its smoothness, and that its lattice cannot be seen."""

import numpy as np
import pytest

from core.geometry.gradient_noise import RAW_RMS
from core.jit import sealed_floats
from core.strength.fields.perlin import (
    MEAN_SIZE,
    SPAN,
    Lattice,
    Texture,
    draw_lattice,
    lattice_noise,
    perlin_noise,
    turbulence,
)

STREAM = 1
#: Points are a hundred lattice cells apart on the average, so that they are as good as independent.
POINTS = np.random.default_rng(0).uniform(-100.0, 100.0, (40_000, 3))


def straight(seed=0):
    """A lattice of whole numbers."""
    noise = draw_lattice(np.random.default_rng(seed), 1.0).noise
    return Lattice(noise._replace(octave=sealed_floats(np.array([[1.0, 1.0, 0.0, 0.0, 0.0]]))), np.eye(3))


def test_it_is_zero_at_the_corners_of_the_lattice_and_nowhere_else():
    corners = np.random.default_rng(1).integers(-300, 300, (500, 3)).astype(np.float64)
    assert (lattice_noise(straight(), corners) == 0.0).all()
    assert (np.abs(lattice_noise(straight(), corners + np.array([0.5, 0.25, 0.1]))) > 0.0).all()


def test_beside_a_corner_it_rises_by_the_gradient_there():
    # n(x) = g.x + O(x^2 ... ) about a corner: the fade of the others starts with the third power.
    table = straight()
    order = table.noise.order
    row = order[0, 3] ^ order[1, 255] ^ order[2, 7]
    step = 1e-4 * np.eye(3)
    slope = lattice_noise(table, np.array([3.0, -1.0, 263.0]) + step) / 1e-4
    np.testing.assert_allclose(slope, table.noise.gradient[row, :3], atol=1e-6)


def test_the_rms_follows_from_the_integrals_of_the_fade():
    t, w = np.polynomial.legendre.leggauss(20)
    t, w = 0.5 * (t + 1.0), 0.5 * w
    rest = 1.0 - t**3 * (t * (6 * t - 15) + 10)
    A, B = (w * t**2 * rest**2).sum(), (w * rest**2).sum()
    assert pytest.approx(np.sqrt(8 * A * B**2), rel=1e-13) == RAW_RMS
    # Of 40,000 places of each of ten lattices: 1/sqrt(2 * 400,000) = 0.1 %, and 1/sqrt(2560 gradients) of the tables.
    values = np.concatenate([lattice_noise(straight(seed), POINTS) for seed in range(10)])
    assert np.sqrt(np.mean(values**2)) == pytest.approx(RAW_RMS, rel=0.02)
    assert abs(values.mean()) < 0.02 * RAW_RMS
    assert np.abs(values).mean() == pytest.approx(MEAN_SIZE, rel=0.02)
    assert (np.abs(values) > SPAN * RAW_RMS).mean() < 0.01


def test_it_has_no_steps():
    # |grad n| <= sum w |g| + sum |dw| |g.d| <= 1 + 3 * (15/8) * sqrt(3): a step would give 1e-7 points a slope of 1e5.
    rng = np.random.default_rng(2)
    points = np.concatenate([POINTS[:5000], np.round(POINTS[:5000]), np.round(POINTS[:5000] * [1, 1, 0])])
    step = 1e-7 * rng.normal(size=points.shape)
    change = np.abs(lattice_noise(straight(), points + step) - lattice_noise(straight(), points))
    assert (change <= (1 + 3 * 15 / 8 * np.sqrt(3)) * np.linalg.norm(step, axis=1) + 1e-13).all()


def test_the_first_derivative_has_no_steps_either():
    # Across a face of the lattice: one-sided differences of both sides agree to the order of the step.
    at = np.column_stack([np.round(POINTS[:2000, 0]), POINTS[:2000, 1:]])
    h = np.array([1e-5, 0.0, 0.0])
    left = (lattice_noise(straight(), at) - lattice_noise(straight(), at - h)) / 1e-5
    right = (lattice_noise(straight(), at + h) - lattice_noise(straight(), at)) / 1e-5
    np.testing.assert_allclose(left, right, atol=2e-3)


def test_a_place_does_not_depend_on_the_others():
    whole = lattice_noise(straight(), POINTS[:5000])
    assert np.array_equal(whole[4321:4322], lattice_noise(straight(), POINTS[4321:4322]))
    assert len(lattice_noise(straight(), np.zeros((0, 3)))) == 0


@pytest.mark.parametrize("field", [perlin_noise, turbulence])
def test_one_seed_gives_the_same_bits_and_another_does_not(field):
    points = POINTS[:500] / 200.0
    one = field(points, Texture(seed=3, detail=2), STREAM)
    assert np.array_equal(one, field(points, Texture(seed=3, detail=2), STREAM))
    assert not np.allclose(one, field(points, Texture(seed=4, detail=2), STREAM))
    assert not np.allclose(one, field(points, Texture(seed=3, detail=2), STREAM + 1))


@pytest.mark.parametrize("detail", [1, 3])
def test_noise_fills_its_range_about_the_middle(detail):
    values = np.concatenate([perlin_noise(POINTS, Texture(size=1.0, detail=detail, seed=k), STREAM) for k in range(5)])
    assert values.min() >= 0.0 and values.max() <= 1.0
    assert values.mean() == pytest.approx(0.5, abs=0.01)
    assert values.std() == pytest.approx(1 / (2 * SPAN), rel=0.04)  # less what is cut off, and as above


def test_turbulence_has_creases_and_a_mean_of_a_half():
    values = np.concatenate([turbulence(POINTS, Texture(size=1.0, seed=k), STREAM) for k in range(5)])
    assert values.min() < 1e-3 and values.max() == 1.0
    # Of sizes above twice the mean, about 7 %, something is cut off.
    assert values.mean() == pytest.approx(0.49, abs=0.02)
    slope = np.abs(np.diff(turbulence(np.linspace([0, 0, 0], [1, 0.3, 0.2], 4001), Texture(size=0.3), STREAM), 2))
    assert slope.max() > 20 * np.median(slope), "where the noise passes through 0 there is an edge"


def test_neither_the_origin_nor_the_axes_can_be_seen():
    # Plain Perlin noise is 0 at the origin, and on lines along the axes through the corners it never strays far.
    origin = np.array([perlin_noise(np.zeros((1, 3)), Texture(seed=k), STREAM)[0] for k in range(300)])
    assert origin.std() == pytest.approx(1 / (2 * SPAN), rel=0.15)  # 1/sqrt(2 * 300) = 4 %, three times that
    turns = np.stack([draw_lattice(np.random.default_rng(k), 1.0).turn for k in range(300)])
    np.testing.assert_allclose(turns @ turns.transpose(0, 2, 1), np.tile(np.eye(3), (300, 1, 1)), atol=1e-14)
    np.testing.assert_allclose(np.linalg.det(turns), 1.0, rtol=1e-14)
    assert np.abs(turns.mean(axis=0)).max() < 0.15, "all directions are equal: 1/sqrt(3 * 300) = 0.03"


def test_detail_adds_finer_spots():
    line = np.linspace([-0.5, 0.1, 0.2], [0.5, 0.1, 0.2], 2001)
    rough = [np.abs(np.diff(perlin_noise(line, Texture(detail=k, seed=1), STREAM))).mean() for k in (1, 2, 4)]
    assert rough[0] < rough[1] < rough[2]


def test_size_stretches_the_pattern():
    assert np.allclose(
        perlin_noise(POINTS[:100] / 100, Texture(size=0.2), STREAM),
        perlin_noise(POINTS[:100] / 50, Texture(size=0.4), STREAM),
    )
