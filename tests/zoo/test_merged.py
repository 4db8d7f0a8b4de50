"""Whatever winds once around a solid is a solid, with doubled, folded or touching faces in it."""

import pytest

from core.geometry.mesh import volume
from core.intake.ladder import intake
from core.types import Mesh

from . import checks
from .matter import matter
from .merged import boxes_on_one_base, crossed_and_doubled, doubled_patch, merged, mirrored_whole, scanned, with_flap
from .parts import box, bumpy, joined, moved, reverse, signed_volume, sphere

BALL = signed_volume(sphere(4))
STONE = bumpy(4, 1)
#: Each with its volume [m^3], a closed form or the signed volume of the one solid that it is.
SOLIDS = {
    "two boxes on one base": (boxes_on_one_base(2.0, 1.0), 8.0),
    "three boxes on one base": (boxes_on_one_base(1.0, 2.0, 3.0), 12.0),
    "boxes on one base, inside out": (reverse(boxes_on_one_base(2.0, 1.0)), 8.0),
    "a face in common": (merged(box((0, 0, 0), (1, 1, 1)), box((1, 0, 0), (2, 1, 1))), 2.0),
    "a face in common, one inside out": (merged(box((0, 0, 0), (1, 1, 1)), reverse(box((1, 0, 0), (2, 1, 1)))), 2.0),
    "an edge in common": (merged(box((0, 0, 0), (1, 1, 1)), box((1, 1, 0), (2, 2, 1))), 2.0),
    "a vertex in common": (merged(box((0, 0, 0), (1, 1, 1)), box((1, 1, 1), (2, 2, 2))), 2.0),
    "touching from inside": (merged(box((0, 0, 0), (2, 2, 2)), box((0, 0, 0), (1, 1, 1))), 8.0),
    "a small flap outside": (with_flap(0.02), 8.0),
    "a flap inside": (with_flap(-0.6), 8.0),
    "a patch there twice": (doubled_patch(1), BALL),
    "a patch there three times": (doubled_patch(2), BALL),
    "a patch with a back": (doubled_patch(1, -1), BALL),
    "doubled at 1e-7": (joined(STONE, moved(STONE, (1e-7, 0.0, 0.0))), signed_volume(STONE)),
    "doubled at 1e-5": (joined(STONE, moved(STONE, (1e-5, 1e-5, 0.0))), signed_volume(STONE)),
    "a box beside boxes on one base": (
        joined(boxes_on_one_base(2.0, 1.0), moved(reverse(box()), (5.0, 0.0, 0.0))),
        16.0,
    ),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_what_winds_around_a_solid_is_a_solid(name):
    solid, true = SOLIDS[name]
    mesh = Mesh(name, *moved(solid, seed=4, scale=0.01))
    found = intake(mesh)
    checks.assert_body(found.body, mesh)
    # Touching faces are parted by 1e-9 of the size, in an area of about 6 size^2 at most; doubled ones by 1e-5.
    assert volume(found.body.vertices, found.body.triangles) == pytest.approx(1e-6 * true, rel=2e-5)
    assert found.exact > 0.99


@pytest.mark.parametrize("seed", range(3))
def test_a_scan_is_what_it_is_without_its_faults(seed):
    good, bad = scanned(seed)
    found = intake(Mesh("Scan", *bad))
    true = signed_volume(good)
    assert abs(found.volume_after - true) < 5e-3 * true  # the few faces that are gone, and flaps
    assert found.exact > 0.95
    checks.assert_cuts(found.body, 12)


@pytest.mark.parametrize("hole", [False, True])
def test_a_whole_model_with_a_mirror_on_top_is_the_union_of_both_halves(hole):
    solid = mirrored_whole(STONE, hole)
    found = intake(Mesh("Mirrored", *solid))
    true = matter(mirrored_whole(STONE), 100)
    assert found.volume_after == pytest.approx(true, rel=0.02)  # 100 x 100 rays; two caps
    assert found.exact > 0.97
    checks.assert_cuts(found.body, 12)


def test_crossings_and_doubles_at_once_lose_nothing():
    solid = crossed_and_doubled()
    found = intake(Mesh("Heap", *solid))
    assert found.volume_after == pytest.approx(matter(solid, 100), rel=0.01)


def test_a_large_flap_that_stands_out_is_a_sheet():
    found = intake(Mesh("Flap", *with_flap(0.6)))
    assert [step.name for step in found.steps] == ["twins", "thickness", "unite"]
    assert found.volume_after > 8.05


def test_directions_that_contradict_each_other_are_no_reason_to_lose_a_part():
    # Winding numbers 1 and -1: what faces inward is no less a box.
    pair = merged(box((0, 0, 0), (1, 1, 1)), reverse(box((1, 1, 0), (2, 2, 1))))
    assert intake(Mesh("Pair", *pair)).volume_after == pytest.approx(2.0, rel=1e-6)
