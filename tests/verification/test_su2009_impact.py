"""Su, Schroeder, Fedkiw 2009: collisions of two bodies and of many, in closed form and by their invariants."""

from dataclasses import replace

import numpy as np
import pytest

from core.rigid.advance import advance_frame
from tests.core.rigid.shapes_of import G, box, placed, random_scene, solid
from tests.rigid_bodies import join_bodies
from tests.verification.motion_scenes import DT, FLOOR, SPACE, energies, momentum, pile, played, run, together

ROUND_OFF = 1e-12  # of the energies that are added up
# The sweeps end when a row changes by less than 1 % of the approach; points of two faces converge at 1/10 or faster.
SOLVED = 1e-3
TILT = 5e-3  # by which the normal of a contact that is kept may turn with its body [rad]


def test_equal_bodies_exchange_their_velocities():
    """Elastic, central, of equal mass: each goes on with the velocity of the other."""
    a, b = (box(0.2, 0.2, 0.2, friction=0.0, restitution=1.0) for _ in range(2))
    bodies, state = together(
        [(a, placed(a, [-0.2, 0, 0], velocity=[3, 0, 0])), (b, placed(b, [0.2, 0, 0], velocity=[-1, 0, 0]))]
    )
    end = run(bodies, state, 6, SPACE)
    np.testing.assert_allclose(end.velocity, [[-1, 0, 0], [3, 0, 0]], atol=SOLVED * 4)
    np.testing.assert_allclose(bodies.mass @ end.velocity, bodies.mass @ state.velocity, atol=1e-12 * bodies.mass[0])
    before, after = (energies(bodies, one, SPACE.gravity).sum() for one in (state, end))
    assert after == pytest.approx(before, rel=SOLVED)
    assert after <= before * (1 + ROUND_OFF)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("size", [0.1, 0.2, 0.5])
def test_central_impact(restitution, size):
    """Newton: u' = -e u, momentum kept; energy falls by (1 - e^2) m1 m2 u^2 / (2 (m1 + m2))."""
    a, b = (box(s, s, s, friction=0.4, restitution=restitution) for s in (0.2, size))
    gap = 0.5 * (0.2 + size)
    bodies, state = together(
        [(a, placed(a, [0, 0, 0], velocity=[4, 0, 0])), (b, placed(b, [gap + 0.1, 0, 0], velocity=[1, 0, 0]))]
    )
    end = run(bodies, state, 6, SPACE)
    m, u = bodies.mass, 3.0
    common = (m @ state.velocity[:, 0]) / m.sum()
    expected = common + restitution * u * np.array([-m[1], m[0]]) / m.sum()
    np.testing.assert_allclose(end.velocity[:, 0], expected, atol=SOLVED * u)
    np.testing.assert_allclose(m @ end.velocity, m @ state.velocity, atol=1e-12 * m.sum() * u)
    lost = (energies(bodies, state, SPACE.gravity) - energies(bodies, end, SPACE.gravity)).sum()
    available = 0.5 * m[0] * m[1] / m.sum() * u**2
    assert lost == pytest.approx((1 - restitution**2) * available, abs=2 * SOLVED * available)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_impact_off_centre(restitution):
    """A corner strikes a face: j = -(1 + e) u / (n K n), K = 1/m1 + 1/m2 + (r x n) I^-1 (r x n) of both."""
    spike = solid(np.array([[0, 0, 0], [1, -0.4, -0.5], [1, 0.7, -0.3], [1, 0.1, 0.8]]) * 0.2, 0.0, restitution)
    plate = box(0.1, 0.8, 0.6, friction=0.0, restitution=restitution)
    corner = spike.shapes.vertices[spike.shapes.vertices[:, 0].argmin()]
    n, u, where = np.array([1.0, 0, 0]), 2.0, np.array([0.05, 0.25, -0.1])  # from the plate to the spike
    bodies, state = together(
        [
            (spike, placed(spike, where - corner + [0.03, 0, 0], velocity=[-u, 0, 0])),
            (plate, placed(plate, [0, 0, 0])),
        ]
    )
    dt = 1 / 100
    end = run(bodies, state, 4, SPACE, dt)
    arms = [corner, where]
    turning = [np.cross(r, n) @ np.linalg.solve(J, np.cross(r, n)) for r, J in zip(arms, bodies.inertia, strict=True)]
    K = np.sum(1 / bodies.mass) + np.sum(turning)
    j = (1 + restitution) * u / K
    # The arms change by the spin within the substep of the impact: spin * h of 1/400 s is 1 % of a radian.
    spin = max(
        j * np.linalg.norm(np.linalg.solve(J, np.cross(r, n))) for r, J in zip(arms, bodies.inertia, strict=True)
    )
    close = 2 * spin * dt / 4
    np.testing.assert_allclose(end.velocity[0], (-u + j / bodies.mass[0]) * n, atol=close * j / bodies.mass[0])
    np.testing.assert_allclose(end.velocity[1], -j / bodies.mass[1] * n, atol=close * j / bodies.mass[1])
    for k, sign in ((0, 1), (1, -1)):
        L = sign * j * np.cross(arms[k], n)
        np.testing.assert_allclose(end.angular_momentum[k], L, atol=close * np.linalg.norm(L))


def test_coulomb_impact_of_a_sliding_block():
    """A block that hits the floor at a slant, sliding throughout, loses mu (1 + e) u along it for u across it."""
    mu, e, u = 0.2, 0.4, 4.0
    one = box(0.6, 0.6, 0.02, friction=mu, restitution=e)
    state = placed(one, [0, 0, 0.01 + 0.05], velocity=[9.0, 0, -u])
    states, accounts, rise = played(one, state, [FLOOR])
    assert rise <= ROUND_OFF
    fall = np.sqrt(u * u + 2 * G * 0.05)
    rest = DT - (fall - u) / G  # after the impact
    # When it strikes is known to a substep: a quarter of a frame of gravity.
    assert states[1].velocity[0, 2] == pytest.approx(e * fall - G * rest, abs=G * DT / 4)
    assert states[1].velocity[0, 0] == pytest.approx(9.0 - mu * (1 + e) * fall, abs=mu * G * DT / 4)
    impulse = accounts[0].touch_impulse.sum(axis=0)
    assert np.hypot(impulse[0], impulse[1]) == pytest.approx(mu * impulse[2], rel=TILT)


def test_block_carried_along_by_a_sliding_plank():
    """The plank is braked from above and from below, the block is dragged until both move alike, then both stop."""
    mu, v = 0.3, 3.0
    plank, block = box(3.0, 0.6, 0.1, friction=mu), box(0.3, 0.3, 0.1, friction=mu)
    bodies, state = together(
        [(plank, placed(plank, [0, 0, 0.05], velocity=[v, 0, 0])), (block, placed(block, [0.5, 0, 0.15]))]
    )
    states, _, rise = played(bodies, state, [FLOOR] * 48)
    assert rise <= ROUND_OFF
    M, m = bodies.mass
    braked, dragged = mu * G * (M + 2 * m) / M, mu * G
    alike = v / (braked + dragged)
    common = dragged * alike
    together_way = common**2 / (2 * mu * G)
    plank_way = v * alike - 0.5 * braked * alike**2 + together_way
    block_way = 0.5 * dragged * alike**2 + together_way
    moved = states[-1].position[:, 0] - state.position[:, 0]
    np.testing.assert_allclose(moved, [plank_way, block_way], rtol=0.03)
    np.testing.assert_allclose(states[-1].velocity, 0, atol=1e-6)


def swarm(restitution):
    """Pieces of a cube that rush towards its middle, spinning."""
    rng = np.random.default_rng(2)
    bodies, state = pile(60, seed=4, restitution=restitution)
    place = state.position - state.position.mean(axis=0)
    spin = 4 * rng.normal(size=place.shape)
    velocity = -0.5 * place + 0.3 * rng.normal(size=place.shape)
    return bodies, replace(state, position=place, velocity=velocity, angular_momentum=bodies.moments[:, :1] * spin)


@pytest.mark.parametrize("restitution", [0.0, 0.6])
@pytest.mark.parametrize("corrected", [True, False])
def test_momenta_of_a_swarm(restitution, corrected, monkeypatch):
    """Linear momentum to 1e-10, angular momentum to what the budget takes, whether overlaps are pushed apart or not."""
    if not corrected:
        monkeypatch.setattr("core.rigid.substep.correct_positions", lambda *_: False)
    bodies, state = swarm(restitution)
    states, accounts, rise = played(bodies, state, [SPACE] * 40)
    assert sum(len(account.touch_body) for account in accounts) > 200
    assert rise <= ROUND_OFF
    (p, L), (q, M) = momentum(bodies, state), momentum(bodies, states[-1])
    size = bodies.mass @ np.linalg.norm(state.velocity, axis=1)
    turn = np.linalg.norm(np.cross(state.position, bodies.mass[:, None] * state.velocity), axis=1).sum()
    turn += np.linalg.norm(state.angular_momentum, axis=1).sum()
    assert np.abs(p - q).max() < 1e-10 * size
    # The budget takes a share of all velocities relative to their mean: that keeps P, and L but for that share.
    assert np.abs(L - M).max() < 1e-7 * turn


def changes(bodies, state, after, account, world):
    """What the impulses of a frame leave unexplained of each body's change of momentum (K,3) [N s]."""
    pushed = np.zeros((len(bodies.mass), 3))
    for (a, b), impulse in zip(account.touch_body, account.touch_impulse, strict=True):
        pushed[a] += impulse
        if b < len(bodies.mass):
            pushed[b] -= impulse
    return bodies.mass[:, None] * (after.velocity - state.velocity - world.gravity * DT) - pushed


def test_impulses_are_the_change_of_momentum():
    """In flight exact; on the floor but for what the energy budget takes from the velocities, and but for sleepers."""
    bodies, state = random_scene(np.random.default_rng(6), count=8, apart=2.5, restitution=0.3)
    for world in (SPACE, FLOOR):
        now = state
        for _ in range(20):
            after, account = advance_frame(bodies, now, world, DT)
            left = np.abs(changes(bodies, now, after, account, world)).max(axis=1)
            size = bodies.mass * (np.linalg.norm(now.velocity, axis=1) + G * DT)
            size[after.asleep] = np.inf
            # The budget takes back what the first order of the substeps gave: ten times as much as in a usual frame
            # of an impact (1e-3 of the momentum), and nothing in most frames.
            assert (left <= 2e-2 * size).all()
            if world is SPACE:
                assert (left <= 1e-10 * size).all()
            now = after


def test_impulses_carry_the_weight_of_what_rests():
    sides = (0.5, 0.4, 0.3)
    parts, z = [], 0.0
    for side in sides:
        one = box(side, side, side)
        parts.append((one, placed(one, [0, 0, z + 0.5 * side])))
        z += side
    bodies, state = together(parts)
    state = run(bodies, state, 12)
    _, account = advance_frame(bodies, state, FLOOR, DT)
    above = bodies.mass[::-1].cumsum()[::-1]
    for (a, b), impulse in zip(account.touch_body, account.touch_impulse, strict=True):
        upper, push = (a, impulse) if b >= 3 or a > b else (b, -impulse)
        # What still rocks is below a thousandth of the weight.
        np.testing.assert_allclose(push, [0, 0, above[upper] * G * DT], atol=1e-3 * above[0] * G * DT)
    assert len(account.touch_body) == 3


def test_two_runs_are_bit_equal():
    results = []
    for _ in range(2):
        bodies, state = pile(40, seed=8, friction=0.6, restitution=0.2)
        end = run(bodies, state, 40)
        results.append([end.position, end.rotation, end.velocity, end.angular_momentum, end.contacts.impulse])
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


def test_same_collapse_at_any_size():
    """Lengths times s, times times sqrt(s), masses as they come: the motion of bodies that touch is similar.

    Powers of 4 scale without round-off, but for gravity: its square root and products still round.
    """
    results = []
    for scale in (1 / 16, 1.0, 16.0):
        parts = []
        for i in range(4):
            one = box(0.4 * scale, 0.3 * scale, 0.2 * scale, restitution=0.2)
            q = [1.0, 0.05 * i, 0.0, 0.1 * i]
            parts.append((one, placed(one, np.array([0.08 * i, 0.02 * i, 0.3 + 0.5 * i]) * scale, q)))
        bodies, state = together(parts)
        end = run(bodies, state, 16, dt=DT * np.sqrt(scale))
        results.append(end.position / scale)
    np.testing.assert_allclose(results[0], results[1], atol=1e-6)
    np.testing.assert_allclose(results[2], results[1], atol=1e-6)


def test_join_and_order_do_not_matter_far_apart():
    """What does not touch does not disturb: a scene beside another one moves as it does alone."""
    one = random_scene(np.random.default_rng(1), count=3, apart=2.0)
    two = random_scene(np.random.default_rng(2), count=3, apart=2.0)
    moved = two[1].position + np.array([100.0, 0, 0])
    both = join_bodies(one, (two[0], replace(two[1], position=moved)))
    end, alone = run(*both, 20), run(*one, 20)
    # The block that stands for the ground is larger in the larger scene, so its corners are rounded elsewhere.
    np.testing.assert_allclose(end.position[:3], alone.position, rtol=0, atol=1e-10)
