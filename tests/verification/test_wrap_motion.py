"""Curved pieces of vessels fall apart and come to rest: contacts are those of smooth pieces, which fit each other."""

from dataclasses import replace

import numpy as np
import pytest

from core.arithmetic.small_matrices import rotation_matrices
from core.pipeline import Shattered, shatter
from core.types import Clock, Ground, Mesh, Scene
from tests.core.test_wrap import WALLS, settings


def broken(name: str, frames: int, speed: float, ground: Ground | None, octaves: int) -> Shattered:
    body, hits, _ = WALLS[name]
    blow = replace(hits[0], strength=1e9, speed=speed)
    scene = Scene(
        Mesh(name, body.vertices, body.triangles), (blow,), np.array([0.0, 0.0, -9.81]), ground, Clock(24.0, frames)
    )
    return shatter(scene, settings(count=20, octaves=octaves))


@pytest.mark.parametrize(("name", "octaves"), [("bowl at its side", 0), ("pot", 2)])
def test_curved_pieces_do_not_push_each_other(name, octaves):
    """What falls freely together stays together: no piece is thrown out by its neighbours."""
    made = broken(name, 3, 1e-3, None, octaves)
    velocity = np.diff(made.motion.position, axis=0) * 24.0
    weight = made.fragments.mass * made.motion.alive[-1]
    mean = np.einsum("k,ski->si", weight, velocity) / weight.sum()
    speed = np.linalg.norm(velocity - mean[:, None], axis=2)[:, made.motion.alive[-1]]
    assert speed.shape[1] > 10
    # The blow itself gives up to a thousandth of a metre a second.
    assert speed.max() < 0.01


def test_curved_pieces_come_to_rest_on_the_floor():
    low = float(WALLS["bowl at its side"][0].vertices[:, 2].min())
    made = broken("bowl at its side", 40, 0.5, Ground(low), 0)
    last = np.flatnonzero(made.motion.alive[-1])
    speed = np.linalg.norm(made.motion.position[-1] - made.motion.position[-2], axis=1)[last] * 24.0
    assert np.median(speed) < 0.01
    turn = rotation_matrices(made.motion.rotation[-1, last])
    start = made.fragments.vertex_start
    for k, R in zip(last, turn, strict=True):
        place = made.fragments.vertices[start[k] : start[k + 1]] @ R.T + made.motion.position[-1, k]
        # Contacts are those of convex parts, which leave gaps of FINEST of the body's diagonal, and sink a little.
        assert place[:, 2].min() > low - 0.005 * np.linalg.norm(np.ptp(made.body.vertices, axis=0))
