"""Boxes, pairs and sets of bodies that may meet."""

from dataclasses import replace
from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.rigid.advance import advance_frame
from core.rigid.broad.potential_islands import find_potential_islands
from core.rigid.broad.sweep_and_prune import find_overlapping_boxes
from core.rigid.solver_state import begin_frame
from core.rigid.state import put_to_sleep
from tests.core.rigid.shapes_of import AIR, FLOOR, G, box, corners, placed, random_scene
from tests.rigid_bodies import join_bodies
from tests.verification.motion_scenes import led, table

DT = 1 / 24


def brute(ends, body, free):
    """Keys of all pairs of overlapping boxes of two bodies, one of them free."""
    found = []
    for p in range(len(ends)):
        for q in range(p + 1, len(ends)):
            apart = (ends[p, :3] > ends[q, 3:]).any() or (ends[q, :3] > ends[p, 3:]).any()
            if not apart and body[p] != body[q] and min(body[p], body[q]) >= 0 and min(body[p], body[q]) < free:
                found.append((p << 32) + q)
    return found


@given(st.integers(0, 10**6))
@settings(max_examples=30)
def test_sweep_finds_what_all_comparisons_find(seed):
    """All pairs, and of some parts only; corners on a lattice, so that many ends are equal."""
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 6, (20, 3)).astype(np.float64)
    ends = np.concatenate([low, low + rng.integers(0, 3, (20, 3))], axis=1)
    body, some = rng.integers(-1, 9, 20), rng.random(20) < 0.4
    centre, wide = np.zeros((9, 6)), np.full(20, np.inf)
    pairs = brute(ends, body, 6)
    np.testing.assert_array_equal(
        np.sort(find_overlapping_boxes(ends, centre, wide, body, np.ones(20, bool), 6)), pairs
    )
    expected = [key for key in pairs if some[key >> 32] or some[key & 0xFFFFFFFF]]
    np.testing.assert_array_equal(np.sort(find_overlapping_boxes(ends, centre, wide, body, some, 6)), expected)


def test_spheres_rule_out_what_boxes_do_not():
    """Two cubes corner to corner: the spheres touch from a distance of 2 r on, whatever their boxes say."""
    ends = np.array([[-1.0, -1, -1, 1, 1, 1], [0.5, 0.5, 0.5, 2.5, 2.5, 2.5]])
    centre = np.array([[0.0] * 6, [1.5] * 6])
    away = 1.5 * np.sqrt(3)
    for reach, count in ((0.499 * away, 0), (0.501 * away, 1)):
        found = find_overlapping_boxes(ends, centre, np.full(2, reach), np.arange(2), np.ones(2, bool), 2)
        assert len(found) == count


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_pairs_are_those_of_the_boxes_in_every_frame(seed):
    """Whatever left its box since the frame before was compared again: nothing is missing, nothing is left over."""
    bodies, state = random_scene(np.random.default_rng(seed), 25, apart=0.5)
    for _ in range(15):
        state, _ = advance_frame(bodies, state, FLOOR, DT, substeps=4)
        free, owner = len(bodies.mass), state.boxes.owner
        keys = np.array(brute(state.boxes.ends, owner, free))
        assert np.isin(state.pairs.key, keys).all()
        a, b = owner[keys >> 32], owner[keys & 0xFFFFFFFF]
        place, radius = np.append(state.position, [[0, 0, 0]], axis=0), np.append(bodies.radius, np.inf)
        near = np.linalg.norm(place[a] - place[b], axis=1) < radius[a] + radius[b]
        assert np.isin(keys[near], state.pairs.key).all()


@pytest.mark.parametrize("speed", [0.0, 3.0])
def test_boxes_hold_what_flies(speed):
    """A body is in its boxes for as long as they are said to hold, whatever it does in the air."""
    bodies, state = random_scene(np.random.default_rng(5), 12)
    state = replace(state, velocity=speed * state.velocity)
    for _ in range(12):
        state, _ = advance_frame(bodies, state, AIR, DT)
        for k, part in enumerate(bodies.part):
            points = corners(bodies, state, k)
            assert (points >= state.boxes.ends[part, :3]).all() and (points <= state.boxes.ends[part, 3:]).all()


def test_small_pieces_meet_their_neighbours_alone():
    """Gravity takes a piece of 2 mm by 17 mm in a frame: beside it, eight others lie 4 mm from each other."""
    places = [(x, y, 0.001) for x in (0.0, 0.006, 0.012) for y in (0.0, 0.006, 0.012)]
    pieces = [box(0.002, 0.002, 0.002) for _ in places]
    bodies, state = reduce(join_bodies, [(one, placed(one, at)) for one, at in zip(pieces, places, strict=True)])
    for _ in range(4):
        state, _ = advance_frame(bodies, state, FLOOR, DT)
        assert len(state.pairs) == len(places), "each with the floor"


def test_boxes_hold_small_pieces_that_fall_from_rest():
    bodies = box(0.002, 0.002, 0.002)
    state = placed(bodies, [0.0, 0.0, 1.0])
    for _ in range(6):
        state, _ = advance_frame(bodies, state, AIR, DT)
        points = corners(bodies, state, 0)
        assert (points >= state.boxes.ends[0, :3]).all() and (points <= state.boxes.ends[0, 3:]).all()


def test_what_lies_still_keeps_its_boxes():
    bodies, state = join_bodies(
        (box(1, 1, 1), placed(box(1, 1, 1), [0, 0, 0.5])), (box(1, 1, 1), placed(box(1, 1, 1), [3, 0, 0.5]))
    )
    state, _ = advance_frame(bodies, state, FLOOR, DT)
    boxes = state.boxes
    state, _ = advance_frame(bodies, replace(state, asleep=np.array([True, False])), FLOOR, DT)
    assert state.boxes is boxes


def in_sets(bodies, state, world):
    """The sets of the first frame, as a partition by numbers, and who is near and busy."""
    moving = begin_frame(bodies, state, world, state.asleep, DT)
    sets = find_potential_islands(moving, state.pairs, state.asleep, DT)
    return sets.label, sets.near[sets.label], sets.busy[sets.label]


def row(*places, speed=0.0):
    """Cubes of 1 m with centres at some x, high up; the first one moves along x."""
    parts = [(box(1, 1, 1), placed(box(1, 1, 1), [x, 0, 50])) for x in places]
    bodies, state = parts[0]
    for part in parts[1:]:
        bodies, state = join_bodies((bodies, state), part)
    velocity = state.velocity.copy()
    velocity[0, 0] = speed
    return bodies, replace(state, velocity=velocity)


def test_bodies_that_may_meet_within_the_frame_are_in_one_set():
    bodies, state = row(0, 5, 20)
    label, near, busy = in_sets(bodies, state, AIR)
    assert len(set(label)) == 3 and not near.any() and busy.all()
    bodies, state = row(0, 5, 20, speed=4 / DT)  # goes 4 m in a frame
    label, near, _ = in_sets(bodies, state, AIR)
    assert label[0] == label[1] != label[2]
    assert near.tolist() == [True, True, False]


def test_sleepers_are_in_the_set_of_what_may_wake_them():
    """The second and the third sleep side by side: what hits the second one may wake the third one through it."""
    bodies, state = row(0, 5, 6, 20)
    state, _ = advance_frame(bodies, put_to_sleep(state, np.array([False, True, True, True])), AIR, DT)
    velocity = np.zeros((4, 3))
    label, _, busy = in_sets(bodies, replace(state, velocity=velocity), AIR)
    assert len(set(label)) == 3 and label[1] == label[2]
    assert busy.tolist() == [True, False, False, False]
    velocity = np.array([[4 / DT, 0, 0], *[[0, 0, 0]] * 3])
    label, _, busy = in_sets(bodies, replace(state, velocity=velocity), AIR)
    assert label[0] == label[1] == label[2] != label[3]
    assert busy.tolist() == [True, True, True, False]


def test_a_collider_on_its_way_makes_sleepers_busy():
    bodies, state = row(0, 20)
    state, _ = advance_frame(
        bodies, put_to_sleep(state, np.array([True, True])), led(table(1, 1, 1), [0, 0, 0], [0, 0, 0]), DT
    )
    label, near, busy = in_sets(bodies, state, led(table(1, 1, 1), [0, 3, 50], [0, 1.2, 50], gravity=G))
    assert label[0] != label[1]
    assert near.tolist() == busy.tolist() == [True, False]
