"""Tables of several bodies: those of an object, then those of its pieces that were cut anew."""

import numpy as np

from ..types import Body, Made


def own_triangles(body: Body) -> int:
    """How many triangles of a joined table come before those of pieces: they alone are the object, each part once.

    All of them where no piece follows, or where the table begins with one. A closed skin without a broken face that a
    piece has for itself, as around a hollow, may count as well: it is a copy.
    """
    broken = np.flatnonzero(body.made == Made.BROKEN)
    if len(broken) == 0:
        return len(body.triangles)
    # Bodies follow each other and share no vertex.
    highest = np.maximum.accumulate(body.triangles.max(axis=1))
    lowest = np.minimum.accumulate(body.triangles.min(axis=1)[::-1])[::-1]
    begins = np.flatnonzero(lowest[1:] > highest[:-1]) + 1
    begins = begins[begins <= broken[0]]
    return int(begins[-1]) if len(begins) else len(body.triangles)
