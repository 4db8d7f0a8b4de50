"""The pieces of an object that deforms start as the surface around them moved."""

import numpy as np
import pytest

from core.config.repair import Repair
from core.intake.ladder import intake_steps
from core.rigid import MOTIONS
from core.simulation.environment import Environment
from core.simulation.frame_loop import FrameLoop
from core.simulation.live_fragments import LiveFragments
from core.simulation.spec import InitialMotion, SimObject, SimulationSpec, SurfaceMotion
from core.simulation.surface_motion import unit_momenta
from core.stepwise import result_of
from core.types import Clock, Impact, Mesh
from tests import shapes
from tests.core.simulation.breaking import SIZE, model_of

SPIN = np.array([0.5, -2.0, 1.0])
VELOCITY = np.array([3.0, -1.0, 0.25])


def surface(body, velocity):
    """The motion of a body's own surface by a field, places (...,3) -> velocities."""
    place = body.vertices[body.triangles]
    return SurfaceMotion(place, velocity(place))


def units_of(model, field):
    """Velocity and spin of each unit, from momenta and from the exact inertia of live fragments of the units."""
    given = unit_momenta(model, surface(model.body, field))
    live = LiveFragments([SimObject("Apart", model)])
    mass = live._masses(live.tree.first(0, 0, [np.array([u]) for u in range(len(model.units.volume))]))
    spin = np.linalg.solve(mass.inertia, given.spin[:, :, None])[:, :, 0]
    return given.momentum / mass.mass[:, None], spin, mass.centre


def rigid(x):
    return VELOCITY + np.cross(SPIN, x)


@pytest.fixture(scope="module")
def lump():
    """A ball in so many pieces that some of them have no skin."""
    model = model_of(shapes.icosphere(3), 150)
    skin = np.unique(model.cells.unit[model.cells.outer_cell])
    assert len(skin) < len(model.units.volume)
    return model


def test_a_surface_that_moves_rigidly_moves_all_pieces_so(lump):
    """v = V + w x x, also for pieces without skin."""
    velocity, spin, centre = units_of(lump, rigid)
    np.testing.assert_allclose(velocity, rigid(centre), atol=1e-9)
    np.testing.assert_allclose(spin, np.broadcast_to(SPIN, spin.shape), atol=1e-7)


def test_what_grows_and_shears_moves_its_inside_along(lump):
    """A linear field v = A x has the value A c at a centre, and the spin of the antisymmetric part of A."""
    A = np.array([[1.0, 2.0, 0.0], [0.5, 1.0, 0.0], [0.0, -1.0, 3.0]])
    velocity, spin, centre = units_of(lump, lambda x: x @ A.T)
    half = 0.5 * np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])
    inside = np.setdiff1d(np.arange(len(centre)), lump.cells.unit[lump.cells.outer_cell])
    # A piece with a nearly flat skin of its own, which has the most weight, knows little of what goes on below it.
    size = np.linalg.norm(A) * np.cbrt(lump.units.volume)
    assert (np.linalg.norm(velocity - centre @ A.T, axis=1) < 0.35 * size).all()
    assert np.median(np.linalg.norm(velocity - centre @ A.T, axis=1) / size) < 0.05
    np.testing.assert_allclose(velocity[inside], centre[inside] @ A.T, atol=1e-9)
    np.testing.assert_allclose(spin[inside], np.broadcast_to(half, spin[inside].shape), atol=1e-9)


def test_a_part_that_is_led_as_a_whole_has_its_own_speed():
    """Half of a bar turns about its middle, half of it stands: away from the joint each piece knows its side only."""
    profile = np.array([(0.0, 0.0), *((0.2, z) for z in np.linspace(0.0, 4.0, 41)), (0.0, 4.0)])
    bar, turn, joint = shapes.revolved(profile, 16), np.array([3.0, 0.0, 0.0]), np.array([0.0, 0.0, 2.0])

    def swing(x):
        return np.where(x[..., 2:] > 2.05, np.cross(turn, x - joint), 0.0)

    velocity, spin, centre = units_of(model_of(bar, 120), swing)
    away = np.abs(centre[:, 2] - 2.0) > 0.5
    swings = away & (centre[:, 2] > 2.0)
    assert swings.sum() > 20 and (away & ~swings).sum() > 20
    # What is two pieces away has a weight of 1e-3 at most.
    np.testing.assert_allclose(
        velocity[away], np.where(swings[away, None], np.cross(turn, centre[away] - joint), 0.0), atol=0.05
    )
    np.testing.assert_allclose(spin[away], np.where(swings[away, None], turn, 0.0), atol=0.3)


def run_of(model, momentum):
    """A run in which a blow breaks all of an object at once, and gives no speed."""
    impact = Impact(0.5 * SIZE, np.array([0.0, 0.0, -1.0]), 50.0, 0.0, 2.0, 0.0)
    motion = MOTIONS["still"]

    def move(bodies, state, world, dt):
        return motion.run(bodies, state, world, dt, motion.params())

    spec = SimulationSpec(Environment(np.zeros(3), None, (), 2), Clock(24.0, 2), move)
    return FrameLoop([SimObject("Thing", model, (impact,), momentum)], spec)


def test_pieces_part_with_the_momentum_of_the_whole():
    """A whole that is torn apart has P = sum of m v and L about its centre of mass; its pieces keep both."""
    model = model_of(shapes.box(high=SIZE), 30)
    field = lambda x: 2.0 * (x - 0.5 * SIZE) ** 2 + rigid(x)  # noqa: E731
    still = np.zeros(3)
    run = run_of(model, InitialMotion(still, still, still, surface(model.body, field)))
    before = run.live.state, run.live.rest
    run.strike(0)
    after = run.live.state, run.live.rest
    assert len(before[1].mass) == 1 and len(after[1].mass) > 10
    totals = []
    for state, rest in (before, after):
        p = rest.mass[:, None] * state.velocity
        about = np.cross(state.position, p) + state.angular_momentum
        totals.append(np.concatenate([p.sum(axis=0), about.sum(axis=0)]))
    np.testing.assert_allclose(totals[1], totals[0], rtol=1e-12, atol=1e-9)
    given = unit_momenta(model, surface(model.body, field))
    units = [run.live.tree[int(number)].units for number in run.live.alive]
    expected = [given.momentum[some].sum(axis=0) for some in units]
    np.testing.assert_allclose(after[1].mass[:, None] * after[0].velocity, expected, rtol=1e-12, atol=1e-12)


def test_repairs_of_the_mesh_do_not_blur_its_motion():
    """A sheet that is given thickness has a back and a rim that are none of the mesh: the velocity of its front counts.

    It turns about an axis in its plane, so its back would lag if it were thought to move as the front does.
    """
    corners = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    mesh = Mesh("Sheet", corners, np.array([[0, 1, 2], [0, 2, 3]]))
    body = result_of(intake_steps(mesh, Repair(open="thicken", thickness=0.05), thin=True)).body
    model = model_of(body, 20)
    place = corners[mesh.triangles]
    given = unit_momenta(model, SurfaceMotion(place, rigid(place)))
    mass = model.material.density * model.units.volume[:, None]
    np.testing.assert_allclose(given.momentum / mass, rigid(model.units.centroid), atol=1e-9)
