"""Boxes sorted into the bins of a grid: which of them may hold a point."""

from typing import NamedTuple

import numpy as np

from ...jit import device_inlined, njit_no_refs, sealed_floats, sealed_ints
from ...types import Floats, Ints

#: Bins along the mean box, and along all of them at most. Chosen: a point then meets some ten boxes.
_BINS, _BINS_MAX = 2.0, 256


class BoxBins(NamedTuple):
    """What may hold points of a bin, for each bin of a grid."""

    low: Floats  #: (3,)
    per_length: Floats  #: (3,) [1/m]
    counts: Ints  #: (3,)
    start: Ints  #: (n+1,)
    item: Ints


def sort_into_bins(boxes: Floats) -> BoxBins:
    """Boxes (n,6), low corners and high ones [m], sorted."""
    low, high = boxes[:, :3].min(axis=0), boxes[:, 3:].max(axis=0)
    mean = np.maximum((boxes[:, 3:] - boxes[:, :3]).sum(axis=0) / len(boxes), np.finfo(np.float64).tiny)
    count = np.clip(np.ceil(_BINS * (high - low) / mean), 1.0, _BINS_MAX).astype(np.int64)
    per_length = count / np.maximum(high - low, np.finfo(np.float64).tiny)
    first, last = (
        np.clip((side - low) * per_length, 0.0, count - 1.0).astype(np.int64) for side in (boxes[:, :3], boxes[:, 3:])
    )
    start = np.zeros(int(count.prod()) + 1, np.int64)
    _count_bins(first, last, count, start)
    start = np.concatenate([[0], np.cumsum(start[:-1])])
    item = np.empty(start[-1], np.int64)
    _fill_bins(first, last, count, start[:-1].copy(), item)
    return BoxBins(
        sealed_floats(low), sealed_floats(per_length), sealed_ints(count), sealed_ints(start), sealed_ints(item)
    )


@njit_no_refs
def _count_bins(first: Ints, last: Ints, count: Ints, number: Ints) -> None:
    for h in range(len(first)):
        for i in range(first[h, 0], last[h, 0] + 1):
            for j in range(first[h, 1], last[h, 1] + 1):
                for k in range(first[h, 2], last[h, 2] + 1):
                    number[(i * count[1] + j) * count[2] + k] += 1


@njit_no_refs
def _fill_bins(first: Ints, last: Ints, count: Ints, at: Ints, item: Ints) -> None:
    """Put each box into the bins that its box meets; those of a bin ascend. `at` is where each bin begins."""
    for h in range(len(first)):
        for i in range(first[h, 0], last[h, 0] + 1):
            for j in range(first[h, 1], last[h, 1] + 1):
                for k in range(first[h, 2], last[h, 2] + 1):
                    one = (i * count[1] + j) * count[2] + k
                    item[at[one]] = h
                    at[one] += 1


@device_inlined
def bin_of_point(bins: BoxBins, points: Floats, n: int) -> int:
    """The bin in which a point lies, or that nearest to it."""
    one = 0
    for c in range(3):
        at = (points[n, c] - bins.low[c]) * bins.per_length[c]
        one = one * bins.counts[c] + int(min(max(at, 0.0), bins.counts[c] - 1.0))
    return one
