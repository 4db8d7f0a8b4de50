"""What glides keeps its form and both momenta, and falls."""

import numpy as np
from numpy.testing import assert_allclose

from core.continuum.finite_element.glide import glide_nodes

GRAVITY = np.array([0.0, 0.0, -9.81])


def test_form_and_momenta_stay_and_the_centre_falls():
    rng = np.random.default_rng(5)
    mass, x, v = rng.uniform(0.5, 2.0, 30), rng.normal(size=(30, 3)), rng.normal(size=(30, 3))
    time = 0.4
    moved, after = glide_nodes(mass, x, v, GRAVITY, time)
    total, centre, mean = mass.sum(), mass @ x / mass.sum(), mass @ v / mass.sum()
    assert_allclose(mass @ moved / total, centre + time * mean + 0.5 * time**2 * GRAVITY, atol=1e-12)
    assert_allclose(mass @ after, total * (mean + time * GRAVITY), atol=1e-12)
    before = (mass[:, None] * np.cross(x - centre, v - mean)).sum(axis=0)
    new = mass @ moved / total
    assert_allclose((mass[:, None] * np.cross(moved - new, after)).sum(axis=0), before, atol=1e-11)
    apart = np.linalg.norm(x[:, None] - x[None], axis=2)
    assert_allclose(np.linalg.norm(moved[:, None] - moved[None], axis=2), apart, atol=1e-12)


def test_it_turns_by_its_spin():
    """A flat ring about its own axis, for which the spin does not change: by a quarter of a turn."""
    angle = np.arange(8) * np.pi / 4
    ring = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    spin = np.array([0.0, 0.0, 3.0])
    moved, after = glide_nodes(np.ones(8), ring, np.cross(spin, ring), np.zeros(3), np.pi / 6)
    assert_allclose(moved, ring[(np.arange(8) + 2) % 8], atol=1e-12)
    assert_allclose(after, np.cross(spin, moved), atol=1e-12)
