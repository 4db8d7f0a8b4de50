"""Objects of a continuum method that are rigid until something hits them: where they begin, and with what."""

from dataclasses import replace

import numpy as np
import pytest

from core.arithmetic.small_matrices import rotation_matrices
from core.breaking import RULES
from core.config.breakable import Breakable
from core.config.material import Material
from core.continuum import CONTINUA
from core.continuum.contract import RigidBegin
from core.continuum.rigid_motion import velocities_of_begin
from core.errors import InputError
from core.object_simulation import Item, simulation_steps
from core.path import Path
from core.pieces import PARTITIONS
from core.settings import Settings
from core.simulation.continuum_objects import ContinuumObjects
from core.simulation.frame_loop import FrameLoop
from core.simulation.obstacles import FrameSurroundings, Obstacle, ObstacleShape
from core.simulation.turned_run import LateBegin, TurnedSurroundings
from core.stepwise import result_of
from core.types import Clock, Collider, Course, Ground, Impact, Mesh, Scene
from tests.shapes import box, moved

SPRINGS = CONTINUA["spring_lattice"]
SIZE = np.array([0.3, 0.2, 0.15])
SPIN = np.array([2.0, 5.0, 1.0])
FPS = 24.0
STILL = np.array([1.0, 0.0, 0.0, 0.0])


def settings(rigid_below=0.5, **changes):
    given = {"failure_strain": 0.0, "youngs_modulus": 0.3, "nodes": 300, "rigid_below": rigid_below, **changes}
    material = Material(density=1000.0, friction=0.4)
    return Settings(3, "voronoi", PARTITIONS["voronoi"].params(), SPRINGS.id, SPRINGS.params(**given), material)


def scene(height=0.6, frames=16, spin=SPIN, impacts=(), velocity=(0.3, 0.0, 0.0)):
    body = moved(box(high=SIZE), np.array([0.0, 0.0, height]))
    mesh, pivot = Mesh("Block", body.vertices, body.triangles), body.vertices.mean(axis=0)
    gravity, clock = np.array([0.0, 0.0, -9.81]), Clock(FPS, frames)
    return Scene(mesh, impacts, gravity, Ground(0.0), clock, velocity=np.array(velocity), spin=spin, pivot=pivot)


def simulated(*items):
    return result_of(simulation_steps(items, 1000))


def alone(one, chosen, **more):
    return simulated(Item(one, chosen, np.zeros(3), **more))[0]


def began(done):
    """The first stored frame in which the whole has another form than at rest; none where it never has."""
    return next((track.first for track in done.tracks if track.fragment == 0), None)


def momenta(mass, place, velocity, own=0.0):
    p = np.asarray(mass)[:, None] * velocity
    return p.sum(axis=0), np.cross(place, p).sum(axis=0) + own


@pytest.mark.parametrize("place", [(0.0, 0.0, 0.0), (3.0, -2.0, 0.0)])
def test_what_begins_has_the_momenta_that_it_had_and_its_matter_is_where_it_was(monkeypatch, place):
    """To 1e-9 of what there is, about the origin; its points to round-off of a turn."""
    had, has = [], []

    def noted(self, rows, frame, begin_steps=FrameLoop._begin_steps):
        live = self.live
        state, mass, (row,) = live.state, live.rest.mass, rows
        at = state.position[row] - place
        had.append(momenta(mass[[row]], at[None], state.velocity[[row]], state.angular_momentum[row]))
        R, body = rotation_matrices(state.rotation[[row]])[0], live.model_of(row).body
        points = at + (body.vertices - live.rest.centre[row]) @ R.T
        begin_continuum = self.continua.begin_steps

        def looked(number, frame, live):
            source = yield from begin_continuum(number, frame, live)
            turned = self.continua._objects[0].run
            run, late = turned._run, turned.begin
            nodes, velocity = late.to_object(run._state.position), run._state.velocity @ late.turn.T
            has.append(momenta(run._lattice.mass, nodes, velocity))
            np.testing.assert_allclose(turned.deform(0, body.vertices, frame), points, atol=1e-12)
            return source

        monkeypatch.setattr(self.continua, "begin_steps", looked)
        yield from begin_steps(self, rows, frame)

    monkeypatch.setattr(FrameLoop, "_begin_steps", noted)
    simulated(Item(scene(frames=12), settings(), np.array(place)))
    (before,), (after,) = had, has
    for old, new in zip(before, after, strict=True):
        np.testing.assert_allclose(new, old, rtol=0.0, atol=1e-9 * np.abs(old).max())


def test_nodes_take_up_any_momentum_and_angular_momentum():
    """Also where the centre of mass of the nodes is not that of the body."""
    rng = np.random.default_rng(1)
    mass, at = rng.uniform(0.1, 1.0, 30), rng.normal(size=(30, 3))
    begin = RigidBegin(*rng.normal(size=(3, 3)), np.eye(3))
    p, turning = momenta(mass, at, velocities_of_begin(mass, at, begin))
    np.testing.assert_allclose(p, begin.momentum, atol=1e-13)
    np.testing.assert_allclose(turning, begin.angular_momentum + np.cross(begin.centre, begin.momentum), atol=1e-12)


def test_it_flies_as_a_rigid_body_until_it_lands_and_bends_then():
    done = alone(scene(), settings())
    position, first = done.motion.position[:, 0], began(done)
    free = np.sqrt(2.0 * 0.6 / 9.81) * FPS
    assert 0.5 * free < first < free + 1.0, "its ends are lower than where it lay"
    # A parabola to round-off, without any bend: it costs nothing.
    np.testing.assert_allclose(np.diff(position[:first, 2], 2), -9.81 / FPS**2, rtol=1e-9)
    turn = np.abs(np.einsum("ij,ij->i", done.motion.rotation[1:first, 0], done.motion.rotation[: first - 1, 0]))
    assert turn.max() < 1.0 - 1e-4, "it spins"
    assert len(done.fragments.mass) == 1 and done.fracture.birth.tolist() == [0]
    # Between any two frames it goes on as fast as before, but for what the floor did.
    step = np.linalg.norm(np.diff(position, axis=0), axis=1)
    assert step[first - 1] < 1.3 * step[first - 2] + 9.81 / FPS**2


def test_what_nothing_hits_stays_rigid_and_the_report_says_so():
    done = alone(scene(), settings(rigid_below=50.0))
    assert not done.tracks and len(done.fragments.mass) == 1
    assert done.motion.position[-1, 0, 2] < 0.3
    assert done.history is None, "it was not cut"
    assert any("stayed rigid" in sentence for sentence in (*done.report.counted, *done.report.warnings))


def test_what_lies_waits_until_an_impact_hits_it():
    """In frame 6, from above: the whole is struck where it is then, and by nothing before."""
    hit = Impact(np.array([0.15, 0.1, 0.15]), np.array([0.0, 0.0, -1.0]), 1.0, 3.0, 0.2, 6.0 / FPS)
    lying = scene(height=0.0, spin=np.zeros(3), impacts=(hit,), velocity=np.zeros(3))
    done = alone(lying, settings())
    assert began(done) == 7
    weak = replace(lying, impacts=(replace(hit, time=0.0),))
    assert began(alone(weak, settings())) == 1


def test_rigid_things_wake_it():
    """A block of stone that falls on it: it lies still until then."""
    lying = scene(height=0.0, spin=np.zeros(3), velocity=np.zeros(3), frames=20)
    stone = moved(box(high=(0.1, 0.1, 0.1)), np.array([0.1, 0.05, 0.65]))
    falling = replace(lying, mesh=Mesh("Stone", stone.vertices, stone.triangles))
    unbroken = Breakable(breaks=True, speed=1e4)
    params = RULES["impact_factor"].params()
    rule = replace(settings(), breaking="impact_factor", breaking_params=params, breakable=unbroken)
    done, dropped = simulated(Item(lying, settings(), np.zeros(3)), Item(falling, rule, np.zeros(3)))
    free = np.sqrt(2.0 * 0.5 / 9.81) * FPS
    assert free - 1.0 < began(done) < free + 2.0
    assert (np.abs(done.motion.position[: began(done) - 1, 0] - done.motion.position[0, 0]) < 1e-3).all()
    assert dropped.motion.position[-1, 0, 2] > 0.1, "it lies on it"


def test_it_follows_its_animation_until_it_is_hit():
    """It is carried along x at 1.2 m/s, into a wall; before, it is where its path says."""
    S = 20
    steps = np.arange(S)[:, None] * [0.05, 0.0, 0.0]
    path = Path(steps, np.tile(STILL, (S, 1)), np.zeros((S - 1, 3)), S - 1)
    led = scene(height=1.0, spin=np.zeros(3), velocity=np.zeros(3), frames=S)
    wall = box((0.6, -1.0, 0.0), (0.8, 1.0, 2.0))
    collider = Collider(Mesh("Wall", wall.vertices, wall.triangles), np.zeros((1, 3)), STILL[None])
    done = alone(replace(led, colliders=(collider,)), settings(), path=path)
    first = began(done)
    assert 6 <= first <= 8, "its front is 0.3 m from the wall"
    before = done.motion.position[: first - 1, 0]
    np.testing.assert_allclose(before, done.motion.position[0, 0] + steps[: first - 1], atol=1e-9)
    assert done.motion.position[-1, 0, 2] < 0.9, "then it falls"


def test_what_is_animated_and_soft_is_refused_with_what_to_do():
    path = Path(np.zeros((16, 3)), np.tile(STILL, (16, 1)), np.zeros((15, 3)), 10)
    with pytest.raises(InputError, match="raise Rigid Below"):
        alone(scene(), settings(rigid_below=0.0), path=path)
    keyed = replace(scene(), courses=(Course("gravity_scale", np.linspace(1.0, 2.0, 16)),))
    with pytest.raises(InputError, match="animat"):
        alone(keyed, settings(), path=path)


def pair(gap, keep=False):
    """Two blocks, one beside the other, as one object that is carried along x."""
    one, other = box(high=SIZE), moved(box(high=SIZE), np.array([SIZE[0] + gap, 0.0, 0.0]))
    vertices = np.concatenate([one.vertices, other.vertices]) + np.array([0.0, 0.0, 1.0])
    triangles = np.concatenate([one.triangles, other.triangles + len(one.vertices)])
    steps = np.arange(4)[:, None] * [0.05, 0.0, 0.0]
    path = Path(steps, np.tile(STILL, (4, 1)), np.zeros((3, 3)), 3)
    chosen = replace(settings(), repair=replace(settings().repair, parts="keep")) if keep else settings()
    still = scene(frames=4, spin=np.zeros(3), velocity=np.zeros(3))
    return replace(still, mesh=Mesh("Pair", vertices, triangles)), chosen, path


def test_parts_that_are_apart_are_one_thing_and_those_that_are_kept_follow_no_animation():
    """Kept parts fall apart as rigid bodies: without an animation they are soft from the start."""
    apart, chosen, path = pair(0.2)
    done = alone(apart, chosen, path=path)
    np.testing.assert_allclose(np.diff(done.motion.position[:, 0, 0]), 0.05, atol=1e-9)
    assert began(done) is None
    overlapping, chosen, path = pair(-0.1, keep=True)
    with pytest.raises(InputError, match="several parts"):
        alone(overlapping, chosen, path=path)


@pytest.mark.parametrize("changes", [{"gravity_scale": 0.5}, {"steering": 2.0}])
def test_what_has_forces_of_its_own_is_soft_from_the_start(changes):
    assert began(alone(scene(frames=4), settings(**changes))) == 1


def test_surroundings_are_the_same_seen_from_what_is_turned():
    """Distances are; normals, velocities and gravity are turned back. The frame is that of a box that moves."""
    rng = np.random.default_rng(3)
    solid = box((-1.0, -0.5, -0.25), (1.0, 0.5, 0.25))
    led = Obstacle(
        ObstacleShape(solid.vertices, solid.triangles), np.array([[0.0] * 3, [0.1, 0.0, 0.0]]), np.tile(STILL, (2, 1))
    )
    around = FrameSurroundings(np.array([0.0, 0.0, -9.8]), 1.0 / FPS, Ground(-0.4), (led,), np.zeros(3))
    q = rng.normal(size=4)
    R = rotation_matrices((q / np.linalg.norm(q))[None])[0]
    begin = LateBegin(3, R, np.array([0.2, -0.1, 0.4]), *np.zeros((3, 3)), 0.0)
    turned = TurnedSurroundings(around, begin)
    points = rng.uniform(-1.2, 1.2, (50, 3))
    np.testing.assert_allclose(begin.to_own(begin.to_object(points)), points, atol=1e-14)
    there, here = around.find_nearest(begin.to_object(points), 0.5), turned.find_nearest(points, 0.5)
    np.testing.assert_allclose(here.distance, there.distance, atol=1e-14)
    np.testing.assert_allclose(here.normal @ R.T, there.normal, atol=1e-13)
    np.testing.assert_allclose(here.velocity @ R.T, there.velocity, atol=1e-13)
    np.testing.assert_allclose(R @ turned.gravity, around.gravity, atol=1e-13)
    tetrahedra = points[:48].reshape(12, 4, 3)
    there, here = around.find_overlaps(begin.to_object(tetrahedra), 0.5), turned.find_overlaps(tetrahedra, 0.5)
    assert len(here.volume) > 5 and here.tetrahedron.tolist() == there.tetrahedron.tolist()
    np.testing.assert_allclose(begin.to_object(here.centre), there.centre, atol=1e-13)
    np.testing.assert_allclose(here.area @ R.T, there.area, atol=1e-13)


#: Brittle, of which a fall by 1.2 m makes two pieces and a shard; one piece lands again.
BRITTLE = {"failure_strain": 0.003, "youngs_modulus": 1000.0, "release": "once", "most_substeps": 2000}
BRITTLE |= {"nodes": 400, "keeps_volume": 0.0}


def dropped(**changes):
    return alone(scene(1.2, 40, np.array([0.5, 1.0, 0.0]), velocity=np.zeros(3)), settings(**{**BRITTLE, **changes}))


def generations(done):
    parent = done.fracture.parent
    depth = np.zeros(len(parent), np.int64)
    for k in range(len(parent)):
        at = parent[k]
        while at >= 0:
            depth[k], at = depth[k] + 1, parent[at]
    return depth


def test_a_piece_that_had_become_rigid_breaks_again_where_it_is_hit_again():
    done = dropped()
    f, last = done.fracture, done.fracture.death == 40
    assert len(f.cells) == 2 and generations(done).max() >= 2
    assert any("bent again" in sentence for sentence in done.report.counted)
    # Nothing is lost, and no face of the first break counts as skin in the second.
    assert done.fragments.volume[last].sum() == pytest.approx(np.prod(SIZE), rel=1e-11)
    assert done.report.closed_pieces == last.sum()
    skin = sum(_skin_area(done.fragments, k) for k in np.flatnonzero(last))
    assert skin == pytest.approx(2.0 * (SIZE * np.roll(SIZE, 1)).sum(), rel=1e-6)
    # What goes on as a continuum is the same piece in the same place: its parent dies as it is born, where it is born.
    for k in np.flatnonzero(f.fragment_cut == 1):
        parent = f.parent[k]
        if f.fragment_cut[parent] == 1:
            continue
        birth = f.birth[k]
        assert f.death[parent] == birth
        came = done.motion.position[birth - 1 : birth + 1, [parent, k]]
        assert np.linalg.norm(came[1, 1] - came[0, 0]) < 2.0 * 4.8 / FPS, "no farther than it flies"


def _skin_area(fragments, k):
    f, total = fragments, 0.0
    for face in range(f.face_start[k], f.face_start[k + 1]):
        if f.face_triangle[face] >= 0:
            corners = f.corner_vertex[f.corner_start[face] : f.corner_start[face + 1]]
            x = f.vertices[f.vertex_start[k] + corners]
            total += 0.5 * np.linalg.norm(np.cross(x[1:-1] - x[0], x[2:] - x[0]).sum(axis=0))
    return total


def test_what_begins_again_has_the_momenta_that_it_had(monkeypatch):
    """To 1e-9 of what there is, about the origin, in world axes."""
    had, has = [], []

    def noted(self, number, frame, live, begin_steps=ContinuumObjects.begin_steps):
        again = self._waiting[number].piece >= 0
        (row,) = live.rows_of(number)
        state, mass = live.state, live.rest.mass[[row]]
        before = momenta(mass, state.position[[row]], state.velocity[[row]], state.angular_momentum[row])
        source = yield from begin_steps(self, number, frame, live)
        if again:
            turned = self._objects[0].run._runs[-1]
            run, late = turned._run, turned.begin
            nodes, velocity = late.to_object(run._state.position), run._state.velocity @ late.turn.T
            had.append((mass.sum(), *before))
            has.append((run._lattice.mass.sum(), *momenta(run._lattice.mass, nodes, velocity)))
        return source

    monkeypatch.setattr(ContinuumObjects, "begin_steps", noted)
    dropped()
    assert len(had) > 0
    for before, after in zip(had, has, strict=True):
        assert after[0] == pytest.approx(before[0], rel=1e-6)
        for old, new in zip(before[1:], after[1:], strict=True):
            np.testing.assert_allclose(new, old, rtol=0.0, atol=1e-9 * np.abs(old).max())


def test_what_is_soft_from_the_start_breaks_once():
    done = dropped(rigid_below=0.0)
    assert len(done.fracture.cells) == 1
    assert not any("bent again" in sentence for sentence in done.report.counted)


def test_small_pieces_stay_rigid():
    """None has a hundred nodes."""
    assert len(dropped(nodes=150).fracture.cells) == 1


def test_the_same_seed_gives_the_same_bits_again():
    first, second = dropped(), dropped()
    np.testing.assert_array_equal(first.motion.position, second.motion.position)
    np.testing.assert_array_equal(first.fracture.fragment_unit, second.fracture.fragment_unit)
