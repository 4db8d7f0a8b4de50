"""Packed ragged lists: `start (n+1,)` bounds the entries of item i."""

import numpy as np

from ..jit import device_inlined, njit_no_refs, sealed_ints
from ..types import Ints


def check_range(item: Ints, count: int) -> None:
    """Raise IndexError for an item outside of 0..count-1."""
    # Compiled code checks no bounds: a wrong number would write into foreign memory.
    if item.size and not (item.min() >= 0 and item.max() < count):
        raise IndexError(f"item outside of 0..{count - 1}")


def packed_starts(length: Ints) -> Ints:
    """(n+1,) bounds of items with the given lengths (n,)."""
    result = np.zeros(len(length) + 1, np.int64)
    np.cumsum(length, out=result[1:])
    return result


def ranges(first: Ints, length: Ints) -> Ints:
    """The numbers first[i], first[i] + 1, ... (length[i] of them) for all i, one after the other."""
    start = packed_starts(length)
    result: Ints = np.arange(start[-1]) + np.repeat(first - start[:-1], length)
    return result


def owners(start: Ints) -> Ints:
    """(N,) the item of each entry."""
    return np.repeat(np.arange(len(start) - 1), np.diff(start))


@device_inlined
def group(owner: Ints, start: Ints, order: Ints) -> None:
    """Fill `start (n+1,)`, which holds zeros, and `order`: the rows sorted by their owner, stable, in linear time."""
    for row in range(len(owner)):
        start[owner[row]] += 1
    for item in range(1, len(start)):
        start[item] += start[item - 1]  # the end of the item
    for row in range(len(owner) - 1, -1, -1):
        item = owner[row]
        start[item] -= 1
        order[start[item]] = row


@njit_no_refs
def _group(owner: Ints, start: Ints, order: Ints) -> None:
    group(owner, start, order)


def group_by_owner(owner: Ints, count: int) -> tuple[Ints, Ints]:
    """`start (count+1,)` and the rows of `owner` sorted by their owner, stable. Raises IndexError for a wrong owner."""
    check_range(owner, count)
    start, order = np.zeros(count + 1, np.int64), np.empty(len(owner), np.int64)
    _group(sealed_ints(owner), start, order)
    return start, order


def following(start: Ints) -> Ints:
    """(N,) the next entry of the same item, cyclic; no item is empty."""
    result = np.arange(1, int(start[-1]) + 1)
    result[start[1:] - 1] = start[:-1]
    return result


def fan_triangles(start: Ints, vertex: Ints) -> tuple[Ints, Ints]:
    """Triangles (n,3) that fan polygons from their first corners, and the polygon (n,) of each."""
    size = np.diff(start) - 2
    face = np.repeat(np.arange(len(size)), size)
    at = ranges(start[:-1] + 1, size)
    return np.stack([vertex[start[face]], vertex[at], vertex[at + 1]], axis=1), face
