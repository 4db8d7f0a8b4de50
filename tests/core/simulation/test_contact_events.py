"""How hard a contact is: the change of relative speed in it, beyond the load that was there before."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.arithmetic.small_matrices import rotation_matrices
from core.rigid.contact_impulses import BodyContactImpulses
from core.simulation.contact_events import PreviousImpulses, find_contact_events, impulse_sizes, pair_keys
from core.simulation.live_fragments import LiveFragments
from tests import shapes
from tests.core.simulation.breaking import SIZE, InitialMotion, SimObject, block, box_object, model_of, unbounded

GROUND = 2  # the row behind two objects


@pytest.fixture(scope="module")
def model():
    return block()


def pressed(*rows):
    """Touches (a, b, impulse on a, spot on a, spot on b)."""
    return BodyContactImpulses(
        np.array([row[:2] for row in rows]),
        np.array([row[2] for row in rows], np.float64),
        np.array([row[3:] for row in rows], np.float64),
        np.zeros((len(rows), 3)),
    )


def crowd_of(model, second=None, **params):
    """Two blocks, the second one of a model of its own."""
    return LiveFragments(
        [box_object(model, **params), SimObject("Other", second or model, place=np.array([0.0, 0.0, 1.0]))]
    )


def hardest(live, found, loads=None, limit=(1.0, np.inf), driven=False):
    return find_contact_events(
        live, found, loads or PreviousImpulses(), np.array(limit), driven, lambda: unbounded(found)
    )


def test_a_blow_through_the_centre_changes_the_speed_by_impulse_over_mass(model):
    live = crowd_of(model)
    m, c = live.rest.mass[0], live.rest.centre[0]
    (event,) = hardest(live, pressed((0, GROUND, (0, 0, 3.0 * m), c, c)))
    assert event.speed == pytest.approx(3.0, rel=1e-12) and event.measure == event.speed
    assert event.ratio == pytest.approx(3.0, rel=1e-12)


def test_a_blow_beside_the_centre_changes_the_speed_by_what_turns_as_well(model):
    # The relative speed of the two spots changes by J n.K n, K = 1/m + (I^-1 (r x n)) x r; here by components.
    live = crowd_of(model)
    m, c, inertia = live.rest.mass[0], live.rest.centre[0], live.rest.inertia[0]
    r, n, J = np.array([0.4, -0.2, 0.1]), np.array([0.6, 0.0, 0.8]), 100.0
    change = J / m * n + np.cross(np.linalg.inv(inertia) @ np.cross(r, J * n), r)
    (event,) = hardest(live, pressed((0, GROUND, J * n, c + r, c)), limit=(0.1, np.inf))
    assert event.speed == pytest.approx(change @ n, rel=1e-12)


def test_two_that_are_free_share_the_change(model):
    light = model_of(shapes.box(high=np.array([0.2, 0.2, 0.2])), 1)
    live = crowd_of(model, light)
    (m, other), (c, d) = live.rest.mass, live.rest.centre
    (event,) = hardest(live, pressed((0, 1, (0, 0, 50.0), c, d)), limit=(0.1, np.inf))
    assert event.speed == pytest.approx(50.0 * (1 / m + 1 / other), rel=1e-12)


def test_impulse_is_measured_as_it_is(model):
    live = crowd_of(model, measure="impulse")
    c = live.rest.centre[0]
    found = pressed((0, GROUND, (0, 30.0, 40.0), c, c))
    (event,) = hardest(live, found, limit=(49.0, np.inf))
    assert event.measure == pytest.approx(50.0, rel=1e-14)
    assert hardest(live, found, limit=(51.0, np.inf)) == []


def test_the_threshold_lies_between_what_breaks_and_what_does_not(model):
    live = crowd_of(model)
    m, c = live.rest.mass[0], live.rest.centre[0]
    for speed, broken in ((2.999999, 0), (3.000001, 1)):
        found = pressed((0, GROUND, (0, 0, speed * m), c, c))
        assert len(hardest(live, found, limit=(3.0, np.inf))) == broken


def test_only_what_goes_beyond_the_frame_before_counts(model):
    live = crowd_of(model)
    m, c = live.rest.mass[0], live.rest.centre[0]
    weight, event = pressed((0, GROUND, (0, 0, 5.0 * m), c, c)), pressed((0, GROUND, (0, 0, 7.0 * m), c, c))
    loads = PreviousImpulses()
    loads.keep(pair_keys(live, weight), impulse_sizes(weight))
    assert hardest(live, weight, loads) == []
    (found,) = hardest(live, event, loads)
    assert found.measure == pytest.approx(2.0, rel=1e-12)
    assert found.impulse == pytest.approx(2.0 * m, rel=1e-12)
    # Of another pair the whole of it counts.
    (other,) = hardest(live, pressed((0, 1, (0, 0, 5.0 * m), c, c)), loads)
    assert other.speed == pytest.approx(10.0, rel=1e-12)  # the two are alike
    assert other.impulse == pytest.approx(5.0 * m, rel=1e-12)


def test_no_blow_is_harder_than_its_bound(model):
    live = crowd_of(model)
    m, c = live.rest.mass[0], live.rest.centre[0]
    found = pressed((0, GROUND, (0, 0, 5.0 * m), c, c), (1, GROUND, (0, 0, 3.0 * m), c, c))
    some = find_contact_events(live, found, PreviousImpulses(), np.ones(2), False, lambda: np.array([2.0, 4.0]))
    assert [event.measure for event in some] == pytest.approx([2.0, 3.0], rel=1e-12)
    assert find_contact_events(live, found, PreviousImpulses(), np.ones(2), False, lambda: np.full(2, 0.9)) == []


@given(st.integers(0, 10_000), st.sampled_from(["speed", "impulse"]))
@settings(max_examples=40)
def test_what_is_looked_at_closely_holds_all_that_may_break(seed, measure):
    # Spots on the skin, impulses of any direction: the quick bound lets nothing by that exceeds a threshold.
    rng = np.random.default_rng(seed)
    model = model_of(shapes.box(high=SIZE), 1)
    live = crowd_of(model, measure=measure)
    live.take_shape()
    corners = shapes.box(high=SIZE).vertices
    push = rng.normal(size=3) * live.rest.mass[0]
    found = pressed((0, int(rng.integers(1, 3)), push, corners[rng.integers(8)], corners[rng.integers(8)]))
    (event,) = hardest(live, found, limit=(1e-12, np.inf))
    for share, count in ((0.999, 1), (1.001, 0)):
        assert len(hardest(live, found, limit=(share * event.measure, np.inf))) == count


def test_an_impulse_counts_by_the_same_share(model):
    live = crowd_of(model, measure="impulse")
    m, c = live.rest.mass[0], live.rest.centre[0]
    found = pressed((0, GROUND, (0, 0, 5.0 * m), c, c))
    (event,) = find_contact_events(
        live, found, PreviousImpulses(), np.array([1.0, np.inf]), False, lambda: np.array([2.0])
    )
    assert event.measure == pytest.approx(2.0 * m, rel=1e-12) and event.speed == pytest.approx(2.0, rel=1e-12)


@pytest.mark.parametrize("measure", ["speed", "impulse"])
@pytest.mark.parametrize("bound", [np.inf, 20.0, 2.0, 0.4])
def test_the_impulse_is_what_the_contact_handed_over_by_the_share_of_the_speed(model, measure, bound):
    # Beside the centre and slanting, so that speed and impulse are no plain multiples of the mass.
    live = crowd_of(model, measure=measure)
    m, c = live.rest.mass[0], live.rest.centre[0]
    push = m * np.array([1.0, -2.0, 2.0])  # of 3 m
    found = pressed((0, GROUND, push, c + np.array([0.4, -0.2, 0.1]), c))
    (free,) = hardest(live, found, limit=(1e-3, np.inf))
    assert free.impulse == pytest.approx(3.0 * m, rel=1e-14) and 2.0 < free.speed < 20.0
    (event,) = find_contact_events(
        live, found, PreviousImpulses(), np.array([1e-3, np.inf]), False, lambda: np.array([bound])
    )
    share = min(1.0, bound / free.speed)
    assert event.impulse == pytest.approx(share * free.impulse, rel=1e-14)
    assert event.speed == pytest.approx(share * free.speed, rel=1e-14)


def test_both_of_a_pair_are_told_the_same_impulse_however_light_they_are(model):
    crumb = model_of(shapes.box(high=np.array([0.02, 0.02, 0.02])), 1)
    live = crowd_of(model, crumb, lightest=0.001)
    (_, light), (c, d) = live.rest.mass, live.rest.centre
    one, two = hardest(live, pressed((0, 1, (0, 0, 5.0 * light), c, d)), limit=(1e-3, 1e-3))
    assert one.measure < two.measure
    assert one.impulse == two.impulse == pytest.approx(5.0 * light, rel=1e-14)


def test_what_is_light_counts_less(model):
    crumb = model_of(shapes.box(high=np.array([0.02, 0.02, 0.02])), 1)
    live = crowd_of(model, crumb, lightest=0.001)
    (m, light), (c, d) = live.rest.mass, live.rest.centre
    assert light < 0.001 * m
    found = pressed((0, 1, (0, 0, 5.0 * light), c, d))
    (event,) = hardest(live, found, limit=(0.01, np.inf))
    assert event.measure == pytest.approx(event.speed * light / (0.001 * m), rel=1e-12)
    unmoved = crowd_of(model, crumb, lightest=0.0)
    (whole,) = hardest(unmoved, found, limit=(0.01, np.inf))
    assert whole.measure == whole.speed == pytest.approx(5.0 * (1 + light / m), rel=1e-2)


def test_the_hardest_blow_is_told_in_material_coordinates(model):
    spin = InitialMotion(np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 2.0]), np.zeros(3))
    live = LiveFragments([box_object(model, momentum=spin)])
    q = np.array([[np.cos(0.4), 0.0, 0.0, np.sin(0.4)]])
    live.state = replace(live.state, rotation=q)
    m, c = live.rest.mass[0], live.rest.centre[0]
    push = np.array([0.0, 4.0 * m, 0.0])
    rows = [(0, 1, 0.5 * push, c, c), (0, 1, push, c + np.array([0.1, 0.0, 0.0]), c)]
    (event,) = hardest(live, pressed(*rows), limit=(1.0,))
    np.testing.assert_allclose(event.point, c + np.array([0.1, 0.0, 0.0]), rtol=1e-14)
    np.testing.assert_allclose(rotation_matrices(q)[0] @ event.direction, [0.0, 1.0, 0.0], atol=1e-15)


def test_a_blow_between_still_things_is_calm_unless_something_is_led(model):
    live = crowd_of(model)
    m, c = live.rest.mass[0], live.rest.centre[0]
    found = pressed((0, GROUND, (0, 0, 3.0 * m), c, c))
    assert [hardest(live, found, driven=driven)[0].calm for driven in (False, True)] == [True, False]
    live.push(np.array([0]), np.array([[1.0, 0, 0]]), np.zeros((1, 3)))
    assert not hardest(live, found)[0].calm


def test_what_has_an_infinite_threshold_is_not_asked(model):
    live = crowd_of(model)
    c = live.rest.centre[0]
    assert hardest(live, pressed((0, GROUND, (0, 0, 1e9), c, c)), limit=(np.inf, np.inf)) == []
