"""What shards take along of what their nodes have."""

import numpy as np
import pytest

from core.continuum.rigid_motion import sum_motion
from core.continuum.spring_lattice.shards import share_turning

INERTIA = np.diag([2.0, 3.0, 4.0]) * 1e-4


@pytest.mark.parametrize("seed", range(20))
def test_nodes_in_one_point_turn_nothing(seed):
    """Their centre is beside them by a rounding, and their angular momentum is one: it is not divided by the other."""
    rng = np.random.default_rng(seed)
    position = np.repeat(rng.normal(size=(1, 3)), 3, axis=0)
    mass, velocity = rng.uniform(0.1, 1.0, 3), rng.normal(size=(3, 3))
    shard = sum_motion(1, mass, position, velocity)
    assert np.abs(share_turning(shard, mass, position, INERTIA)).max() < 1e-12


def test_a_shard_turns_as_fast_as_its_nodes():
    """L = I w with its own inertia, where these turn with w about their centre."""
    rng = np.random.default_rng(4)
    position, mass, spin = rng.normal(size=(8, 3)), rng.uniform(0.1, 1.0, 8), np.array([1.0, -2.0, 0.5])
    centre = (mass[:, None] * position).sum(axis=0) / mass.sum()
    velocity = np.cross(spin, position - centre) + np.array([[3.0, 0.0, 1.0]])
    shard = sum_motion(1, mass, position, velocity)
    np.testing.assert_allclose(share_turning(shard, mass, position, INERTIA), INERTIA @ spin, rtol=1e-9)
