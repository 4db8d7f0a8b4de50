"""From a body to its cells: where rough faces cannot be as rough as asked."""

from itertools import pairwise

import numpy as np
import pytest

from core import diagram
from core.breaking import RULES
from core.config.material import Material
from core.config.surface import Surface
from core.diagram import LOWERED, SMOOTH, _bend, make_diagram
from core.errors import CutError
from core.geometry.mesh import volume
from core.pieces import PARTITIONS
from core.pieces.layouts.shape import measure
from core.roughness.bend import flattened, halved
from core.roughness.rough import Folded
from core.settings import Settings
from core.types import Impact
from tests import shapes

BLOW = Impact(np.array([0.0, -0.8, 0.5]), np.array([0.0, 1.0, 0.0]), 5.0, 1e9, 0.1, 0.0)


def settings(seed, **surface):
    pieces, rule = PARTITIONS["voronoi"].params(count=40, layout="graded"), RULES["impact_factor"].params()
    return Settings(seed, "voronoi", pieces, "impact_factor", rule, Material(), surface=Surface(**surface))


def leaf(low, side, thickness):
    """A square sheet with one diagonal below and the other one above: as thick as it is only while it is flat."""
    sheet = shapes.box(low, low + np.array([side, side, thickness]))
    above = (sheet.triangles % 2 == 1).all(axis=1)
    triangles = sheet.triangles.copy()
    triangles[above] = [[1, 5, 3], [5, 7, 3]]
    return shapes.body(sheet.vertices, triangles)


def test_walls_that_lie_close_together_are_cut_with_less_roughness():
    """The corners of a leaf beside a block are moved so far that one side of it goes through the other.

    Between the sides lies the tetrahedron of the four corners, whose volume goes with the amplitude: at the full one it
    takes more than the volume of the leaf, at half of it four fifths. No last bit decides that.
    """
    sheet = leaf(np.array([0.55, 0.05, 1.2]), 0.1, 0.0016)
    body = shapes.joined(shapes.box(), sheet)
    asked = settings(4, octaves=4, amplitude=0.036)
    bend, _ = _bend(measure(body), asked)
    whole, half = (volume(flattened(way, sheet.vertices), sheet.triangles) for way in (bend, halved(bend)))
    flat = volume(sheet.vertices, sheet.triangles)
    assert whole < -0.5 * flat and half > 0.1 * flat
    made, notes = make_diagram(body, (BLOW,), asked)
    assert LOWERED.format(2) in notes
    assert made.rough is not None  # rough all the same
    assert made.rough.volume.sum() == pytest.approx(volume(body.vertices, body.triangles), rel=1e-12)


@pytest.mark.parametrize("failure", [Folded, CutError])
def test_what_can_be_cut_flat_is_never_refused_for_its_roughness(monkeypatch, failure):
    reach = []

    def fails(body, partition, bend, grain, flat_cut):
        reach.append(bend.reach)
        raise failure("It crosses itself.")

    monkeypatch.setattr(diagram, "rough_cut", fails)
    body = shapes.box()
    made, notes = make_diagram(body, (BLOW,), settings(0, octaves=1, amplitude=0.036))
    assert notes == (SMOOTH,)
    flat, _ = make_diagram(body, (BLOW,), settings(0))
    np.testing.assert_array_equal(made.visible.vertices, flat.cells.vertices)
    steps = sorted(set(reach), reverse=True)
    assert all(b == pytest.approx(0.5 * a) for a, b in pairwise(steps)) and len(steps) > 1
