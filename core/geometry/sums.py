"""Sums over groups."""

import numpy as np

from ..types import Floats, Ints


def summed(values: Floats, group: Ints, count: int) -> Floats:
    """(count,n) sums of the rows of `values (.,n)` over groups; `group (.,)` names the group of each row."""
    return np.stack([np.bincount(group, column, count) for column in values.T], axis=1).astype(np.float64, copy=False)
