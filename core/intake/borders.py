"""Borders that belong together: welded with a rising tolerance, and split where a corner stands on a side.

Only vertices of border edges (edges with one face) are welded, each to the first of a cluster. A cluster must pay:
a border edge at it finds its partner. And it must harm nothing: no edge gets a third face (but where borders meet so
nearly that only rounding can have parted them), no face vanishes, none is laid flat on another. Clusters are judged
one by one, so a bad place forbids nothing elsewhere. Gaps that one can see are joined only where this closes most of
what is open there: panels that an artist set apart stay apart.

All this happens among the triangles that touch a border; the orientation of faces does not matter.
"""

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from ..arithmetic.products import dot
from ..geometry.graph import connected_labels
from ..geometry.mesh import cross_rows, diagonal, edge_table, edge_uses, find_shells
from ..types import Bools, Floats, Ints
from .junctions import NEAR_SIDE, Junctions, junctions, split_sides

# Relative to the diagonal; tried on a zoo of meshes, by eye; wider gaps are meant.
TOLERANCES = (1e-6, 1e-5, 1e-4, 1e-3, 3e-3)
_VISIBLE = 1e-4  # by eye; a larger tolerance must leave at most this part of the border edges of what it joins:
OPEN_STILL = 0.25  # by eye
INVISIBLE = tuple(tolerance for tolerance in TOLERANCES if tolerance <= _VISIBLE)
_EXACT = 1e-5  # up to this tolerance, by eye, more than two borders may become one edge, as equal points would:
MOST_FACES = 6  # by eye: three sheets
# No vertex moves further than this part of the shortest border edge at it; as on a prototype; half of it would let an
# edge vanish.
_SHORT = 0.25
FOLD = 4.0  # faces that stay within so many gaps of each other lie on each other; by eye
_ROUNDS = 3  # of splitting and welding; by eye
_NEIGHBOURS, MOST_NEIGHBOURS = 8, 512  # of a vertex that are looked at: first, and at most; chosen by time


class Stitched(NamedTuple):
    """A mesh with its borders joined."""

    vertices: Floats  #: (V',3) the given ones at their old numbers, then those of splits
    triangles: Ints  #: (T',3)
    parent: Ints  #: (T',) row of the input triangle, never falling
    welded: int  #: border vertices that became another one
    split: int  #: sides of triangles that were split where vertices stand on them
    tolerance: float  #: the largest that was used, relative to the diagonal


class _Patch(NamedTuple):
    """The triangles that touch a border."""

    vertices: Floats  #: (n,3)
    triangles: Ints  #: (m,3)
    parent: Ints  #: (m,)
    open: Bools  #: (n,) vertices that were on a border at first: all faces at them are here


class _Border(NamedTuple):
    """Edges of a patch, and which of them are open."""

    ends: Ints  #: (E,2)
    uses: Ints  #: (E,)
    half: Ints  #: (E,) 3t + k of one of the faces of each edge
    rows: Ints  #: (e,) border edges


def stitch_borders(vertices: Floats, triangles: Ints) -> Stitched:
    """Join what is open: weld the vertices of border edges, split border edges on which border vertices stand.

    Parameters: `vertices (V,3)` in any unit, `triangles (T,3)` without repeated vertices; equal vertices are one
    already. A welded vertex moves to the place of the first of its cluster: by about the tolerance, and by a quarter
    of the shortest border edge at it at most. New vertices lie on the side that they split, and are then welded.
    Vertices that nothing uses any more stay in the table.

    Limitations: where more than two borders should meet, they must do so to 1e-5, as at T-junctions.
    """
    size = diagonal(vertices)
    rows, on_border = _at_borders(triangles, len(vertices))
    if len(rows) == 0 or size == 0.0:
        return Stitched(vertices, triangles, np.arange(len(triangles)), 0, 0, 0.0)
    number, local = np.unique(triangles[rows], return_inverse=True)
    patch = _Patch(vertices[number], local.reshape(-1, 3), rows, on_border[number])
    patch, welded, tolerance = _welded(patch, size, TOLERANCES)
    split = 0
    for _ in range(_ROUNDS):
        patch, joins, sides, used = _split(patch, size)
        if sides == 0:
            break
        split, welded, tolerance = split + sides, welded + joins, max(tolerance, used)
    number = np.concatenate([number, len(vertices) + np.arange(len(patch.vertices) - len(number))])
    others = np.delete(np.arange(len(triangles)), rows)
    parent = np.concatenate([others, patch.parent])
    order = np.argsort(parent, kind="stable")
    return Stitched(
        np.concatenate([vertices, patch.vertices[number >= len(vertices)]]),
        np.concatenate([triangles[others], number[patch.triangles]])[order],
        parent[order],
        welded,
        split,
        tolerance,
    )


def _at_borders(triangles: Ints, vertex_count: int) -> tuple[Ints, Bools]:
    """Triangles (n,) that touch a border, and which vertices (V,) are on one."""
    edges = edge_table(triangles)
    uses = edge_uses(edges)
    on_border = np.zeros(vertex_count, dtype=np.bool_)
    on_border[edges.ends[(uses == 1) & edges.proper]] = True
    return np.flatnonzero(on_border[triangles].any(axis=1)), on_border


def _border(patch: _Patch) -> _Border:
    edges = edge_table(patch.triangles)
    uses = edge_uses(edges)
    half = np.empty(len(uses), np.int64)
    half[edges.of_half] = np.arange(len(edges.of_half))
    rows = np.flatnonzero((uses == 1) & patch.open[edges.ends].all(axis=1))
    return _Border(edges.ends, uses, half, rows)


def _welded(patch: _Patch, size: float, tolerances: tuple[float, ...]) -> tuple[_Patch, int, float]:
    """The patch after all tolerances, the vertices that became another one, and the largest tolerance in use."""
    count, largest, border = 0, 0.0, None
    for tolerance in tolerances:
        if border is None:  # at first, and when something has changed
            border = _border(patch)
            pairs, away = _close_pairs(patch, border, tolerances[-1] * size)
        near = away <= tolerance * size
        if not near.any():
            continue
        target = _first_of_cluster(pairs[near], len(patch.vertices))
        target = _harmless(patch, border, target, tolerance)
        joined = int((target != np.arange(len(target))).sum())
        if joined > 0:
            patch, border = patch._replace(triangles=target[patch.triangles]), None
            count, largest = count + joined, tolerance
    return patch, count, largest


def _close_pairs(patch: _Patch, border: _Border, reach: float) -> tuple[Ints, Floats]:
    """Pairs (p,2) of border vertices within reach, nearer than the border edges at both allow, and how far apart."""
    ends = border.ends[border.rows]
    length = np.sqrt(np.square(patch.vertices[ends[:, 0]] - patch.vertices[ends[:, 1]]).sum(axis=1))
    shortest = np.full(len(patch.vertices), np.inf)
    np.minimum.at(shortest, ends.reshape(-1), np.repeat(length, 2))
    chosen = np.flatnonzero(np.isfinite(shortest))
    limit = np.minimum(reach, _SHORT * shortest[chosen])
    pairs, distances = [np.empty((0, 2), np.int64)], [np.empty(0)]
    asking, near, count = np.arange(len(chosen)), _NEIGHBOURS, len(chosen)
    tree = cKDTree(patch.vertices[chosen])
    while len(asking) > 0:
        found = tree.query(patch.vertices[chosen[asking]], k=[*range(1, min(near, count) + 1)],
                           distance_upper_bound=float(limit.max()) * 1.001)  # fmt: skip
        away, other = np.asarray(found[0]), np.asarray(found[1])
        crowded = (away[:, -1] <= limit[asking]) & (near < min(count, MOST_NEIGHBOURS))
        row, at = np.nonzero((away <= limit[asking][:, None]) & ~crowded[:, None])
        both = np.stack([asking[row], other[row, at]], axis=1)
        good = (away[row, at] <= limit[both[:, 1]]) & (both[:, 0] != both[:, 1])
        pairs.append(chosen[both[good]])
        distances.append(away[row, at][good])
        asking, near = asking[crowded], 8 * near
    return np.concatenate(pairs), np.concatenate(distances)


def _first_of_cluster(pairs: Ints, count: int) -> Ints:
    """The first vertex of the cluster of each vertex (n,); clusters hang together by pairs."""
    label = connected_labels(count, pairs)
    return np.asarray(np.unique(label, return_index=True)[1][label])


def _harmless(patch: _Patch, border: _Border, target: Ints, tolerance: float) -> Ints:
    """The same clusters without those that do harm or do not pay."""
    while True:
        moved = target != np.arange(len(target))
        if not moved.any():
            return target
        clustered = moved.copy()
        clustered[target[moved]] = True
        merged = _merged(border, target, clustered)
        meeting = (merged.members > 1) & (merged.faces <= (MOST_FACES if tolerance <= _EXACT else 2)) & merged.open
        bad = (merged.ends[:, 0] == merged.ends[:, 1]) | ((merged.members > 1) & ~meeting)
        if not bad.any():
            group, one, two = _pairs(merged, meeting)
            bad[group[_folded(patch, border, target, one, two)]] = True
        wrong = np.zeros(len(target), dtype=np.bool_)
        wrong[merged.ends[bad]] = True
        if not bad.any():
            if tolerance > _VISIBLE:
                meeting &= _closes(patch, border, target)[border.half[merged.order[merged.first]] // 3]
            wrong = clustered
            wrong[merged.ends[meeting]] = False
        if not wrong[target[moved]].any():
            return target
        target = np.where(wrong[target], np.arange(len(target)), target)


class _Merged(NamedTuple):
    """The edges at clusters, after the weld."""

    ends: Ints  #: (n,2)
    members: Ints  #: (n,) edges that become this one
    faces: Ints  #: (n,) of all of them
    open: Bools  #: (n,) at least one is a border edge
    first: Ints  #: (n,) where its members begin in the order
    order: Ints  #: (.,) edges


def _merged(border: _Border, target: Ints, clustered: Bools) -> _Merged:
    active = np.flatnonzero(clustered[border.ends].any(axis=1))
    ends = np.sort(target[border.ends[active]], axis=1)
    key, group = np.unique(ends[:, 0] * len(target) + ends[:, 1], return_inverse=True)
    members = np.bincount(group)
    faces = np.bincount(group, weights=border.uses[active]).astype(np.int64)
    single = np.bincount(group, weights=border.uses[active] == 1) > 0.0
    order = active[np.argsort(group, kind="stable")]
    ends = np.stack(np.divmod(key, len(target)), axis=1)
    return _Merged(ends, members, faces, single, np.cumsum(members) - members, order)


def _pairs(merged: _Merged, chosen: Bools) -> tuple[Ints, Ints, Ints]:
    """All pairs of edges that become one, with its number: three arrays (p,)."""
    found = [np.empty((0, 3), np.int64)]
    for size in np.unique(merged.members[chosen]):
        group = np.flatnonzero(chosen & (merged.members == size))
        first = merged.first[group]
        for i in range(size):
            for j in range(i):
                found.append(np.stack([group, merged.order[first + j], merged.order[first + i]], axis=1))
    group, one, two = np.concatenate(found).T
    return group, one, two


def _closes(patch: _Patch, border: _Border, target: Ints) -> Bools:
    """Triangles (m,) of parts of the patch of which the weld closes most."""
    welded = patch._replace(triangles=target[patch.triangles])
    after = _border(welded)
    edges = edge_table(welded.triangles)
    label = find_shells(edges)
    count = np.bincount(label[border.half[border.rows] // 3], minlength=len(label))
    left = np.bincount(label[after.half[after.rows] // 3], minlength=len(label))
    return np.asarray((left <= OPEN_STILL * count)[label])


def _folded(patch: _Patch, border: _Border, target: Ints, one: Ints, two: Ints) -> Bools:
    """Whether the faces (n,) at two border edges each, made one, would lie on each other.

    Two sheets that run side by side are not the two sides of a seam: their borders are no further apart than the
    sheets are.
    """
    a, b = border.ends[one].T
    crossed = target[border.ends[two, 0]] != target[a]
    c, d = np.where(crossed[:, None], border.ends[two][:, ::-1], border.ends[two]).T
    x = patch.vertices
    gap = np.sqrt(np.maximum(np.square(x[a] - x[c]).sum(axis=1), np.square(x[b] - x[d]).sum(axis=1)))
    along = x[b] - x[a]
    length = np.sqrt(np.square(along).sum(axis=1))
    along = along / np.where(length > 0.0, length, 1.0)[:, None]
    middle = 0.25 * (x[a] + x[b] + x[c] + x[d])
    arm, normal = [], []
    for edge in (one, two):
        t, k = np.divmod(border.half[edge], 3)
        p, q, r = (x[patch.triangles[t, (k + i) % 3]] for i in range(3))
        out = r - middle
        arm.append(out - dot(out, along)[:, None] * along)
        n = cross_rows(q - p, r - p)
        twice = np.sqrt(np.square(n).sum(axis=1))
        normal.append(n / np.where(twice > 0.0, twice, 1.0)[:, None])
    height = np.sqrt(np.minimum(np.square(arm[0]).sum(axis=1), np.square(arm[1]).sum(axis=1)))
    away = np.maximum(*(np.abs(dot(arm[i], normal[1 - i])) for i in range(2)))
    same_side = dot(arm[0], arm[1]) > 0.0
    return np.asarray(same_side & (height > gap + 1e-9 * length) & (away <= FOLD * gap))


def _split(patch: _Patch, size: float) -> tuple[_Patch, int, int, float]:
    """The patch with border edges split and welded; the vertices welded, the sides split, the tolerance used.

    Splits that no weld needs are undone.
    """
    border = _border(patch)
    found = junctions(patch.vertices, patch.triangles, border.half[border.rows], NEAR_SIDE * size)
    count = len(patch.vertices)
    for _ in range(_ROUNDS):
        if len(found.half) == 0:
            break
        vertices, triangles, parent = split_sides(patch.vertices, patch.triangles, found)
        new = np.ones(len(vertices) - count, dtype=np.bool_)
        split = _Patch(vertices, triangles, patch.parent[parent], np.concatenate([patch.open, new]))
        done, joined, used = _welded(split, size, INVISIBLE)
        left = np.zeros(len(vertices), dtype=np.bool_)
        left[done.triangles] = True
        useful = ~left[count:]
        if useful.all():
            sides = len(np.unique(found.half))
            return done, joined - len(useful), sides, used
        found = Junctions(found.half[useful], found.along[useful])
    return patch, 0, 0, 0.0
