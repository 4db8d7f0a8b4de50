"""Placing: the axis to the blow, twists that are locked or not, and a scale that always encloses the body."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.pieces.patterns.kinds import GENERATORS, generated
from core.pieces.patterns.placement import (
    box_corners,
    covering_scale,
    enclosing,
    extent_of,
    grid_turn,
    level_turn,
    place_pattern,
    turn_about,
    turn_to,
)
from core.types import Floats

UP = np.array((0.0, 0.0, 1.0))
number = st.floats(-1.0, 1.0)
vectors = st.tuples(number, number, number).map(np.array).filter(lambda v: np.linalg.norm(v) > 1e-3)
directions = vectors.map(lambda v: v / np.linalg.norm(v))


def assert_rotation(turn: Floats) -> None:
    # Products of a few unit vectors: some units of round-off.
    assert turn @ turn.T == pytest.approx(np.eye(3), abs=1e-14)
    assert np.linalg.det(turn) == pytest.approx(1.0, abs=1e-14)


@given(directions, st.floats(-10.0, 10.0))
@example(np.array((0.0, 0.0, 1.0)), 0.3)
@example(np.array((0.0, 0.0, -1.0)), 0.3)
def test_the_axis_goes_to_the_blow_whatever_the_twist(direction: Floats, angle: float) -> None:
    for start in (turn_to(direction), level_turn(direction)):
        turn = start @ turn_about(UP, angle)
        assert_rotation(turn)
        assert turn @ UP == pytest.approx(direction, abs=1e-14)


@given(directions.filter(lambda d: d[2] < 0.99))
def test_the_turn_is_the_smallest_from_hanging_down(direction: Floats) -> None:
    # The angle of a rotation: trace = 1 + 2 cos. The smallest one that takes down to d has cos = -d_z.
    hung = np.diag((1.0, -1.0, -1.0))
    assert np.trace(turn_to(direction) @ hung) == pytest.approx(1.0 - 2.0 * direction[2], abs=1e-13)


@given(directions.filter(lambda d: d[2] < 0.0), vectors)
def test_blows_that_differ_little_turn_a_locked_pattern_alike(direction: Floats, change: Floats) -> None:
    other = direction + 1e-4 * change / np.linalg.norm(change)
    # A turn of at most a right angle differs by about as much as the blow: the derivative of tan(a/2) is at most 1.
    assert np.abs(turn_to(direction) - turn_to(other / np.linalg.norm(other))).max() < 4e-4


@given(directions.filter(lambda d: np.hypot(d[0], d[1]) > 1e-3))
def test_a_level_pattern_lies_level_and_stands_upright(direction: Floats) -> None:
    turn = level_turn(direction)
    assert turn[2, 0] == 0.0
    assert turn[2, 1] > 0.0


def test_on_the_grid_all_24_rotations_come_out_each_nearest_to_its_blow() -> None:
    seen = set()
    for blow in np.random.default_rng(0).normal(size=(200, 3)):
        for quarter in range(4):
            turn = grid_turn(blow / np.linalg.norm(blow), quarter)
            assert_rotation(turn)
            assert set(np.unique(turn)) <= {-1.0, 0.0, 1.0}
            assert (turn @ UP) @ blow == np.abs(blow).max()
            seen.add(tuple(turn.ravel()))
    assert len(seen) == 24


def bodies(seed: int) -> tuple[Floats, Floats, Floats]:
    """A box as flat or long as they come, and a point in it."""
    rng = np.random.default_rng(seed)
    high = 10.0 ** rng.uniform(-3.0, 1.0, 3) * 10.0 ** rng.uniform(-3.0, 3.0)
    low = rng.normal(size=3) * high.max()
    return low, low + high, low + high * rng.choice((0.0, 0.5, 1.0, rng.random()), 3)


@settings(max_examples=150)
@given(st.sampled_from(sorted(GENERATORS)), st.integers(0, 2**32), directions, st.sampled_from((0.0, 1e-3, 0.5, 3.0)))
def test_the_pattern_encloses_every_body_at_every_hit(kind: str, seed: int, direction: Floats, share: float) -> None:
    low, high, hit = bodies(seed)
    pattern = generated(kind, 30, 0)
    size = share * float(np.linalg.norm(high - low))
    turn = turn_to(direction) @ turn_about(UP, float(seed % 7))
    place = place_pattern(extent_of(pattern), hit, turn, low, high, size)
    local = (box_corners(low, high) - hit) @ turn
    if share == 0.0:
        # Section 2.5: s >= |corner| / half for all corners and axes.
        assert np.all(np.abs(local) / pattern.half < place.scale)
    # Independent of the bound in use: no corner lies on the far side of an outer facet.
    rim = pattern.partition.facet_regions[:, 1] < 0
    normal, point = pattern.partition.facet_normal[rim], pattern.partition.facet_point[rim]
    assert np.all(np.einsum("cfk,fk->cf", local[:, None] / place.scale - point, normal) < 0.0)


@pytest.mark.parametrize("kind", sorted(GENERATORS))
def test_the_whole_pattern_reaches_far_beyond_its_box(kind: str) -> None:
    pattern = generated(kind, 30, 0)
    across = pattern.half[0]
    assert covering_scale(extent_of(pattern), across * np.array([(1.0, 0.0, 0.0)])) < 0.15


def test_the_scale_is_that_of_the_box_and_no_twist_changes_it() -> None:
    half, corners = np.array((1.0, 1.0, 2.0)), np.array([(3.0, 4.0, 0.0), (0.0, 0.0, -6.0)])
    assert enclosing(half, corners) == pytest.approx(1.01 * 5.0)
    assert enclosing(half, corners * (0.1, 0.1, 1.0)) == pytest.approx(1.01 * 3.0)
    assert enclosing(half, corners @ turn_about(UP, 1.1)) == pytest.approx(1.01 * 5.0)
    # Along an axis along which nothing changes a body may be as long as it likes.
    assert enclosing(np.array((1.0, 1.0, np.inf)), corners) == pytest.approx(1.01 * 5.0)


def test_a_size_is_kept_wherever_the_hit_is() -> None:
    pattern, low, high = generated("radial", 30, 0), np.zeros(3), np.ones(3)
    places = [
        place_pattern(extent_of(pattern), np.array(hit), np.eye(3), low, high, 0.4)
        for hit in ((0.5, 0.5, 0.0), (1.0, 1.0, 0.0))
    ]
    assert [place.scale for place in places] == [0.4, 0.4]
    automatic = [place_pattern(extent_of(pattern), place.centre, np.eye(3), low, high, 0.0).scale for place in places]
    assert automatic == pytest.approx([1.01 * 0.5**0.5, 1.01 * 2.0**0.5])
