"""Pinned bodies: held whatever hits them, felt by all others, and free again when they are let go."""

from dataclasses import replace

import numpy as np
import pytest

from core.rigid import MOTIONS
from core.rigid.advance import advance_frame
from core.rigid.state import select_bodies, wake_bodies
from core.stepwise import result_of
from tests.core.rigid.shapes_of import AIR, FLOOR, G, box, placed
from tests.rigid_bodies import join_bodies
from tests.verification.motion_scenes import DT, SPACE, energies, led, pile, run, scales, table, together

ROUND_OFF = 1e-12  # of the energies that are added up
# The sweeps end when a row changes by less than 1 % of the approach; points of two faces converge at 1/10 or faster.
SOLVED = 1e-3
METHODS = [method for method in MOTIONS if method.id != "still"]
ALL = ("position", "rotation", "velocity", "angular_momentum")


def pin(bodies, *rows):
    return replace(bodies, pinned=np.isin(np.arange(len(bodies.mass)), rows))


def shelf(*above, **more):
    """A pinned plate in the air, its upper face at z = 0, and what is above it."""
    plate = box(2.0, 2.0, 0.2, **more)
    bodies, state = together([(plate, placed(plate, [0, 0, -0.1])), *above])
    return pin(bodies, 0), state


def cube(position, side=0.2, velocity=(0, 0, 0), **more):
    one = box(side, side, side, **more)
    return one, placed(one, position, velocity=velocity)


@pytest.mark.parametrize("method", METHODS, ids=[method.id for method in METHODS])
@pytest.mark.parametrize("seed", range(3))
def test_pinned_ones_of_a_heap_stay_by_the_bit_and_no_energy_comes(method, seed):
    """Any third of a pile that falls; some of these have a velocity, which they lose."""
    rng = np.random.default_rng(seed)
    bodies, state = pile(15, seed=seed, spacing=1.5, friction=[0.0, 0.5, 1.0][seed], restitution=[1.0, 0.5, 0.0][seed])
    pinned = rng.permutation(np.arange(15) < 5)
    bodies = replace(bodies, pinned=pinned)
    state = replace(state, velocity=rng.normal(size=(15, 3)))
    met = 0
    for _ in range(30):
        after, account = result_of(method.run(bodies, state, FLOOR, DT, method.params()))
        gain = (energies(bodies, after, FLOOR.gravity) - energies(bodies, state, FLOOR.gravity)).sum()
        scale = scales(bodies, state, FLOOR.gravity) + scales(bodies, after, FLOOR.gravity)
        assert gain <= ROUND_OFF * scale.sum() and account.work == 0.0
        for name in ALL[:2]:
            np.testing.assert_array_equal(getattr(after, name)[pinned], getattr(state, name)[pinned])
        assert not after.velocity[pinned].any() and not after.angular_momentum[pinned].any()
        assert after.asleep[pinned].all()
        held = np.append(pinned, True)[account.touch_body]
        assert not held.all(axis=1).any()
        met += int(np.append(pinned, False)[account.touch_body].any(axis=1).sum())
        state = after
    assert met > 20


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_blow_of_any_mass_is_thrown_back(restitution):
    """u' = -e u, as of a wall; the impulse is in the account, (1 + e) m u."""
    small = box(0.1, 0.4, 0.4, friction=0.0, restitution=restitution)
    large = box(1.0, 1.0, 1.0, friction=0.0, restitution=restitution, density=1e5)
    bodies, state = together(
        [(small, placed(small, [0, 0, 0])), (large, placed(large, [0.6, 0, 0], velocity=[-5, 0, 0]))]
    )
    bodies, impulse = pin(bodies, 0), np.zeros(3)
    for _ in range(6):
        state, account = advance_frame(bodies, state, SPACE, DT)
        for (a, b), one in zip(account.touch_body, account.touch_impulse, strict=True):
            assert {int(a), int(b)} == {0, 1}
            impulse += one if a == 1 else -one
    np.testing.assert_array_equal(state.position[0], [0, 0, 0])
    np.testing.assert_allclose(state.velocity[1], [5 * restitution, 0, 0], rtol=0, atol=5 * SOLVED)
    np.testing.assert_allclose(
        impulse, [bodies.mass[1] * 5 * (1 + restitution), 0, 0], atol=bodies.mass[1] * 5 * SOLVED
    )


def test_account_explains_the_momentum_of_what_is_free():
    """Pieces that rush towards the middle, in flight, where some of them are pinned."""
    bodies, state = pile(20, seed=6, spacing=1.5, restitution=0.3)
    place = state.position - state.position.mean(axis=0)
    bodies, state, seen = pin(bodies, 1, 4, 9), replace(state, position=place, velocity=-2.0 * place), 0
    for _ in range(20):
        after, account = advance_frame(bodies, state, SPACE, DT)
        pushed = np.zeros((20, 3))
        np.add.at(pushed, account.touch_body[:, 0], account.touch_impulse)
        np.add.at(pushed, account.touch_body[:, 1], -account.touch_impulse)
        left = bodies.mass[:, None] * (after.velocity - state.velocity) - pushed
        size = (bodies.mass * np.linalg.norm(state.velocity, axis=1))[~bodies.pinned]
        # The energy budget may take a share of the velocities: as in `test_impulses_are_the_change_of_momentum`.
        assert (np.abs(left[~bodies.pinned]).max(axis=1) <= 2e-2 * size.max()).all()
        seen, state = seen + int(bodies.pinned[account.touch_body].any(axis=1).sum()), after
    assert seen > 5


def test_what_rests_on_it_sleeps_and_presses_with_its_weight():
    bodies, state = shelf(cube([0, 0, 0.1]), cube([0, 0, 0.3]))
    state = run(bodies, state, 6, AIR)
    _, account = advance_frame(bodies, state, AIR, DT)
    on = (account.touch_body == 0).any(axis=1)
    push = account.touch_impulse[on] * np.where(account.touch_body[on, :1] == 0, 1.0, -1.0)
    weight = bodies.mass[1:].sum() * G * DT
    np.testing.assert_allclose(push, [[0, 0, -weight]], rtol=0, atol=1e-3 * weight)
    state = run(bodies, state, 40, AIR)
    assert state.asleep.all()
    after = run(bodies, state, 5, AIR)
    for name in ALL:
        np.testing.assert_array_equal(getattr(after, name), getattr(state, name))


def test_sleepers_on_it_wake_when_they_are_hit_and_it_does_not():
    bodies, state = shelf(cube([0, 0, 0.1]))
    bodies, state = join_bodies(
        (bodies, run(bodies, state, 40, AIR)), cube([-0.8, 0, 0.1], velocity=(4, 0, 0), friction=0.0)
    )
    assert state.asleep.tolist() == [True, True, False]
    state = run(bodies, state, 6, AIR)
    assert state.position[1, 0] > 0.05
    np.testing.assert_array_equal(state.position[0], [0, 0, -0.1])


def test_a_blow_on_it_wakes_nobody_who_rests_on_it():
    bodies, state = shelf(cube([0.5, 0, 0.1]))
    state = run(bodies, state, 40, AIR)
    bodies, state = join_bodies((bodies, state), cube([0, 0, -0.5], velocity=(0, 0, 8)))
    after = run(bodies, state, 4, AIR)
    assert after.velocity[2, 2] < 0, "it did strike"
    np.testing.assert_array_equal(after.position[:2], state.position[:2])
    assert after.asleep.tolist() == [True, True, False]


@pytest.mark.parametrize("pinned_first", [True, False])
def test_let_go_it_falls_with_what_rests_on_it(pinned_first):
    """On the ground it lands, which it never met while it was pinned; so does the next one."""
    parts = [cube([0, 0, 1.1]), cube([0, 0, 1.3])]
    bodies, state = together(parts if pinned_first else parts[::-1])
    held = 0 if pinned_first else 1
    hung = run(pin(bodies, held), state, 40)
    assert hung.asleep.all()
    state = wake_bodies(hung, np.arange(2) == held)
    one, _ = advance_frame(bodies, state, FLOOR, DT)
    assert one.velocity[held, 2] == pytest.approx(-G * DT, rel=0.01)
    end = run(bodies, state, 80)
    np.testing.assert_allclose(np.sort(end.position[:, 2]), [0.1, 0.3], atol=0.002)
    assert end.asleep.all()


def test_pinned_in_the_air_again_it_stays():
    bodies, state = cube([0, 0, 2.0], velocity=(1, 0, 0))
    state = run(bodies, state, 3)
    held = run(pin(bodies, 0), state, 5)
    np.testing.assert_array_equal(held.position, state.position)
    assert not held.velocity.any()


def test_pinned_bodies_and_the_ground_are_no_pairs():
    """Deep in each other and in the ground, below something that falls on them."""
    bodies, state = together([cube([0, 0, 0]), cube([0.05, 0, 0]), cube([0, 0, 0.25])])
    state = run(pin(bodies, 0, 1), state, 4)
    assert {frozenset(pair) for pair in state.pairs.body.tolist()} >= {frozenset({0, 2}), frozenset({1, 2})}
    assert (state.pairs.body == 2).any(axis=1).all(), "no pair without the one that is free"


def test_heaps_on_one_pinned_plate_do_not_disturb_each_other():
    left, right = cube([-0.7, 0, 0.15], velocity=(0.5, 0, 0)), cube([0.7, 0.0, 0.12], 0.1, velocity=(0, 3, 0))
    alone, both = run(*shelf(left), 12, AIR), run(*shelf(left, right), 12, AIR)
    for name in ALL:
        np.testing.assert_allclose(getattr(both, name)[1], getattr(alone, name)[1], rtol=0, atol=1e-10)


def test_a_ram_that_jams_a_body_against_a_pinned_one_throws_nothing():
    """The ram has to go through: impulses are bounded as against the floor."""
    bodies, state = together([cube([0.0, 0, 0]), cube([0.2, 0, 0]), cube([0.4, 0.01, 0])])
    bodies, speed = pin(bodies, 0), 4.0
    for frame in range(6):
        x = 0.6 - speed * DT * np.array([frame, frame + 1])
        world = led(table(0.2, 0.2, 0.2), [x[0], 0, 0], [x[1], 0, 0], gravity=0.0)
        state, account = advance_frame(bodies, state, world, DT)
        assert np.linalg.norm(state.velocity, axis=1).max() < 2.0 * speed
        assert account.work < 8 * bodies.mass[1:].sum() * speed**2 / 0.1
    np.testing.assert_array_equal(state.position[0], [0, 0, 0])


def test_select_and_join_carry_it():
    bodies, state = together([cube([i, 0, 0]) for i in range(3)])
    bodies = pin(bodies, 1)
    some = select_bodies(bodies, state, np.array([1, 2]))
    assert some[0].pinned.tolist() == [True, False]
    assert join_bodies(some, select_bodies(bodies, state, np.array([0])))[0].pinned.tolist() == [True, False, False]
    assert join_bodies(select_bodies(bodies, state, np.array([0])), some)[0].pinned.tolist() == [False, True, False]
    assert not box(1, 1, 1).pinned.any()
