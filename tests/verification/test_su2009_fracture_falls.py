"""Things that stay whole until something happens: a pane in flight, a statue, a wall hit three times, a bridge."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from core.arithmetic.small_matrices import rotation_matrices
from core.types import Clock, Impact
from tests import shapes
from tests.verification.fracture_scenes import (
    GRAVITY,
    WALL,
    ball,
    broken,
    corners,
    counts,
    extruded,
    first_break,
    item,
    last,
    led_ball,
    moved,
    settings,
)


@pytest.fixture(scope="module")
def pane():
    """Thrown with spin; it meets the floor in the second half of the clock."""
    shape = shapes.box((-0.4, -0.01, -0.3), (0.4, 0.01, 0.3))
    chosen = settings("radial", "impact_factor", layout={"count": 30}, how={"durability": 0.01, "locality": 1.0})
    chosen = replace(chosen, breakable=replace(chosen.breakable, speed=2.0, generations=1))
    thrown = {"velocity": np.array([1.0, 0.0, 1.0]), "spin": np.array([2.0, 3.0, 1.0]), "clock": Clock(24.0, 18)}
    return broken(item("Pane", shape, chosen, (0, 0, 1.2), **thrown))[0]


def test_a_thrown_pane_stays_whole_until_the_floor(pane):
    met = first_break(pane)
    assert 6 < met < 18
    assert counts(pane)[:met].tolist() == [1] * met and counts(pane)[met] > 5
    # It met the floor on the way to that frame: before, all of it was above; the floor is at 0, the pane's zero at 1.2.
    assert min(corners(pane, 0, s)[:, 2].min() for s in range(met)) > -1.2


def test_its_flight_is_free_of_forces(pane):
    # Schemes of first order would miss the parabola by g dt t/2: ours is exact for constant forces.
    met, time = first_break(pane), pane.motion.time[: first_break(pane), None]
    expected = pane.fragments.centre[0] + time * [1.0, 0.0, 1.0] + 0.5 * time**2 * GRAVITY
    np.testing.assert_allclose(pane.motion.position[:met, 0], expected, atol=1e-12)
    # The energy of its rotation stays, and so does its angular momentum: the spin of no symmetric body.
    turning = pane.motion.energy[:met, 1]
    np.testing.assert_allclose(turning, turning[0], rtol=1e-9)


def test_its_pieces_start_where_it_was(pane):
    # In the frame in which it breaks they have gone on for no more than that frame.
    met = first_break(pane)
    turn = rotation_matrices(pane.motion.rotation[met - 1, 0][None])[0]
    born = np.flatnonzero(pane.fracture.birth == met)
    arm = (pane.fragments.centre[born] - pane.fragments.centre[0]) @ turn.T
    away = np.linalg.norm(pane.motion.position[met, born] - pane.motion.position[met - 1, 0] - arm, axis=1)
    speed = np.linalg.norm(GRAVITY * met / 24.0 + [1.0, 0.0, 1.0]) + 0.5 * np.linalg.norm([2.0, 3.0, 1.0])
    assert away.max() < 1.5 * speed / 24.0  # the bounce of the first ones pushes the others


def test_a_statue_breaks_at_the_frame_of_its_impact_and_not_before():
    clock, frame = Clock(24.0, 9), 5
    blow = Impact(np.array([0.3, 0.0, 0.2]), np.array([0.0, 0.0, -1.0]), 1.0, 3.0, 0.0, frame / 24.0)
    chosen = settings("voronoi", "impact_factor", layout={"count": 25}, stands=True)
    statue = shapes.moved(shapes.torus(0.3, 0.1, 20, 12), np.array([0.0, 0.0, 0.1]))
    (result,) = broken(item("Statue", statue, chosen, clock=clock, impacts=(blow,)))
    assert first_break(result) == frame
    assert counts(result)[:frame].tolist() == [1] * frame and counts(result)[frame] > 5
    assert moved(result, frame - 1, [0]) == 0.0


AIMED = ((-0.8, 0.6), (0.0, 0.45), (0.8, 0.7))
#: Balls of 7 cm start so far in front of the middle of a wall of 10 cm [m], and fly at 6 m/s.
AHEAD = (0.25, 0.75, 1.25)
#: Where they meet the wall, for they fall on the way.
HITS = tuple(
    (x, z - 0.5 * 9.81 * ((ahead - 0.05 - 0.07) / 6.0) ** 2) for (x, z), ahead in zip(AIMED, AHEAD, strict=True)
)


@pytest.fixture(scope="module")
def three_hits():
    """A wall of 2.4 m that three balls hit one after another, once hard enough and then no more."""
    clock = Clock(24.0, 10)
    chosen = settings(
        layout={"kind": "radial", "count": 70},
        how={"reach": 0.7},
        stands=True,
        speed=4.0,
        lightest=0.015,
    )
    wall = item("Wall", shapes.box((-1.2, -0.05, 0.0), (1.2, 0.05, 1.0)), chosen, clock=clock)
    balls = [
        ball(0.07, (x, -ahead, z), (0, 6, 0), name="Ball", clock=clock)
        for (x, z), ahead in zip(AIMED, AHEAD, strict=True)
    ]
    return broken(wall, *balls)[0]


def test_a_wall_breaks_in_three_places(three_hits):
    births = np.unique(three_hits.fracture.birth[three_hits.fracture.parent >= 0])
    assert len(births) == 3
    rows = last(three_hits)
    centre = three_hits.fragments.centre[rows][:, [0, 2]]
    for hit in HITS:
        assert (np.linalg.norm(centre - hit, axis=1) < 0.15).sum() >= 5
    assert three_hits.report.volume_out == pytest.approx(0.24, rel=1e-9)


def test_shards_grow_with_the_distance_from_each_hit(three_hits):
    rows = last(three_hits)
    centre, volume = three_hits.fragments.centre[rows][:, [0, 2]], three_hits.fragments.volume[rows]
    away = np.linalg.norm(centre[:, None] - np.array(HITS), axis=2)
    for k in range(3):
        mine = away.argmin(axis=1) == k
        assert mine.sum() > 8
        assert spearmanr(away[mine, k], volume[mine]).statistic > 0.6


def bridge():
    """A deck of 2.4 m on two piers in one mesh, seen from the side and pulled across."""
    low = [(-1.2, 0.8), (-1.0, 0.8), (-1.0, 0.0), (-0.8, 0.0), (-0.8, 0.8)]
    side = np.array([*low, *((-x, z) for x, z in reversed(low)), (1.2, 1.0), (-1.2, 1.0)])
    faces = [(0, 1, 11), (1, 2, 3), (1, 3, 4), (11, 1, 4), (11, 4, 5), (11, 5, 10), (5, 6, 7), (5, 7, 8), (10, 5, 8)]
    faces.append((10, 8, 9))
    return extruded(side, faces, 0.2)


@pytest.mark.parametrize("pieces", ["cubes", "bricks"])
def test_a_bridge_with_one_pier_shot_away_falls(pieces):
    # A ball of half a metre is led across, through the pier at x = 0.9; its surface meets it after frame 2.
    clock = Clock(24.0, 30)
    ram = led_ball(0.25, (0.9, -0.7, 0.4), (0.0, 0.1, 0.0), clock)
    chosen = settings(
        pieces, layout={"count": 40}, how={"reach": 0.8}, stands=True, speed=2.0, again="cracks", smallest=0.1
    )
    (result,) = broken(item("Bridge", bridge(), chosen, clock=clock, colliders=(ram,)))
    met = first_break(result)
    assert met == 3 and counts(result)[:met].tolist() == [1] * met
    assert moved(result, met - 1, [0]) == 0.0, "until then it stands"
    rows = last(result)
    deck = rows[result.fragments.centre[rows, 2] > 0.75]
    fallen = result.fragments.centre[deck, 2] - result.motion.position[-1, deck, 2]
    mass = result.fragments.mass[deck]
    assert (mass * fallen).sum() / mass.sum() > 0.1
    # Its end over the lost pier, 0.8 m above the ground, lies there.
    f = result.fragments
    far = np.maximum.reduceat(f.vertices[:, 0], f.vertex_start[:-1]) + f.centre[:, 0]
    end = rows[far[rows] > 1.19]
    assert min(corners(result, row, -1)[:, 2].min() for row in end) < 0.05


def test_a_bridge_that_is_not_shot_stands():
    clock = Clock(24.0, 6)
    (result,) = broken(item("Bridge", bridge(), settings("cubes", layout={"count": 40}, stands=True), clock=clock))
    assert counts(result).tolist() == [1] * 6 and moved(result, 5, [0]) == 0.0


def wall_hit_at(x):
    """A wall that stands fast after a ball was led through it; the largest piece, and all pieces at the end."""
    clock = Clock(24.0, 8)
    ram = led_ball(0.12, (x, -0.4, 0.5), (0, 0.1, 0), clock)
    chosen = settings("bricks", layout={"count": 60}, how={"reach": 0.3}, stands=True, speed=1.0, again="cracks")
    (result,) = broken(item("Wall", shapes.box(*WALL), chosen, clock=clock, colliders=(ram,)))
    rows = last(result)
    return result, rows[result.fragments.volume[rows].argmax()], rows


def test_a_wall_that_stands_fast_stands_where_a_ball_breaks_through():
    """On the mean of three places: whether bricks that fly off break others out hangs on a hair at each."""
    shares = []
    for x in (0.0, 0.1, 0.2):
        result, rest, _ = wall_hit_at(x)
        assert moved(result, -1, [rest]) == 0.0
        shares.append(result.fragments.volume[rest] / 0.15)
    assert np.mean(shares) > 0.8


def test_a_keyframed_ball_breaks_a_wall_that_stands_fast():
    result, rest, rows = wall_hit_at(0.1)
    met = first_break(result)
    # Its surface meets the wall at y = -0.05 on the way to frame 3.
    assert met == 3 and counts(result)[-1] > 5
    bricks = rows[rows != rest]
    away = np.linalg.norm(result.fragments.centre[bricks][:, [0, 2]] - [0.1, 0.5], axis=1)
    assert moved(result, -1, bricks[away < 0.12]).min(initial=np.inf) > 0.05
    assert result.motion.work.sum() > 0.0


def test_a_keyframed_ball_that_is_led_on_through_what_is_held_breaks_it_in_each_frame():
    # Blows open joints within 0.13 m of their point, at the speed of the ball: less than it needs to pass. How hard it
    # was led against the wall in the frame before is no weight that the wall bears.
    clock = Clock(24.0, 8)
    ram = led_ball(0.2, (0.1, -0.4, 0.5), (0, 0.1, 0), clock)
    chosen = settings("bricks", layout={"count": 120}, how={"reach": 0.15}, stands=True, speed=1.0, again="cracks")
    (result,) = broken(item("Wall", shapes.box(*WALL), chosen, clock=clock, colliders=(ram,)))
    # It touches the wall in frame 2 and would be through after frame 7.
    assert first_break(result) <= 3
    parents = np.unique(result.fracture.parent[result.fracture.parent >= 0])
    held = [row for row in parents if moved(result, result.fracture.birth[row], [row])[0] == 0.0]
    assert len(held) >= 2


def test_the_same_scene_breaks_to_the_bit_alike():
    def run():
        chosen = settings("voronoi", layout={"count": 15}, how={"reach": 0.0}, speed=2.0)
        return broken(
            item("Cube", shapes.box(np.full(3, -0.1), np.full(3, 0.1)), chosen, (0, 0, 0.5), clock=Clock(24.0, 11))
        )[0]

    one, two = run(), run()
    assert counts(one)[-1] > 5
    assert one.motion.position.tobytes() == two.motion.position.tobytes()
    assert one.fragments.vertices.tobytes() == two.fragments.vertices.tobytes()
