"""Tetrahedra with corners on the skin, through the whole core and by each of its cutters."""

from dataclasses import replace

import numpy as np
import pytest

from core.breaking import RULES
from core.config.material import Material
from core.config.surface import Surface
from core.cutting.booleans import cut_by_booleans
from core.cutting.cut import cut
from core.cutting.level_set.cut import cut_by_level_sets
from core.pieces.tetrahedra import TetrahedraParams, build
from core.pipeline import shatter
from core.settings import Settings
from core.types import Clock, Impact, Mesh, Scene
from tests import shapes

TORUS = shapes.torus(0.5, 0.2, 24, 12)


def scene() -> Scene:
    hit = Impact(np.array([0.7, 0.0, 0.0]), np.array([-1.0, 0.0, 0.0]), 200.0, 2.0, 0.1, 0.0)
    return Scene(Mesh("Torus", TORUS.vertices, TORUS.triangles), (hit,), np.zeros(3), None, Clock(24.0, 2))


def settings(params: TetrahedraParams, surface: Surface) -> Settings:
    rule = RULES["impact_factor"]
    return Settings(
        3, "tetrahedra", params, rule.id, replace(rule.params(), durability=0.001), Material(), surface=surface
    )


@pytest.mark.parametrize("octaves", [0, 1], ids=["flat", "rough"])
@pytest.mark.parametrize("corners", ["skin", "mesh"])
def test_nothing_is_lost_and_each_piece_is_closed(corners: str, octaves: int) -> None:
    params = TetrahedraParams(count=80, corners=corners, inside=0.1, mesher="delaunay")
    made = shatter(scene(), settings(params, Surface(octaves=octaves)))
    said = made.report
    assert said.volume_out == pytest.approx(said.volume_in, rel=1e-9)
    assert said.closed_pieces == said.pieces > 1
    assert said.pattern == made.diagram.cells.unit.max() + 1
    if corners == "mesh":  # the vertices are as many as they are: nobody asked for a number
        assert said.asked == said.pattern and said.counted == ()
    else:
        assert said.asked == 80


def test_all_cutters_join_what_is_dropped() -> None:
    # The exact cutter and the second method find the same cells; a grid finds those that are large enough for it.
    partition = build(TORUS, (), TetrahedraParams(count=60, corners="skin", layout="blue_noise"), 1, 0)
    exact, second, grid = (
        how(TORUS, partition) for how in (cut, cut_by_booleans, lambda b, p: cut_by_level_sets(b, p, 48))
    )
    for cells in (exact, second, grid):
        dropped = partition.dropped[cells.region]
        assert dropped.any() and cells.crumb[dropped].all()
        assert (np.bincount(cells.unit, ~dropped) > 0).all()
    assert second.unit.max() == exact.unit.max()
    assert np.array_equal(np.sort(second.region[second.crumb]), np.sort(exact.region[exact.crumb]))
