"""Where contacts pressed, as the account of a frame says it: points of the bodies, at the time of the hit."""

from dataclasses import replace

import numpy as np
import pytest

from core.rigid import MOTIONS
from core.rigid.advance import advance_frame
from core.rigid.state import World
from core.stepwise import result_of
from core.types import Ground
from tests.core.rigid.shapes_of import CORNERS, G, box, matrix_of, placed
from tests.rigid_bodies import rotate_quaternions
from tests.verification.motion_scenes import DT, FLOOR, SPACE, pile, run, speeds, together, turns

SIDE, HEIGHT = 0.2, 0.3  #: of the cube, of the ground [m]
SUBSTEP = DT / 4  #: the longest one [s]
HIT = 0.9 * DT  #: when the first corner arrives [s]
APART = 0.4 * SIDE  #: how far the second one is from the plane then [m]: no way for two substeps at these speeds


class Flight:
    """A cube that spins and falls onto the plane z = 0: it turns evenly about any axis, so all of it is known."""

    def __init__(self, seed, gravity):
        rng = np.random.default_rng(seed)
        self.gravity = np.array([0.0, 0.0, -gravity])
        self.spin, self.velocity = rng.normal(size=3) * 4.0, np.append(rng.normal(size=2), -3.0)
        self.start, high = np.zeros(3), np.zeros(8)
        while np.sort(high)[1] - high.min() < APART:
            self.turn = rng.normal(size=4)
            self.turn /= np.linalg.norm(self.turn)
            high = self.corners(HIT)[:, 2]
        self.first = int(np.argmin(high))
        self.start = np.array([0.1, -0.2, -self.corners(HIT)[self.first, 2]])

    def at(self, t):
        """Position (3,) and rotation matrix."""
        q = rotate_quaternions(self.turn[None], t * self.spin[None])[0]
        return self.start + t * self.velocity + 0.5 * t * t * self.gravity, matrix_of(q)

    def corners(self, t):
        position, R = self.at(t)
        return position + SIDE * CORNERS @ R.T

    def fastest(self):
        """Of any point, until the hit [m/s]."""
        return np.linalg.norm(self.velocity) + HIT * G + np.linalg.norm(self.spin) * SIDE

    def body(self, **more):
        one = box(SIDE, SIDE, SIDE, **more)
        return one, placed(one, self.start, self.turn, self.velocity, self.spin)


# Su's impulses act on where the bodies will be a step ahead: that is when they would overlap, up to a step later.
ways = pytest.mark.parametrize(("name", "steps"), [("rigid", 1), ("su", 2)])


@ways
@pytest.mark.parametrize("seed", range(6))
def test_a_cube_hits_the_ground_with_its_corner(name, steps, seed):
    flight = Flight(seed, G)
    bodies, state = flight.body()
    state = replace(state, position=state.position + np.array([0.0, 0.0, HEIGHT]))
    motion = MOTIONS[name]
    world = World(flight.gravity, Ground(HEIGHT))
    _, account = result_of(motion.run(bodies, state, world, DT, motion.params()))
    assert account.touch_body.tolist() == [[0, 1]]
    # A corner that meets a plane is itself the point, to round-off.
    np.testing.assert_allclose(account.touch_anchor[0, 0], SIDE * CORNERS[flight.first], rtol=0, atol=1e-9)
    # The ground's own axes begin at its height. The corner goes by no more than its speed allows.
    away = account.touch_anchor[0, 1] - flight.corners(HIT)[flight.first]
    assert np.linalg.norm(away) <= steps * SUBSTEP * flight.fastest()


@ways
@pytest.mark.parametrize("seed", range(6))
def test_a_cube_hits_a_plate_with_its_corner(name, steps, seed):
    """The plate, lifted and turned, waits with its upper face in the plane z = 0."""
    flight = Flight(seed, 0.0)
    plate = box(3.0, 3.0, 0.5)
    q = np.array([np.cos(0.4), 0.0, 0.0, np.sin(0.4)])
    bodies, state = together([flight.body(), (plate, placed(plate, [0.1, 0.3, -0.25], q))])
    motion = MOTIONS[name]
    _, account = result_of(motion.run(bodies, state, SPACE, DT, motion.params()))
    assert account.touch_body.tolist() == [[0, 1]]
    np.testing.assert_allclose(account.touch_anchor[0, 0], SIDE * CORNERS[flight.first], rtol=0, atol=1e-9)
    where = [0.1, 0.3, -0.25] + matrix_of(q) @ account.touch_anchor[0, 1]
    assert np.linalg.norm(where - flight.corners(HIT)[flight.first]) <= steps * SUBSTEP * flight.fastest()


def test_what_rests_presses_below_its_centre():
    """The points of a face share the weight so that it turns nothing."""
    one = box(0.4, 0.3, 0.2)
    end = run(one, placed(one, [3.0, -2.0, 0.1]), 12)
    end = replace(end, quiet=np.zeros(1))
    _, account = advance_frame(one, end, FLOOR, DT)
    np.testing.assert_allclose(account.touch_anchor[0, 0], [0, 0, -0.1], rtol=0, atol=1e-3)
    np.testing.assert_allclose(account.touch_anchor[0, 1], [3, -2, 0], rtol=0, atol=1e-3)


def test_both_sides_of_all_spots_of_a_pile_meet():
    """Pieces whose centres are not at their origins; within a frame they go no further than their speeds allow."""
    bodies, state = pile(20, seed=3, restitution=0.3)
    seen = 0
    for _ in range(30):
        after, account = advance_frame(bodies, state, FLOOR, DT)
        fast = np.append(np.maximum(speeds(bodies, state), speeds(bodies, after)) + G * DT, 0.0)
        place, R = np.vstack([after.position, np.zeros(3)]), np.concatenate([turns(after), np.eye(3)[None]])
        centre, radius = np.vstack([bodies.centre, np.zeros(3)]), np.append(bodies.radius, 0.0)
        pair = account.touch_body
        world = place[pair] + np.einsum("tsij,tsj->tsi", R[pair], account.touch_anchor - centre[pair])
        away = np.linalg.norm(world[:, 0] - world[:, 1], axis=1)
        # Contacts are kept while they slide by less than 0.005 radii, and take overlaps of some 0.01 as they are.
        assert (away <= DT * fast[pair].sum(axis=1) + 0.02 * radius[pair].max(axis=1)).all()
        # On the bodies: a point of a body is no further from its centre than its farthest corner.
        free = np.linalg.norm(account.touch_anchor[:, 0] - bodies.centre[pair[:, 0]], axis=1)
        assert (free <= 1.02 * bodies.radius[pair[:, 0]]).all()
        seen, state = seen + len(pair), after
    assert seen > 200
