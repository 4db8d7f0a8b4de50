"""A body laid flat: its sides are bent by less than they may be, and what would take for ever is refused."""

import numpy as np
import pytest

from core.errors import InputError
from core.geometry.charts import rolled, sphere
from core.unroll import flatten as module
from core.unroll.flatten import TOO_WIDE, flatten
from tests import shapes


def ball():
    """A block at the surface of a ball of radius 1, and the chart of that."""
    return shapes.box(low=(0.2, 0.2, 0.9), high=(0.5, 0.6, 1.0)), sphere(np.zeros(3), 1.0, np.array([0.0, 0.0, 1.0]))


@pytest.mark.parametrize("tolerance", [1e-2, 1e-3])
def test_middles_of_sides_lie_where_their_flat_image_has_them(tolerance):
    body, chart = ball()
    made = flatten(body, chart, tolerance)
    ends = np.concatenate([made.triangles[:, [k, (k + 1) % 3]] for k in range(3)])
    real, image = (0.5 * (place[ends[:, 0]] + place[ends[:, 1]]) for place in (made.vertices, made.flat))
    assert np.linalg.norm(rolled(chart, image) - real, axis=1).max() <= tolerance
    assert len(made.triangles) > len(body.triangles)


def test_what_would_take_too_many_triangles_is_refused(monkeypatch):
    monkeypatch.setattr(module, "_MOST_NEW", 500)
    with pytest.raises(InputError, match=TOO_WIDE):
        flatten(*ball(), 1e-6)
