"""The points of a surface that are asked for nodes next to them."""

import numpy as np
import pytest

from core.cutting.level_set.thin import sample_middles
from core.geometry.mesh import area
from tests import shapes


@pytest.mark.parametrize("spacing", [0.07, 0.5, 9.0])
def test_middles_of_equal_parts_have_the_area_and_its_centre(spacing):
    body = shapes.box(high=(1.0, 0.3, 0.6))
    middle, share = sample_middles(body.vertices, body.triangles, spacing)
    assert share.sum() == pytest.approx(area(body.vertices, body.triangles), rel=1e-12)
    centre = np.einsum("n,ni->i", share, middle) / share.sum()
    np.testing.assert_allclose(centre, [0.5, 0.15, 0.3], atol=1e-12)  # of equal parts, hence of the surface
    # A part whose sides are no longer than the spacing has less than half of its square.
    assert share.max() <= spacing * spacing / 2
