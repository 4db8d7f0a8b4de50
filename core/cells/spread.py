"""Values of the source spread over the corners and points of packed fragments, in one pass and straight into float32.

For everything that varies linearly over a triangle: texture coordinates, normals, colours, attributes.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..jit import njit, sealed_floats, sealed_ints
from ..types import Bools, Floats, Fragments, Ints
from . import packed

Singles = NDArray[np.float32]


def corner_points(fragments: Fragments) -> Ints:
    """(N,) packed vertex of each corner."""
    first = np.repeat(fragments.vertex_start[:-1], np.diff(fragments.corner_start[fragments.face_start]))
    result: Ints = fragments.corner_vertex + first
    return result


def spread(
    values: NDArray[Any],
    table: Ints,
    face_row: Ints,
    face_turned: Bools,
    fragments: Fragments,
    target: Ints,
    result: Singles,
) -> None:
    """Write the mean of three rows of the source into the row of `result` that each corner has for its target.

    Args:
        values: (M,d) of the source, taken as float32.
        table: (T,3) row of `values` at each corner of the source's triangles.
        face_row: (F,) source triangle of each face; corners of faces with -1 are left as they are.
        face_turned: (F,) faces whose triangle has corners 1 and 2 the other way round than its source.
        fragments: `corner_start` and `corner_weight` are used.
        target: (N,) row of each corner; where corners share one, the first of them says what it gets.
        result: (n,d), filled in place.

    Where a weight is 1 to rounding and the others 0 the source's value comes back bit for bit.

    """
    _spread(
        np.ascontiguousarray(values, np.float32),
        sealed_ints(table),
        sealed_ints(face_row),
        face_turned,
        fragments.corner_start,
        sealed_floats(fragments.corner_weight),
        sealed_ints(target),
        result,
    )


@njit
def _spread(
    values: Singles,
    table: Ints,
    face_row: Ints,
    face_turned: Bools,
    corner_start: Ints,
    weight: Floats,
    target: Ints,
    result: Singles,
) -> None:
    width = values.shape[1]
    # Backwards, so that the first corner of a target wins.
    for f in range(len(face_row) - 1, -1, -1):
        row = face_row[f]
        if row < 0:
            continue
        a, b, c = table[row, 0], table[row, 1], table[row, 2]
        if face_turned[f]:
            b, c = c, b
        for i in range(corner_start[f + 1] - 1, corner_start[f] - 1, -1):
            u, v, w = weight[i, 0], weight[i, 1], weight[i, 2]
            at = target[i]
            for j in range(width):
                result[at, j] = u * values[a, j] + v * values[b, j] + w * values[c, j]


def nearest_source(
    table: Ints, face_row: Ints, face_turned: Bools, fragments: Fragments, target: Ints, count: int
) -> Ints:
    """(count,) the source's row that weighs most at each target, -1 off the source: for values that cannot be mixed.

    Arguments as in `spread`.
    """
    face = packed.owners(fragments.corner_start)
    outer = np.flatnonzero(face_row[face] >= 0)[::-1]
    face = face[outer]
    corner = np.argmax(fragments.corner_weight[outer], axis=1)
    corner = np.where(face_turned[face] & (corner > 0), 3 - corner, corner)
    result = np.full(count, -1, np.int64)
    result[target[outer]] = table[face_row[face], corner]
    return result
