"""Every mesh of the zoo ends as a body that can be cut, with the right volume and report, or in the right refusal."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from core.config.repair import Repair
from core.errors import BrittleError, InputError
from core.geometry.mesh import diagonal, volume
from core.intake.ladder import RepairResult, intake
from core.types import Mesh

from . import checks
from .matter import matter
from .meshes import WORDS, ZOO
from .parts import signed_volume, union_of_boxes
from .solids import OVERLAPPING, blob, overlapping_cubes

BODIES = [name for name, member in ZOO.items() if member.expected == "body"]
REFUSED = [name for name, member in ZOO.items() if member.expected == "refused"]
SMALL = [name for name in BODIES if ZOO[name].size == 0]
NAME = "Zoo 1"


@cache
def mesh_of(name: str) -> Mesh:
    return Mesh(NAME, *ZOO[name].make(), spacing=ZOO[name].spacing)


def repair_of(name: str, **changes) -> Repair:
    return replace(Repair(**ZOO[name].options), **changes)


@cache
def taken(name: str) -> RepairResult:
    return intake(mesh_of(name), repair_of(name))


# The yardstick itself.
def test_rays_measure_what_is_known():
    # 300 x 300 rays; the rim of a shape with smooth faces costs about 300^-1.5 = 2e-4 of it.
    assert matter(overlapping_cubes()) == pytest.approx(union_of_boxes(OVERLAPPING), rel=2e-4)
    assert matter(blob()) == pytest.approx(signed_volume(blob()), rel=2e-4)


@pytest.mark.parametrize("name", BODIES)
def test_it_becomes_a_body(name):
    body = taken(name).body
    checks.assert_body(body, mesh_of(name))
    assert len(checks.parts_of(body)) == ZOO[name].parts


@pytest.mark.parametrize("name", BODIES)
def test_its_volume_is_that_of_the_right_answer(name):
    member, found = ZOO[name], taken(name)
    made = sum(volume(part.vertices, part.triangles) for part in checks.parts_of(found.body))
    assert found.volume_after == pytest.approx(made, rel=1e-9)
    if member.volume is None:
        assert member.why, "a member without a right volume says why"
    else:
        assert made == pytest.approx(member.volume(), rel=member.tolerance)


@pytest.mark.parametrize("name", BODIES)
def test_the_report_names_what_was_done(name):
    member, found = ZOO[name], taken(name)
    told = {step.name: "" for step in found.steps}
    for step in found.steps:
        told[step.name] += step.text
    assert set(told) <= set(WORDS)
    assert set(member.says) <= set(told)
    for step, word in member.says.items():
        assert word.lower() in told[step].lower()
    for text in (*(step.text for step in found.steps), *found.advice):
        assert text[0].isupper() or text[0].isdigit(), text
        assert text.endswith("."), text
    assert member.advice in " ".join(found.advice)


@pytest.mark.parametrize("name", ["bottle", "cup without a lid"])
def test_of_a_thin_material_a_vessel_stays_one(name):
    found = intake(mesh_of(name), thin=True)
    assert [step.name for step in found.steps] == ["thickness"]
    assert found.volume_after < 0.2 * taken(name).volume_after
    assert len(checks.parts_of(intake(mesh_of(name), Repair(open="close"), thin=True).body)) == 1


@pytest.mark.parametrize("name", [name for name in BODIES if not ZOO[name].says and not ZOO[name].options])
def test_what_is_clean_is_left_alone(name):
    mesh, body = mesh_of(name), taken(name).body
    assert np.array_equal(body.triangles, mesh.triangles)
    assert np.array_equal(body.vertices, mesh.vertices)
    assert np.array_equal(body.source, np.arange(len(mesh.triangles)))
    assert checks.own_area(body) == 1.0
    assert checks.distance_from_source(body, mesh).max() == 0.0


@pytest.mark.parametrize("name", SMALL)
def test_what_is_the_artists_own_lies_where_it_was(name):
    mesh, found = mesh_of(name), taken(name)
    away = checks.distance_from_source(found.body, mesh)
    # Borders are joined over gaps of up to 3e-3 of the diagonal; what is given thickness in the middle moves by half.
    limit = 0.01 if found.steps else 2.0**-22
    assert away.size == 0 or away.max() <= limit * diagonal(mesh.vertices[np.isfinite(mesh.vertices).all(axis=1)])
    assert 0.0 <= found.exact <= 1.0 + 1e-12
    assert 0.0 <= found.new <= 1.0 + 1e-12


@pytest.mark.parametrize("name", SMALL)
def test_each_step_can_be_forbidden(name):
    for step in taken(name).steps:
        with pytest.raises(InputError) as refusal:
            intake(mesh_of(name), repair_of(name, **{f"allow_{step.name}": False}))
        assert_a_sentence(str(refusal.value), step.name)


@pytest.mark.parametrize("name", BODIES)
def test_it_is_cut_into_closed_pieces(name):
    checks.assert_cuts(taken(name).body, 60)


def at_size(name: str, scale: float) -> RepairResult:
    mesh, repair = mesh_of(name), repair_of(name)
    larger = replace(mesh, vertices=scale * mesh.vertices, spacing=scale * mesh.spacing)
    return intake(larger, replace(repair, thickness=scale * repair.thickness))


@pytest.mark.parametrize("scale", [2.0**-7, 2.0**7])
@pytest.mark.parametrize("name", SMALL)
def test_powers_of_two_in_size_give_the_same_bits(name, scale):
    # No step knows a length of its own: all that changes is the exponent of every number.
    found, first = at_size(name, scale), taken(name)
    assert [step.counts for step in found.steps] == [step.counts for step in first.steps]
    assert np.array_equal(found.body.triangles, first.body.triangles)
    assert np.array_equal(found.body.vertices, scale * first.body.vertices)


@pytest.mark.parametrize("scale", [0.01, 100.0])
@pytest.mark.parametrize("name", SMALL)
def test_it_does_not_matter_how_large_it_is(name, scale):
    # Round-off differs, and so may the triangles of what is flat; the answer may not.
    found, first = at_size(name, scale), taken(name)
    assert [step.name for step in found.steps] == [step.name for step in first.steps]
    assert len(checks.parts_of(found.body)) == len(checks.parts_of(first.body))
    assert found.volume_after == pytest.approx(scale**3 * first.volume_after, rel=1e-5)
    assert found.exact == pytest.approx(first.exact, abs=0.01)
    assert found.new == pytest.approx(first.new, abs=0.005)


@pytest.mark.parametrize("name", SMALL)
def test_the_same_mesh_gives_the_same_bits(name):
    again, first = intake(mesh_of(name), repair_of(name)), taken(name)
    for field in ("vertices", "triangles", "source", "weight", "made", "part"):
        assert getattr(again.body, field).tobytes() == getattr(first.body, field).tobytes()
    assert [step.text for step in again.steps] == [step.text for step in first.steps]


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_a_sentence(name):
    with pytest.raises(BrittleError) as refusal:
        intake(mesh_of(name), repair_of(name))
    assert_a_sentence(str(refusal.value), name)


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("options", [{"open": "close"}, {"open": "thicken", "thickness": 0.1}, {"remesh": True}])
def test_no_choice_makes_a_body_of_it(name, options):
    with pytest.raises(BrittleError):
        intake(mesh_of(name), repair_of(name, **options))


def assert_a_sentence(text: str, what: str) -> None:
    """The object's name, what is wrong and what to do, in one sentence or two."""
    assert f'"{NAME}"' in text, what
    assert text[0] in '"' or text[0].isupper(), what
    assert text.endswith("."), what
    assert len(text.split()) > 6, what
    assert "nan" not in text.lower().split(), what
