"""Disjoint sets and buckets of integers, for the kernels."""

import numpy as np

from ..jit import inner, njit
from ..types import Ints


@inner
def root(parent: Ints, i: int) -> int:
    """The representative of i's set; halves the path on the way."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@inner
def join(parent: Ints, i: int, j: int) -> None:
    """Unite the sets of i and j; the smaller representative wins, so that results do not depend on the order."""
    a = root(parent, i)
    b = root(parent, j)
    if a != b:
        parent[max(a, b)] = min(a, b)


@inner
def numbered(parent: Ints, order: Ints) -> Ints:
    """Number the sets 0, 1, ... in the order in which `order` meets them; returns the number of each member."""
    number = np.full(len(parent), -1, np.int64)
    label = np.empty(len(parent), np.int64)
    count = 0
    for i in order:
        r = root(parent, i)
        if number[r] < 0:
            number[r] = count
            count += 1
        label[i] = number[r]
    return label


@njit
def buckets(values: Ints, count: int) -> tuple[Ints, Ints]:
    """Stable counting sort of values 0..count-1: start (count+1,) of each bucket, and members in order."""
    start = np.zeros(count + 1, np.int64)
    for value in values:
        start[value + 1] += 1
    for value in range(count):
        start[value + 1] += start[value]
    fill = start[:-1].copy()
    members = np.empty(len(values), np.int64)
    for i in range(len(values)):
        members[fill[values[i]]] = i
        fill[values[i]] += 1
    return start, members
