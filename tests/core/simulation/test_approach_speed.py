"""How fast objects closed in: the bound of what their contacts can have done."""

from dataclasses import replace

import numpy as np
import pytest

from core.rigid.advance import advance_frame
from core.rigid.contact_impulses import BodyContactImpulses
from core.rigid.state import ColliderPoses, World
from core.simulation.approach_speed import bound_approach_speeds
from core.simulation.environment import Environment, make_parts_of_colliders
from core.simulation.live_fragments import LiveFragments
from core.stepwise import result_of
from core.types import Collider, Mesh
from tests import shapes
from tests.core.simulation.breaking import FPS, SimObject, box_object, model_of, moving, prepared

STILL = World(np.zeros(3), None)
DT = 1.0 / FPS
BOX = shapes.box((-0.5, -0.3, -0.2), (0.5, 0.3, 0.2))
E = 0.2  # of the material; two alike share it


@pytest.fixture(scope="module")
def model():
    return model_of(BOX, 6)


def crowd_of(*objects, velocities=None):
    live = LiveFragments(objects)
    live.take_shape()
    if velocities is not None:
        live.state = replace(live.state, velocity=np.array(velocities, np.float64))
    return live


def touching(*rows):
    """Pairs of rows that press on each other at two spots."""
    spots = np.array([row[2:] for row in rows], np.float64)
    return BodyContactImpulses(
        np.array([row[:2] for row in rows]), np.ones((len(rows), 3)), spots, np.zeros((len(rows), 3))
    )


def test_two_close_in_by_their_relative_speed_and_bounce(model):
    assert model.material.restitution == E
    live = crowd_of(box_object(model), box_object(model, (0, 0, 1)), velocities=[(0.0, 3.0, 0.0), (0.0, 0.0, -4.0)])
    bound = bound_approach_speeds(live, touching((0, 1, (0, 0, 0.2), (0, 0, -0.2))), STILL, DT)
    assert bound == pytest.approx([(1 + E) * 5.0], rel=1e-12)


def test_what_turns_closes_in_where_it_is_touched(model):
    # v + omega x r of the spot, with omega about the centre of mass.
    live = crowd_of(box_object(model, momentum=moving((1, 0, 0), (0, 0, 2))))
    centre, state = live.rest.centre[0], live.state
    anchor = np.array([0.5, 0.3, -0.2])
    velocity = state.velocity[0] + np.cross([0, 0, 2.0], anchor - centre)
    bound = bound_approach_speeds(live, touching((0, 1, anchor, anchor)), STILL, DT)  # row 1 is the ground
    assert bound == pytest.approx([(1 + E) * np.linalg.norm(velocity)], rel=1e-9)


def test_the_fall_of_the_frame_counts(model):
    live = crowd_of(box_object(model))
    bound = bound_approach_speeds(
        live, touching((0, 1, np.zeros(3), np.zeros(3))), World(np.array([0, 0, -9.81]), None), DT
    )
    assert bound == pytest.approx([(1 + E) * 9.81 * DT], rel=1e-12)


def test_what_is_led_closes_in_with_its_spot():
    # A collider that moves by 0.1 m and turns by a quarter about z: its spot (1, 0, 0) goes from there to (0.1, 1, 0).
    lead = ColliderPoses(
        np.array([[[0.0, 0, 0]], [[0.1, 0, 0]]]),
        np.array([[[1.0, 0, 0, 0]], [[np.sqrt(0.5), 0, 0, np.sqrt(0.5)]]]),
    )
    live = crowd_of(box_object(model_of(BOX, 6)))
    bound = bound_approach_speeds(
        live, touching((0, 1, np.zeros(3), (1.0, 0, 0))), World(np.zeros(3), None, None, lead), DT
    )
    assert bound == pytest.approx([(1 + E) * np.hypot(0.9, 1.0) / DT], rel=1e-12)


def test_what_is_led_turns_about_its_own_zero_wherever_its_middle_lies():
    # A door of which the hinge is the zero of its axes and the middle is 5 m off turns by a quarter about z: its spot
    # (6, 0, 0) goes to (0, 6, 0).
    q = np.array([[1.0, 0, 0, 0], [np.sqrt(0.5), 0, 0, np.sqrt(0.5)]])
    corners = BOX.vertices + np.array([5.0, 0, 0])
    door = Collider(Mesh("Door", corners, BOX.triangles), np.zeros((1, 3)), q)
    shaped = result_of(make_parts_of_colliders((door,)))
    world = Environment(np.zeros(3), None, shaped, 2).world(1)
    assert np.linalg.norm(world.colliders.pivot[0]) > 4.0
    live = crowd_of(box_object(model_of(BOX, 6)))
    bound = bound_approach_speeds(live, touching((0, 1, np.zeros(3), (6.0, 0, 0))), world, DT)
    assert bound == pytest.approx([(1 + E) * np.hypot(6.0, 6.0) / DT], rel=1e-12)


def test_a_blow_is_handed_on_in_its_group_and_no_further(model):
    # 0 hits 1, which leans on 2; 3 and 4 touch each other elsewhere; both groups stand on the ground, 5.
    objects = [SimObject("Box", model, place=np.array([2.0 * k, 0, 0])) for k in range(5)]
    live = crowd_of(*objects, velocities=[(6.0, 0, 0), (0, 0, 0), (0, 0, 0), (0.5, 0, 0), (0, 0, 0)])
    z = np.zeros(3)
    found = touching((0, 1, z, z), (1, 2, z, z), (2, 5, z, z), (3, 4, z, z), (4, 5, z, z))
    np.testing.assert_allclose(bound_approach_speeds(live, found, STILL, DT) / (1 + E), [6, 6, 6, 0.5, 0.5], rtol=1e-12)
    live.pin(np.array([False, True, False, False, False]))
    np.testing.assert_allclose(bound_approach_speeds(live, found, STILL, DT) / (1 + E), [6, 0, 0, 0.5, 0.5], rtol=1e-12)


def test_a_heap_that_comes_down_breaks_nothing_that_closes_in_slower_than_the_threshold():
    """Crossed rods fall together from up to 1.9 m: 6.1 m/s at the most, as a sum of impulses up to 33 m/s."""
    rng = np.random.default_rng(0)
    rods = []
    for k in range(12):
        half = 0.5 * np.array([0.6, 0.1, 0.1] if k % 2 else [0.1, 0.6, 0.1])
        at = (*rng.uniform(-0.1, 0.1, 2), 0.2 + 0.15 * k)
        rods.append(box_object(model_of(shapes.box(-half, half), 3), at, speed=8.0))
    run = prepared(rods, advance_frame, frames=30, ground=0.0, gravity=9.81)
    for frame in range(1, 30):
        run.advance(frame)
        assert len(run.live.alive) == 12
    assert run.live.state.position[:, 2].max() < 1.0, "they have come down"
