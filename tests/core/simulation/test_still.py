"""Where nothing moves nothing touches: no shapes are made, and all is as it was hit."""

from dataclasses import replace

import numpy as np
import pytest

from core.breaking import RULES
from core.config.material import Material
from core.pieces import PARTITIONS
from core.pipeline import shatter
from core.settings import Settings
from core.types import Clock, Collider, Ground, Impact, Mesh, Scene
from tests import shapes

BODY = shapes.box()
HIT = Impact(np.array([0.5, 0.5, 1.0]), np.array([0.3, 0.0, -1.0]), 1.0, 2.0, 0.0, 0.0)
CHOSEN = Settings(
    3, "voronoi", PARTITIONS["voronoi"].params(count=6), "impact_factor", RULES["impact_factor"].params(), Material()
)
BALL = shapes.icosphere(1)
BESIDE = Collider(
    Mesh("Ball", 0.1 * BALL.vertices, BALL.triangles), np.full((1, 3), 2.0), np.array([[1.0, 0.0, 0.0, 0.0]])
)
SCENE = Scene(
    Mesh("Box", BODY.vertices, BODY.triangles),
    (HIT,),
    np.array([0.0, 0.0, -9.81]),
    Ground(0.0),
    Clock(24.0, 3),
    colliders=(BESIDE,),
)


def refused(*_):
    raise AssertionError("a shape was made")


def test_pieces_that_stay_have_no_shapes(monkeypatch):
    moving = shatter(SCENE, CHOSEN)
    monkeypatch.setattr("core.simulation.live_fragments.cell_part_steps", refused)
    monkeypatch.setattr("core.simulation.environment.collider_part_steps", refused)
    with pytest.raises(AssertionError, match="a shape was made"):
        shatter(SCENE, CHOSEN)
    still = shatter(SCENE, replace(CHOSEN, motion="still"))
    for name in ("crack_time", "crack_link", "crack_load", "fragment_unit", "birth", "death"):
        assert np.array_equal(getattr(still.fracture, name), getattr(moving.fracture, name)), name
    assert np.array_equal(still.fragments.vertices, moving.fragments.vertices)
    assert np.array_equal(
        still.motion.position, np.broadcast_to(moving.motion.position[:1], still.motion.position.shape)
    )
