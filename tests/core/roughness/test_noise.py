"""The field of noise: its size, slope, curvature and repeatability (Perlin 2002, and the sums in gradient_noise.py)."""

from fractions import Fraction

import numpy as np
import pytest

from core.geometry import gradient_noise as module
from core.geometry.gradient_noise import CURVATURE, LARGEST_NOISE, RAW_RMS, make_noise, noise_at, noise_slope_at
from core.roughness.bend import bent, jacobians, rough

OCTAVES = pytest.mark.parametrize("octaves", [1, 2, 3, 4])


def moves(bend, points):
    """n at the points."""
    return bent(bend, points) - points


def somewhere(count, extent, seed=0):
    return np.random.default_rng(seed).uniform(-0.5 * extent, 0.5 * extent, (count, 3))


def test_the_raw_rms_is_the_integral_of_the_fades():
    # The integrals of t^m (1 - fade)^2 of polynomials, in fractions.
    less = np.array([1, 0, 0, -10, 15, -6])
    square = [int(c) for c in np.convolve(less, less)]
    b = sum(Fraction(c, power + 1) for power, c in enumerate(square))
    a = sum(Fraction(c, power + 3) for power, c in enumerate(square))
    assert pytest.approx(float(8 * a * b * b), rel=1e-14) == RAW_RMS**2


@OCTAVES
@pytest.mark.parametrize("seed", [1, 2])
def test_amplitude_is_the_rms_of_each_component(octaves, seed):
    # 200,000 samples: 0.3 %; the finite table of gradients: another 0.5 %.
    move = moves(rough(0.04, 1.0, octaves, seed), somewhere(200_000, 200.0))
    assert np.sqrt(np.mean(move**2, axis=0)) == pytest.approx([0.04] * 3, rel=0.02)
    assert np.abs(np.mean(move, axis=0)).max() < 0.01 * 0.04
    # Components do not know each other, but for the mean of 256 cosines: 1 / sqrt(3 * 256) = 0.036, four times.
    assert np.abs(np.corrcoef(move.T)[np.triu_indices(3, 1)]).max() < 0.15


@OCTAVES
def test_largest_moves(octaves):
    length = np.linalg.norm(moves(rough(1.0, 1.0, octaves, 3), somewhere(200_000, 200.0)), axis=1)
    assert np.mean(length > LARGEST_NOISE) < 2e-4
    assert length.max() < 1.3 * LARGEST_NOISE


@OCTAVES
def test_slopes_are_those_of_the_values(octaves):
    # Central differences: h^2 / 6 times a third derivative of some tens times 4^octaves, and round-off 1e-15 / h.
    bend, points, h = rough(0.04, 1.0, octaves, 5), somewhere(2000, 20.0), 1e-5
    slope = jacobians(bend, points)
    for j in range(3):
        step = h * np.eye(3)[j]
        difference = (bent(bend, points + step) - bent(bend, points - step)) / (2.0 * h)
        assert np.abs(slope[:, :, j] - difference).max() < 1e-8 * 4**octaves


def test_slopes_of_borders_are_continuous():
    # On the walls of lattice cells too the fades join with two continuous derivatives.
    bend = rough(0.04, 1.0, 1, 5)
    wall = -bend.octave[0, 2:] + np.array([[3.0, 0.3, 0.8], [2.0, 5.0, 0.4], [1.0, 2.0, 3.0]])
    before, after = jacobians(bend, wall - 1e-7), jacobians(bend, wall + 1e-7)
    assert np.abs(after - before).max() < 1e-7 * 10.0
    assert np.abs(moves(bend, wall + 1e-7) - moves(bend, wall - 1e-7)).max() < 1e-7


@OCTAVES
def test_curvature_is_the_quantile_of_second_derivatives(octaves):
    rng = np.random.default_rng(octaves)
    bend, points, h = rough(0.5, 2.0, octaves, 7), somewhere(100_000, 100.0), 1e-4
    along = rng.normal(size=points.shape)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    turn = (jacobians(bend, points + h * along) - jacobians(bend, points - h * along)) / (2.0 * h)
    second = np.linalg.norm(np.einsum("nij,nj->ni", turn, along), axis=1)
    # Fields differ by some percent: 256 gradients, and quantiles of correlated samples.
    assert np.quantile(second, 0.99) == pytest.approx(bend.noise_curvature, rel=0.05)
    assert bend.noise_curvature == CURVATURE[octaves] * 0.5 / 2.0**2


@pytest.mark.parametrize("scale", [2.0**-7, 2.0**9])
def test_it_is_the_same_at_every_scale(scale):
    # Powers of two scale without rounding, so the field is the same in every bit.
    points, origin = somewhere(500, 10.0), np.array([0.3, -0.2, 1.7])
    one = rough(0.04, 0.7, 3, 11, origin=origin)
    other = rough(0.04 * scale, 0.7 * scale, 3, 11, origin=origin * scale)
    assert np.array_equal(bent(one, points) * scale, bent(other, points * scale))
    assert np.array_equal(jacobians(one, points), jacobians(other, points * scale))


def test_it_moves_with_its_origin():
    shift = np.array([5.0, -3.0, 2.0])
    points = somewhere(500, 10.0)
    here, there = rough(0.04, 0.7, 2, 11), rough(0.04, 0.7, 2, 11, origin=shift)
    # Round-off of a lattice place of some 100, times the slope of the field.
    assert moves(there, points + shift) == pytest.approx(moves(here, points), abs=1e-13)


def test_seeds_differ_and_repeat():
    points = somewhere(1000, 10.0)
    first, again, other = (moves(rough(0.04, 1.0, 2, seed), points) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert abs(np.corrcoef(first.ravel(), other.ravel())[0, 1]) < 0.1


def test_kernels_run_as_plain_python():
    field = make_noise(0.04, 1.0, 2, 3, np.zeros(3))
    point = (0.4, -2.3, 1.9)
    compiled = moves(rough(0.04, 1.0, 2, 3), np.array([point]))[0]
    # Called from Python, parts are plain Python. The compiled code may order its sums otherwise by an ulp or two.
    assert noise_at(*field, *point) == pytest.approx(compiled, abs=1e-15)
    assert noise_slope_at(*field, *point)[:3] == pytest.approx(compiled, abs=1e-15)


def test_no_octave_is_no_noise():
    points = somewhere(20, 3.0)
    bend = rough(0.04, 1.0, 0, 1)
    assert np.array_equal(bent(bend, points), points)
    assert (bend.noise_curvature, bend.reach, bend.finest) == (0.0, 0.0, np.inf)
    assert module.OCTAVES == 4
