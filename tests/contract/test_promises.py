"""The promises that every kind of pieces with every breaking rule keeps, on several bodies (design, "Promises")."""

from dataclasses import replace

import numpy as np
import pytest

from core.breaking import RULES
from core.config.material import Material
from core.errors import Cancelled, InputError
from core.fragments.build import are_closed
from core.geometry.graph import components
from core.geometry.inside import inside
from core.pieces import PARTITIONS
from core.pipeline import Shattered, shatter
from core.settings import Settings
from core.types import Body, Clock, Ground, Impact, Mesh, Scene
from tests import shapes

BODIES = {
    "cube": shapes.box(),
    "pane": shapes.box(high=(1.0, 1.0, 0.006)),
    "torus": shapes.torus(0.5, 0.2, 32, 16),
    "glass": shapes.wine_glass(24),
}
COMBINATIONS = [(pieces.id, rule.id) for pieces in PARTITIONS for rule in RULES]


def settings_of(pieces: str, rule: str, **changes) -> Settings:
    chosen = Settings(7, pieces, PARTITIONS[pieces].params(), rule, RULES[rule].params(), Material())
    return replace(chosen, pieces_params=replace(chosen.pieces_params, count=30), **changes)


def scene_of(shape, **changes) -> Scene:
    """A hit on the lowest corner of the shape, towards its middle, with gravity and a ground below."""
    vertices, triangles = shape.vertices, shape.triangles
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    point = vertices[np.argmax(vertices @ np.array([1.0, 0.3, 0.1]))]
    hit = Impact(point, (low + high) / 2 - point, strength=1.0, speed=2.0, radius=0.0, time=0.0)
    scene = Scene(
        mesh=Mesh("Thing", vertices, triangles),
        impacts=(hit,),
        gravity=np.array([0.0, 0.0, -9.81]),
        ground=Ground(float(low[2])),
        clock=Clock(24.0, 12),
    )
    return replace(scene, **changes)


@pytest.fixture(scope="module", params=COMBINATIONS, ids="-".join)
def combination(request):
    return request.param


@pytest.fixture(scope="module", params=BODIES)
def body(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def shattered(body, combination) -> Shattered:
    return shatter(scene_of(BODIES[body]), settings_of(*combination))


def alive_at_the_end(result: Shattered) -> np.ndarray:
    return np.flatnonzero(result.motion.alive[-1])


def test_fragments_are_closed_and_their_volumes_sum_to_the_body(shattered):
    last = alive_at_the_end(shattered)
    assert len(last) > 1
    assert are_closed(shattered.fragments).all()
    assert shattered.fragments.volume[last].sum() == pytest.approx(shattered.report.volume_in, rel=1e-9)
    assert shattered.report.closed_pieces == shattered.report.pieces == len(last)


def test_no_two_fragments_overlap_at_rest(shattered):
    # Monte Carlo: a point of the body lies inside exactly one fragment.
    rng = np.random.default_rng(3)
    body, fragments = shattered.body, shattered.fragments
    points = rng.uniform(body.vertices.min(axis=0), body.vertices.max(axis=0), (4000, 3))
    points = points[inside(body, points)][:300]
    hits = np.zeros(len(points), int)
    for k in alive_at_the_end(shattered):
        hits += inside(fragment_body(fragments, k), points - fragments.centre[k])
    assert (hits == 1).all()


def test_mass_is_kept(shattered):
    last = alive_at_the_end(shattered)
    expected = Material().density * shattered.report.volume_in
    assert shattered.fragments.mass[last].sum() == pytest.approx(expected, rel=1e-9)


def test_every_fragment_hangs_together(shattered):
    # Its units are one component of the links between them.
    fracture, graph = shattered.fracture, shattered.units
    for start, end in zip(fracture.fragment_start[:-1], fracture.fragment_start[1:], strict=True):
        members = fracture.fragment_unit[start:end]
        held = np.isin(graph.links, members).all(axis=1)
        assert components(len(graph.volume), graph.links, held, members).max() == 0


def test_energy_never_grows_after_the_hit(shattered):
    total = shattered.motion.energy.sum(axis=1)
    kinetic = shattered.motion.energy[0, :2].sum()
    # Potential energy has an arbitrary zero; round-off is relative to the largest number in the sum.
    scale = np.abs(shattered.motion.energy).max() + kinetic
    assert (np.diff(total) <= 1e-12 * scale).all()


def test_rotations_are_unit_and_sign_continuous(shattered):
    rotation = shattered.motion.rotation
    np.testing.assert_allclose(np.linalg.norm(rotation, axis=2), 1.0, atol=1e-12)
    assert (np.einsum("skj,skj->sk", rotation[1:], rotation[:-1]) >= 0.0).all()


@pytest.mark.parametrize("body", ["cube", "glass"], scope="module", indirect=True)
def test_one_seed_gives_the_same_bits_and_another_does_not(shattered, body, combination):
    again = shatter(scene_of(BODIES[body]), settings_of(*combination))
    for field in ("vertices", "corner_vertex", "centre", "inertia"):
        np.testing.assert_array_equal(getattr(shattered.fragments, field), getattr(again.fragments, field))
    np.testing.assert_array_equal(shattered.motion.position, again.motion.position)
    other = shatter(scene_of(BODIES[body], clock=Clock(24.0, 1)), settings_of(*combination, seed=8))
    assert other.fragments.vertices.shape != again.fragments.vertices.shape or (
        not np.array_equal(other.fragments.vertices, again.fragments.vertices)
    )


def test_no_force_no_crack(combination):
    scene = scene_of(BODIES["cube"])
    weak = replace(scene, impacts=(replace(scene.impacts[0], strength=0.0),))
    result = shatter(weak, settings_of(*combination))
    assert result.report.pieces == 1
    assert "force" in result.report.warnings[0]


def test_momentum_is_that_of_the_blow(combination):
    # Without gravity and ground the momentum of the pieces stays what the blow gave: sum m v = const over all frames.
    scene = scene_of(BODIES["cube"], gravity=np.zeros(3), ground=None)
    result = shatter(scene, settings_of(*combination))
    mass, x = result.fragments.mass, result.motion.position
    momentum = np.einsum("k,ski->si", mass, np.diff(x, axis=0)) * 24.0
    size = np.abs(np.einsum("k,ski->sk", mass, np.abs(np.diff(x, axis=0)))).max() * 24.0
    np.testing.assert_allclose(momentum, np.repeat(momentum[:1], len(momentum), axis=0), atol=1e-10 * size)


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_the_size_of_the_object_does_not_change_the_pieces(combination, scale):
    cube = BODIES["cube"]
    usual = shatter(scene_of(shapes.moved(cube, np.zeros(3), 2.0)), settings_of(*combination))
    scaled = shatter(scene_of(shapes.moved(cube, np.zeros(3), 2.0 * scale)), settings_of(*combination))
    assert scaled.report.pieces == usual.report.pieces
    np.testing.assert_array_equal(scaled.fragments.corner_vertex, usual.fragments.corner_vertex)
    np.testing.assert_allclose(scaled.fragments.vertices, scale * usual.fragments.vertices, atol=1e-9 * scale)


def test_progress_never_falls_and_cancel_raises(combination):
    seen = []
    shatter(scene_of(BODIES["cube"]), settings_of(*combination), progress=lambda step: seen.append(step.fraction))
    assert seen == sorted(seen) and seen[0] == 0.0 and seen[-1] == 1.0
    with pytest.raises(Cancelled):
        shatter(scene_of(BODIES["cube"]), settings_of(*combination), progress=lambda step: step.fraction > 0.3)


def test_a_second_hit_breaks_a_fragment_and_leaves_the_others(combination):
    scene = scene_of(BODIES["cube"])
    later = replace(scene.impacts[0], strength=3.0, time=6 / 24.0)
    result = shatter(replace(scene, impacts=(scene.impacts[0], later)), settings_of(*combination))
    born_later = np.flatnonzero(result.fracture.birth == 6)
    if len(born_later) == 0:
        pytest.skip("the piece at the hit was a single cell and cannot break again")
    parents = np.unique(result.fracture.parent[born_later])
    assert len(parents) == 1 and result.fracture.death[parents[0]] == 6
    assert result.fragments.volume[born_later].sum() == pytest.approx(result.fragments.volume[parents[0]], rel=1e-9)


def test_cells_of_an_earlier_run_are_taken_for_another_material(combination):
    scene = scene_of(BODIES["cube"])
    first = shatter(scene, settings_of(*combination))
    asked = []

    def load(key):
        asked.append(key)
        return first.diagram

    second = shatter(scene, settings_of(*combination, material=Material(density=1000.0)), load)
    assert asked == [first.diagram.key] and second.diagram.cells is first.diagram.cells


@pytest.mark.parametrize(
    ("change", "words"),
    [({"impacts": ()}, "add an impact"), ({"mesh": Mesh("Thing", np.zeros((0, 3)), np.zeros((0, 3), int))}, "Thing")],
)
def test_bad_input_is_refused_with_a_sentence(combination, change, words):
    with pytest.raises(InputError, match=words):
        shatter(scene_of(BODIES["cube"], **change), settings_of(*combination))


def fragment_body(fragments, k: int) -> Body:
    """One fragment as a triangle mesh about its own centre of mass, its faces fanned."""
    v = fragments.vertices[fragments.vertex_start[k] : fragments.vertex_start[k + 1]]
    triangles = []
    for face in range(fragments.face_start[k], fragments.face_start[k + 1]):
        ring = fragments.corner_vertex[fragments.corner_start[face] : fragments.corner_start[face + 1]]
        triangles.extend((ring[0], ring[i], ring[i + 1]) for i in range(1, len(ring) - 1))
    t = np.array(triangles, np.int64)
    return Body(v, t, np.arange(len(t)))
