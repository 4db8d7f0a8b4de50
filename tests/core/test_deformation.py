"""What its animation deforms: others meet it where it is seen, and it breaks in the form in which it is hit."""

from dataclasses import replace

import numpy as np
import pytest

from core.geometry.mesh import volume
from core.geometry.nearest import nearest
from core.types import Ground, Impact
from tests.deforming_things import CLOCK, STEP, deforming, divided_box
from tests.verification.fracture_scenes import NEVER, ball, broken, corners, counts, item, led_ball, settings

DT = 1.0 / CLOCK.fps
STILL = np.zeros(3)
FREE = {"gravity": STILL, "ground": None}
#: A bar of 2 m along x from the joint at 0.
BAR = divided_box((0.0, -0.15, -0.05), (2.0, 0.15, 0.05), (12, 2, 1))


def brittle(**more):
    return settings("voronoi", layout={"count": 12}, how={"reach": 0.0}, speed=1.0, cooldown=10.0, **more)


def bent(rate):
    """Turned about y by an angle that grows along the bar, down at a `rate` [rad/s] at its end."""

    def form(points, t):
        angle = rate * t * points[:, 0] / 2.0
        x, z = points[:, 0], points[:, 2]
        return np.stack([x * np.cos(angle) + z * np.sin(angle), points[:, 1], z * np.cos(angle) - x * np.sin(angle)], 1)

    return form


def stretched(rate):
    """Longer along x, at a rate [1/s]."""
    return lambda points, t: points * np.array([1.0 + rate * t, 1.0, 1.0])


def seen_first(result):
    """Stored frame of the break, and all corners of the pieces there."""
    frame = int(result.fracture.birth.min())
    rows = np.flatnonzero(result.fracture.birth == frame)
    return frame, rows, np.concatenate([corners(result, int(row), frame) for row in rows])


def test_what_is_bent_away_is_not_hit_where_it_was():
    """A ball falls through the place of the first frame; the same ball breaks the same bar that stays straight."""
    over = np.array([1.7, 0.0, 1.2])
    down = ball(0.1, over, (0.0, 0.0, -3.0), **FREE)
    away, straight = (deforming("Bar", BAR, bent(rate), brittle(), **FREE) for rate in (6.0, 1e-3))
    kept, fell = broken(away, down)
    assert kept.until == CLOCK.frames and counts(kept).max() == 1 and len(kept.fracture.crack_link) == 0
    assert np.allclose(fell.motion.position[-1, 0] + over, over - (0.0, 0.0, 3.0 * 23 * DT)), "it met nothing"
    hit, _ = broken(straight, down)
    # The gap of 1.05 m at 3 m/s.
    assert hit.until == int(1.05 / 3.0 / DT) and counts(hit)[-1] > 3


def test_pieces_are_the_mesh_of_the_frame_in_which_it_is_hit():
    """The bar grows by 60 % until it meets the ball; its pieces are as much, and lie in its skin, to round-off."""
    form = stretched(1.5)
    bar, at_rest = deforming("Bar", BAR, form, brittle(), (5.0, -1.0, 2.0), **FREE), np.array([8.3, -1.0, 2.0])
    hit, _ = broken(bar, ball(0.1, at_rest, STILL, density=8000.0, **FREE))
    frame, rows, points = seen_first(hit)
    # The end moves at 3 m/s from x = 2 to 3.2.
    assert frame == hit.until == int(1.2 / 3.0 / DT) and len(rows) > 3
    now = form(BAR.vertices, frame * DT)
    assert hit.fragments.volume[rows].sum() == pytest.approx(volume(now, BAR.triangles), rel=1e-9)
    assert hit.report.volume_in == pytest.approx(volume(now, BAR.triangles), rel=1e-9)
    f = hit.fragments
    face = np.repeat(np.arange(len(f.face_triangle)), np.diff(f.corner_start))
    owner = np.searchsorted(f.face_start, face, side="right") - 1
    skin = f.face_triangle[face] >= 0
    at = (f.vertices[f.vertex_start[owner] + f.corner_vertex] + f.centre[owner])[skin]
    assert nearest(now, BAR.triangles, at)[2].max() < 1e-9
    assert points[:, 0].max() == pytest.approx(now[:, 0].max(), abs=1e-9)
    # As the surface moved: v = x / (1 + r t) r, with what the ball took from them.
    speed = (hit.motion.position[frame + 1] - hit.motion.position[frame])[rows, 0] / DT
    expected = 1.5 * hit.fragments.centre[rows, 0] / (1.0 + 1.5 * frame * DT)
    far = hit.fragments.centre[rows, 0] < 2.3
    assert far.sum() > 1 and np.allclose(speed[far], expected[far], atol=0.01)


def test_momentum_of_the_pieces_and_of_what_they_meet_is_that_of_the_surface():
    """From the frame of the break on nothing acts from outside: all momentum is that of the surface of that frame."""
    form = bent(4.0)
    bar = deforming("Bar", BAR, form, brittle(), **FREE)
    under = ball(0.1, (1.5, 0.0, -0.9), STILL, density=1000.0, **FREE)
    hit, struck = broken(bar, under)
    frame = hit.until
    assert 0 < frame < CLOCK.frames - 2 and counts(hit)[-1] > 3
    assert np.allclose(struck.motion.position[: frame + 1], struck.motion.position[0]), "it waits until it is hit"
    total = STILL
    for result in (hit, struck):
        velocity = (result.motion.position[frame + 1] - result.motion.position[frame]) / DT
        total = total + (result.fragments.mass[:, None] * velocity)[result.motion.alive[frame + 1]].sum(axis=0)
    t = frame * DT
    here, flow = form(BAR.vertices, t), (form(BAR.vertices, t + STEP) - form(BAR.vertices, t - STEP)) / (2 * STEP)
    # Thin: matter moves as the mean of its two sides. Volume integral of v by prisms between the sides along z.
    top = np.isclose(BAR.vertices[BAR.triangles][:, :, 2], 0.05).all(axis=1)
    corner, speed = here[BAR.triangles[top]], flow[BAR.triangles[top]].mean(axis=1)
    area = 0.5 * np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=1)
    mean = (area[:, None] * speed).sum(axis=0) / area.sum()
    mass = hit.fragments.mass[hit.motion.alive[frame]].sum()
    assert np.allclose(total, mass * mean, atol=0.06 * np.linalg.norm(mass * mean))


def test_others_meet_its_moved_surface_and_its_speed():
    """The middle of a floor rises at 2 m/s under a box that lies on it, and throws it up so fast; it withstands."""
    floor = divided_box((-1.0, -1.0, -0.2), (1.0, 1.0, 0.0), (8, 8, 1))

    def form(points, t):
        inside = (np.abs(points[:, :2]) < 0.6).all(axis=1) & (points[:, 2] > -0.1)
        rise = np.clip(t - 2 * DT, 0.0, 3 * DT) * 2.0
        return points + np.outer(inside * rise, (0.0, 0.0, 1.0))

    thrown = ball(0.2, (0.0, 0.0, 0.205), STILL, density=500.0, **FREE)
    kept, up = broken(deforming("Floor", floor, form, settings(speed=NEVER), **FREE), thrown)
    assert kept.until == CLOCK.frames
    rises = np.diff(up.motion.position[:, 0, 2]) / DT
    assert rises[-1] == pytest.approx(2.0 * 1.2, rel=0.05) and np.allclose(rises[:2], 0.0)


def test_an_impact_breaks_it_in_the_form_of_its_frame():
    form = stretched(1.0)
    hit = Impact(np.array([0.1, 0.0, 0.0]), np.array([0.0, 0.0, -1.0]), 1.0, 0.0, 10.0, 6 * DT)
    bar = deforming(
        "Bar", BAR, form, settings("voronoi", layout={"count": 12}, how={"reach": 0.0}, speed=NEVER), **FREE
    )
    # Its impacts are read anew at the frame of the break, from which their times count then.
    at = bar.deformation.at
    later = replace(hit, time=0.0)

    def read(frame):
        one = yield from at(frame)
        return replace(one, scene=replace(one.scene, impacts=(later,)))

    bar = replace(bar, scene=replace(bar.scene, impacts=(hit,)), deformation=replace(bar.deformation, at=read))
    (came,) = broken(bar)
    frame, rows, _ = seen_first(came)
    assert frame == came.until == 6 and len(rows) > 3
    now = form(BAR.vertices, frame * DT)
    assert came.fragments.volume[rows].sum() == pytest.approx(volume(now, BAR.triangles), rel=1e-9)


def test_two_runs_have_the_same_bits_and_progress_never_falls():
    from core.object_simulation import simulation_steps

    def run():
        items = [deforming("Bar", BAR, bent(4.0), brittle(), **FREE), ball(0.1, (1.5, 0.0, -0.9), STILL, **FREE)]
        job, fractions = simulation_steps(items, 1000), []
        while True:
            try:
                fractions.append(next(job).fraction)
            except StopIteration as end:
                return end.value, fractions

    (one, fractions), (two, _) = run(), run()
    assert fractions == sorted(fractions)
    for a, b in zip(one, two, strict=True):
        assert a.motion.position.tobytes() == b.motion.position.tobytes()
        assert a.fragments.vertices.tobytes() == b.fragments.vertices.tobytes()


def hammer(chosen=None, rate=4.0, place=(0.0, 0.0, 0.0), **scene):
    """The bar, swinging down: its end is 0.9 m lower after 8 frames."""
    return deforming("Hammer", BAR, bent(rate), chosen or brittle(), place, **({"gravity": STILL} | scene))


def test_it_breaks_on_what_cannot_be_moved_either():
    """The ground, a collider that stands, one that is led into it: each at the frame in which they meet."""
    depth = np.array([bent(4.0)(BAR.vertices, frame * DT)[:, 2].min() for frame in range(CLOCK.frames)])
    lands = int(np.argmax(depth < -0.8)) - 1
    (ground,) = broken(hammer(ground=Ground(-0.8)))
    assert ground.until == lands and counts(ground)[-1] > 3
    # A ball of 0.3 m, whose top is as high under the end of the bar.
    stands = led_ball(0.3, (1.7, 0.0, -1.1), STILL, subdivisions=2)
    (stood,) = broken(hammer(ground=None, colliders=(stands,)))
    assert abs(stood.until - lands) <= 2 and counts(stood)[-1] > 3
    (missed,) = broken(hammer(ground=None, colliders=(led_ball(0.3, (1.7, 2.0, -1.1), STILL),)))
    assert missed.until == CLOCK.frames
    # Towards a bar that does next to nothing, at 3 m/s over 0.95 m.
    comes = led_ball(0.2, (1.5, 0.0, 1.2), (0.0, 0.0, -3.0 * DT))
    (hit,) = broken(hammer(rate=1e-3, ground=None, colliders=(comes,)))
    assert hit.until == int(0.95 / 3.0 / DT) and counts(hit)[-1] > 3
    (withstood,) = broken(hammer(settings(speed=4.0), rate=1e-3, ground=None, colliders=(comes,)))
    assert withstood.until == CLOCK.frames


def test_two_that_deform_break_each_other_and_what_is_held():
    """One swings down on another that waits, and on a wall that stands fast: both break, each in its form."""
    low = hammer(rate=1e-3, place=(0.0, 0.0, -0.8), ground=None)
    swinging, waiting = broken(hammer(ground=None), low)
    assert swinging.until == waiting.until < CLOCK.frames
    assert min(counts(swinging)[-1], counts(waiting)[-1]) > 3
    for one, rate in ((swinging, 4.0), (waiting, 1e-3)):
        now = bent(rate)(BAR.vertices, one.until * DT)
        rows = seen_first(one)[1]
        assert one.fragments.volume[rows].sum() == pytest.approx(volume(now, BAR.triangles), rel=1e-9)
    block = divided_box((1.3, -0.5, -1.2), (2.1, 0.5, -0.8), (1, 1, 1))
    fast = replace(brittle(), breakable=replace(brittle().breakable, stands=True))
    wall = item("Wall", block, fast, gravity=STILL, ground=Ground(-1.2))
    hit, held = broken(hammer(ground=Ground(-1.2)), wall)
    assert hit.until < CLOCK.frames and counts(hit)[-1] > 3 and counts(held)[-1] > 3


def test_what_only_rests_on_others_does_not_break():
    """A bar that sways on the ground and through a post, at less than the speed that would break it."""

    def sway(points, t):
        return points * np.array([1.0 + 0.05 * np.sin(6.0 * t), 1.0, 1.0 + 0.2 * np.sin(6.0 * t)])

    post = led_ball(0.3, (1.0, 0.0, 0.0), STILL)
    lying = deforming("Bar", BAR, sway, brittle(), gravity=STILL, ground=Ground(-0.05), colliders=(post,))
    (kept,) = broken(lying)
    assert kept.until == CLOCK.frames
