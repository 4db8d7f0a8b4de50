"""A collider that deforms: bodies feel the surface and the velocity that its mesh has at each frame."""

import numpy as np
import pytest

from core.rigid.advance import advance_frame
from core.simulation.environment import Environment, make_parts_of_colliders
from core.stepwise import result_of
from core.types import Collider, Ground, Mesh
from tests import shapes
from tests.core.rigid.shapes_of import G, box, placed
from tests.core.rigid.test_skin_parts import sheet
from tests.verification.fracture_scenes import extruded
from tests.verification.motion_scenes import DT, ball, energies, momentum, scales

DOWN, STILL = np.array([0.0, 0.0, -G]), np.zeros(3)


def collider(meshes):
    return Collider(meshes[0], np.zeros((1, 3)), np.array([[1.0, 0, 0, 0]]), tuple(meshes))


def shaped(base, frames, shape):
    """The mesh at each frame, its points where `shape(points, t)` says."""
    return [Mesh(base.name, np.ascontiguousarray(shape(base.vertices, s * DT)), base.triangles) for s in range(frames)]


def played(one, state, colliders, frames, gravity=DOWN, ground=None):
    """States and works; energy rises by no more than the work at any frame."""
    stage = Environment(gravity, ground, result_of(make_parts_of_colliders(tuple(colliders))), frames)
    states, works = [state], [0.0]
    for frame in range(1, frames):
        state, account = advance_frame(one, state, stage.world(frame), DT)
        before, after = (energies(one, some, gravity).sum() for some in (states[-1], state))
        assert after - before - account.work <= 1e-12 * scales(one, state, gravity).sum() + 1e-12
        states.append(state)
        works.append(account.work)
    return states, np.array(works)


def rising(points, t):
    """A floor that rises at 0.1 m/s and stretches in its plane, so that it keeps no form."""
    return points * [1.0 + 0.2 * t, 1.0 + 0.1 * t, 1.0] + [0.0, 0.0, 0.1 * t]


@pytest.mark.parametrize("count", [1, 5])
def test_a_box_rests_on_a_floor_that_rises_and_stretches(count):
    """It rises with it, within 0.5 % of its radius, and the work is that of lifting it."""
    one, frames = box(0.4, 0.4, 0.4), 49
    floor = collider(shaped(sheet(count, 2.0), frames, rising))
    states, works = played(one, placed(one, [0.03, 0.02, 0.2]), [floor], frames)
    for s, now in enumerate(states[8:], 8):
        assert now.position[0, 2] == pytest.approx(0.2 + 0.1 * s * DT, abs=0.005 * one.radius[0])
        assert abs(now.velocity[0, 2] - 0.1) < 0.02
    if count > 1:  # the middles of two large triangles slide apart, and rub
        assert works[12:].mean() == pytest.approx(one.mass[0] * G * 0.1 * DT, rel=0.05)


def test_a_wave_carries_and_lets_nothing_through():
    """A ball on a heaving surface is never deeper in it than a hundredth of its size."""
    one, frames = ball(0.2, 1), 60

    def wave(points, t):
        x, y = points[:, 0], points[:, 1]
        return np.stack([x, y, 0.15 * np.sin(2.0 * x + 3.0 * t) + 0.1 * (x * x + y * y)], axis=1)

    meshes = shaped(sheet(14, 3.0), frames, wave)
    states, _ = played(one, placed(one, [0.2, 0.1, 0.6]), [collider(meshes)], frames)
    base = one.shapes.vertices - one.centre[0]
    for s, now in enumerate(states[5:], 5):
        low = base + now.position[0]  # a ball: its turn makes no difference to its lowest points but for its facets
        assert (np.abs(now.position[0, :2]) < 1.5).all()
        surface = wave(low, s * DT)[:, 2]
        assert (low[:, 2] - surface).min() > -0.03


@pytest.mark.parametrize("solid", [True, False])
def test_a_fist_that_grows_out_of_a_wall_does_not_pass_through(solid):
    """4 m in 20 frames, with vertices that stretch: a box in its way leaves at its speed or faster, in front of it."""
    frames, speed = 24, 4.0 / (20 * DT)

    def punch(points, t):
        moved = points.copy()
        moved[points[:, 0] > 0.0] += [speed * t, 0.0, 0.0]
        return moved

    if solid:
        arm = shapes.box((-0.3, -0.2, -0.2), (0.3, 0.2, 0.2))
        base = Mesh("Arm", arm.vertices, arm.triangles)
    else:
        flat = sheet(2, 0.4)  # a sheet that faces along x, hung on one that stays
        base = Mesh("Arm", flat.vertices[:, [2, 1, 0]] * [1, -1, 1] + [0.3, 0, 0], flat.triangles)
    meshes = shaped(base, frames, punch)
    if not solid:
        meshes = [Mesh("Arm", m.vertices * [1, 1 + 0.01 * s, 1], m.triangles) for s, m in enumerate(meshes)]
    one = box(0.3, 0.5, 0.5)
    states, works = played(one, placed(one, [1.0, 0.02, 0.03]), [collider(meshes)], frames, np.zeros(3))
    last = states[-1]
    front = 0.3 + speed * (frames - 1) * DT
    assert last.position[0, 0] > front and last.velocity[0, 0] > 0.9 * speed
    assert works.sum() == pytest.approx(0.5 * one.mass[0] * speed**2, rel=2.0)
    assert works.sum() >= energies(one, last, np.zeros(3)).sum() * (1 - 1e-9)


@pytest.mark.parametrize("half", [0.2, 0.5, 1.0, 1.5, 3.0])
def test_a_ridge_of_any_sharpness_pushes_what_is_flat(half):
    """An edge, with sides of a slope 1 / `half`, comes down at 2 m/s on a wide box, which leaves it at once."""
    frames, speed = 12, 2.0
    side = np.array([[-half, 1.0], [0.0, 0.0], [half, 1.0]])
    prism = extruded(side, [(0, 1, 2)], 0.4)
    base = Mesh("Edge", prism.vertices, prism.triangles)

    def falls(points, t):
        return points * [1.0 + 0.2 * t, 1.0 + 0.1 * t, 1.0] + [0.0, 0.0, 0.1 - speed * t]

    one = box(2.0, 2.0, 0.4)
    states, _ = played(one, placed(one, [0.03, 0.02, -0.2]), [collider(shaped(base, frames, falls))], frames, STILL)
    for s, now in enumerate(states[2:], 2):  # 0.1 m at 2 m/s
        assert now.position[0, 2] + 0.2 < 0.1 - speed * s * DT + 0.01
    assert abs(states[-1].velocity[0, 2] + speed) < 0.5 * speed


def test_what_touches_no_skin_keeps_its_momentum():
    one, frames = box(0.2, 0.2, 0.2), 12
    state = placed(one, [0, 0, 3.0], velocity=(1.0, 0.5, 0.0), spin=(1.0, 2.0, 3.0))
    floor = collider(shaped(sheet(3, 2.0), frames, rising))
    states, works = played(one, state, [floor], frames, np.zeros(3))
    for a, b in zip(momentum(one, states[0]), momentum(one, states[-1]), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-10)
    assert not works.any()


def test_a_mesh_whose_triangles_change_holds_what_rests_on_it():
    """Coarser and finer sheets in turn, and nothing of one at the start, over the ground."""
    one, frames = box(0.4, 0.4, 0.4), 30
    meshes = []
    for s in range(frames):
        base = sheet(2 + s % 3, 2.0)
        meshes.append(Mesh("Fluid", base.vertices + np.array([0.0, 0.0, 0.3 + 0.1 * s * DT]), base.triangles))
    states, _ = played(one, placed(one, [0.0, 0.0, 0.5]), [collider(meshes)], frames, ground=Ground(0.0))
    for s, now in enumerate(states[6:], 6):
        assert now.position[0, 2] == pytest.approx(0.5 + 0.1 * s * DT, abs=0.01 * one.radius[0])


def test_two_runs_have_the_same_bits():
    one, frames = box(0.4, 0.4, 0.4), 12
    floor = collider(shaped(sheet(4, 2.0), frames, rising))
    first, second = (played(one, placed(one, [0.03, 0.02, 0.25]), [floor], frames)[0][-1] for _ in range(2))
    assert (first.position == second.position).all() and (first.rotation == second.rotation).all()
