"""What is held: it stands or is painted fast, until it breaks off; what has lost its support falls."""

from dataclasses import replace

import numpy as np
import pytest

from core.breaking.contract import by_limit, struck_links
from core.rigid.advance import advance_frame
from core.types import Collider, Mesh
from tests import shapes
from tests.core.simulation.breaking import Told, played, prepared
from tests.core.simulation.pillars import PILLAR, gallows, painted, pillar


def test_what_stands_on_the_ground_is_held():
    run = prepared([pillar()], advance_frame, ground=0.0, gravity=9.81)
    assert run.live.pinned.tolist() == [True]
    start = run.live.state.position.copy()
    played(run, 3)
    np.testing.assert_array_equal(run.live.state.position, start)


@pytest.mark.parametrize(("place", "params"), [((0, 0, 0.1), {}), ((0, 0, 0), {"stands": False})])
def test_what_does_not_touch_the_ground_or_need_not_stand_is_free(place, params):
    run = prepared([pillar(place=place, **params)], advance_frame, ground=0.0, gravity=9.81)
    assert run.live.pinned.tolist() == [False]


def test_what_is_painted_hangs_in_the_air():
    top = painted(PILLAR, lambda middle: middle[:, 2] > 0.99)
    run = prepared([pillar(influence=top, place=(0, 0, 2), stands=False)], advance_frame, ground=0.0, gravity=9.81)
    assert run.live.pinned.tolist() == [True]
    played(run, 3)
    assert run.live.state.velocity.tolist() == [[0.0, 0.0, 0.0]]


def test_only_the_foot_is_held_once_it_has_broken():
    def touch(bodies, state):
        return [(0, 1, (1e5, 0, 0), (0.1, 0.1, 0.9))] if len(bodies.mass) == 1 else []

    run = prepared([pillar()], Told(touch), ground=0.0)
    assert played(run, 1) == [5]
    low = run.live.rest.centre[:, 2] < 0.2
    assert run.live.pinned.tolist() == low.tolist() and low.sum() == 1


def test_a_loose_piece_is_never_held_again():
    # It falls off a painted ceiling and comes to lie on the ground, where it breaks: its pieces lie there freely.
    top = painted(PILLAR, lambda middle: middle[:, 2] > 0.99)
    obj = pillar(influence=top, place=(0, 0, 2))
    cut_off = []

    def touch(bodies, state):
        if len(bodies.mass) == 1:
            return [(0, 1, (1e5, 0, 0), (0.1, 0.1, 0.5))]
        if len(bodies.mass) == 2:
            cut_off.append(True)
            loose = int(np.argmin(bodies.centre[:, 2]))
            return [(loose, 2, (1e5, 0, 0), bodies.centre[loose])] if len(cut_off) > 2 else []
        return []

    class First:
        """Breaks the pillar in the middle, then all links that are left."""

        def __call__(self, struck, params):
            z = struck.units.centroid_link[:, 2]
            opened = np.abs(z - 0.8) < 0.05 if len(struck.members) == 5 else np.ones(len(z), bool)
            return by_limit(2.0 * opened, struck.strengths.link)

    obj = replace(obj, model=replace(obj.model, rule=First()))
    run = prepared([obj], Told(touch), frames=12, ground=0.0)
    found = played(run, 4)
    assert found[0] == 2 and found[-1] == 5
    assert run.live.pinned.sum() == 1
    assert run.live.rest.centre[run.live.pinned, 2] > 0.8


def topmost(struck, params):
    """A rule that opens the highest of the links that are left."""
    z = np.where(struck_links(struck), struck.units.centroid_link[:, 2], -np.inf)
    return by_limit(2.0 * (z == z.max()), struck.strengths.link)


def test_a_held_rest_breaks_on_under_one_blow_and_anew_under_the_next():
    # Hit in frames 1, 2, and 6 with a cooldown of 2.5 frames, and cut anew once only. The first two are one blow: the
    # floors of the pillar come off one by one. The third one lays a new pattern in what is left, for it is no piece.
    hit = {1: True, 2: True, 6: True}

    def touch(bodies, state):
        held = np.flatnonzero(run.live.pinned)
        if not hit.get(frame) or len(held) != 1 or run.live.tree[int(run.live.alive[held[0]])].birth == frame:
            return []
        return [(int(held[0]), len(bodies.mass), (1e5, 0, 0), bodies.centre[held[0]])]

    obj = pillar(whole_first=False, anew=True, generations=1, cooldown=2.5 / 24.0, smallest=0.0)
    run = prepared([replace(obj, model=replace(obj.model, rule=topmost))], Told(touch), ground=0.0)
    living, models = [], []
    for frame in range(1, 8):
        run.advance(frame)
        living.append(len(run.live.alive))
        models.append(len(run.live.models))
    assert living[:5] == [2, 3, 3, 3, 3] and living[5] == living[6] == 2 + 4
    assert models == [1, 1, 1, 1, 1, 2, 2]
    tree = [run.live.tree[int(number)] for number in run.live.alive]
    generation = np.array([record.generation for record in tree])
    fresh = np.array([record.model == 1 for record in tree])
    assert run.live.pinned[fresh].any()
    assert generation.tolist() == (fresh & ~run.live.pinned).astype(int).tolist()


@pytest.mark.parametrize(("reach", "stays"), [(0.25, True), (0.9, False)])
def test_what_leans_beyond_its_feet_topples(reach, stays):
    # A gallows: a post of 0.2 x 0.2 m with an arm. Its centre of mass, by areas of the side view, is beyond the post
    # for the long arm: (0.2 * 0.1 + r * 0.2 * (0.2 + r/2)) / (0.2 + r * 0.2) > 0.2 for r = 0.9, below for r = 0.25.
    area = 0.2 * 1.0 + reach * 0.2
    assert ((0.2 * 0.1 + reach * 0.2 * (0.2 + reach / 2)) / area < 0.2) == stays
    run = prepared(
        [pillar(gallows(reach), [[0.1, 0.1, 0.1], [0.1, 0.1, 0.6]])], advance_frame, ground=0.0, gravity=9.81
    )
    assert run.live.pinned.tolist() == [stays]
    played(run, 8)
    assert (run.live.state.rotation[0, 0] == 1.0) == stays


def led_box(start, step, frames=10):
    shape = shapes.box(np.full(3, -0.1), np.full(3, 0.1))
    position = np.asarray(start) + np.arange(frames)[:, None] * np.asarray(step)
    return Collider(Mesh("Ram", shape.vertices, shape.triangles), position, np.tile([1.0, 0, 0, 0], (frames, 1)))


@pytest.mark.parametrize(("step", "breaks"), [(0.1, True), (0.02, False)])
def test_a_led_collider_breaks_what_is_held(step, breaks):
    # Neither can be moved, so no impulse acts between them; the probe finds how fast they close in: step * 24 m/s, of
    # which the collision takes all, and the bounce a fifth more.
    ram = led_box((-0.15, 0.1, 0.9), (step, 0.0, 0.0))
    run = prepared([pillar()], advance_frame, ground=0.0, gravity=9.81, colliders=(ram,))
    found = played(run, 3)
    assert (found[-1] == 5) == breaks and (breaks or found == [1, 1, 1])
    if breaks:
        assert run.live.pinned.sum() == 1


def test_a_collider_that_stands_breaks_nothing():
    run = prepared(
        [pillar()], advance_frame, ground=0.0, gravity=9.81, colliders=(led_box((-0.05, 0.1, 0.9), (0, 0, 0)),)
    )
    assert played(run, 3) == [1, 1, 1]
