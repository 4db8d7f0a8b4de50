"""Contacts of simple shapes that can be worked out by hand."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from core.rigid.records import EDGE_PAIR
from tests.core.rigid.parts import CUBE, bodies_of, pairs_of, parts_of, touched

SLOP = 1e-4


def one_pair(a, b, turns, origins, margin=0.01, slop=SLOP):
    return touched(parts_of(a, b), bodies_of(turns, origins), pairs_of([[0, 1]]), margin, slop)[0]


def about(axis, degrees):
    return Rotation.from_euler(axis, degrees, degrees=True).as_matrix()


@pytest.mark.parametrize("gap", [-0.003, 0.004])
def test_crossed_edges_meet_in_one_point(gap):
    # Two cubes, each standing on an edge, the upper one across: their edges are sqrt(1/2) from their centres.
    turns = [about("x", 45), about("y", 45)]
    pair = one_pair(CUBE, CUBE, turns, [[0, 0, 0], [0.1, -0.2, np.sqrt(2) + gap]])
    assert pair.axis[0] == EDGE_PAIR
    assert pair.count == 1
    assert np.abs(pair.normal - [0, 0, -1]).max() < 1e-14
    assert abs(pair.gap[0] - gap) < 1e-14
    assert np.abs(pair.point[0, :, :2] - [0.1, 0.0]).max() < 1e-14
    assert np.abs(pair.point[0, 0, 2] - np.sqrt(0.5)) < 1e-14


@pytest.mark.parametrize("gap", [-0.003, 0.004])
@pytest.mark.parametrize("floor", [2.0, 1e4])
def test_a_corner_on_a_face(gap, floor):
    # The floor's top is z = 0; a cube stands on a corner, sqrt(3)/2 below its centre.
    corner = CUBE @ Rotation.align_vectors([[0, 0, -1]], [[1, 1, 1]])[0].as_matrix().T
    base = CUBE * floor - [0, 0, floor / 2]
    for swap in (False, True):
        clouds, origins = [corner, base], [[0.2, 0.3, np.sqrt(3) / 2 + gap], [0, 0, 0]]
        if swap:
            clouds, origins = clouds[::-1], origins[::-1]
        pair = one_pair(*clouds, [np.eye(3)] * 2, origins)
        assert pair.count == 1
        # Distances are rounded at the size of the floor.
        assert abs(pair.gap[0] - gap) < 1e-15 * floor + 1e-14
        assert np.abs(pair.point[0, :, :2] - [0.2, 0.3]).max() < 1e-15 * floor + 1e-14
        assert np.abs(pair.normal - [0, 0, -1 if swap else 1]).max() < 1e-14


@pytest.mark.parametrize("floor", [2.0, 1e4])
def test_a_box_stands_on_four_corners(floor):
    pair = one_pair(CUBE, CUBE * floor - [0, 0, floor / 2], [about("z", 30), np.eye(3)], [[0.1, 0, 0.5], [0, 0, 0]])
    assert pair.count == 4
    expected = CUBE[CUBE[:, 2] < 0, :2] @ about("z", 30)[:2, :2].T + [0.1, 0]
    assert np.linalg.norm(pair.point[:4, 0, None, :2] - expected, axis=2).min(0).max() < 1e-2 * SLOP
    assert np.abs(pair.gap[:4]).max() < 1e-15 * floor + 1e-14


def icosphere():
    golden = (1 + np.sqrt(5)) / 2
    corner = np.array([[0, s, t * golden] for s in (-1, 1) for t in (-1, 1)])
    corner = np.concatenate([np.roll(corner, k, axis=1) for k in range(3)])
    length = np.linalg.norm(corner[:, None] - corner, axis=2)
    i, j = np.nonzero(np.triu(np.abs(length - 2) < 1e-9))
    points = np.concatenate([corner, corner[i] + corner[j]])
    return points / np.linalg.norm(points, axis=1)[:, None]


@pytest.mark.parametrize("seed", range(10))
def test_a_ball_meets_a_floor_with_all_corners_within_the_margin(seed):
    turn = Rotation.random(random_state=seed).as_matrix()
    ball = icosphere() @ turn.T
    low = ball[:, 2].min()
    for margin in (0.02, 0.1):
        near = ball[ball[:, 2] - low <= margin]
        for swap in (False, True):
            clouds, origins = [icosphere(), CUBE * 20 - [0, 0, 10]], [[0.3, 0.2, -low], [0, 0, 0]]
            turns = [turn, np.eye(3)]
            if swap:
                clouds, origins, turns = clouds[::-1], origins[::-1], turns[::-1]
            pair = one_pair(*clouds, turns, origins, margin)
            points = pair.point[: pair.count, int(swap)] - [0.3, 0.2, -low]
            found = np.linalg.norm(points[:, None] - near, axis=2).min(0) < 1e-9
            assert found.sum() == min(len(near), 8)


def glued(other=CUBE * 0.5):
    """Two cubes side by side as one body, each adjacent to the other, and another part: a smaller cube."""
    shapes = parts_of(CUBE, CUBE + np.array([1, 0, 0]), other)
    for part, axis in ((0, 1.0), (1, -1.0)):
        first, last = shapes.parts[part]["face"]
        shapes.faces.setflags(write=True)
        for k in range(first, last):
            if shapes.faces[k]["normal"][0] * axis > 0.5:
                shapes.faces[k]["adjacent"] = 1 - part
    return shapes


def test_a_face_with_a_mate_is_no_surface():
    shapes = glued()
    # The small cube slides over the seam at x = 0.5: it is no step.
    for x in np.linspace(0.0, 1.0, 41):
        for height in (-0.003, 0.0, 0.002):
            bodies = bodies_of([np.eye(3)] * 2, [[0, 0, 0], [x, 0, 0.75 + height]])
            pairs = pairs_of([[0, 2], [1, 2]], [[0, 1], [0, 1]])
            touched(shapes, bodies, pairs, 0.01, SLOP, owner=[0, 0, 1])
            assert pairs.count.sum() >= 4
            for pair in pairs:
                if pair.count:
                    assert np.abs(pair.normal - [0, 0, -1]).max() < 1e-14
                    assert np.abs(pair.gap[: pair.count] - height).max() < 1e-14


@pytest.mark.parametrize(("floor", "thick"), [(4.0, 4.0), (4.0, 0.6), (1e4, 1e4)])
@pytest.mark.parametrize("height", [-0.003, 0.0, 0.2])
@pytest.mark.parametrize("degrees", [6, 20, 45])
@pytest.mark.parametrize("swap", [False, True])
def test_a_corner_that_a_mate_covers_is_never_taken_for_one_deep_in_the_floor(floor, thick, height, degrees, swap):
    # Tilted, the second cube is the lower one and covers the lowest corners of the first, within the margin of a fall.
    # The floor's top does not count for these; its sides and its bottom lie far above, and must not count instead.
    shapes, turn = glued(CUBE * [floor, floor, thick] - [0, 0, thick / 2]), about("y", degrees)
    lowest = [((CUBE + np.array([x, 0, 0])) @ turn.T)[:, 2].min() for x in (0, 1)]
    bodies = bodies_of([turn, np.eye(3)], [[0, 0, height - lowest[1]], [0, 0, 0]])
    pairs = pairs_of([[0, 2], [1, 2]], [[0, 1], [0, 1]])
    if swap:
        bodies, owner = bodies_of([np.eye(3), turn], [[0, 0, 0], [0, 0, height - lowest[1]]]), [1, 1, 0]
        pairs = pairs_of([[2, 0], [2, 1]], [[0, 1], [0, 1]])
    touched(shapes, bodies, pairs, 1.0, SLOP, owner=owner if swap else [0, 0, 1])
    assert pairs.count[1] > 0
    # Distances are rounded at the size of the floor.
    assert abs(pairs.gap[1, : pairs.count[1]].min() - height) < 1e-15 * floor + 1e-14
    assert pairs.gap[0, : pairs.count[0]].min(initial=0.0) >= -SLOP


def test_a_face_whose_mate_has_left_is_a_surface():
    shapes = glued()
    bodies = bodies_of([np.eye(3)] * 3, [[0, 0, 0], [0, 0, 0], [0.75, 0, 0]])
    pairs = pairs_of([[0, 2]], [[0, 2]])
    touched(shapes, bodies, pairs, 0.01, SLOP, owner=[0, 1, 2])
    assert pairs.count[0] == 4
    assert np.abs(pairs.normal[0] - [-1, 0, 0]).max() < 1e-14


def test_a_face_with_a_mate_proves_that_parts_are_apart():
    shapes = glued()
    bodies = bodies_of([np.eye(3)] * 2, [[0, 0, 0], [0.5 + 0.25 + 0.02, 0, 0]])
    pairs = pairs_of([[0, 2]], [[0, 1]])
    touched(shapes, bodies, pairs, 0.01, SLOP, owner=[0, 0, 1])
    assert pairs.count[0] == 0
    assert pairs.axis[0, 0] > 0
