"""From scenes and settings to what came of each thing, on one clock."""

from dataclasses import replace

import numpy as np
import pytest

from core.breaking import RULES
from core.errors import BrittleError, InputError
from core.fragments.build import are_closed
from core.object_simulation import simulation_steps
from core.pipeline import shatter
from core.types import Clock, Impact, Influence, Made, Mesh
from tests import shapes
from tests.verification.fracture_scenes import broken, counts, first_break, item, last, settings

CLOCK = Clock(24.0, 12)
CUBE = shapes.box(np.full(3, -0.15), np.full(3, 0.15))


def dropped(chosen, name="Cube", place=(0.0, 0.0, 0.6), **scene):
    return item(name, CUBE, chosen, place, **({"clock": CLOCK} | scene))


def again(**more):
    """Patterns that are laid anew around each blow, for pieces too."""
    return settings(layout={"kind": "uniform", "count": 12}, how={"reach": 0.0}, speed=1.0, cooldown=0.0, **more)


@pytest.fixture(scope="module")
def cube():
    """It falls, breaks, and its pieces break again."""
    return broken(dropped(again(smallest=0.02), velocity=np.array([0.0, 0.0, -3.0])))[0]


def test_the_first_fragment_is_the_whole_object(cube):
    fracture = cube.fracture
    assert cube.diagram is None and fracture.parent[0] == -1 and fracture.birth[0] == 0
    assert fracture.death[0] == first_break(cube) > 0
    assert cube.fragments.volume[0] == pytest.approx(0.3**3, rel=1e-12)
    assert len(cube.fracture.cells) > 2, "pieces were cut anew"


def test_no_matter_is_lost_at_any_frame(cube):
    volume = cube.motion.alive @ cube.fragments.volume
    np.testing.assert_allclose(volume, 0.3**3, rtol=1e-9)


def test_fragments_live_from_birth_to_death(cube):
    frame = np.arange(CLOCK.frames)[:, None]
    expected = (cube.fracture.birth <= frame) & (frame < cube.fracture.death)
    np.testing.assert_array_equal(cube.motion.alive, expected)


def test_a_parent_dies_when_its_pieces_are_born_and_they_are_as_much(cube):
    fracture, volume = cube.fracture, cube.fragments.volume
    for parent in np.unique(fracture.parent[fracture.parent >= 0]):
        pieces = np.flatnonzero(fracture.parent == parent)
        # A piece may itself have broken within the frame in which it came, and is then not seen.
        assert (fracture.birth[pieces] >= fracture.death[parent]).all()
        assert volume[pieces].sum() == pytest.approx(volume[parent], rel=1e-9)


def test_every_fragment_is_closed_and_its_skin_lies_on_the_mesh(cube):
    f, body = cube.fragments, cube.body
    assert are_closed(f).all()
    face = np.repeat(np.arange(len(f.face_triangle)), np.diff(f.corner_start))
    owner = np.searchsorted(f.face_start, face, side="right") - 1
    assert len(f.corner_triangle) == len(f.corner_vertex), "each corner has one as soon as any has"
    skin = f.face_triangle[face] >= 0
    at = f.vertices[f.vertex_start[owner] + f.corner_vertex] + f.centre[owner]
    corner = body.vertices[body.triangles[f.corner_triangle]]
    told = np.einsum("ni,nij->nj", f.corner_weight, corner)
    np.testing.assert_allclose(at[skin], told[skin], atol=1e-12)
    # The cube's own surface: each point of the skin has a coordinate of 0.15.
    np.testing.assert_allclose(np.abs(at[skin]).max(axis=1), 0.15, atol=1e-12)


def test_no_face_is_named_by_a_broken_triangle(cube):
    f, body = cube.fragments, cube.body
    named = f.face_triangle[f.face_triangle >= 0]
    assert (body.made[named] != Made.BROKEN).all()
    assert (body.made == Made.BROKEN).any()
    inner = f.face_triangle < 0
    assert (f.face_bond[inner] >= 0).all() and (f.face_bond[~inner] < 0).all()


def test_a_broken_face_has_the_same_bond_on_its_two_sides(cube):
    # Faces of the same bond in two fragments that live at the same time are mates: at most two fragments have it.
    f = cube.fragments
    owner = np.searchsorted(f.face_start, np.arange(len(f.face_triangle)), side="right") - 1
    alive = np.isin(owner, last(cube)) & (f.face_bond >= 0)
    pairs = np.unique(np.stack([f.face_bond[alive], owner[alive]]), axis=1)
    fresh = np.unique(pairs[0], return_counts=True)[1]
    assert (fresh >= 1).all() and (fresh == 2).any()


def test_a_pattern_that_waits_for_no_hit_is_cut_before_the_run():
    chosen = settings("cubes", layout={"count": 8}, how={"reach": 0.0}, speed=1.0, again="cracks")
    (result,) = broken(dropped(chosen))
    assert result.diagram is not None and len(result.fracture.cells) == 1
    assert counts(result)[0] == 1 and counts(result)[-1] == len(result.units.volume)
    assert result.report.volume_out == pytest.approx(result.report.volume_in, rel=1e-9)


def test_things_move_in_one_world_and_are_told_in_their_own():
    # One above the other: the upper one comes to lie on the lower one, at rest on the ground.
    chosen = settings(speed=1e4)
    low = dropped(chosen, "Low", (2.0, 0.0, 0.15))
    high = dropped(chosen, "High", (2.0, 0.0, 0.6))
    lower, higher = broken(low, high)
    assert counts(lower).tolist() == counts(higher).tolist() == [1] * CLOCK.frames
    np.testing.assert_allclose(lower.motion.position[-1, 0], 0.0, atol=0.01)
    np.testing.assert_allclose(higher.motion.position[-1, 0], [0.0, 0.0, -0.15], atol=0.01)


def test_a_budget_holds_over_all_things():
    one, two = (dropped(again(generations=5, smallest=0.0), name, place) for name, place in
                (("One", (0, 0, 0.3)), ("Two", (1, 0, 0.3))))  # fmt: skip
    results = broken(one, two, most=20)
    assert sum(counts(result) for result in results).max() <= 20
    assert any("There are 20 pieces already" in text for result in results for text in result.report.warnings)


def test_what_is_painted_tough_stays_whole():
    tough = Influence(toughness=np.full((12, 3), np.inf))
    one, two = broken(dropped(again(), influence=tough), dropped(again(), "Other", (1.0, 0.0, 0.6)))
    assert counts(one)[-1] == 1 and counts(two)[-1] > 4


def test_the_same_scene_gives_the_same_bits():
    def run():
        return broken(dropped(again(), velocity=np.array([0.0, 0.0, -3.0]), clock=Clock(24.0, 8)))[0]

    one, two = run(), run()
    assert counts(one)[-1] > 4
    for a, b in ((one.motion, two.motion), (one.fragments, two.fragments), (one.fracture, two.fracture)):
        for name in type(a).__dataclass_fields__:
            value = getattr(a, name)
            if isinstance(value, np.ndarray):
                assert value.tobytes() == getattr(b, name).tobytes(), name


def test_an_empty_scene_is_refused_with_a_sentence():
    with pytest.raises(InputError, match="Breaks on Contact"):
        next(simulation_steps((), 10))


def test_a_mesh_without_a_volume_is_refused_by_name():
    flat = item("Ghost", CUBE, again())
    flat = replace(flat, scene=replace(flat.scene, mesh=Mesh("Ghost", np.zeros((3, 3)), np.array([[0, 1, 2]]))))
    with pytest.raises(BrittleError, match="Ghost"):
        broken(flat)


def test_progress_never_falls():
    job, seen = simulation_steps((dropped(again()),), 100), []
    try:
        while True:
            seen.append(next(job).fraction)
    except StopIteration:
        pass
    assert seen == sorted(seen) and seen[-1] == 1.0


@pytest.mark.parametrize("road", ["contacts", "impacts"])
def test_a_sentence_of_the_rule_stands_once_in_the_report(monkeypatch, road):
    # Whether the rule is asked by contacts of a fall, over and over, or by two impacts, one after the other.
    rule, asked = RULES["placed_pattern"], []

    def noted(struck, params):
        asked.append(len(struck.impacts))
        return replace(rule.run(struck, params), notes=("It ran out of steps.",))

    monkeypatch.setattr("core.setup.RULES", {"placed_pattern": replace(rule, run=noted)})
    if road == "contacts":
        made = broken(dropped(again(smallest=0.02), velocity=np.array([0.0, 0.0, -3.0])))[0]
    else:
        down = np.array([0.0, 0.0, -1.0])
        hits = [Impact(np.array([x, 0.0, 0.15]), down, 1.0, 2.0, 0.0, time) for x, time in ((-0.1, 0.0), (0.1, 0.2))]
        cube = dropped(settings(layout={"kind": "uniform", "count": 12}), impacts=tuple(hits))
        made = shatter(cube.scene, cube.settings)
    assert len(asked) > 1 and made.report.warnings.count("It ran out of steps.") == 1


def test_each_piece_that_may_be_cut_anew_is_a_step_of_its_own():
    job = simulation_steps(
        [dropped(again(smallest=0.0), velocity=np.array([0.0, 0.0, -3.0]), clock=Clock(24.0, 8))], 60
    )
    said = list(job)
    fractions = [step.fraction for step in said]
    assert fractions == sorted(fractions)
    assert sum(step.text.startswith("Breaking what moves") for step in said) >= 4
    assert any(step.text == "Looking for crossings" for step in said)
