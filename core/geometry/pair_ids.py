"""Numbers for unordered pairs, such as the edges of a mesh."""

import numpy as np

from ..jit import njit_no_refs
from ..types import Ints
from .packed import check_range


@njit_no_refs
def _number_pairs(
    first: Ints, second: Ints, start: Ints, order: Ints, seen: Ints, pairs: Ints, pair_of: Ints, surplus: Ints
) -> int:
    """Number the pairs bucket by bucket of their smaller members, in linear time; returns how many there are.

    `start (count+1,)` holds zeros and `seen (count,2)` -1: the last bucket in which an item was, and its pair there.
    """
    count = len(start) - 1
    for i in range(len(first)):
        start[min(first[i], second[i]) + 1] += 1
    for item in range(count):
        start[item + 1] += start[item]
    for i in range(len(first)):
        item = min(first[i], second[i])
        order[start[item]] = i
        start[item] += 1  # now the end of the bucket
    n = 0
    begin = 0
    for item in range(count):
        for at in range(begin, start[item]):
            i = order[at]
            larger = max(first[i], second[i])
            if seen[larger, 0] != item:
                seen[larger, 0] = item
                seen[larger, 1] = n
                pairs[n, 0] = item
                pairs[n, 1] = larger
                surplus[n] = 0
                n += 1
            pair = seen[larger, 1]
            pair_of[i] = pair
            surplus[pair] += 1 if first[i] == item else -1
        begin = start[item]
    return n


def directed_pairs(first: Ints, second: Ints, count: int) -> tuple[Ints, Ints, Ints]:
    """As `pair_ids`, and how much more often each pair runs upwards than downwards (n,).

    Numbers out of range and arrays that are not contiguous are the caller's fault: they are not looked for here.
    """
    size = len(first)
    pairs, pair_of = np.empty((size, 2), np.int64), np.empty(size, np.int64)
    order, surplus = np.empty(size, np.int64), np.empty(size, np.int64)
    seen = np.full((count, 2), -1, np.int64)
    n = _number_pairs(first, second, np.zeros(count + 1, np.int64), order, seen, pairs, pair_of, surplus)
    return pairs[:n].copy(), pair_of, surplus[:n]


def pair_ids(first: Ints, second: Ints, count: int) -> tuple[Ints, Ints]:
    """Number the unordered pairs (first[i], second[i]) of items 0..count-1 by their smaller member.

    Returns `pairs (n,2)` with the smaller member first, and `pair_of (len(first),)`. Pairs with the same smaller member
    are numbered in the order in which they first appear. Raises IndexError for an item that does not exist.
    """
    first, second = np.array(first, np.int64), np.array(second, np.int64)  # one kind of array for the kernel
    check_range(first, count)
    check_range(second, count)
    return directed_pairs(first, second, count)[:2]
