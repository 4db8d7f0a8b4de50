"""Groups of triangles that are one flat face, over which values at the corners are affine.

Only over such a group does it change nothing how it is cut into triangles. The largest triangle of a group is its
frame: continued over the group, its values have to be those at all other corners.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..types import Bools, Floats, Ints
from .barycentric import affine_weights
from .mesh import cross

CHUNK = 1 << 16  #: triangles that are looked at together, about
TURNED = -1e-9  #: area of a triangle that lies the other way round than the frame, relative to the frame's


class Values(NamedTuple):
    """What triangles carry, and how far it may be from affine."""

    values: NDArray[Any]  #: (M,d)
    table: Ints  #: (T,3) row of `values` at each corner
    least: float  #: what counts as nothing
    relative: float = 0.0  #: what counts as nothing, relative to the largest value of the group


class _Groups(NamedTuple):
    """Groups of two triangles and more, each by its triangles one after the other."""

    triangle: Ints  #: (n,)
    start: Ints  #: (G,) first of each group
    group: Ints  #: (n,)
    frame: Ints  #: (G,) its largest triangle
    weight: Floats  #: (n,3,3) barycentric coordinates of each corner in the frame


def flat_groups(label: Ints, vertices: Floats, triangles: Ints, near: float, carried: Sequence[Values] = ()) -> Ints:
    """The label (T,) where it stands for one flat face, -1 where it does not or for one triangle alone.

    Args:
        label: (T,) group of each triangle; below 0 of none.
        vertices: (V,3) [m].
        triangles: (T,3) that do not overlap within their group.
        near: how far a corner may lie from the plane of its group [m].
        carried: what must be affine over a group.

    A limit counts in full where a corner is as far from its frame as the fourth corner of a parallelogram; further away
    it is larger, since there the frame's own errors are.

    """
    result = np.full(len(label), -1, np.int64)
    everything = (Values(vertices, triangles, near), *carried)
    with np.errstate(invalid="ignore", over="ignore"):  # what is no number is not affine
        for rows in _chunks(label):
            kept = _all_affine(_groups(label, rows, vertices, triangles), everything)
            result[kept] = label[kept]
    return result


def _all_affine(groups: _Groups, everything: Sequence[Values]) -> Ints:
    """The triangles of the groups over which everything is affine."""
    groups = _chosen(groups, _one_sided(groups))
    for values in everything:
        if len(groups.start):
            groups = _chosen(groups, _affine(groups, values))
    return groups.triangle


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
    bounds = begins[np.unique(np.searchsorted(begins, np.arange(0, len(order), CHUNK)).clip(max=len(begins) - 1))]
    yield from np.split(order, bounds[1:]) if len(order) else []


def _starts(label: Ints) -> Ints:
    """Where another label begins."""
    return np.flatnonzero(np.concatenate([[True], label[1:] != label[:-1]])[: len(label)])


def _groups(label: Ints, rows: Ints, vertices: Floats, triangles: Ints) -> _Groups:
    corner = vertices[triangles[rows]]
    area = cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    square = np.einsum("ti,ti->t", area, area)
    start = _starts(label[rows])
    group = np.repeat(np.arange(len(start)), np.diff(np.append(start, len(rows))))
    # The last one of each group in ascending order of area.
    frame = np.lexsort((square, group))[np.append(start[1:], len(rows)) - 1]
    there = np.repeat(corner[frame[group]], 3, axis=0)
    weight = affine_weights(there, corner.reshape(-1, 3)).reshape(-1, 3, 3)
    return _Groups(rows, start, group, rows[frame], weight)


def _chosen(groups: _Groups, kept: Bools) -> _Groups:
    """The groups that are `kept (G,)`."""
    if kept.all():
        return groups
    rows = kept[groups.group]
    group = (np.cumsum(kept) - 1)[groups.group[rows]]
    return _Groups(groups.triangle[rows], _starts(group), group, groups.frame[kept], groups.weight[rows])


def _one_sided(groups: _Groups) -> Bools:
    """(G,) no triangle lies the other way round than the frame; a group without area is none."""
    a, b, c = (groups.weight[:, k] for k in range(3))
    area = np.einsum("ti,ti->t", a, cross(b, c))
    return np.asarray(
        (np.minimum.reduceat(area, groups.start) > TURNED) & (np.maximum.reduceat(area, groups.start) > 0.5)
    )


def _affine(groups: _Groups, carried: Values) -> Bools:
    """(G,) the frame's values, continued, are those at all corners; what is no number never is."""
    table = carried.table
    value = carried.values[table[groups.triangle]].astype(np.float64)
    frame = carried.values[table[groups.frame]].astype(np.float64)[groups.group]
    gap = np.abs(np.einsum("tck,tkd->tcd", groups.weight, frame) - value).max(axis=2)
    gap /= 0.25 * (1.0 + np.abs(groups.weight).sum(axis=2))
    largest = np.maximum.reduceat(np.abs(value).max(axis=(1, 2)), groups.start)
    return np.asarray(
        np.maximum.reduceat(gap.max(axis=1), groups.start) <= np.maximum(carried.least, carried.relative * largest)
    )
