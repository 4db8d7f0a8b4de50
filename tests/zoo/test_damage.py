"""Three hundred good meshes broken at random: no crash, no error without a sentence, nothing silently wrong."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from core.errors import BrittleError
from core.geometry.mesh import volume
from core.intake.ladder import RepairResult, intake
from core.types import Mesh

from . import checks
from .damage import BREAKS, GOOD, KINDS, Damaged, case, damaged, damaged_by
from .matter import matter
from .parts import signed_volume

CASES = 240
RANDOM = 60
RAYS = 100
#: Besides caps and slivers of the damage itself: 3 sigma of the rays, 0.6 % at the worst of the good meshes.
TOLERANCE = 0.03 + 0.006
#: What explains another volume: something became a sheet, lost its faces, is largely new, or was counted twice.
EXPLAINS = {"thickness", "dropped", "remesh"}
LARGELY_NEW = 0.05
TWICE = "of the volume lay in several"


def taken_or_refused(damage: Damaged) -> RepairResult | None:
    """None where the mesh was refused with a sentence. Any other error is a failure of the test."""
    mesh = Mesh("Wreck", *damage.solid)
    before = mesh.vertices.tobytes(), mesh.triangles.tobytes()
    try:
        found = intake(mesh)
    except BrittleError as refusal:
        assert '"Wreck"' in str(refusal) and str(refusal).endswith("."), damage
        return None
    finally:
        assert (mesh.vertices.tobytes(), mesh.triangles.tobytes()) == before, damage
    checks.assert_body(found.body, mesh)
    return found


def verdict(damage: Damaged) -> str:
    found = taken_or_refused(damage)
    if found is None:
        return "refused"
    made, true = volume(found.body.vertices, found.body.triangles), matter(damage.truth, RAYS)
    if abs(made - true) <= TOLERANCE * true:
        return "right"
    names, texts = {step.name for step in found.steps}, " ".join(step.text for step in found.steps)
    told = names & EXPLAINS or found.new > LARGELY_NEW or TWICE in texts
    return "told" if told else f"silently {made / true - 1:+.1%}"


@pytest.mark.parametrize("chunk", range(6))
def test_no_wreck_is_silently_wrong(chunk):
    found = {seed: verdict(case(seed)) for seed in range(chunk, CASES, 6)}
    wrong = [f"{case(seed)}: {word}" for seed, word in found.items() if word.startswith("silently")]
    assert not wrong, "\n".join(wrong)
    kinds = Counter(found.values())
    assert kinds["right"] >= 0.9 * len(found), kinds  # or the excuses are too cheap


@settings(max_examples=RANDOM, derandomize=True, suppress_health_check=list(HealthCheck))
@given(damaged())
def test_no_other_wreck_is_silently_wrong_either(damage):
    assert not verdict(damage).startswith("silently")


@pytest.mark.parametrize("seed", range(0, CASES, 12))
def test_what_was_a_wreck_is_cut_into_closed_pieces(seed):
    found = taken_or_refused(case(seed))
    if found is not None:
        checks.assert_cuts(found.body, 20)


# The damages themselves: a test of nothing is no test.
def test_every_kind_of_damage_happens_and_does_something():
    seen = Counter(kind for seed in range(CASES) for kind in case(seed).kinds)
    assert set(seen) == set(KINDS)
    for kind in KINDS:
        damage = next(case(seed) for seed in range(CASES) if case(seed).kinds == (kind,) or kind in case(seed).kinds)
        good = GOOD[damage.good]()
        same = len(good[0]) == len(damage.solid[0]) and np.array_equal(good[1], damage.solid[1])
        assert kind not in BREAKS or kind == "undefine" or not same, kind


@pytest.mark.parametrize("name", GOOD)
def test_the_good_meshes_are_good(name):
    solid = GOOD[name]()
    found = intake(Mesh(name, *solid))
    assert 190 <= len(solid[1]) <= 800
    assert not found.steps
    assert volume(found.body.vertices, found.body.triangles) == pytest.approx(signed_volume(solid), rel=1e-9)
    assert matter(solid, RAYS) == pytest.approx(signed_volume(solid), rel=0.006)


def test_a_wrong_volume_would_be_seen():
    # 1.05^3 = 1.158 times the volume of the truth, and nothing to tell
    good = damaged_by("ball", (), 1)
    vertices, triangles = good.solid
    middle = vertices.mean(axis=0)
    assert verdict(good) == "right"
    assert verdict(replace(good, solid=(middle + 1.05 * (vertices - middle), triangles))) == "silently +15.8%"


def test_a_case_is_the_same_each_time():
    first, again = case(5), case(5)
    assert first.kinds == again.kinds
    assert first.solid[0].tobytes() == again.solid[0].tobytes()
