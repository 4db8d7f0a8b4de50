"""What every motion keeps, whatever its equations: poses that can be baked, from the rest pose on, and bit for bit."""

from dataclasses import replace

import numpy as np
import pytest

from core.pipeline import shatter
from core.rigid import MOTIONS
from tests import shapes
from tests.contract.test_promises import scene_of, settings_of


@pytest.fixture(params=[method.id for method in MOTIONS])
def settings(request):
    chosen = settings_of("voronoi", "impact_factor", motion=request.param)
    return replace(chosen, motion_params=MOTIONS[request.param].params())


@pytest.fixture
def scene():
    return scene_of(shapes.box())


def test_poses_can_be_baked(scene, settings):
    shattered = shatter(scene, settings)
    motion = shattered.motion
    assert np.isfinite(motion.position).all() and np.isfinite(motion.energy).all()
    # Normalised in double precision at each substep.
    assert np.allclose(np.linalg.norm(motion.rotation, axis=2), 1.0, rtol=0.0, atol=1e-14)
    assert np.all(np.einsum("skj,skj->sk", motion.rotation[1:], motion.rotation[:-1]) > 0.0), "sign-continuous"


def test_still_moves_nothing(scene):
    """For all frames the poses of the first one, among them those of pieces that a blow gave a velocity."""
    chosen = replace(settings_of("voronoi", "impact_factor", motion="still"), motion_params=MOTIONS["still"].params())
    motion = shatter(scene, chosen).motion
    assert motion.position.shape[1] > 1, "it broke"
    assert np.all(motion.position == motion.position[:1]) and np.all(motion.rotation == motion.rotation[:1])
    assert np.all(motion.work == 0.0) and len(motion.touch_frame) == 0


def test_it_starts_in_the_rest_pose(scene, settings):
    shattered = shatter(scene, settings)
    first = shattered.motion.alive[0]
    assert np.allclose(shattered.motion.position[0, first], shattered.fragments.centre[first], rtol=0.0, atol=1e-12)
    assert np.all(shattered.motion.rotation[0, first] == (1.0, 0.0, 0.0, 0.0))


def test_the_same_scene_moves_by_the_same_bits(scene, settings):
    one, two = (shatter(scene, settings).motion for _ in range(2))
    for name in ("position", "rotation", "energy"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name
