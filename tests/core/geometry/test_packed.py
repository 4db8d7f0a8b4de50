"""Packed lists against numpy's stable sort."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.geometry.packed import group_by_owner


@settings(max_examples=50)
@given(seed=st.integers(0, 10**6), size=st.integers(0, 60), count=st.integers(1, 12))
def test_rows_are_grouped_by_owner_in_their_order(seed: int, size: int, count: int) -> None:
    owner = np.random.default_rng(seed).integers(0, count, size)
    start, order = group_by_owner(owner, count)
    assert np.array_equal(order, np.argsort(owner, kind="stable"))
    assert np.array_equal(start, np.searchsorted(owner[order], np.arange(count + 1)))


def test_nothing_is_grouped_to_nothing() -> None:
    start, order = group_by_owner(np.zeros(0, np.int64), 0)
    assert start.tolist() == [0]
    assert len(order) == 0


@pytest.mark.parametrize("wrong", [-1, 3])
def test_an_owner_that_does_not_exist_is_refused(wrong: int) -> None:
    with pytest.raises(IndexError):
        group_by_owner(np.array([0, wrong]), 3)
