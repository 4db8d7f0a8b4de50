"""What a collider that cannot be stopped jams against things that hold: nothing is thrown."""

import numpy as np

from core.rigid.advance import advance_frame
from core.rigid.shapes.convex_hulls import make_convex_parts
from core.rigid.solver.gauss_seidel import REGULARISATION
from core.rigid.state import ColliderPoses, Colliders, World
from tests.core.rigid.shapes_of import CORNERS, G, box, placed
from tests.verification.motion_scenes import DT, together

SPEED = 4.6  #: of the ram [m/s]
SIDE, SPIN, LEAN = 0.2, 0.03, 0.15  #: of a brick [m], its turn, that of the posts [rad]
FRAMES = 4


def turned(angle):
    return np.array([np.cos(0.5 * angle), 0.0, 0.0, np.sin(0.5 * angle)])


def bricks_in_a_funnel():
    """Two rows of three bricks, a little askew, between two posts that lean towards each other."""
    parts = []
    for i in (-1, 0, 1):
        for j in (0, 1):
            one = box(SIDE, SIDE, SIDE, friction=0.7)
            parts.append((one, placed(one, [1.03 * i * SIDE, 1.05 * j * SIDE, 0.0], turned(SPIN * (-1) ** (i + j)))))
    return together(parts)


def posts_and_ram(frame):
    """The posts just leave room for the bricks as they stand; a ram half as wide drives them on along y."""
    post, ram = CORNERS * [1.0, 10 * SIDE, 4 * SIDE], CORNERS * [1.5 * SIDE, 2 * SIDE, 0.8 * SIDE]
    colliders = Colliders(make_convex_parts([post, post, ram]), np.arange(4), np.zeros((3, 3)))
    away = 1.6 * SIDE + 0.5
    way = np.array([[-away, 0.0, 0.0], [away, 0.0, 0.0], [0.3 * SIDE, -1.53 * SIDE, 0.0]])
    position = np.stack([way, way])
    position[:, 2, 1] += SPEED * DT * np.array([frame, frame + 1])
    turn = np.tile([turned(-LEAN), turned(LEAN), turned(0.0)], (2, 1, 1))
    return World(np.array([0.0, 0.0, -G]), None, colliders, ColliderPoses(position, turn))


def test_impulses_of_a_jam_are_bounded():
    bodies, state = bricks_in_a_funnel()
    fastest = 0.0
    # Each of the two solves in each of four substeps adds at most v / (GIVE K) = m v / GIVE to what pushes a body,
    # and so m v^2 / GIVE to the work. Without that it is three to seven times this bound here, and grows with sweeps.
    most = 8 * bodies.mass.sum() * SPEED**2 / REGULARISATION
    for frame in range(FRAMES):
        state, account = advance_frame(bodies, state, posts_and_ram(frame), DT)
        fastest = max(fastest, np.linalg.norm(state.velocity, axis=1).max())
        assert account.work < most
    # A blow without restitution gives the speed of the ram; wedges between bricks may add as much again.
    assert 0.5 * SPEED < fastest < 2.0 * SPEED
