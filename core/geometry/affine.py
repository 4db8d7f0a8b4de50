"""Groups of triangles that are one flat face, over which values at the corners are affine.

Only over such a group does it change nothing how it is cut into triangles. The largest triangle of a group is its
frame: continued over the group, its values have to be those at all other corners.
"""

from collections.abc import Generator, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arithmetic.products import dot
from ..stepwise import result_of
from ..types import Bools, Floats, Ints
from .barycentric import affine_weights
from .mesh import cross_rows

TRIANGLES_AT_ONCE = 1 << 16  #: triangles that are looked at together, about; bounds the memory
#: Area of a triangle that lies the other way round than the frame, relative to the frame's; chosen, well above
#: round-off.
_TURNED = -1e-9


class TriangleValues(NamedTuple):
    """What triangles carry, and how far it may be from affine."""

    values: NDArray[Any]  #: (M,d)
    table: Ints  #: (T,3) row of `values` at each corner
    least: float  #: what counts as nothing
    relative: float = 0.0  #: what counts as nothing, relative to the largest value of the group


class _Groups(NamedTuple):
    """Groups by their largest triangles, and the corners that are not among those of these."""

    frame: Ints  #: (G,)
    corner: Ints  #: (c,) corner k of triangle t is 3 t + k
    group: Ints  #: (c,)
    weight: Floats  #: (3,c) barycentric coordinates of each corner in its frame


def flat_groups(
    label: Ints, vertices: Floats, triangles: Ints, near: float, carried: Sequence[TriangleValues] = ()
) -> Ints:
    """`flat_group_steps`, run to its end at once."""
    return result_of(flat_group_steps(label, vertices, triangles, near, carried))


def flat_group_steps(
    label: Ints, vertices: Floats, triangles: Ints, near: float, carried: Sequence[TriangleValues] = ()
) -> Generator[None, None, Ints]:
    """The label (T,) where it stands for one flat face, -1 where it does not or for one triangle alone.

    Args:
        label: (T,) group of each triangle; below 0 of none.
        vertices: (V,3) [m].
        triangles: (T,3) that do not overlap within their group.
        near: how far a corner may lie from the plane of its group [m].
        carried: what must be affine over a group, in which each vertex has one value.

    A limit counts in full where a corner is as far from its frame as the fourth corner of a parallelogram; further away
    it is larger, since there the frame's own errors are.

    Yields after some ten thousand triangles each.

    """
    result = np.full(len(label), -1, np.int64)
    everything = (TriangleValues(vertices, triangles, near), *carried)
    for rows in _chunks(label):
        with np.errstate(invalid="ignore", over="ignore"):  # what is no number is not affine
            kept = rows[_all_affine(label, rows, vertices, triangles, everything)]
        result[kept] = label[kept]
        yield
    return result


def _all_affine(
    label: Ints, rows: Ints, vertices: Floats, triangles: Ints, everything: Sequence[TriangleValues]
) -> Bools:
    """(n,) whether all is affine over the groups of the triangles `rows (n,)`, which are sorted by them."""
    start = _starts(label[rows])
    group = np.repeat(np.arange(len(start)), np.diff(np.append(start, len(rows))))
    frame, kept = _frames(rows, start, group, vertices, triangles)
    groups = _groups(rows, group, frame, kept, vertices, triangles)
    for values in everything:
        kept &= _affine(groups, values)
        left = kept[groups.group]
        if not left.all():
            groups = _Groups(frame, groups.corner[left], groups.group[left], groups.weight[:, left])
    result: Bools = kept[group]
    return result


def _chunks(label: Ints) -> Iterator[Ints]:
    """Triangles of groups of two and more, sorted by their group; no group is in two chunks."""
    order = np.argsort(label, kind="stable")
    sorted_label = label[order]
    same = sorted_label[1:] == sorted_label[:-1]
    several = np.zeros(len(label), np.bool_)
    several[1:] |= same
    several[:-1] |= same
    order = order[several & (sorted_label >= 0)]
    begins = _starts(label[order])
    bounds = begins[
        np.unique(np.searchsorted(begins, np.arange(0, len(order), TRIANGLES_AT_ONCE)).clip(max=len(begins) - 1))
    ]
    yield from np.split(order, bounds[1:]) if len(order) else []


def _starts(label: Ints) -> Ints:
    """Where another label begins."""
    return np.flatnonzero(np.concatenate([[True], label[1:] != label[:-1]])[: len(label)])


def _frames(rows: Ints, start: Ints, group: Ints, vertices: Floats, triangles: Ints) -> tuple[Ints, Bools]:
    """Largest triangle (G,) of each group; whether (G,) it has an area and no other lies the other way round."""
    a, b, c = (vertices[triangles[rows, k]] for k in range(3))
    area = cross_rows(b - a, c - a)
    square = dot(area, area)
    # The last one of each group in ascending order of area.
    frame = np.lexsort((square, group))[np.append(start[1:], len(rows)) - 1]
    along = dot(area, area[frame][group])
    largest = square[frame]
    return rows[frame], (np.minimum.reduceat(along, start) > _TURNED * largest) & (largest > 0.0)


def _groups(rows: Ints, group: Ints, frame: Ints, kept: Bools, vertices: Floats, triangles: Ints) -> _Groups:
    vertex, own = triangles[rows], triangles[frame][group]
    other = np.repeat(kept[group], 3).reshape(-1, 3)
    for k in range(3):
        other &= vertex != own[:, k : k + 1]
    row, at = np.nonzero(other)
    weight = affine_weights(vertices[own[row]], vertices[vertex[row, at]])
    return _Groups(frame, 3 * rows[row] + at, group[row], np.ascontiguousarray(weight.T))


def _affine(groups: _Groups, carried: TriangleValues) -> Bools:
    """(G,) the frame's values, continued, are those at all corners; what is no number never is."""
    frame = carried.values[carried.table[groups.frame]].astype(np.float64)
    value = carried.values[carried.table.reshape(-1)[groups.corner]].astype(np.float64)
    weight, there = groups.weight, frame[groups.group]
    gap = np.zeros(len(value))
    far = 0.25 * (1.0 + np.abs(weight[0]) + np.abs(weight[1]) + np.abs(weight[2]))
    for d in range(value.shape[1]):
        said = weight[0] * there[:, 0, d] + weight[1] * there[:, 1, d] + weight[2] * there[:, 2, d]
        gap = np.maximum(gap, np.abs(said - value[:, d]))
    worst, limit = np.zeros(len(frame)), np.full(len(frame), carried.least)
    np.maximum.at(worst, groups.group, gap / far)
    if carried.relative > 0.0:
        largest = np.abs(frame).reshape(len(frame), -1).max(axis=1)
        np.maximum.at(largest, groups.group, np.abs(value).max(axis=1))
        limit = np.maximum(limit, carried.relative * largest)
    return np.asarray(worst <= limit)
