"""Where a function rises through zero."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.pieces.crossing import positive_root


@given(st.floats(1e-12, 1e12))
def test_the_root_is_exact_to_the_last_bit(root):
    assert positive_root(lambda x: x - root) == root


@given(st.floats(1e-6, 1e6))
def test_a_cube_is_found_from_its_volume(edge):
    # A sign that round-off decides is off by an ulp of the cube: by a third of that in its edge.
    assert positive_root(lambda x: x * x * x - edge**3) == pytest.approx(edge, rel=1e-15)
