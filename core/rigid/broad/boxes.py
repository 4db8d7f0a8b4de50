"""Boxes around parts, so wide that they hold for a while."""

from dataclasses import dataclass

import numpy as np

from ...record_arrays import Records, zero_records
from ...types import Bools, Floats, Frozen, Ints
from ..records import ENLARGED_BOX


@dataclass(frozen=True, eq=False, slots=True)
class EnlargedBoxes(Frozen):
    """A box around each of P parts that holds it as long as its body, one of N, stays within its limits."""

    ends: Floats  #: (P,6) lower and upper corner [m]
    limits: Records  #: (N,) LIMIT
    owner: Ints  #: (P,) the body of each part for which the boxes were made, -1 for parts of none
    immovable: Bools  #: (N,) bodies that could not be moved then: two of them are no pair


def no_boxes() -> EnlargedBoxes:
    """Boxes of nothing: all have to be made."""
    return EnlargedBoxes(np.zeros((0, 6)), zero_records(ENLARGED_BOX, 0), np.zeros(0, np.int64), np.zeros(0, np.bool_))
