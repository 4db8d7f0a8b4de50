"""Bodies of different materials: who slides how far, who bounces how high, and what two of them do to each other."""

import numpy as np
import pytest

from core.rigid import MOTIONS
from core.rigid.state import select_bodies
from core.stepwise import result_of
from tests.core.rigid.shapes_of import G, box, placed
from tests.rigid_bodies import join_bodies
from tests.verification.motion_scenes import DT, SPACE, run, together

# The sweeps end when a row changes by less than 1 % of the approach; points of two faces converge at 1/10 or faster.
SOLVED = 1e-3
METHODS = [method for method in MOTIONS if method.id != "still"]


def moved(method, bodies, state, frames, world):
    for _ in range(frames):
        state, _ = result_of(method.run(bodies, state, world, DT, method.params()))
    return state


def crash(friction, restitution, slide=0.0):
    """Two boxes, one of which hits the other one within the first substep."""
    a, b = (box(0.2, 0.2, 0.2, friction=mu, restitution=e) for mu, e in zip(friction, restitution, strict=True))
    return together([(a, placed(a, [0, 0, 0], velocity=[3, slide, 0])), (b, placed(b, [0.21, 0, 0]))])


def test_one_number_is_that_of_all_bodies():
    one = box(0.1, 0.1, 0.1, friction=0.3, restitution=0.7)
    assert one.friction.tolist() == [0.3] and one.restitution.tolist() == [0.7]


def test_rows_go_with_their_bodies():
    parts = [box(0.1, 0.1, 0.1, friction=mu, restitution=e) for mu, e in ((0.1, 0.9), (0.2, 0.8), (0.3, 0.7))]
    bodies, state = together((one, placed(one, [i, 0, 0])) for i, one in enumerate(parts))
    some, part = select_bodies(bodies, state, np.array([0, 2]))
    assert some.friction.tolist() == [0.1, 0.3] and some.restitution.tolist() == [0.9, 0.7]
    whole, _ = join_bodies((some, part), select_bodies(bodies, state, np.array([1])))
    assert whole.friction.tolist() == [0.1, 0.3, 0.2] and whole.restitution.tolist() == [0.9, 0.7, 0.8]


def test_each_body_slides_on_the_ground_by_its_own_friction():
    """v^2 / (2 mu g)."""
    v, mu = 2.0, np.array([0.2, 0.4, 0.8])
    parts = [box(0.4, 0.4, 0.1, friction=one) for one in mu]
    bodies, state = together((one, placed(one, [0, 2 * i, 0.05], velocity=[v, 0, 0])) for i, one in enumerate(parts))
    end = run(bodies, state, 48)
    # First order in time: the first substep brakes as a whole, at most v h = 1 % of the shortest way.
    np.testing.assert_allclose(end.position[:, 0], v * v / (2 * mu * G), rtol=0.03)


def test_each_body_leaves_the_ground_by_its_own_restitution():
    """Newton: e u, whatever lands beside it."""
    e = np.array([0.0, 0.4, 0.9])
    u = 4.0
    parts = [box(0.4, 0.4, 0.02, friction=0.0, restitution=one) for one in e]
    bodies, state = together((one, placed(one, [0, 2 * i, 0.06], velocity=[0, 0, -u])) for i, one in enumerate(parts))
    end = run(bodies, state, 1)
    fall = np.sqrt(u * u + 2 * G * 0.05)
    # When it strikes is known to a substep, a quarter of a frame: so is how long gravity acted before and after.
    flown = e > 0
    left, close = e * fall - G * (DT - (fall - u) / G), (1 + e) * G * DT / 4
    assert (np.abs(end.velocity[flown, 2] - left[flown]) <= close[flown]).all()
    assert abs(end.velocity[0, 2]) < SOLVED * fall


@pytest.mark.parametrize(("of_a", "of_b"), [(0.3, 0.3), (0.25, 1.0), (0.0, 1.0), (0.9, 0.1)])
def test_two_bodies_bounce_by_the_mean_of_their_restitutions(of_a, of_b):
    """Central: u' = -sqrt(e_a e_b) u."""
    end = run(*crash((0.0, 0.0), (of_a, of_b)), 6, SPACE)
    left = end.velocity[1, 0] - end.velocity[0, 0]
    assert left == pytest.approx(3.0 * np.sqrt(of_a * of_b), abs=3.0 * SOLVED)


@pytest.mark.parametrize("method", METHODS, ids=[method.id for method in METHODS])
def test_two_materials_do_what_one_of_their_means_does(method):
    """By the same bits: sqrt(x x) = x."""
    mu, e = (0.25, 0.6), (0.9, 0.3)
    both, mean = crash(mu, e, 1.0), crash((np.sqrt(mu[0] * mu[1]),) * 2, (np.sqrt(e[0] * e[1]),) * 2, 1.0)
    none = crash((0.0, 0.0), (0.0, 0.0), 1.0)
    both, mean, none = (moved(method, *one, 2, SPACE).velocity for one in (both, mean, none))
    np.testing.assert_array_equal(both, mean)
    assert np.abs(both - none).max() > 0.1


@pytest.mark.parametrize(("of_a", "of_b"), [(0.3, 0.3), (0.1, 0.9), (0.0, 1.0)])
def test_two_bodies_rub_by_the_mean_of_their_frictions(of_a, of_b):
    """A block on a sledge that is too heavy to be moved: it is braked by sqrt(mu_a mu_b) g."""
    sledge, block = box(6.0, 2.0, 1.0, friction=of_a, density=2.5e8), box(0.4, 0.4, 0.1, friction=of_b)
    v, frames = 1.0, 4
    bodies, state = together(
        [(sledge, placed(sledge, [0, 0, 0.5])), (block, placed(block, [0, 0, 1.05], velocity=[v, 0, 0]))]
    )
    end = run(bodies, state, frames)
    braked = np.sqrt(of_a * of_b) * G * frames * DT
    assert end.velocity[1, 0] == pytest.approx(v - braked, abs=SOLVED * v + 0.01 * braked)
