"""Impacts of one frame: those that meet the same fragment act on it at once, in no order; others each on its own."""

from dataclasses import replace

import numpy as np
import pytest

from core.breaking.contract import by_limit, struck_links
from core.rigid.advance import advance_in_steps
from core.simulation.anchoring import Anchoring
from core.simulation.environment import Environment
from core.simulation.frame_loop import run_frame_loop
from core.simulation.impact_fracture import CrackRecord, ImpactFracture
from core.simulation.live_fragments import LiveFragments
from core.simulation.spec import SimObject, SimulationSpec
from core.stepwise import result_of
from core.types import Clock, Impact
from tests import shapes
from tests.core.simulation.breaking import FPS, block, model_of

#: Five equal blocks in a row; the links lie at x = .4, .8, 1.2, 1.6.
BEAM = model_of(shapes.box(high=np.array([2.0, 0.2, 0.2])), sites=[[x, 0.1, 0.1] for x in (0.2, 0.6, 1.0, 1.4, 1.8)])


def at(x, time=0.0, strength=1.0, speed=0.0):
    return Impact(np.array([x, 0.1, 0.2]), np.array([0.0, 0.0, -1.0]), strength, speed, 0.1, time)


class Told:
    """A rule that keeps what it is told; each impact opens the link of the struck fragment that is nearest to it."""

    def __init__(self, notes=()):
        self.told, self.notes = [], notes

    def __call__(self, struck, params):
        self.told.append(struck)
        units, inside = struck.units, struck_links(struck)
        load = np.zeros(len(units.links))
        for impact in struck.impacts:
            away = np.where(inside, np.linalg.norm(units.centroid_link - impact.point, axis=1), np.inf)
            if inside.any():
                load[np.argmin(away)] = 2.0 * impact.strength
        return replace(by_limit(load, struck.strengths.link), notes=self.notes)

    @property
    def met(self):
        """Members and the places of impacts along the beam, of each time that it was asked."""
        return [
            (struck.members.tolist(), [round(float(one.point[0]), 9) for one in struck.impacts]) for struck in self.told
        ]


def struck(*impacts, model=BEAM, rule=None):
    """The live fragments of one object, and the cracks of impacts one frame after the other, or several in a frame."""
    live, cracks = (
        LiveFragments([SimObject("Beam", model if rule is None else replace(model, rule=rule))]),
        CrackRecord(),
    )
    striker = ImpactFracture(live, 0, cracks, Anchoring(live, None))
    for frame, some in enumerate(impacts):
        striker.strike(some, frame, frame / FPS)
    return live, cracks


def pieces(live):
    return sorted(live.tree[int(number)].units.tolist() for number in live.alive)


def test_impacts_on_one_fragment_act_at_once():
    rule = Told()
    live, cracks = struck([at(0.4), at(1.2)], rule=rule)
    assert rule.met == [([0, 1, 2, 3, 4], [0.4, 1.2])]
    assert pieces(live) == [[0], [1, 2], [3, 4]] and len(cracks.hits) == 1


def test_impacts_on_different_fragments_act_each_on_its_own():
    rule = Told()
    # At x = 1 in two; then one on the left piece, two on the right one, one on the left one again.
    live, cracks = struck([at(0.81)], [at(0.41), at(1.19), at(1.61), at(0.1)], rule=rule)
    assert rule.met == [([0, 1, 2, 3, 4], [0.81]), ([0, 1], [0.41, 0.1]), ([2, 3, 4], [1.19, 1.61])]
    assert pieces(live) == [[0], [1], [2], [3], [4]] and len(cracks.hits) == 3


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)])
def test_what_breaks_does_not_depend_on_the_order_of_impacts_on_several_fragments(order):
    second = [at(0.41, speed=2.0), at(1.19), at(1.61, speed=3.0), at(0.1)]
    live, cracks = struck([at(0.81)], [second[k] for k in order], rule=Told())
    expected, others = struck([at(0.81)], second, rule=Told())
    assert pieces(live) == pieces(expected)
    assert sorted(bits(others)) == sorted(bits(cracks))


def bits(cracks):
    """Link, load and limit of what failed, of each hit."""
    return [b"".join(values.tobytes() for values in (hit.link, hit.load, hit.limit)) for hit in cracks.hits]


@pytest.mark.parametrize("rule", ["impact_factor", "placed_pattern"])
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_impacts_on_one_fragment_changes_no_bit_of_the_cracks(rule, seed):
    how = {"impact_factor": {"durability": 0.1, "jitter": 0.5}, "placed_pattern": {"reach": 2.0}}[rule]
    model = model_of(shapes.box(high=np.array([1.0, 0.6, 0.4])), 40, rule=rule, **how)
    rng = np.random.default_rng(seed)
    places = rng.uniform([0.0, 0.0, 0.4], [1.0, 0.6, 0.4], (3, 3))
    hits = [Impact(place, np.array([0.0, 0.0, -1.0]), 1.0 + k, 2.0, 0.1, 0.0) for k, place in enumerate(places)]
    live, cracks = struck(hits, model=model)
    assert 1 < len(live.alive) < len(model.units.volume) and len(cracks.hits) == 1
    for order in ((2, 1, 0), (1, 2, 0), (0, 2, 1)):
        other, same = struck([hits[k] for k in order], model=model)
        assert bits(same) == bits(cracks) and same.utilisation == cracks.utilisation
        assert [other.tree[int(number)].units.tolist() for number in other.alive] == [
            live.tree[int(number)].units.tolist() for number in live.alive
        ]
        # The same momenta are added up in another order.
        np.testing.assert_allclose(other.state.velocity, live.state.velocity, rtol=1e-12, atol=1e-14)


def test_together_impacts_break_what_each_of_them_would():
    # Of the two loads on a link the larger one counts.
    model = model_of(shapes.box(high=np.array([1.0, 0.6, 0.4])), 40, rule="placed_pattern", reach=2.0)
    one, two = (Impact(np.array([x, 0.3, 0.4]), np.array([0.0, 0.0, -1.0]), 1.0, 0.0, 0.1, 0.0) for x in (0.2, 0.8))
    opened = [set(struck(hits, model=model)[1].hits[0].link.tolist()) for hits in ([one], [two], [one, two])]
    assert opened[0] and opened[1] and opened[0] != opened[1]
    assert opened[2] == opened[0] | opened[1]


def came_of(objects, frames=6):
    """What came of objects that fly in free space."""
    job = run_frame_loop(
        objects, SimulationSpec(Environment(np.zeros(3), None, [], frames), Clock(FPS, frames), advance_in_steps)
    )
    return result_of(job)


def test_a_clock_gathers_the_impacts_of_each_frame_and_of_each_thing():
    # 2.4 and 1.6 frames round to frame 2; what comes after the end of the clock acts in its last frame, 5.
    first, second = Told(), Told()
    times = np.array([2.4, 0.0, 1.6, 99.0, 5.0]) / FPS
    hits = [at(x, time, 0.0) for x, time in zip((0.1, 0.5, 0.9, 1.3, 1.7), times, strict=True)]
    objects = [
        SimObject("One", replace(BEAM, rule=first), tuple(hits)),
        SimObject("Two", replace(BEAM, rule=second), (at(0.3, 2.0 / FPS, 0.0),), None, np.array([0.0, 3.0, 0.0])),
    ]
    came_of(objects)
    assert [places for _, places in first.met] == [[0.5], [0.1, 0.9], [1.3, 1.7]]
    assert [places for _, places in second.met] == [[0.3]]


def test_notes_of_a_rule_are_told_once_in_their_order():
    # Two rules, three hits on the first object in two frames; each sentence comes once, to its own object.
    first, second = Told(("It ran out of steps.", "It is thin.")), Told(("It is soft.", "It is soft."))
    hits = (at(0.5, 0.0, 0.0), at(0.9, 2.0 / FPS, 0.0), at(1.3, 2.0 / FPS, 0.0))
    objects = [
        SimObject("One", replace(BEAM, rule=first), hits),
        SimObject("Two", replace(BEAM, rule=second), hits[:1]),
    ]
    notes = [one.notes for one in came_of(objects)]
    assert len(first.told) == 2
    assert notes == [("It ran out of steps.", "It is thin."), ("It is soft.",)]


def test_what_does_not_break_takes_up_the_momentum_of_all_impacts():
    block_of_12 = block()
    hits = [Impact(np.array([x, 0.3, 0.4]), np.array([0.0, 0.0, -1.0]), 0.0, 2.0, 0.2, 0.0) for x in (0.2, 0.8)]
    both, _ = struck(hits, model=block_of_12)
    one, _ = struck(hits[:1], model=block_of_12)
    two, _ = struck(hits[1:], model=block_of_12)
    assert len(both.alive) == 1
    for name in ("velocity", "angular_momentum"):
        together = getattr(one.state, name) + getattr(two.state, name)
        np.testing.assert_allclose(getattr(both.state, name), together, rtol=1e-12, atol=1e-13)
