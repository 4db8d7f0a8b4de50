"""Gates on the look of broken wood: it splits along its grain into splinters of the right proportions.

The limits are those of our look study (a plank of 1.2 m hit in its middle); cells without a grain must fail them.
"""

import tomllib

import numpy as np
import pytest

from core.breaking.impact_factor import METHOD, ImpactFactorParams
from core.cutting.retry import cut_with_retry
from core.cutting.units import units
from core.geometry.graph import components
from core.pieces.wood import WoodParams, build
from core.types import Bools, Cells, Impact, Ints
from tests.architecture.source import ROOT
from tests.shapes import box
from tests.struck import struck
from tests.verification import criteria

PLANK = box((-0.6, -0.06, -0.0125), (0.6, 0.06, 0.0125))
GRAIN = np.array((1.0, 0.0, 0.0))
PRESET = tomllib.loads((ROOT / "presets/brittle/wood.toml").read_text("utf-8"))
PIECES = {key: value for key, value in PRESET["pieces"].items() if key != "method"}
BREAKING = {key: value for key, value in PRESET["breaking"].items() if key != "method"}
SEEDS = (1, 2, 3)


def broken(strength: float, seed: int, **changes: object) -> tuple[Cells, Ints, Bools]:
    """Cells of the plank after a hit in its middle by the preset Wood, their pieces, and the bonds that part two."""
    blow = Impact(np.array((0.0, 0.0, 0.0125)), np.array((0.0, 0.0, -1.0)), strength, 5.0, 0.12, 0.0)
    params = WoodParams(**{**PIECES, **changes})
    cells, _ = cut_with_retry(PLANK, lambda attempt: build(PLANK, [blow], params, seed, attempt))
    graph = units(cells)
    members = np.arange(len(graph.volume))
    cracked = METHOD.run(struck(graph, blow, seed=seed, cells=cells), ImpactFactorParams(**BREAKING)).cracked
    label = components(len(members), graph.links, ~cracked, members)[cells.unit]
    lo, hi = label[cells.bond_cells].T
    return cells, label, lo != hi


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("strength", [0.3, 1.0])
def test_a_plank_splits_along_the_grain(strength: float, seed: int) -> None:
    cells, _, parted = broken(strength, seed)
    assert criteria.along_share(cells, parted, GRAIN) >= 0.95


@pytest.mark.parametrize("seed", SEEDS)
def test_splinters_are_six_to_fifteen_times_longer_than_thick(seed: int) -> None:
    cells, label, _ = broken(1.0, seed)
    assert 6.0 <= np.median(criteria.elongation(criteria.pieces(cells, label))) <= 15.0


@pytest.mark.parametrize("seed", SEEDS)
def test_two_halves_and_a_handful_of_splinters_at_a_light_hit(seed: int) -> None:
    cells, label, _ = broken(0.3, seed)
    whole = criteria.pieces(cells, label)
    halves = np.sort(whole.volume)[-2:] / whole.volume.sum()
    assert 5 <= len(whole.volume) <= 40
    assert halves[0] >= 0.2 and halves.sum() >= 0.7
    assert np.ptp(np.sign(whole.centroid[np.argsort(whole.volume)[-2:], 0])) == 2.0  # one on either side of the hit


def test_cells_without_a_grain_fail_the_gates() -> None:
    cells, label, parted = broken(1.0, 1, length=1.0, across=1.0)
    assert criteria.along_share(cells, parted, GRAIN) < 0.8
    assert np.median(criteria.elongation(criteria.pieces(cells, label))) < 3.0


def test_strength_across_the_grain_keeps_facets_across_whole() -> None:
    # Facets nearly square to the fibres: with P = 20 they hold at least 2.5 times as well (Hankinson at 37 degrees).
    parted_area = []
    for across in (1.0, 20.0):
        area = 0.0
        for seed in SEEDS:
            cells, _, parted = broken(1.0, seed, length=2.0, across=across)
            area += cells.bond_area[parted & (np.abs(cells.bond_normal @ GRAIN) > 0.8)].sum()
        parted_area.append(area)
    assert 0.0 < parted_area[1] < 0.7 * parted_area[0]
