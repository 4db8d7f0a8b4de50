"""The placed pattern as a rule: a reach that grows with the strength, and what holds against it."""

import numpy as np
import pytest

from core.breaking.placed_pattern import EVERYWHERE, PlacedPatternParams, placed_pattern_loads
from core.errors import InputError
from core.types import Bools, Impact, Units
from tests.struck import struck
from tests.unit_graphs import hit, line, square


def cracked(units: Units, blow: Impact, reach: float = 6.0, strength=None) -> Bools:
    return placed_pattern_loads(struck(units, blow, strength=strength), PlacedPatternParams(reach)).cracked


def test_the_load_is_the_strength_of_the_joint_that_just_holds() -> None:
    # F R/d with R = 6 x 0.05 = 0.3: joints at .2, .4, .6, .8, 1. from the hit.
    units = line()
    result = placed_pattern_loads(struck(units, hit(strength=2.0, radius=0.05)), PlacedPatternParams(6.0))
    assert result.load == pytest.approx(2.0 * 0.3 / np.array((0.2, 0.4, 0.6, 0.8, 1.0)), rel=1e-12)
    assert result.limit.tolist() == [1.0] * 5


@pytest.mark.parametrize("F", [0.1, 0.5, 1.0, 2.0])
def test_all_cracks_within_the_reach_open_and_no_others(F: float) -> None:
    units, blow = square(150), hit((0.4, 0.5, 0.0), F, 0.1)
    d = np.linalg.norm(units.centroid_link - blow.point, axis=1)
    assert np.array_equal(cracked(units, blow, 4.0), d < F * 4.0 * 0.1)


def test_a_reach_of_zero_goes_everywhere() -> None:
    units = square(150)
    assert cracked(units, hit((0.0, 0.0, 0.0), 1e-3, 1e-3), 0.0).all()
    assert not cracked(units, hit((0.0, 0.0, 0.0), 0.0, 1e-3), 0.0).any()
    # The strength that is reported as needed is F limit / load: linear in F here as well.
    result = placed_pattern_loads(struck(units, hit(strength=1e-3)), PlacedPatternParams(0.0))
    assert result.load == pytest.approx(np.full(len(units.links), 1e-3 * EVERYWHERE), rel=1e-15)


def test_weak_joints_open_farther_away_and_infinite_ones_never() -> None:
    units, blow = square(150), hit((0.4, 0.5, 0.0), 1.0, 0.1)
    d = np.linalg.norm(units.centroid_link - blow.point, axis=1)
    mortar = np.random.default_rng(0).choice((0.5, 1.0, np.inf), len(units.links))
    assert np.array_equal(cracked(units, blow, 2.0, mortar), d < 0.2 / mortar)


def test_size_does_not_matter() -> None:
    units = square(60)
    large = Units(
        *(
            getattr(units, name) * (1024.0 if name in ("centroid", "site", "centroid_link") else 1)
            for name in Units.__slots__
        )
    )
    small = cracked(units, hit((0.4, 0.5, 0.0), 1.0, 0.1), 3.0)
    assert np.array_equal(small, cracked(large, hit((0.4 * 1024.0, 512.0, 0.0), 1.0, 0.1 * 1024.0), 3.0))


def test_a_joint_at_the_hit_has_a_finite_load() -> None:
    units = line()
    result = placed_pattern_loads(struck(units, hit((0.2, 0.0, 0.0), 1.0, 0.1)), PlacedPatternParams(6.0))
    assert np.isfinite(result.load).all() and result.load.argmax() == 0


@pytest.mark.parametrize("reach", [0.0, 2.0])
def test_several_hits_open_what_each_of_them_opens(reach: float) -> None:
    units, params = square(150), PlacedPatternParams(reach)
    hits = (hit((0.2, 0.3, 0.0), 1.0, 0.1), hit((0.8, 0.6, 0.0), 0.7, 0.1))
    alone = [placed_pattern_loads(struck(units, one), params) for one in hits]
    both = placed_pattern_loads(struck(units, hits), params)
    assert np.array_equal(both.load, np.maximum(alone[0].load, alone[1].load))
    assert np.array_equal(both.cracked, alone[0].cracked | alone[1].cracked)
    assert all(one.cracked.any() for one in alone)


def test_a_hit_without_a_radius_is_refused() -> None:
    for hits in (hit(radius=0.0), (hit(), hit(radius=0.0))):
        with pytest.raises(InputError, match="radius"):
            placed_pattern_loads(struck(line(), hits), PlacedPatternParams())
