"""Kernels are compiled without references where they say so."""

import sys

import numpy as np
import pytest

from core import jit


def _sum_of_rows(table, sums):
    for i in range(len(table)):
        sums[i] = table[i, 0] + table[i, 1]
    return len(table)


def _made(count):
    return np.empty(count)


@pytest.mark.skipif(not jit.HAS_NUMBA, reason="looks at compiled kernels")
def test_a_kernel_without_references_leaves_the_references_to_its_arrays_as_they_are():
    kernel = jit.numba.njit(**jit.NO_REFS)(_sum_of_rows)
    table, sums = np.arange(6.0).reshape(3, 2), np.empty(3)
    before = sys.getrefcount(table), sys.getrefcount(sums)
    for _ in range(10):
        assert kernel(table, sums) == 3
    assert (sys.getrefcount(table), sys.getrefcount(sums)) == before
    assert sums.tolist() == [1.0, 5.0, 9.0]


@pytest.mark.skipif(not jit.HAS_NUMBA or jit.numba.config.DISABLE_JIT, reason="looks at compiled kernels")
def test_a_kernel_without_references_that_makes_an_array_is_not_compiled():
    with pytest.raises(jit.numba.core.errors.NumbaError):
        jit.numba.njit(**jit.NO_REFS)(_made)(3)
