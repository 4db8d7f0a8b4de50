"""Solids that are there twice, as a Mirror modifier on a whole model makes them, or an Array without an offset."""

import numpy as np

from ..types import Bools, Floats, Ints


def first_equals(vertices: Floats, triangles: Ints, solid: Ints, inside_out: Bools) -> Ints:
    """The first of the solids (S,) with the triangles of each, at the same places to the bit and facing alike.

    `solid (T,)` is that of each triangle. The order of triangles and vertices does not matter.
    """
    count = len(inside_out)
    equal = np.arange(count)
    number = np.bincount(solid, minlength=count)
    # Those that are alone in their number of triangles need no further look.
    alike = (np.bincount(number)[number] > 1)[solid]
    rows = np.flatnonzero(alike)
    if len(rows) == 0:
        return equal
    keys = _keys(vertices, triangles[rows])
    order = np.lexsort((keys[:, 2], keys[:, 1], keys[:, 0], solid[rows]))
    start = np.searchsorted(solid[rows][order], np.arange(count + 1))
    first: dict[tuple[int, bool, bytes], int] = {}
    for s in np.flatnonzero(start[1:] > start[:-1]).tolist():
        own = keys[order[start[s] : start[s + 1]]]
        mark = len(own), bool(inside_out[s]), own.tobytes()
        equal[s] = first.setdefault(mark, s)
    return equal


def _keys(vertices: Floats, triangles: Ints) -> Ints:
    """Triangles (n,3) by numbers of places instead of vertices, each from its smallest number on."""
    used, corner = np.unique(triangles, return_inverse=True)
    place = vertices[used] + 0.0  # no negative zeros: equal places have equal bits
    order = np.lexsort((place[:, 2], place[:, 1], place[:, 0]))
    new = np.append(True, (place[order[1:]] != place[order[:-1]]).any(axis=1))
    number = np.empty(len(used), np.int64)
    number[order] = np.cumsum(new) - 1
    named = number[corner].reshape(-1, 3)
    turn = (np.argmin(named, axis=1)[:, None] + np.arange(3)) % 3
    return np.take_along_axis(named, turn, axis=1)
