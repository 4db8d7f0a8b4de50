"""What every breaking rule promises, run on every entry of the registry."""

import dataclasses
import functools

import numpy as np
import pytest

from core.breaking import RULES, verdict_steps
from core.cutting.cut import cut
from core.cutting.units import units as units_of
from core.geometry.graph import components
from core.pieces.voronoi_complex import voronoi_complex
from core.stepwise import result_of
from core.types import Impact
from tests import shapes
from tests.struck import struck

#: Corners of boxes of about 120 cells: a pane, and a block that is no cube, so that no two directions are alike.
SIZES = {"pane": (1.0, 1.0, 0.05), "block": (1.0, 0.9, 0.8)}
COUNT = 120
#: Rules that weigh each link for itself. Where links hand on to others what they no longer bear, more force may well
#: spare some of them.
BY_LINK = ("impact_factor", "placed_pattern")
#: Speed of an impact of strength 1 [m/s]: both grow together, whatever of them a rule looks at.
SPEED = 1.0


@functools.cache
def cells_of(name):
    high = np.array(SIZES[name])
    sites = np.random.default_rng(3).uniform(0.0, high, (COUNT, 3))
    return cut(shapes.box(high=high), voronoi_complex(sites, np.zeros(3), high))


@functools.cache
def graph_of(name):
    return units_of(cells_of(name))


@pytest.fixture(params=[method.id for method in RULES])
def method(request):
    return RULES[request.param]


@pytest.fixture(params=BY_LINK)
def by_link(request):
    return RULES[request.param]


@pytest.fixture(params=SIZES)
def name(request):
    return request.param


def part_of(name):
    """Units of the left three fifths: a fragment that has neighbours."""
    return np.flatnonzero(graph_of(name).site[:, 0] < 0.6)


def told(name, F, point=(0.45, 0.55, 1.0), **changes):
    """A hit of that fragment from above, at shares of the box's size; at no place of symmetry."""
    impact = Impact(np.array(SIZES[name]) * point, np.array((0.0, 0.0, -1.0)), F, SPEED * F, 0.1, 0.0)
    how = {"members": part_of(name), "seed": 9} | changes
    return struck(graph_of(name), impact, cells=cells_of(name), **how)


def run(method, name, F, params=None, **changes):
    return judged(method, told(name, F, **changes), params)


def judged(method, blow, params=None):
    return result_of(verdict_steps(method.run, blow, params or method.params()))


def without_jitter(method):
    """Settings that switch the randomness of a rule off, where it has one."""
    names = {field.name for field in dataclasses.fields(method.params)}
    return method.params(**({"jitter": 0.0} if "jitter" in names else {}))


@functools.cache
def broken(method, name):
    """A force that breaks the fragment, so that the promises below are not empty, and the verdict."""
    units, members = graph_of(name), part_of(name)
    inside = np.isin(units.links, members).all(axis=1)
    for F in 1.5 * 4.0 ** np.arange(-2, 12):  # no power of two: a rule may take one for what just cracks something
        result = run(method, name, F)
        label = components(len(units.volume), units.links, ~result.cracked, members)
        if result.cracked.sum() > inside.sum() // 10 and label.max() > 0:
            return F, result
    raise AssertionError("no force breaks this")


def breaking_force(method, name):
    return broken(method, name)[0]


def verdict(method, name):
    return broken(method, name)[1]


def test_shapes_and_signs(method, name):
    result = verdict(method, name)
    assert result.load.shape == result.limit.shape == result.cracked.shape == (len(graph_of(name).links),)
    assert result.load.dtype == result.limit.dtype == np.float64 and result.cracked.dtype == np.bool_
    assert np.all(np.isfinite(result.load)) and np.all(result.load >= 0.0)
    assert np.all(result.limit >= 0.0)
    assert np.all(result.load[result.cracked] > 0.0)


def test_what_a_rule_gives_is_finite_and_stays_within_the_fragment(method, name):
    given, members = verdict(method, name).unit_impulses, part_of(name)
    if given is None:  # pieces fly as thrown
        return
    outside = np.setdiff1d(np.arange(len(graph_of(name).volume)), members)
    for values in (given.momentum, given.spin):
        assert values.shape == (len(graph_of(name).volume), 3)
        assert np.isfinite(values).all() and not values[outside].any()
    assert given.momentum[members].any()


@pytest.mark.parametrize("whole", [False, True])
def test_zero_impact_no_crack(method, name, whole):
    everything = {"members": None} if whole else {}
    result = run(method, name, 0.0, **everything)
    assert not result.cracked.any() and not result.load.any()


@pytest.mark.parametrize("whole", [False, True])
def test_infinite_strength_one_piece(method, name, whole):
    everything = {"members": None} if whole else {}
    unbreakable = np.full(len(graph_of(name).links), np.inf)
    result = run(method, name, 1e6 * breaking_force(method, name), strength=unbreakable, **everything)
    assert not result.cracked.any()


def test_same_seed_same_bits(method, name):
    one, two = verdict(method, name), run(method, name, breaking_force(method, name))
    for field in ("load", "limit", "cracked"):
        assert getattr(one, field).tobytes() == getattr(two, field).tobytes()
    assert one.notes == two.notes and (one.unit_impulses is None) == (two.unit_impulses is None)
    if one.unit_impulses is not None:
        assert one.unit_impulses.momentum.tobytes() == two.unit_impulses.momentum.tobytes()
        assert one.unit_impulses.spin.tobytes() == two.unit_impulses.spin.tobytes()


def test_nothing_happens_outside_of_the_fragment(method, name):
    result = verdict(method, name)
    inside = np.isin(graph_of(name).links, part_of(name)).all(axis=1)
    assert result.load[inside].any() and result.cracked[inside].any()
    assert not result.load[~inside].any() and not result.cracked[~inside].any()


def test_fragments_are_connected_and_cover_the_members_once(method, name):
    units, members, holds = graph_of(name), part_of(name), ~verdict(method, name).cracked
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


def test_rules_that_weigh_each_link_crack_it_beyond_its_limit(by_link, name):
    result = run(by_link, name, breaking_force(by_link, name), members=None)
    assert result.cracked.any() and not result.cracked.all()
    assert np.array_equal(result.cracked, result.load > result.limit)


def test_more_force_never_cracks_fewer_links(by_link, name):
    F, calm = breaking_force(by_link, name), without_jitter(by_link)
    before = np.zeros(len(graph_of(name).links), dtype=bool)
    for factor in (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0):
        cracked = run(by_link, name, factor * F, calm, members=None).cracked
        assert np.all(cracked[before])
        before = cracked
    assert before.any()


def test_more_strength_never_cracks_more_links(by_link, name):
    F, calm = 8.0 * breaking_force(by_link, name), without_jitter(by_link)
    count = len(graph_of(name).links)
    before = np.ones(count, dtype=bool)
    for factor in (0.125, 0.5, 1.0, 2.0, 8.0):
        cracked = run(by_link, name, F, calm, members=None, strength=np.full(count, factor)).cracked
        assert not np.any(cracked & ~before)
        before = cracked
    assert not before.all()


def test_several_impacts_act_in_no_order(method, name):
    F = breaking_force(method, name)
    here = told(name, F)
    both = (*here.impacts, *told(name, F, (0.25, 0.3, 1.0)).impacts)
    one, two = (judged(method, dataclasses.replace(here, impacts=some)) for some in (both, both[::-1]))
    assert one.cracked.any() and one.cracked.tobytes() == two.cracked.tobytes()


def test_inputs_stay_as_they_were(method, name):
    blow = told(name, breaking_force(method, name), members=part_of(name)[::-1].copy())
    before = _arrays(blow)
    judged(method, blow)
    after = _arrays(blow)
    assert len(before) > 20 and before == after


def _arrays(value):
    """The bits of all arrays in a tree of dataclasses and tuples."""
    if isinstance(value, np.ndarray):
        return [value.tobytes()]
    if isinstance(value, tuple):
        return [bits for one in value for bits in _arrays(one)]
    if dataclasses.is_dataclass(value):
        return [bits for field in dataclasses.fields(value) for bits in _arrays(getattr(value, field.name))]
    return []
