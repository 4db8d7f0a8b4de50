"""Which blows break what: thresholds by field, rest, size, generations, budgets, and the notes that tell of them."""

from dataclasses import replace

import numpy as np
import pytest

from core.breaking import Verdict
from core.errors import CutError
from core.rigid.advance import advance_frame
from core.types import Influence
from tests import shapes
from tests.core.simulation.breaking import FPS, Told, block, box_object, model_of, played, prepared

SPOT = np.array([1.0, 0.1, 0.4])


@pytest.fixture(scope="module")
def model():
    return block()


def all_hit(speed):
    """Every body is hit through its centre so that its speed changes by this [m/s], in every frame anew."""

    def touch(bodies, state):
        ground = len(bodies.mass)
        return [(k, ground, (0.0, 0.0, speed * bodies.mass[k]), bodies.centre[k]) for k in range(ground)]

    return touch


class Growing:
    """Hits that are harder by `speed` in each frame: what goes beyond the frame before stays the same."""

    def __init__(self, speed, of=slice(None)):
        self.speed, self.frame, self.of = speed, 0, of

    def __call__(self, bodies, state):
        return all_hit(self.speed * self.frame)(bodies, state)[self.of]


def living(obj, move, frames, **more):
    """Numbers of living after each frame, while `move.touch.frame` counts along; and the run."""
    run, found = prepared([obj], move, **more), []
    for frame in range(1, frames + 1):
        if isinstance(move.touch, Growing):
            move.touch.frame = frame
        run.advance(frame)
        found.append(len(run.live.alive))
    return found, run


@pytest.mark.parametrize(("speed", "breaks"), [(2.99, False), (3.01, True)])
def test_a_thing_breaks_beyond_its_threshold(model, speed, breaks):
    found, _ = living(box_object(model, speed=3.0), Told(all_hit(speed)), 1)
    assert found == [len(model.units.volume) if breaks else 1]


class Listening:
    """A rule that keeps the impacts that it is told, and cracks nothing."""

    def __init__(self):
        self.impacts = []

    def __call__(self, struck, params):
        self.impacts.append(struck.impacts)
        nothing = np.zeros(len(struck.units.links))
        return Verdict(nothing, nothing + 1.0, nothing > 0.0, notes=("The rule was asked.",))


def test_a_rule_is_told_what_the_contact_handed_over(model):
    # Bounded by a closing speed of 1 m/s: half of its 2 m/s, and half of its impulse.
    rule = Listening()

    def touch(bodies, state):
        (m,), (c,) = bodies.mass, bodies.centre
        return [(0, 1, (0.0, -2.0 * m, 0.0), c)]

    obj = box_object(replace(model, rule=rule), speed=0.25, strength=0.5)
    run = prepared([obj], Told(touch))
    run.bounds = lambda live, pressing, world, dt: np.full(len(pressing.body), 1.0)
    played(run, 2)
    ((impact,),) = rule.impacts  # in the second frame the same contact hands over no more than before
    assert impact.impulse == pytest.approx(run.live.rest.mass[0], rel=1e-14)
    assert impact.speed == pytest.approx(1.0, rel=1e-14)
    assert impact.strength == pytest.approx(0.5 * 1.0 / 0.25, rel=1e-14)
    assert impact.direction.tolist() == [0.0, -1.0, 0.0]
    assert list(run.cracks[0].notes) == ["The rule was asked."]


def test_a_thing_without_an_answer_never_breaks(model):
    found, _ = living(replace(box_object(model), policy=None), Told(all_hit(1e6)), 2)
    assert found == [1, 1]


@pytest.mark.parametrize(
    ("influence", "breaks"),
    [
        (Influence(), True),
        (Influence(toughness=np.full((12, 3), 3.5)), False),  # a blow of 3 times the threshold
        (Influence(toughness=np.full((12, 3), 2.5)), True),
        (Influence(toughness=np.full((12, 3), np.inf)), False),
        (Influence(spheres=np.array([[5.5, 0.3, 0.2, 0.1]])), True),  # around the middle, where it is hit
        (Influence(spheres=np.array([[0.5, 0.3, 0.2, 0.1]])), False),  # the object is 5 m away
        (Influence(spheres=np.array([[9.0, 9, 9, 1], [5.4, 0.3, 0.2, 0.2]])), True),
        (Influence(start=2.5 / FPS), False),
        (Influence(end=0.5 / FPS), False),
        (Influence(start=0.5 / FPS, end=1.5 / FPS), True),
    ],
)
def test_fields_spheres_and_time_say_where_it_breaks(model, influence, breaks):
    obj = box_object(model, (5, 0, 0), speed=1.0, influence=influence)
    found, _ = living(obj, Told(all_hit(3.0)), 1)
    assert found == [len(model.units.volume) if breaks else 1]


def test_it_breaks_when_its_time_comes(model):
    obj = box_object(model, speed=1.0, influence=Influence(start=2.5 / FPS))
    found, _ = living(obj, Told(Growing(3.0)), 4)
    assert found == [1, 1, len(model.units.volume), len(model.units.volume)]


def anew(model, **params):
    """An object that is cut into 4 pieces when it is hit, and whose pieces are cut again."""
    return box_object(
        model, **{"speed": 1.0, "whole_first": True, "anew": True, "cooldown": 0.0, "smallest": 0.0} | params
    )


@pytest.fixture(scope="module")
def whole():
    return model_of(shapes.box(high=np.array([1.0, 0.6, 0.4])), 1)


def test_generations_end_the_cutting_anew(whole):
    one, _ = living(anew(whole, generations=1), Told(Growing(3.0)), 5)
    two, _ = living(anew(whole, generations=2), Told(Growing(3.0)), 5)
    assert one == [4] * 5
    assert two[0] == 4 and two[1] > 8 and two[-1] == two[1]


def test_new_pieces_rest_for_the_cooldown(whole):
    # Born in frame 1, a piece may break again in frame 1 + 3 at the earliest: a rest of 3 frames.
    found, _ = living(anew(whole, cooldown=3.0 / FPS), Told(Growing(3.0)), 5)
    assert found[:3] == [4, 4, 4] and found[3] > 4


def test_pieces_below_the_smallest_stay(whole):
    found, run = living(anew(whole, smallest=0.3, generations=20), Told(Growing(3.0)), 4)
    total = whole.units.volume.sum()
    dead = [record for record in (run.live.tree[k] for k in range(len(run.live.tree))) if record.death >= 0]
    volumes = [run.live.models[record.model].units.volume[record.units].sum() for record in dead]
    assert min(volumes) >= 0.3 * total and found[-1] == found[-2]
    assert (run.live.rest.volume < 0.3 * total).any()


def test_a_budget_stops_a_run_away_and_says_so(whole):
    found, run = living(anew(whole, generations=20), Told(Growing(3.0)), 6, most=10)
    assert max(found) <= 10 and found[-1] > 4
    assert "There are 10 pieces already: no more break." in run.contact_fracture.notes[0]
    volume = run.live.rest.volume.sum()
    assert volume == pytest.approx(whole.units.volume.sum(), rel=1e-12)


@pytest.mark.parametrize("pieces, most", [(1, 100), (4, 3)])
def test_what_was_cut_in_vain_is_forgotten(whole, pieces, most):
    """Cut into one piece, or into more than there may be: nothing of it stays, and the body is what it was."""
    obj, move = anew(whole, pieces=pieces), Told(Growing(3.0))
    found, run = living(obj, move, 3, most=most)
    assert found == [1, 1, 1]
    assert run.live.models == [whole] and run.cracks[0].hits == []
    run.contact_fracture.most, run.live.objects = 100, (replace(obj, policy=anew(whole, pieces=4).policy),)
    move.touch.frame = 4
    run.advance(4)  # later cuts come out as if nothing had been
    assert len(run.live.alive) == 4 and len(run.live.models) == 2
    assert {hit.model for hit in run.cracks[0].hits} == {1}
    assert run.live.owners(1).tolist() == [0, 1, 2, 3]


def test_what_cannot_be_cut_stays_and_says_so(whole):
    obj = anew(whole)

    def refused(body, impacts, seen):
        raise CutError("It is too thin.")

    found, run = living(replace(obj, policy=replace(obj.policy, cut=refused)), Told(all_hit(3.0)), 2)
    assert found == [1, 1]
    assert list(run.contact_fracture.notes[0]) == ["A piece stays as it is: It is too thin."]


def test_weight_that_breaks_at_once_is_told_with_the_value_that_holds(model):
    # A still block on the ground: in its first frame it gains g dt of speed and loses it again.
    def stood(speed):
        run = prepared([box_object(model, speed=speed)], advance_frame, ground=0.0, gravity=9.81)
        return played(run, 6), list(run.contact_fracture.notes[0])

    found, notes = stood(0.05)
    assert found[0] > 1 and len(notes) == 1 and notes[0].startswith("It broke under its own weight at once")
    enough = float(notes[0].split("threshold of ")[1].split()[0])
    found, notes = stood(enough)
    assert found == [1] * 6 and notes == []
