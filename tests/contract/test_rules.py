"""What every breaking rule promises, run on every entry of the registry."""

import dataclasses

import numpy as np
import pytest

from core.breaking import RULES
from core.geometry.graph import components
from core.strength.bonded import bonded
from tests.unit_graphs import hit, square, units_of, voronoi_links


def solid(seed=3, count=60):
    site = np.random.default_rng(seed).uniform(0.0, 1.0, (count, 3))
    return units_of(site, voronoi_links(site), np.full(count, 1.0 / count))


UNITS = {"pane": square(150), "solid": solid()}
POINT = (0.45, 0.55, 0.0)


@pytest.fixture(params=[method.id for method in RULES])
def method(request):
    return RULES[request.param]


@pytest.fixture(params=UNITS)
def units(request):
    return UNITS[request.param]


def run(method, units, F, *, members=None, strength=None, seed=0, **changes):
    params = dataclasses.replace(method.params(), **changes)
    members = np.arange(len(units.volume)) if members is None else members
    return method.run(units, members, hit(POINT, F, 0.1), bonded(units) if strength is None else strength, params, seed)


def without_jitter(method):
    """Settings that switch the randomness of a rule off, where it has one."""
    names = {field.name for field in dataclasses.fields(method.params)}
    return {"jitter": 0.0} if "jitter" in names else {}


def breaking_force(method, units):
    """A force that breaks something, so that the promises below are not empty."""
    for F in 4.0 ** np.arange(-2, 12):
        result = run(method, units, F)
        if (result.load > result.limit).sum() > len(units.links) // 10:
            return F
    raise AssertionError("no force breaks this")


def test_shapes_and_signs(method, units):
    result = run(method, units, breaking_force(method, units))
    assert result.load.shape == result.limit.shape == (len(units.links),)
    assert np.all(np.isfinite(result.load)) and np.all(result.load >= 0.0)
    assert np.all(result.limit >= 0.0)


def test_zero_impact_no_crack(method, units):
    result = run(method, units, 0.0)
    assert not np.any(result.load > result.limit)


def test_infinite_strength_one_piece(method, units):
    F = breaking_force(method, units)
    result = run(method, units, 1e6 * F, strength=np.full(len(units.links), np.inf))
    assert not np.any(result.load > result.limit)


def test_same_seed_same_bits(method, units):
    F = breaking_force(method, units)
    one, two = (run(method, units, F, seed=9) for _ in range(2))
    assert one.load.tobytes() == two.load.tobytes()
    assert one.limit.tobytes() == two.limit.tobytes()


def test_loads_are_zero_outside_of_the_fragment(method, units):
    members = np.flatnonzero(units.site[:, 0] < 0.6)
    result = run(method, units, breaking_force(method, units), members=members)
    inside = np.isin(units.links, members).all(axis=1)
    assert result.load[inside].any()
    assert not result.load[~inside].any()


def test_fragments_are_connected_and_cover_the_members_once(method, units):
    members = np.flatnonzero(units.site[:, 0] < 0.6)
    result = run(method, units, breaking_force(method, units), members=members)
    holds = result.load <= result.limit
    labels = components(len(units.volume), units.links, holds, members)
    assert labels.max() > 0
    for label in range(labels.max() + 1):
        own = members[labels == label]
        reached, grown = {int(own[0])}, 0
        while len(reached) > grown:
            grown = len(reached)
            for a, b in units.links[holds & np.isin(units.links, own).all(axis=1)].tolist():
                if a in reached or b in reached:
                    reached |= {a, b}
        assert reached == set(own.tolist())


def test_more_force_never_cracks_fewer_links(method, units):
    F, calm = breaking_force(method, units), without_jitter(method)
    before = np.zeros(len(units.links), dtype=bool)
    for factor in (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0):
        result = run(method, units, factor * F, **calm)
        cracked = result.load > result.limit
        assert np.all(cracked[before])
        before = cracked
    assert before.any()


def test_more_strength_never_cracks_more_links(method, units):
    F, calm = 8.0 * breaking_force(method, units), without_jitter(method)
    before = np.ones(len(units.links), dtype=bool)
    for factor in (0.125, 0.5, 1.0, 2.0, 8.0):
        result = run(method, units, F, strength=np.full(len(units.links), factor), **calm)
        cracked = result.load > result.limit
        assert not np.any(cracked & ~before)
        before = cracked
    assert not before.all()


def test_inputs_stay_as_they_were(method, units):
    strength = bonded(units)
    run(method, units, breaking_force(method, units), strength=strength)
    assert np.array_equal(strength, bonded(units))
