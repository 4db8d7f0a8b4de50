"""Breaking rules are told which units cannot move: those that stand or are painted fast, and none of a loose piece."""

from dataclasses import replace

import numpy as np
import pytest

from core.breaking.contract import by_limit, struck_links
from core.rigid.advance import advance_frame
from core.types import Impact
from tests.core.simulation.breaking import FPS, Told, model_of, played, prepared
from tests.core.simulation.pillars import FLOORS, PILLAR, gallows, painted, pillar


class Listening:
    """A rule that keeps which units are anchored, by the height of their sites, and opens links where it is told."""

    def __init__(self, opens=lambda z: z < 0):
        self.opens, self.heights = opens, []

    def __call__(self, struck, params):
        assert struck.anchored.shape == (len(struck.units.volume),) and struck.anchored.dtype == np.bool_
        self.heights.append(np.sort(struck.units.site[struck.anchored, 2].round(9)).tolist())
        opened = struck_links(struck) & self.opens(struck.units.centroid_link[:, 2])
        return by_limit(2.0 * opened, struck.strengths.link)


def hitting(obj, rule, *times):
    """The object with a rule, and impacts at some frames on the side of it that show what the rule is told."""
    side = np.array([0.0, 0.1, 0.9]), np.array([1.0, 0.0, 0.0])
    hits = tuple(Impact(*side, 1.0, 0.0, 0.1, frame / FPS) for frame in times)
    return replace(obj, model=replace(obj.model, rule=rule), impacts=hits)


#: What holds the pillar, and the heights of the blocks that are then held.
HELD = {
    "nothing": ({"stands": False}, None, []),
    "the ground": ({}, None, [0.1]),
    "paint on its top": ({"stands": False}, "top", [0.9]),
    "both": ({}, "top", [0.1, 0.9]),
    "in the air": ({"place": (0, 0, 1)}, None, []),
    "paint in the air": ({"place": (0, 0, 1)}, "top", [0.9]),
}


@pytest.mark.parametrize("by_contact", [True, False])
@pytest.mark.parametrize("case", HELD)
def test_a_rule_is_told_what_is_held(case, by_contact):
    """Whether contacts break the object makes no difference to what holds it."""
    params, paint, expected = HELD[case]
    influence = painted(PILLAR, lambda middle: middle[:, 2] > 0.99) if paint else None
    rule, obj = Listening(), pillar(influence=influence, **params)
    if not by_contact:
        obj = replace(obj, policy=None)
    run = prepared([hitting(obj, rule, 0, 2)], advance_frame, ground=0.0)
    assert run.live.pinned.any() == bool(expected)
    run.strike(2)
    assert rule.heights == [expected, expected]


def test_a_contact_tells_the_rule_of_what_is_held_as_an_impact_does():
    rule = Listening()
    obj = hitting(pillar(influence=painted(PILLAR, lambda middle: middle[:, 2] > 0.99)), rule)
    run = prepared([obj], Told(lambda bodies, state: [(0, 1, (1e5, 0, 0), (0.1, 0.1, 0.5))]), ground=0.0)
    played(run, 1)
    assert rule.heights == [[0.1, 0.9]]


def test_what_is_cut_only_when_it_is_hit_is_held_by_its_new_cells():
    # One cell until then. An impact and a contact cut it; nothing cracks, so that the cut is forgotten both times.
    rule = Listening()
    cut = replace(model_of(PILLAR, sites=FLOORS), rule=rule)
    whole = pillar(sites=[FLOORS[2]], whole_first=True)
    whole = replace(whole, policy=replace(whole.policy, cut=lambda body, impacts, seen: cut))
    touch = Told(lambda bodies, state: [(0, 1, (1e5, 0, 0), (0.1, 0.1, 0.5))])
    run = prepared([hitting(whole, rule, 0)], touch, ground=0.0)
    played(run, 1)
    assert rule.heights == [[0.1], [0.1]] and len(run.live.models) == 1


def test_nothing_of_a_piece_that_broke_off_is_held():
    rule = Listening(lambda z: np.abs(z - 0.4) < 0.05)
    run = prepared([hitting(pillar(), rule, 0, 1)], advance_frame, ground=0.0)
    assert len(run.live.alive) == 2 and run.live.pinned.sum() == 1
    run.strike(1)  # at the upper piece
    assert rule.heights == [[0.1], []]


@pytest.mark.parametrize("frame", [0, 2])
def test_what_stands_but_topples_is_not_held(frame):
    # A gallows whose centre of mass is beyond its foot: it is as free at an impact of the first frame as later.
    rule = Listening()
    obj = pillar(gallows(0.9), [[0.1, 0.1, 0.1], [0.1, 0.1, 0.6]])
    run = prepared([hitting(obj, rule, frame)], advance_frame, ground=0.0, gravity=9.81)
    if frame > 0:
        run.strike(frame)
    assert not run.live.pinned.any() and rule.heights == [[]]


def test_pieces_of_what_topples_are_not_held_either():
    # The foot stands where it stood, yet the whole was loose.
    rule = Listening(lambda z: z > 0)
    obj = pillar(gallows(0.9), [[0.1, 0.1, 0.1], [0.1, 0.1, 0.3], [0.1, 0.1, 0.6]])
    run = prepared([hitting(obj, rule, 1, 2)], advance_frame, ground=0.0)
    run.strike(1)
    run.anchoring.update()
    assert len(run.live.alive) == 3 and not run.live.pinned.any()
    run.live.take_shape()
    low = replace(run.live.objects[0].impacts[1], point=np.array([0.1, 0.1, 0.05]))
    run.hits.strikers[0].strike([low], 2, 2 / FPS)
    assert rule.heights == [[], []]
