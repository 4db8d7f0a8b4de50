"""A contact that is too hard: the frame is taken back, the pieces take the place of the whole and are hit instead."""

import numpy as np
import pytest

from core.arithmetic.small_matrices import rotation_matrices
from core.rigid.advance import advance_frame
from core.rigid.contact_impulses import sum_contact_impulses
from tests import shapes
from tests.core.simulation.breaking import (
    FPS,
    InitialMotion,
    SimObject,
    Told,
    block,
    box_object,
    model_of,
    momentum,
    moving,
    played,
    prepared,
)

CORNER = np.array([1.0, 0.1, 0.4])


@pytest.fixture(scope="module")
def model():
    return block()


def hit_once(impulse, anchor=CORNER, row=0):
    """What a whole object feels from the ground until it has broken."""
    return lambda bodies, state: [(row, len(bodies.mass), impulse, anchor)] if len(bodies.mass) == 1 else []


def test_momentum_and_energy_pass_to_the_pieces(model):
    # B10 and resolution 4.7 of docs/papers/su2009.md, at the moment at which the frame begins again. The round-off of
    # sums of a dozen terms.
    move = Told(hit_once((0.0, 0.0, 1e5)))
    run = prepared([box_object(model, momentum=moving(), speed=1.0)], move)
    assert played(run, 1) == [len(model.units.volume)]
    (whole, before), (pieces, after) = move.calls[-2:]
    assert len(whole.mass) == 1 and len(pieces.mass) == len(model.units.volume)
    P, L, E = momentum(whole, before)
    P_after, L_after, E_after = momentum(pieces, after)
    np.testing.assert_allclose(P_after, P, rtol=0, atol=1e-12 * np.abs(P).max())
    np.testing.assert_allclose(L_after, L, rtol=0, atol=1e-11 * np.abs(L).max())
    assert E_after == pytest.approx(E, rel=1e-11)


def test_pieces_lie_in_the_whole_when_the_frame_begins_again(model):
    move = Told(lambda bodies, state: hit_once((0, 0, 1e5))(bodies, state) if state.position[0, 0] > 0.62 else [])
    run = prepared([box_object(model, momentum=moving(), speed=1.0)], move)
    played(run, 6)
    k = next(i for i, (bodies, _) in enumerate(move.calls) if len(bodies.mass) > 1)
    assert k > 2, "the break comes in a later frame, when the whole has turned"
    (whole, before), (pieces, after) = move.calls[k - 1 : k + 1]
    # A point X of the matter is at x + R (X - c), before and after.
    R = rotation_matrices(before.rotation)[0]
    np.testing.assert_allclose(after.position, before.position[0] + (pieces.centre - whole.centre[0]) @ R.T, atol=1e-14)
    np.testing.assert_array_equal(after.rotation, np.broadcast_to(before.rotation[0], after.rotation.shape))


def test_a_frame_that_is_taken_back_moves_nothing_twice(model):
    # A bystander that flies freely advances by one frame's way, however often the frame is run.
    move = Told(lambda bodies, state: [(0, len(bodies.mass), (0, 0, 1e5), CORNER)] if len(bodies.mass) == 2 else [])
    objects = [
        box_object(model, speed=1.0),
        SimObject(
            "Bystander",
            model,
            (),
            InitialMotion(np.array([3.0, 0, 0]), np.zeros(3), np.zeros(3)),
            np.array([0, 5.0, 0]),
        ),
    ]
    run = prepared(objects, move)
    start = run.live.state.position[run.live.rows_of(1)[0]]
    played(run, 3)
    assert len(run.live.alive) == len(model.units.volume) + 1 and len(move.calls) == 4
    end = run.live.state.position[run.live.rows_of(1)[0]]
    np.testing.assert_allclose(end, start + np.array([3 * 3.0 / FPS, 0, 0]), rtol=1e-14)


def test_the_contact_acts_on_the_piece_that_was_touched():
    # A hammer falls on one end of a beam of five equal blocks: in the frame that counts it met the last block alone.
    beam = model_of(
        shapes.box(high=np.array([2.0, 0.2, 0.2])), sites=[[x, 0.1, 0.1] for x in (0.2, 0.6, 1.0, 1.4, 1.8)]
    )
    hammer = model_of(shapes.box(high=np.array([0.2, 0.2, 0.2])), 1)
    down = InitialMotion(np.array([0.0, 0.0, -6.0]), np.zeros(3), np.zeros(3))
    objects = [box_object(beam, speed=1.0), SimObject("Hammer", hammer, (), down, np.array([1.75, 0.0, 0.25]), None)]
    accounts = []

    def move(bodies, state, world, dt):
        after, account = advance_frame(bodies, state, world, dt)
        accounts.append(account)
        return after, account

    run = prepared(objects, move)
    assert played(run, 1) == [6]
    row, centre = run.live.rows_of(1)[0], run.live.rest.centre[:, 0]
    pairs = sum_contact_impulses(accounts[-1]).body
    met = pairs[(pairs == row).any(axis=1)].ravel()
    assert centre[met[met != row]].tolist() == pytest.approx([1.8])
    fragments = run.live.rows_of(0)
    fastest = fragments[np.argmin(run.live.state.velocity[fragments, 2])]
    assert centre[fastest] == pytest.approx(1.8)


@pytest.mark.parametrize("second", [False, True])
def test_either_or_both_of_a_pair_may_break(model, second):
    def touch(bodies, state):
        return [(0, 1, (0.0, 0.0, 1e5), CORNER)] if len(bodies.mass) == 2 else []

    objects = [box_object(model, speed=1.0), box_object(model, (0, 0, 1), speed=1.0 if second else 1e9)]
    run = prepared(objects, Told(touch))
    pieces = len(model.units.volume)
    assert played(run, 1) == [2 * pieces if second else pieces + 1]
    assert [len(run.live.rows_of(k)) for k in (0, 1)] == [pieces, pieces if second else 1]


def test_two_runs_give_the_same_bits(model):
    def states():
        fall = InitialMotion(np.array([0.5, 0.0, -5.0]), np.array([1.0, 2.0, 0.0]), np.zeros(3))
        run = prepared([box_object(model, (0, 0, 0.5), fall, speed=2.0)], advance_frame, ground=0.0, gravity=9.81)
        found = played(run, 5)
        assert found[0] == 1 and found[-1] > 1
        return found, run.live.state

    (one, a), (two, b) = states(), states()
    assert one == two
    for name in ("position", "rotation", "velocity", "angular_momentum", "asleep"):
        assert getattr(a, name).tobytes() == getattr(b, name).tobytes()
