"""What every continuum method promises, run on every entry of the registry."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from core.arithmetic.small_matrices import rotation_matrices
from core.config.material import Material
from core.continuum import CONTINUA
from core.continuum.contract import ContinuumObject
from core.continuum.finite_element.elements import lumped_masses, measure_elements
from core.errors import Cancelled
from core.fragments.build import are_closed
from core.geometry.packed import following
from core.object_simulation import Item, simulation_steps
from core.pieces import PARTITIONS
from core.pipeline import shatter, shatter_steps
from core.settings import Settings
from core.stepwise import result_of
from core.strength.origin import Origin
from core.types import Clock, Ground, Impact, Influence, Mesh, Scene
from tests import shapes
from tests.spring_lattices import Around

#: Settings with which a block of 0.3 m breaks that spins in the air, and those of a fall.
FRAGILE = {
    "spring_lattice": {"failure_strain": 0.06, "youngs_modulus": 0.1, "nodes": 400, "keeps_volume": 0.0},
    "finite_element": {"youngs_modulus": 0.1, "elements": 400, "damping": 0.3, "rigid_below": 0.0},
}
#: Without a strength of its own a method has that of the material.
WEAK, STRONG = Material(density=1000.0, tensile=0.006), Material(density=1000.0, tensile=1e6)
#: What makes it hold, of the params; and lets pieces leave as they break off.
HOLDS = {"spring_lattice": {"failure_strain": 0.0}, "finite_element": {}}
AT_ONCE = {"spring_lattice": {"release": "once"}, "finite_element": {}}
SIZE = (0.3, 0.2, 0.15)
FRAMES = 12
#: Surroundings with nothing in them.
EMPTY = Around(1.0 / 24.0)
SPIN = np.array([2.0, 30.0, 11.0])  # [rad/s]: its ends fly at some 5 m/s, in matter with waves of 10 m/s


@pytest.fixture(params=[method.id for method in CONTINUA])
def method(request):
    return CONTINUA[request.param]


def params(method, **changes):
    return method.params(**{**FRAGILE[method.id], **changes})


def block():
    return shapes.box(high=SIZE)


def holding(method):
    """Settings with which nothing breaks."""
    return replace(settings(method, **HOLDS[method.id]), material=STRONG)


def thing(spin=SPIN, velocity=(0.4, 0.0, 0.2), impacts=(), influence=None):
    body = block()
    pivot = body.vertices.mean(axis=0)
    influence = Influence() if influence is None else influence
    # Without friction: points that rub at a distance turn each other.
    material, clock = replace(WEAK, friction=0.0), Clock(24.0, FRAMES)
    origin, velocity = Origin(body, np.eye(3)), np.array(velocity, float)
    return ContinuumObject(body, material, origin, (), impacts, velocity, spin, pivot, influence, clock, 3)


def started(method, obj, **changes):
    chosen = params(method, **changes)
    return method.run.start(obj, result_of(method.run.divide(obj, chosen)), chosen)


def scene(height=0.6, speed=0.0, point=(0.1, 0.1, 0.75)):
    body = shapes.moved(block(), np.array([0.0, 0.0, height]))
    hit = Impact(np.array(point), np.array([0.0, 0.0, -1.0]), 1.0, speed, 0.1, 0.0)
    mesh = Mesh("Block", body.vertices, body.triangles)
    return Scene(mesh, (hit,), np.array([0.0, 0.0, -9.81]), Ground(0.0), Clock(24.0, 2 * FRAMES), spin=SPIN,
                 pivot=body.vertices.mean(axis=0))  # fmt: skip


def settings(method, **changes):
    pieces = PARTITIONS["voronoi"].params()
    return Settings(3, "voronoi", pieces, method.id, params(method, **changes), WEAK)


def places(shattered, k, frame):
    """(V,3) vertices of a piece at a stored frame, by its pose and its track."""
    f, motion = shattered.fragments, shattered.motion
    local = f.vertices[f.vertex_start[k] : f.vertex_start[k + 1]]
    for track in shattered.tracks:
        if track.fragment == k and frame >= track.first:
            local = track.vertices[min(frame - track.first, len(track.vertices) - 1)]
    R = rotation_matrices(motion.rotation[frame, [k]])[0]
    return motion.position[frame, k] + np.einsum("ij,nj->ni", R, local)


def test_pieces_are_closed_and_their_volumes_sum(method):
    done = shatter(scene(), settings(method))
    last = done.fracture.death == len(done.motion.time)
    assert last.sum() > 3, "it breaks"
    assert done.report.closed_pieces == last.sum()
    # Round-off of a few thousand cells.
    assert done.fragments.volume[last].sum() == pytest.approx(np.prod(SIZE), rel=1e-11)
    for parent in np.unique(done.fracture.parent[done.fracture.parent >= 0]):
        mine = done.fracture.parent == parent
        assert done.fragments.volume[mine].sum() == pytest.approx(done.fragments.volume[parent], rel=1e-11)
        assert (
            len(np.unique(done.fracture.birth[mine])) == 1
            and done.fracture.death[parent] == done.fracture.birth[mine][0]
        )


def test_mass_and_both_momenta_are_kept_while_it_flies_apart(method):
    # What leaves takes along what it had, to 1e-9 of what there is; nothing acts from outside.
    run = started(method, thing(), **AT_ONCE[method.id])
    left = []
    for frame in range(1, FRAMES):
        left += [(frame, piece) for piece in result_of(run.advance(frame, EMPTY))]
    assert len(left) > 3
    mass = sum(piece.mass for _, piece in left)
    assert mass == pytest.approx(1000.0 * np.prod(SIZE), rel=1e-9), "all of it has left"
    arm, p = _nodes_at_start(method)
    momentum = sum(piece.momentum for _, piece in left)
    np.testing.assert_allclose(momentum, p.sum(axis=0), rtol=0.0, atol=1e-9 * np.abs(p).sum())
    # About where the pivot was: pieces that left early flew on from where they left.
    pivot, after = 0.5 * np.array(SIZE), np.zeros(3)
    for frame, piece in left:
        v = piece.momentum / piece.mass
        start = piece.centre - v * frame / 24.0
        after += piece.angular_momentum + np.cross(start - pivot, piece.momentum)
    before = np.cross(arm, p).sum(axis=0)
    np.testing.assert_allclose(after, before, rtol=0.0, atol=1e-9 * np.abs(before).max())


def _nodes_at_start(method):
    """Arms and momenta of the nodes that a method computes with."""
    obj = thing()
    divided = result_of(method.run.divide(obj, params(method)))
    if method.id == "finite_element":
        volume = measure_elements(divided.mesh).volume
        place, mass = divided.mesh.node_material, lumped_masses(divided.mesh, volume, divided.material.density)
    else:
        place, mass = divided.lattice.rest_position, divided.lattice.mass
    arm = place - obj.pivot
    return arm, mass[:, None] * (obj.velocity + np.cross(obj.spin, arm))


def test_the_same_seed_gives_the_same_bits(method):
    first, second = (shatter(scene(), settings(method)) for _ in range(2))
    np.testing.assert_array_equal(first.motion.position, second.motion.position)
    np.testing.assert_array_equal(first.fracture.fragment_unit, second.fracture.fragment_unit)
    assert all(np.array_equal(a.vertices, b.vertices) for a, b in zip(first.tracks, second.tracks, strict=True))


def test_what_nothing_touches_stays_put(method):
    obj = thing(np.zeros(3), np.zeros(3))
    run = started(method, obj)
    for frame in (1, 2):
        assert not result_of(run.advance(frame, EMPTY))
    np.testing.assert_allclose(run.deform(0, obj.body.vertices, 2), obj.body.vertices, atol=1e-14)
    assert len(run.pieces) == 1 and np.abs(run.energy()).max() < 1e-20


def test_infinite_strength_is_one_piece(method):
    endless = Influence(toughness=np.full((12, 3), np.inf))
    for influence, broken in ((Influence(), True), (endless, False)):
        run = started(method, thing(influence=influence))
        for frame in range(1, 5):
            result_of(run.advance(frame, EMPTY))
        assert (len(run.pieces) > 1) == broken


def test_nothing_breaks_outside_of_its_time(method):
    run = started(method, thing(influence=Influence(start=0.5)))
    for frame in range(1, 5):
        result_of(run.advance(frame, EMPTY))
    assert len(run.pieces) == 1


def test_nothing_breaks_outside_of_the_spheres(method):
    """They stay where they are, and it flies: at 12 m/s it leaves one that holds all of it within a frame."""
    whole, far = np.array([[*(0.5 * np.array(SIZE)), 0.25]]), np.array([[5.0, 0.0, 0.0, 0.25]])
    broken = {}
    for name, spheres, speed in (("in", whole, 0.4), ("out", far, 0.4), ("left", whole, 12.0)):
        run = started(method, thing(velocity=(speed, 0.0, 0.0), influence=Influence(spheres=spheres)))
        for frame in range(1, 6):
            result_of(run.advance(frame, EMPTY))
        broken[name] = len(run.pieces) - 1
    assert broken["out"] == 0 and broken["in"] > broken["left"]


def test_spheres_are_where_they_are_in_the_world_for_each_object(method):
    """The same thing elsewhere in the world that all share: its zero is at a place, the sphere is around it there."""
    broken = []
    for place in (np.zeros(3), np.array([7.0, 0.0, 0.0])):
        spheres = np.array([[*(place + 0.5 * np.array(SIZE) + np.array([0.0, 0.0, 0.6])), 0.5]])
        one = replace(scene(), influence=Influence(spheres=spheres), clock=Clock(24.0, 5))
        (done,) = result_of(simulation_steps([Item(one, settings(method), place)], 1000))
        broken.append(len(done.fragments.mass))
    assert broken[0] == broken[1] > 3


def test_what_is_anchored_stays(method):
    anchored = np.zeros((12, 3))
    body = block()
    anchored[(body.vertices[body.triangles][:, :, 0] == 0.0).all(axis=1)] = 1.0
    obj = thing(np.zeros(3), np.zeros(3), influence=Influence(anchored=anchored))
    around = replace(EMPTY, gravity=np.array([0.0, 0.0, -9.81]))
    run = started(method, obj)
    for frame in range(1, 4):
        result_of(run.advance(frame, around))
    went = run.deform(0, body.vertices, 3) - body.vertices
    fast = body.vertices[:, 0] == 0.0
    assert np.abs(went[fast]).max() < 1e-9 < 1e-3 < np.abs(went[~fast, 2]).min()


def test_a_hit_pushes_only_what_is_within_its_radius(method):
    hit = Impact(np.array([0.0, 0.1, 0.075]), np.array([1.0, 0.0, 0.0]), 1.0, 1.0, 0.08, 0.0)
    run = started(method, thing(np.zeros(3), np.zeros(3), impacts=(hit,)))
    kinetic, _ = run.energy()
    # No more than the matter of the half ball at the full speed.
    assert 0.0 < kinetic < 0.5 * 1000.0 * 2.0 / 3.0 * np.pi * 0.08**3


def test_a_piece_is_where_its_matter_was_before_it_was_born(method):
    # Mates share their vertices until the frame before one of them is born: what was whole has no gaps.
    run = started(method, thing())
    for frame in range(1, FRAMES):
        result_of(run.advance(frame, EMPTY))
    born = [k for k, one in enumerate(run.pieces) if one.parent == 0]
    assert len(born) > 1
    cells = run.pieces[0].cells
    for frame in range(run.pieces[born[0]].birth):
        whole = run.deform(0, cells.vertices, frame)
        for k in born[:3]:
            np.testing.assert_allclose(run.deform(k, cells.vertices, frame), whole, atol=1e-12)


def test_progress_never_falls_and_a_stopped_job_leaves_nothing(method):
    told = [step.fraction for step in shatter_steps(scene(), settings(method))]
    assert len(told) > 2 * FRAMES and all(later >= before for before, later in pairwise(told))
    with pytest.raises(Cancelled):
        shatter(scene(), settings(method), progress=lambda step: step.fraction > 0.5)


def test_a_fall_never_gains_energy(method):
    # Kinetic, of strain and of place: no frame adds more than a hundredth of what there was to lose.
    fall = replace(scene(), spin=np.zeros(3))
    done = shatter(fall, holding(method))
    energy = done.motion.energy.sum(axis=1)
    weight = 9.81 * 1000.0 * np.prod(SIZE)
    assert np.diff(energy).max() < 0.01 * weight * 0.6 and energy[-1] < energy[0] - 0.5 * weight * 0.6
    lowest = min(places(done, 0, frame)[:, 2].min() for frame in range(2 * FRAMES))
    assert -0.01 < lowest < 0.01


def test_a_blow_that_nobody_sees_is_told_with_what_to_change(method):
    """What holds and hardly bends gets a sentence, what bends gets none."""
    for speed, told in ((1e-3, True), (20.0, False)):
        still = replace(scene(height=0.0, speed=speed, point=(0.1, 0.1, 0.15)), spin=np.zeros(3))
        done = shatter(replace(still, clock=Clock(24.0, 26)), holding(method))
        assert len(done.fragments.mass) == 1
        assert any("Speed" in sentence for sentence in done.report.advice) == told


def test_what_bends_is_as_fine_as_its_cells(method):
    """A block of twelve triangles could not be seen to bend in itself: its surface follows its cells."""
    done = shatter(scene(), holding(method))
    f = done.fragments
    ends = f.vertices[f.corner_vertex], f.vertices[f.corner_vertex[following(f.corner_start)]]
    assert np.linalg.norm(ends[1] - ends[0], axis=1).max() < 0.5 * max(SIZE)
    assert are_closed(f).all()
