"""Radial panes pass the gates of window glass from our look study, whole and after Barr's rule (see test_look.py)."""

import functools
import tomllib
from pathlib import Path

import numpy as np
import pytest

from core.breaking.impact_factor import METHOD, ImpactFactorParams
from core.cutting.retry import cut_with_retry
from core.cutting.units import units
from core.geometry.graph import components
from core.pieces.radial import RadialParams, build
from core.types import Cells, Floats, Impact, Ints
from tests.shapes import box
from tests.struck import struck
from tests.verification import criteria
from tests.verification.test_look import PANES, between_units, is_glass, pane, parted

PRESET = tomllib.loads((Path(__file__).parents[2] / "presets/brittle/window_pane.toml").read_text("utf-8"))
PIECES = {key: value for key, value in PRESET["pieces"].items() if key != "method"}
GLASS = ImpactFactorParams(**{key: value for key, value in PRESET["breaking"].items() if key != "method"})


def blow(hit: Floats, radius: float = 0.0) -> Impact:
    return Impact(np.asarray(hit, np.float64), np.array((0.0, 0.0, -1.0)), 1.0, 10.0, radius, 0.0)


@functools.cache
def radial(name: str, seed: int, count: int = 100) -> tuple[Cells, Floats]:
    size, point = PANES[name]
    body, hit = pane(*size), np.array((*point, 0.0))
    params = RadialParams(count=count)
    return cut_with_retry(body, lambda attempt: build(body, [blow(hit)], params, seed, attempt))[0], hit


def after_the_rule(cells: Cells, hit: Floats, strength: float, seed: int) -> tuple[Ints, Floats]:
    """Piece of each cell after a hit with the preset's rule and the default radius, and the pieces' volumes."""
    graph = units(cells)
    members = np.arange(len(graph.volume))
    radius = 0.1 * float(np.linalg.norm(np.ptp(cells.vertices, axis=0)))
    impact = Impact(hit, np.array((0.0, 0.0, -1.0)), strength, 10.0, radius, 0.0)
    told = struck(graph, impact, strength=np.ones(len(graph.links)), seed=seed, cells=cells)
    label = components(len(members), graph.links, ~METHOD.run(told, GLASS).cracked, members)
    return label[cells.unit], np.bincount(label, graph.volume)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", PANES)
def test_radial_panes_break_like_window_glass(name: str, seed: int) -> None:
    cells, hit = radial(name, seed)
    assert is_glass(cells, cells.unit, hit)
    assert 80 < cells.unit.max() + 1 < 120
    assert cells.volume.sum() == pytest.approx(np.prod(PANES[name][0]) * 0.006, rel=1e-12)


@pytest.mark.parametrize("name", PANES)
def test_the_rule_of_the_preset_leaves_window_glass(name: str) -> None:
    cells, hit = radial(name, 0)
    label, _ = after_the_rule(cells, hit, 1.0, 0)
    assert is_glass(cells, label, hit)
    assert criteria.separating_share(cells, parted(cells, label), label) == 1.0


@pytest.mark.parametrize("seed", [1, 2])
def test_a_hit_in_the_middle_knocks_the_centre_out(seed: int) -> None:
    # A pane of 2 x 2 x 0.01 m hit in its middle at the default strength loses the place that was hit, shard by shard;
    # a twentieth of it makes a star and leaves most of the pane in one piece.
    body, hit = box((-1.0, -1.0, 0.0), (1.0, 1.0, 0.01)), np.array((0.0, 0.0, 0.01))
    params = RadialParams(**PIECES)
    cells = cut_with_retry(body, lambda attempt: build(body, [blow(hit)], params, seed, attempt))[0]
    label, volume = after_the_rule(cells, hit, 1.0, seed)
    near = np.linalg.norm(cells.centroid[:, :2], axis=1) < 0.3
    assert volume.max() / volume.sum() < 0.2
    assert len(np.unique(label[near])) > 0.9 * len(np.unique(cells.unit[near]))
    _, weak = after_the_rule(cells, hit, 0.05, seed)
    assert weak.max() / weak.sum() > 0.6
    assert len(weak) > 20


def test_rings_alone_are_no_window_glass() -> None:
    # The gate on rays is not passed by every radial pattern: few rays with many closed rings are a target.
    body, hit = pane(1.0, 1.0), np.zeros(3)
    params = RadialParams(rays=4, rings=12, jitter=0.0, branching=0.0)
    cells = cut_with_retry(body, lambda attempt: build(body, [blow(hit)], params, 0, attempt))[0]
    assert criteria.radial_share(cells, between_units(cells), hit) < 0.5
