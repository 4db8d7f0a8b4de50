"""A clock that waits for rest: it ends once nothing changes any more, with the bits of one that goes on."""

from dataclasses import replace

import numpy as np
import pytest

from core.breaking import RULES
from core.config.material import Material
from core.pieces import PARTITIONS
from core.pipeline import shatter, shatter_steps
from core.settings import Settings
from core.types import Clock, Collider, Ground, Impact, Mesh, Scene
from tests import shapes

FPS, LONG = 24.0, 200
BODY = shapes.box()
HIT = Impact(np.array([0.5, 0.5, 1.0]), np.array([0.3, 0.0, -1.0]), 1.0, 2.0, 0.0, 0.0)
FALL, FLOOR, TO_REST = np.array([0.0, 0.0, -9.81]), Ground(-0.1), Clock(FPS, LONG, 24)
SCENE = Scene(Mesh("Box", BODY.vertices, BODY.triangles), (HIT,), FALL, FLOOR, TO_REST)
CHOSEN = Settings(
    3, "voronoi", PARTITIONS["voronoi"].params(count=6), "impact_factor", RULES["impact_factor"].params(), Material()
)


def run(scene=SCENE, **more):
    return shatter(scene, replace(CHOSEN, **more))


def frames(scene, **more):
    return len(run(scene, **more).motion.time)


def collider(positions, deformed=()):
    """A small ball that is led along positions (n,3)."""
    ball = shapes.icosphere(1)
    return Collider(
        Mesh("Ball", 0.1 * ball.vertices, ball.triangles),
        np.asarray(positions, np.float64),
        np.tile([1.0, 0.0, 0.0, 0.0], (len(positions), 1)),
        deformed,
    )


def test_it_ends_at_rest_with_the_bits_of_one_that_goes_on():
    whole, short = run(replace(SCENE, clock=Clock(FPS, LONG))), run()
    end = len(short.motion.time)
    assert 24 <= end < LONG and len(whole.motion.time) == LONG
    for name in ("time", "position", "rotation", "alive", "energy", "work"):
        assert np.array_equal(getattr(short.motion, name), getattr(whole.motion, name)[:end]), name
    # Nothing was cut off; and it ended within the second in which what is quiet falls asleep.
    pose = np.concatenate([whole.motion.position, whole.motion.rotation], axis=2)
    assert (pose[end - 2 :] == pose[-1]).all() and (pose[end - 24] != pose[-1]).any()
    assert (short.fracture.death == end).all() and np.array_equal(short.fracture.birth, whole.fracture.birth)
    assert short.report.pieces == whole.report.pieces


def test_it_is_never_shorter_than_its_least_nor_longer_than_its_frames():
    assert frames(replace(SCENE, clock=Clock(FPS, LONG, 150))) == 150
    assert frames(replace(SCENE, clock=Clock(FPS, 60, 24)), motion="still") == 24
    falling = replace(SCENE, ground=None, clock=Clock(FPS, 60, 24))
    assert frames(falling) == 60, "what falls for ever never comes to rest"


def test_it_waits_for_hits_that_are_to_come():
    rest = frames(SCENE)
    later = replace(HIT, time=(rest + 20) / FPS)
    assert frames(replace(SCENE, impacts=(HIT, later))) > rest + 20


def test_it_waits_while_a_collider_is_led_and_no_longer():
    """A ball passes far away: the clock ends with the first frame after its way in which nothing moves."""
    rest = frames(SCENE)
    way = np.linspace([5.0, 0.0, 0.0], [9.0, 0.0, 0.0], rest + 31)
    assert frames(replace(SCENE, colliders=(collider(way[:1]),))) == rest
    assert frames(replace(SCENE, colliders=(collider(way[:20]),))) == rest, "after its last pose it stands still"
    # The last step on its way leads to stored frame rest + 30; the frame after that is the first without a movement.
    assert frames(replace(SCENE, colliders=(collider(way),))) == rest + 32


def test_it_waits_while_a_collider_deforms():
    rest = frames(SCENE)
    ball = collider([[5.0, 0.0, 0.0]])
    points = ball.mesh.vertices + ball.position
    meshes = [Mesh("Ball", points * [1.0, 1.0, 1.0 + 0.01 * k], ball.mesh.triangles) for k in range(rest + 6)]
    assert frames(replace(SCENE, colliders=(replace(ball, deformed=tuple(meshes)),))) == rest + 7


def told(scene):
    """The fractions that a run yields, for each frame."""
    job, result = shatter_steps(scene, CHOSEN), []
    for step in job:
        if step.text.startswith("Moving"):
            result.append(step.fraction)
    return result


@pytest.mark.parametrize("clock", [Clock(FPS, 40), TO_REST], ids=["fixed", "to rest"])
def test_progress_never_falls_and_arrives_at_its_end_without_a_leap(clock):
    """A fall from a metre: what leaps at its end seemed to hang before that."""
    fractions = told(replace(SCENE, ground=Ground(-1.0), clock=clock))
    assert fractions == sorted(fractions)
    assert 1.0 - fractions[-1] < 0.25 and fractions[len(fractions) // 2] > 0.25
