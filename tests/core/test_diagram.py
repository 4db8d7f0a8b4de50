"""From a body to its cells: where rough faces cannot be as rough as asked."""

from itertools import pairwise

import numpy as np
import pytest

from core import diagram
from core.breaking import RULES
from core.cells.warp.rough import Folded
from core.diagram import LOWERED, SMOOTH, diagram_of
from core.errors import CutError
from core.geometry.mesh import volume
from core.intake.ladder import intake
from core.material import Material
from core.pieces import PARTITIONS
from core.repair import Repair
from core.settings import Settings
from core.surface import Surface
from core.types import Impact, Mesh
from tests import shapes
from tests.zoo import teapot

BLOW = Impact(np.array([0.0, -0.8, 0.5]), np.array([0.0, 1.0, 0.0]), 5.0, 1e9, 0.1, 0.0)


def settings(seed, **surface):
    pieces, rule = PARTITIONS["voronoi"].params(count=40, layout="graded"), RULES["impact_factor"].params()
    return Settings(seed, "voronoi", pieces, "impact_factor", rule, Material(), surface=Surface(**surface))


def test_walls_that_lie_close_together_are_cut_with_less_roughness():
    """The lid of a teapot lies on its rim; patches of three by three quads differ from their bent images by more."""
    vertices, triangles = teapot.teapot(3)
    vertices = vertices * (0.85 / np.ptp(vertices[:, 2]))
    body = intake(Mesh("Pot", vertices, triangles), Repair(open="thicken", thickness=0.02)).body
    made, notes = diagram_of(body, (BLOW,), settings(4, octaves=4, amplitude=0.036))
    assert LOWERED.format(2) in notes
    assert made.contact is not None  # rough all the same
    assert made.cells.volume.sum() == pytest.approx(volume(body.vertices, body.triangles), rel=1e-12)


@pytest.mark.parametrize("failure", [Folded, CutError])
def test_what_can_be_cut_flat_is_never_refused_for_its_roughness(monkeypatch, failure):
    reach = []

    def fails(body, partition, bend, grain, flat_cut):
        reach.append(bend.reach)
        raise failure("It crosses itself.")

    monkeypatch.setattr(diagram, "rough_cut", fails)
    body = shapes.box()
    made, notes = diagram_of(body, (BLOW,), settings(0, octaves=1, amplitude=0.036))
    assert notes == (SMOOTH,)
    flat, _ = diagram_of(body, (BLOW,), settings(0))
    np.testing.assert_array_equal(made.cells.vertices, flat.cells.vertices)
    steps = sorted(set(reach), reverse=True)
    assert all(b == pytest.approx(0.5 * a) for a, b in pairwise(steps)) and len(steps) > 1
