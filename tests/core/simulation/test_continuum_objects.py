"""The contract of continuum methods, held by a bar of springs that bends, breaks, and lets one half go."""

import importlib.util
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from core.arithmetic.small_matrices import rotation_matrices
from core.breaking import RULES
from core.config.breakable import Breakable
from core.config.material import Material
from core.config.registry import Registry
from core.continuum.contract import ContinuumObject
from core.errors import InputError
from core.intake.ladder import intake
from core.object_simulation import Item, simulation_steps
from core.path import Path as Way
from core.pieces import PARTITIONS
from core.pipeline import shatter, steps_together
from core.settings import Settings
from core.simulation.frame_loop import FrameLoop
from core.stepwise import result_of
from core.strength.origin import Origin
from core.types import Clock, Ground, Impact, Influence, Mesh, Scene
from tests.shapes import box

TOY = Path(__file__).parents[2] / "toy_continuum.py"


@pytest.fixture(scope="module")
def toy():
    spec = importlib.util.spec_from_file_location("core.continuum.toy", TOY)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def settings(toy, monkeypatch):
    registry = Registry("continuum method", {99: toy.METHOD})
    for room in ("setup", "pipeline", "object_simulation"):
        monkeypatch.setattr(f"core.{room}.CONTINUA", registry)
    pieces = PARTITIONS["voronoi"].params()
    return Settings(1, "voronoi", pieces, "toy_bar", toy.ToyBarParams(), Material(density=1000.0))


def bar_scene(height=3.0, frames=24, speed=6.0):
    """A bar of 2 m that hangs in the air and is hit upwards in its middle."""
    bar = box((-1.0, -0.1, height), (1.0, 0.1, height + 0.2))
    hit = Impact(np.array([0.5, 0.0, height]), np.array([0.0, 0.0, 1.0]), 1.0, speed, 0.3, 0.0)
    return Scene(
        Mesh("Bar", bar.vertices, bar.triangles), (hit,), np.array([0.0, 0.0, -9.8]), Ground(0.0), Clock(24.0, frames)
    )


def places(shattered, k, frame):
    """(V,3) vertices of a piece at a stored frame, by its pose and its track."""
    f, motion = shattered.fragments, shattered.motion
    local = f.vertices[f.vertex_start[k] : f.vertex_start[k + 1]]
    for track in shattered.tracks:
        if track.fragment == k and frame >= track.first:
            local = track.vertices[min(frame - track.first, len(track.vertices) - 1)]
    R = rotation_matrices(motion.rotation[frame, [k]])[0]
    return motion.position[frame, k] + np.einsum("ij,nj->ni", R, local)


def test_a_bar_bends_breaks_and_one_half_goes_on_as_a_rigid_body(settings):
    done = shatter(bar_scene(), settings)
    assert len(done.fragments.mass) == 3
    assert done.fracture.parent.tolist() == [-1, 0, 0]
    birth = int(done.fracture.birth[1])
    assert 0 < birth < 24 and done.fracture.death.tolist() == [birth, 24, 24]
    assert {track.fragment for track in done.tracks} == {0, 1, 2}
    released = next(track for track in done.tracks if track.fragment == 2)
    assert released.first + len(released.vertices) - 1 <= birth + 1, "a rigid body keeps its form"
    # It flies: all of its motion after it left is a parabola of its centre of mass, and a turn.
    z = done.motion.position[birth + 1 : birth + 8, 2, 2]
    np.testing.assert_allclose(np.diff(z, 2), -9.8 / 24.0**2, rtol=1e-6)
    assert done.report.closed_pieces == 2


def test_where_vertices_are_is_what_the_method_says(settings, toy):
    """To round-off of the pose that is taken off and put on again."""
    scene = bar_scene()
    done = shatter(scene, settings)
    bar = result_of(toy.divide(_object(scene, settings), settings.breaking_params))
    birth = int(done.fracture.birth[1])
    for frame in (1, birth - 1):
        along = places(done, 0, frame)
        assert along.shape[1] == 3 and np.isfinite(along).all()
    # The two halves are where the whole was torn: their mating faces have not moved apart by more than the stretch.
    left, right = places(done, 1, birth), places(done, 2, birth)
    gap = np.abs(left[:, 0].max() - right[:, 0].min())
    assert gap < 2.0 * settings.breaking_params.stretch
    assert len(bar.at) == settings.breaking_params.nodes


def _object(scene, settings):
    body = intake(scene.mesh, settings.repair, thin=False).body
    return ContinuumObject(
        body,
        settings.material,
        Origin(body, np.eye(3)),
        (),
        scene.impacts,
        np.zeros(3),
        np.zeros(3),
        np.zeros(3),
        Influence(),
        scene.clock,
        1,
    )


def test_what_leaves_keeps_its_momentum_and_its_angular_momentum(settings, monkeypatch):
    """To 1e-9 of what there is, about the origin: what its nodes had, and what the rigid body starts with."""
    had, has = [], []

    def noted(self, frame, taken_on=FrameLoop.take_on_released):
        left = self.continua.released
        run = self.continua._objects[0].run
        if left:
            far = ~run.first
            had.append(_momenta(run.bar.mass[far], run._places(run.way[frame])[far], run.velocity[far]))
        taken_on(self, frame)
        if left:
            (row,) = self.live.rows_of(len(self.live.objects) - 1)
            state, mass = self.live.state, self.live.rest.mass[[row]]
            m, p, turning = _momenta(mass, state.position[[row]], state.velocity[[row]])
            has.append((m, p, turning + state.angular_momentum[row]))

    monkeypatch.setattr(FrameLoop, "take_on_released", noted)
    shatter(bar_scene(), settings)
    ((mass, momentum, turning),), ((m, p, t),) = had, has
    assert m == pytest.approx(mass, rel=1e-12)
    np.testing.assert_allclose(p, momentum, rtol=0.0, atol=1e-9 * np.abs(momentum).max())
    np.testing.assert_allclose(t, turning, rtol=0.0, atol=1e-9 * np.abs(turning).max())


def _momenta(mass, place, velocity):
    """Mass, momentum, and angular momentum about the origin."""
    p = mass[:, None] * velocity
    return mass.sum(), p.sum(axis=0), np.cross(place, p).sum(axis=0)


def test_the_same_seed_gives_the_same_bits(settings):
    first, second = shatter(bar_scene(), settings), shatter(bar_scene(), settings)
    assert np.array_equal(first.motion.position, second.motion.position)
    assert all(np.array_equal(a.vertices, b.vertices) for a, b in zip(first.tracks, second.tracks, strict=True))


def test_it_lies_on_the_ground_and_on_a_collider(settings):
    """A bar that falls stays in front of the floor, by the nodes that it has."""
    done = shatter(bar_scene(height=0.5, frames=48, speed=0.0), replace(settings))
    lowest = min(places(done, 0, frame)[:, 2].min() for frame in range(48))
    assert -0.15 < lowest < 0.05, "the nodes in its middle are stopped at the floor, half of its thickness below"


def test_rigid_things_meet_its_surface(settings):
    """A cube beside it that falls on the bar, which hangs without gravity of its own, is stopped by it."""
    bar = bar_scene(height=1.0, frames=40, speed=0.0)
    bar = replace(bar, gravity=np.array([0.0, 0.0, -9.8]))
    block = box((-0.2, -0.2, 1.6), (0.2, 0.2, 2.0))
    cube = Scene(Mesh("Cube", block.vertices, block.triangles), (), bar.gravity, bar.ground, bar.clock)
    rule = replace(settings, breaking="impact_factor", breaking_params=_rule(), breakable=_unbreakable())
    items = [Item(bar, settings, np.zeros(3)), Item(cube, rule, np.zeros(3))]
    done, dropped = result_of(simulation_steps(items, 100))
    heights = dropped.motion.position[:, 0, 2]
    on_bar = [places(done, 0, frame)[:, 2].max() for frame in range(40)]
    # The cube lies on the bar on the floor in the end, not in it, and not on the floor.
    assert heights[-1] > on_bar[-1] - 0.05 + 0.2 - 0.15
    assert heights[-1] > 0.25


def _rule():
    return RULES["impact_factor"].params()


def _unbreakable():
    return Breakable(breaks=True, speed=1e4)


def test_an_animated_object_is_refused_in_one_sentence(settings):
    scene = bar_scene()
    path = Way(np.zeros((24, 3)), np.tile(np.eye(4)[0], (24, 1)), np.zeros((23, 3)), 10)
    with pytest.raises(InputError, match="animat"):
        result_of(simulation_steps([Item(scene, settings, np.zeros(3), path=path)], 100))


def test_progress_never_falls(settings):
    job = steps_together([Item(bar_scene(), settings, np.zeros(3))], [None])
    told = [step.fraction for step in job]
    assert len(told) > 24 and all(later >= before for before, later in pairwise(told))


def test_early_results_are_the_beginning_of_all(settings):
    offered = []
    scene = bar_scene(frames=40)
    (done,) = result_of(
        steps_together([Item(scene, settings, np.zeros(3))], [None], lambda make: offered.append(make()))
    )
    ((early,),) = offered
    count = len(early.motion.time)
    assert count == 25
    np.testing.assert_array_equal(early.motion.position, done.motion.position[:count])
