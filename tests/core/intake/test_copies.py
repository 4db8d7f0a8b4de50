"""Parts that lie on equal ones: what a Mirror modifier makes of a whole model, or an Array without an offset."""

import numpy as np
import pytest

from core.config.repair import Repair
from core.errors import MeshError
from core.geometry.mesh import volume
from core.intake.ladder import intake
from core.types import Mesh

from ..geometry.solids import box, bumpy, joined, moved


@pytest.mark.parametrize("shuffled", [False, True], ids=["array", "mirror"])
def test_a_model_that_is_there_twice_counts_once_and_says_which_modifiers_do_that(shuffled):
    vertices, triangles = bumpy(4, 1)
    rng = np.random.default_rng(2)
    number = rng.permutation(len(vertices)) if shuffled else np.arange(len(vertices))
    again = np.roll(number[triangles], 1, axis=1)[rng.permutation(len(triangles))] if shuffled else triangles
    place = np.empty_like(vertices)
    place[number] = vertices
    solid = joined((vertices, triangles), (place, again), moved(box(), (9.0, 0.0, 0.0)))
    taken = intake(Mesh("Twice", *solid))
    assert taken.repaired == ("1 part dropped that lies on an equal one.",)
    assert taken.volume_after == pytest.approx(volume(*bumpy(4, 1)) + 8.0, rel=1e-9)
    assert (taken.body.source < len(triangles)).sum() == len(triangles)
    assert any("is there twice: dropped" in text for text in taken.warnings)
    with pytest.raises(MeshError, match=r"has 2 parts .* Mirror or Array modifier"):
        intake(Mesh("Twice", *solid), Repair(allow_unite=False))
    kept = intake(Mesh("Twice", *solid), Repair(parts="keep"))
    assert kept.volume_after == pytest.approx(2.0 * volume(*bumpy(4, 1)) + 8.0, rel=1e-9)
