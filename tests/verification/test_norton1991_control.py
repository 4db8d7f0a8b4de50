"""Norton et al. 1991: hiccup, sneeze, wobble (NH, NZ, NW) and steering (N21) of docs/papers/norton1991.md."""

from dataclasses import replace

import numpy as np

from core.config.material import Material
from core.continuum import CONTINUA
from core.continuum.contract import ContinuumObject, NearestSurface
from core.continuum.spring_lattice.steering import slow_settling_nodes
from core.stepwise import result_of
from core.strength.origin import Origin
from core.types import Clock, Course, Impact, Influence
from tests import shapes
from tests.spring_lattices import DOWN, Around

FPS, FRAMES = 48.0, 48
SIZE = np.array([0.08, 0.08, 0.16])
SPRINGS = CONTINUA["spring_lattice"]


def standing(*courses):
    """A block that stands on the floor."""
    body = shapes.box(high=SIZE)
    origin, clock = Origin(body, np.eye(3)), Clock(FPS, FRAMES)
    zero = np.zeros(3)
    return ContinuumObject(
        body, Material(density=1000.0), origin, (), (), zero, zero, 0.5 * SIZE, Influence(), clock, 3, courses
    )


def course(name, value, begin, end):
    values = np.ones(FRAMES)
    values[begin:end] = value
    return Course(name, values)


def played(obj, surroundings, seen):
    """What `seen` makes of the vertices (V,3) of gelatine at each stored frame."""
    params = SPRINGS.params(youngs_modulus=0.04, damping=0.05, nodes=250)
    run = SPRINGS.run.start(obj, result_of(SPRINGS.run.divide(obj, params)), params)
    for frame in range(1, FRAMES):
        result_of(run.advance(frame, surroundings(frame)))
    assert len(run.pieces) == 1, "it does not break"
    return np.array([seen(run.deform(0, obj.body.vertices, frame)) for frame in range(FRAMES)])


def on_the_floor(_frame):
    return Around(1.0 / FPS, DOWN, floor=0.0)


def height(points):
    return points[:, 2].min()


def test_a_hiccup_lifts_it_off_the_floor():
    # NH: five times gravity for 0.1 s, then once.
    lowest = played(standing(course("gravity_scale", 5.0, 8, 13)), on_the_floor, height)
    assert lowest[:13].max() <= 1e-9, "it is pressed down"
    assert lowest[13:].max() > 0.01 * SIZE[2]


def test_a_sneeze_throws_it_up():
    # NZ: a hundredth of the stiffness for 0.3 s; upward faster than it moves without that.
    middle = [
        played(standing(*courses), on_the_floor, lambda points: points[:, 2].mean())
        for courses in ((course("stiffness_scale", 0.01, 8, 22),), ())
    ]
    thrown, usual = (np.diff(heights[21:]).max() * FPS for heights in middle)
    assert thrown > 0.0 and thrown > 2.0 * usual


class Ball(Around):
    """A floor, and a ball of a radius whose middle moves along x, each frame at one speed."""

    def __init__(self, start, speed, radius):
        super().__init__(1.0 / FPS, DOWN, floor=0.0)
        object.__setattr__(self, "ball", (np.array(start), np.array([speed, 0.0, 0.0]), radius))

    def find_nearest(self, points, share):
        floor, (start, velocity, radius) = super().find_nearest(points, share), self.ball
        away = points - (start + share * self.dt * velocity)
        far = np.linalg.norm(away, axis=1)
        nearer = far - radius < floor.distance
        normal = np.where(nearer[:, None], away / far[:, None], floor.normal)
        speed = np.where(nearer[:, None], velocity, floor.velocity)
        return NearestSurface(np.where(nearer, far - radius, floor.distance), normal, speed)


def test_a_hidden_ball_makes_it_wobble():
    # NW: pushed by 2 cm near its top, it leans to one side and to the other, and does not break.
    radius, speed, begin, turn = 0.02, 0.3, 4, 7

    def around(frame):
        steps = min(frame - 1, turn) - begin, max(frame - 1 - turn, 0)  # in, and out again
        way = (max(steps[0], 0) - min(steps[1], turn - begin)) * speed / FPS
        now = speed * ((begin < frame <= turn) - (turn < frame <= 2 * turn - begin))
        return Ball([-0.022 + way, 0.5 * SIZE[1], 0.13], now, radius)

    top = shapes.box(high=SIZE).vertices[:, 2] > 0.0
    tilt = played(standing(), around, lambda points: points[top, 0].mean() - points[~top, 0].mean())
    after = tilt[2 * turn - begin :]
    assert tilt.max() > 0.02 * SIZE[2], "it is pushed"
    crossings = np.flatnonzero(np.diff(np.sign(after)))
    assert len(crossings) >= 2


def led(rate, goal, frames=FRAMES):
    """Where the middle of a block is that is steered in the air, at each frame, and how far it bends at the most."""
    obj = standing(Course("steering", np.full(FRAMES, rate)))
    params = SPRINGS.params(youngs_modulus=0.04, nodes=250, goal=goal)
    run = SPRINGS.run.start(obj, result_of(SPRINGS.run.divide(obj, params)), params)
    corners = obj.body.vertices
    places = [corners]
    for frame in range(1, frames):
        result_of(run.advance(frame, Around(1.0 / FPS)))
        places.append(run.deform(0, corners, frame))
    shape = [place - place.mean(axis=0) for place in places]
    return np.array([place.mean(axis=0) for place in places]), max(np.abs(one - shape[0]).max() for one in shape)


def test_what_is_steered_goes_to_its_goal_and_does_not_bend():
    # N21: critically damped, 1 - (1 + w t) exp(-w t) of the way after t, by steps of a frame so to the order of w dt.
    # Forces are alike for all nodes, so it does not bend beyond the round-off of its way.
    goal, rate, t = np.array([0.3, -0.2, 0.5]), 4.0, np.arange(FRAMES) / FPS
    middle, bent = led(rate, tuple(goal.tolist()))
    share = (middle - middle[0]) / goal
    assert (np.diff(share, axis=0) > 0.0).all()
    expected = np.tile((1.0 - (1.0 + rate * t) * np.exp(-rate * t))[:, None], 3)
    np.testing.assert_allclose(share, expected, atol=0.5 * rate / FPS)
    assert bent < 1e-9


def test_what_is_steered_as_fast_as_can_be_stays_at_its_goal():
    share = (led(1000.0, (0.0, 0.0, 0.5))[0][:, 2] - 0.5 * SIZE[2]) / 0.5
    assert share.max() < 1.1 and np.abs(share[12:] - 1.0).max() < 0.01


def test_what_hardly_moves_comes_to_rest_and_what_flies_does_not_notice():
    rng = np.random.default_rng(2)
    velocity = rng.normal(0.0, 1.0, (50, 3))
    speed = np.linalg.norm(velocity, axis=1)
    after = np.linalg.norm(slow_settling_nodes(velocity, 1.0, 1.0 / FPS), axis=1)
    assert (after <= speed).all()
    np.testing.assert_array_equal(after[speed >= 1.0], speed[speed >= 1.0])
    assert (after[speed < 1.0] < speed[speed < 1.0]).all()
    left = rest = velocity[:1] * 1e-3
    for _ in range(int(FPS)):
        rest = slow_settling_nodes(rest, 1.0, 1.0 / FPS)
    # A second at 20 a second, where speeds are a thousandth of the limit.
    np.testing.assert_allclose(rest, left * np.exp(-20.0), rtol=1e-4)


def swings(settles):
    """The energy of motion [J] of a standing block that is struck, at each frame, and where its corners end."""
    blow = Impact(np.array([0.0, 0.04, 0.14]), np.array([1.0, 0.0, 0.0]), 1.0, 0.5, 0.05, 0.0)
    obj = replace(standing(), impacts=(blow,))
    params = SPRINGS.params(youngs_modulus=0.04, damping=0.05, nodes=250, settles=settles)
    run = SPRINGS.run.start(obj, result_of(SPRINGS.run.divide(obj, params)), params)
    energy = []
    for frame in range(1, FRAMES):
        result_of(run.advance(frame, on_the_floor(frame)))
        energy.append(run.energy()[0])
    return np.array(energy), run.deform(0, obj.body.vertices, FRAMES - 1)


def test_a_thing_that_settles_comes_to_rest_sooner_and_where_it_would_have():
    (free, end), (settled, still), (hardly, _) = (swings(limit) for limit in (0.0, 0.2, 1e-6))
    # What is slower than a limit of a micrometre a second has no energy that is seen beside that of the blow.
    np.testing.assert_allclose(hardly, free, rtol=1e-3, atol=1e-6 * free[0])
    assert free[-1] > 1e-3 * free[0], "without it still swings"
    assert settled[-1] < 1e-3 * free[-1]
    # It stands where the other one swings about: by a hundredth of its height at the end.
    assert np.abs(still - end).max() < 0.01 * SIZE[2]
