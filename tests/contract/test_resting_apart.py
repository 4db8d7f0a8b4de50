"""Convex pieces that have come to rest do not overlap: not each other, not those of another object, not the ground.

How far two hulls overlap is found by a linear program over their planes, from nothing that moves them. What rests may
overlap by what the solver lets it sink while it has no energy to be lifted by, see `SUNK`. What still moves at the end
may overlap more, so such pairs are few.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull

from core.rigid.advance import advance_frame
from tests.core.rigid.shapes_of import FLOOR, box, matrix_of, placed
from tests.verification.motion_scenes import DT, ball, energies, pieces_of_box, scales, stack, together

SUNK = 1e-5  # in radii of the smaller piece
FEW = 2  # pairs of which one moves
FRAMES = 60
ROUND_OFF = 1e-12


def raised(part, height):
    """The same bodies, so much higher [m]."""
    bodies, state = part
    return bodies, replace(state, position=state.position + np.array([0.0, 0.0, height]))


def struck(parts, speed=4.0, reach=0.6):
    """All of the bodies, those near the middle of the joint in front of them thrown backwards."""
    bodies, state = together(parts)
    away = np.linalg.norm(state.position - [0.0, -0.5, 1.0], axis=1)
    thrown = speed * np.maximum(0.0, 1.0 - away / reach)[:, None] * np.array([0.0, 1.0, 0.1])
    return bodies, replace(state, velocity=thrown)


def two_boxes(seed, gap=0.0, size=(1.0, 1.0, 1.0), count=12):
    """One upon the other, both in pieces, and struck at the joint between them."""
    below = pieces_of_box(12, seed, size=(1.0, 1.0, 1.0))
    return struck([below, raised(pieces_of_box(count, seed + 100, size=size), 1.0 + gap)])


def three_boxes(seed):
    return struck([raised(pieces_of_box(8, seed + k, size=(1.0, 1.0, 1.0)), k) for k in range(3)])


def ball_on_box(seed):
    whole = ball(0.4)
    return struck([pieces_of_box(12, seed, size=(1.0, 1.0, 1.0)), (whole, placed(whole, [0.0, 0.0, 1.4]))])


def box_on_pieces(seed):
    """A box which nothing has cut."""
    whole = box(0.8, 0.6, 0.5)
    return struck([pieces_of_box(12, seed, size=(1.0, 1.0, 1.0)), (whole, placed(whole, [0.1, 0.0, 1.25]))])


SCENES = {
    **{f"two boxes {seed}": (two_boxes, seed) for seed in range(1, 4)},
    "two boxes with a gap": (lambda seed: two_boxes(seed, gap=0.05), 2),
    "two boxes of two sizes": (lambda seed: two_boxes(seed, size=(0.7, 0.5, 0.4), count=6), 3),
    "three boxes": (three_boxes, 1),
    "ball on a box": (ball_on_box, 2),
    "box on pieces": (box_on_pieces, 3),
    "stack": (lambda _: stack(6), 0),
    "falling stack": (lambda _: stack(6, gap=0.1), 0),
}


def hulls_of(bodies, state):
    """The corners of each body where it is; each has one part."""
    for k, (begin, end) in enumerate(bodies.shapes.parts.vertex[bodies.part]):
        arm = bodies.shapes.vertices[begin:end] - bodies.centre[k]
        yield arm @ matrix_of(state.rotation[k]).T + state.position[k]


def shared(planes):
    """Diameter of the largest ball within all planes (n,4); negative where nothing is within all of them [m]."""
    system = np.column_stack([planes[:, :3], np.ones(len(planes))])  # n.x + r <= -offset
    return 2.0 * linprog([0, 0, 0, -1], A_ub=system, b_ub=-planes[:, 3], bounds=[(None, None)] * 4).x[3]


def overlaps_of(bodies, state):
    """(P,) how far near pairs overlap, in radii, and whether both of each sleep; with the ground as well."""
    corners = list(hulls_of(bodies, state))
    planes = [ConvexHull(some).equations for some in corners]
    deep, calm = [], []
    for k, some in enumerate(corners):
        deep.append(-some[:, 2].min() / bodies.radius[k])
        calm.append(state.asleep[k])
        for j in range(k):
            if (some.min(axis=0) < corners[j].max(axis=0)).all() and (corners[j].min(axis=0) < some.max(axis=0)).all():
                deep.append(shared(np.concatenate([planes[k], planes[j]])) / min(bodies.radius[[k, j]]))
                calm.append(state.asleep[k] and state.asleep[j])
    return np.array(deep), np.array(calm)


@pytest.mark.parametrize("name", SCENES)
def test_pieces_rest_on_each_other_and_not_in_each_other(name):
    make, seed = SCENES[name]
    bodies, state = make(seed)
    before = energies(bodies, state, FLOOR.gravity).sum()
    for _ in range(FRAMES):
        state, _ = advance_frame(bodies, state, FLOOR, DT)
        now = energies(bodies, state, FLOOR.gravity).sum()
        assert now <= before + ROUND_OFF * scales(bodies, state, FLOOR.gravity).sum()
        before = now
    deep, calm = overlaps_of(bodies, state)
    assert np.count_nonzero(calm) > 4
    assert deep[calm].max() <= SUNK
    assert np.count_nonzero(deep > SUNK) <= FEW


def test_a_light_block_slides_on_a_heavy_one_that_the_solver_lets_sink():
    """Its friction brakes it by mu g, whatever lifts the heavy one by a part of a micrometre: 7e7 times its mass."""
    heavy, block = box(6.0, 2.0, 1.0, density=2.5e8), box(0.4, 0.4, 0.1, friction=0.2)
    bodies, state = together(
        [(heavy, placed(heavy, [0, 0, 0.5])), (block, placed(block, [0, 0, 1.05], velocity=[2.0, 0, 0]))]
    )
    for _ in range(6):
        state, _ = advance_frame(bodies, state, FLOOR, DT)
    braked = np.sqrt(0.5 * 0.2) * 9.81 * 6 * DT
    assert state.velocity[1, 0] == pytest.approx(2.0 - braked, rel=0.01)
