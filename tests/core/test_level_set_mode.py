"""The level-set mode of breaking, through the whole core: Su 2009, section 3."""

from dataclasses import replace

import numpy as np
import pytest

from core.breaking import RULES
from core.config.material import Material
from core.config.surface import Surface
from core.pieces import PARTITIONS
from core.pipeline import shatter
from core.settings import Settings
from core.types import Clock, Impact, Mesh, Scene
from tests import shapes


@pytest.fixture(scope="module")
def scene() -> Scene:
    ball = shapes.icosphere(3, 0.5)
    hit = Impact(np.array([0.0, 0.0, 0.5]), np.array([0.0, 0.0, -1.0]), 50.0, 2.0, 0.1, 0.0)
    return Scene(Mesh("Ball", ball.vertices, ball.triangles), (hit,), np.zeros(3), None, Clock(24.0, 3))


def settings(**surface) -> Settings:
    pieces, rule = PARTITIONS["voronoi"], RULES["impact_factor"]
    return Settings(
        3,
        "voronoi",
        replace(pieces.params(), count=12),
        "impact_factor",
        rule.params(),
        Material(),
        surface=replace(Surface(), cutter="level_set", resolution=24, **surface),
    )


def test_pieces_from_a_grid_are_closed_and_keep_the_volume_to_its_order(scene):
    made = shatter(scene, settings())
    assert made.report.pieces > 5
    assert made.report.closed_pieces == made.report.pieces
    # A ball contoured with h = 1/24: chords of a circle lie h^2/8R inside on the average of both directions, 3/R of it.
    h = 1.0 / 24.0
    assert made.report.volume_out == pytest.approx(made.report.volume_in, rel=3.0 * h**2 / 0.5**2)


def test_it_has_neither_roughness_nor_a_wrap(scene):
    plain = shatter(scene, settings())
    rough = shatter(scene, settings(octaves=2, wrap="sphere"))
    np.testing.assert_array_equal(plain.fragments.vertices, rough.fragments.vertices)


def test_two_runs_are_equal_to_the_bit(scene):
    first, second = (shatter(scene, settings()) for _ in range(2))
    np.testing.assert_array_equal(first.motion.position, second.motion.position)
    np.testing.assert_array_equal(first.fragments.vertices, second.fragments.vertices)
