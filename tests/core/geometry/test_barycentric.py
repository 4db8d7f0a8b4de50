"""The closest place of single triangles, against the search over a mesh."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.geometry.barycentric import closest_weights
from core.geometry.nearest import nearest


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), scale=st.sampled_from([1e-3, 1.0, 1e3]))
def test_the_closest_place_of_any_triangle_even_a_degenerate_one(seed, scale):
    rng = np.random.default_rng(seed)
    corner = scale * rng.integers(-2, 3, (20, 3, 3)).astype(float)  # equal and collinear corners are common
    point = scale * rng.integers(-3, 4, (20, 3)).astype(float)
    weight = closest_weights(corner, point)
    assert (weight >= 0.0).all()
    assert np.abs(weight.sum(axis=1) - 1.0).max() < 1e-14
    away = np.linalg.norm(np.einsum("nk,nki->ni", weight, corner) - point, axis=1)
    for n in range(20):
        assert abs(away[n] - nearest(corner[n], np.array([[0, 1, 2]]), point[n : n + 1])[2][0]) < 1e-12 * scale
