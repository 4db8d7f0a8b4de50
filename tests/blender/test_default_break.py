"""What a click on Shatter does to what Blender adds is seen, or a sentence says why not: a few, all by `make fuzz`."""

import pytest

from tests.default_break.case import PRESETS, PRIMITIVES, SCENES, SEEN, STRIDE, UNSEEN, run_case
from tests.default_break.run import CASES
from tests.series import CRASH, replay

#: Each size, and each primitive with a material that cuts quickly: of the others the way is the same.
QUICK = ("Clay", "Stone", "Blocks", "Concrete")
SOME = [(primitive, QUICK[k % len(QUICK)], (0.02, 2.0, 20.0)[k % 3]) for k, primitive in enumerate(PRIMITIVES)]
NUMBERS = {SCENES[number * STRIDE % len(SCENES)]: number for number in range(len(SCENES))}


def test_every_scene_has_its_number():
    assert len(NUMBERS) == len(SCENES) == len(PRIMITIVES) * len(PRESETS) * 3 == CASES


@pytest.mark.parametrize("scene", SOME, ids=lambda scene: f"{scene[0]}-{scene[1]}-{scene[2]}")
def test_a_break_is_seen_or_a_sentence_says_why_not(scene):
    found = run_case(1, NUMBERS[scene])
    assert found.kind not in (UNSEEN, CRASH), f"{found.text}\n{replay('default_break', 1, found.number)}"
    if scene[0] != "circle":  # it has no faces as Blender adds it
        assert found.kind == SEEN, found.text
