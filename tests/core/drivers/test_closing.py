"""How fast things closed in: the bound of what their contacts can have done."""

from dataclasses import replace

import numpy as np
import pytest

from core.drivers.closing import closing_speeds
from core.drivers.crowd import Crowd
from core.drivers.stage import Stage, shape_colliders
from core.rigid.advance import advance_frame
from core.rigid.contact_impulses import BodyContactImpulses
from core.rigid.state import ColliderPoses, World
from core.stepwise import result_of
from core.types import Collider, Mesh
from tests import shapes
from tests.core.drivers.breaking import FPS, Thing, begun, box_thing, matter_of, moving

STILL = World(np.zeros(3), None)
DT = 1.0 / FPS
BOX = shapes.box((-0.5, -0.3, -0.2), (0.5, 0.3, 0.2))
E = 0.2  # of the material; two alike share it


@pytest.fixture(scope="module")
def matter():
    return matter_of(BOX, 6)


def crowd_of(*things, velocities=None):
    crowd = Crowd(things)
    crowd.take_shape()
    if velocities is not None:
        crowd.state = replace(crowd.state, velocity=np.array(velocities, np.float64))
    return crowd


def touching(*rows):
    """Pairs of rows that press on each other at two spots."""
    spots = np.array([row[2:] for row in rows], np.float64)
    return BodyContactImpulses(
        np.array([row[:2] for row in rows]), np.ones((len(rows), 3)), spots, np.zeros((len(rows), 3))
    )


def test_two_close_in_by_their_relative_speed_and_bounce(matter):
    assert matter.material.restitution == E
    crowd = crowd_of(box_thing(matter), box_thing(matter, (0, 0, 1)), velocities=[(0.0, 3.0, 0.0), (0.0, 0.0, -4.0)])
    bound = closing_speeds(crowd, touching((0, 1, (0, 0, 0.2), (0, 0, -0.2))), STILL, DT)
    assert bound == pytest.approx([(1 + E) * 5.0], rel=1e-12)


def test_what_turns_closes_in_where_it_is_touched(matter):
    # v + omega x r of the spot, with omega about the centre of mass.
    crowd = crowd_of(box_thing(matter, momentum=moving((1, 0, 0), (0, 0, 2))))
    centre, state = crowd.rest.centre[0], crowd.state
    spot = np.array([0.5, 0.3, -0.2])
    velocity = state.velocity[0] + np.cross([0, 0, 2.0], spot - centre)
    bound = closing_speeds(crowd, touching((0, 1, spot, spot)), STILL, DT)  # row 1 is the ground
    assert bound == pytest.approx([(1 + E) * np.linalg.norm(velocity)], rel=1e-9)


def test_the_fall_of_the_frame_counts(matter):
    crowd = crowd_of(box_thing(matter))
    bound = closing_speeds(crowd, touching((0, 1, np.zeros(3), np.zeros(3))), World(np.array([0, 0, -9.81]), None), DT)
    assert bound == pytest.approx([(1 + E) * 9.81 * DT], rel=1e-12)


def test_what_is_led_closes_in_with_its_spot():
    # A collider that moves by 0.1 m and turns by a quarter about z: its spot (1, 0, 0) goes from there to (0.1, 1, 0).
    lead = ColliderPoses(
        np.array([[[0.0, 0, 0]], [[0.1, 0, 0]]]),
        np.array([[[1.0, 0, 0, 0]], [[np.sqrt(0.5), 0, 0, np.sqrt(0.5)]]]),
    )
    crowd = crowd_of(box_thing(matter_of(BOX, 6)))
    bound = closing_speeds(crowd, touching((0, 1, np.zeros(3), (1.0, 0, 0))), World(np.zeros(3), None, None, lead), DT)
    assert bound == pytest.approx([(1 + E) * np.hypot(0.9, 1.0) / DT], rel=1e-12)


def test_what_is_led_turns_about_its_own_zero_wherever_its_middle_lies():
    # A door of which the hinge is the zero of its axes and the middle is 5 m off turns by a quarter about z: its spot
    # (6, 0, 0) goes to (0, 6, 0).
    q = np.array([[1.0, 0, 0, 0], [np.sqrt(0.5), 0, 0, np.sqrt(0.5)]])
    corners = BOX.vertices + np.array([5.0, 0, 0])
    door = Collider(Mesh("Door", corners, BOX.triangles), np.zeros((1, 3)), q)
    shaped = result_of(shape_colliders((door,)))
    world = Stage(np.zeros(3), None, shaped, 2).world(1)
    assert np.linalg.norm(world.colliders.pivot[0]) > 4.0
    crowd = crowd_of(box_thing(matter_of(BOX, 6)))
    bound = closing_speeds(crowd, touching((0, 1, np.zeros(3), (6.0, 0, 0))), world, DT)
    assert bound == pytest.approx([(1 + E) * np.hypot(6.0, 6.0) / DT], rel=1e-12)


def test_a_blow_is_handed_on_in_its_group_and_no_further(matter):
    # 0 hits 1, which leans on 2; 3 and 4 touch each other elsewhere; both groups stand on the ground, 5.
    things = [Thing("Box", matter, place=np.array([2.0 * k, 0, 0])) for k in range(5)]
    crowd = crowd_of(*things, velocities=[(6.0, 0, 0), (0, 0, 0), (0, 0, 0), (0.5, 0, 0), (0, 0, 0)])
    z = np.zeros(3)
    found = touching((0, 1, z, z), (1, 2, z, z), (2, 5, z, z), (3, 4, z, z), (4, 5, z, z))
    np.testing.assert_allclose(closing_speeds(crowd, found, STILL, DT) / (1 + E), [6, 6, 6, 0.5, 0.5], rtol=1e-12)
    crowd.pin(np.array([False, True, False, False, False]))
    np.testing.assert_allclose(closing_speeds(crowd, found, STILL, DT) / (1 + E), [6, 0, 0, 0.5, 0.5], rtol=1e-12)


def test_a_heap_that_comes_down_breaks_nothing_that_closes_in_slower_than_the_threshold():
    """Crossed rods fall together from up to 1.9 m: 6.1 m/s at the most, as a sum of impulses up to 33 m/s."""
    rng = np.random.default_rng(0)
    rods = []
    for k in range(12):
        half = 0.5 * np.array([0.6, 0.1, 0.1] if k % 2 else [0.1, 0.6, 0.1])
        at = (*rng.uniform(-0.1, 0.1, 2), 0.2 + 0.15 * k)
        rods.append(box_thing(matter_of(shapes.box(-half, half), 3), at, speed=8.0))
    run = begun(rods, advance_frame, frames=30, ground=0.0, gravity=9.81)
    for frame in range(1, 30):
        run.advance(frame)
        assert len(run.crowd.alive) == 12
    assert run.crowd.state.position[:, 2].max() < 1.0, "they have come down"
