"""How often a surface that crosses itself winds around the space in front of each of its sheets.

A *sheet* is a whole triangle, or a face of a crossed one. Winding numbers are walked from sheet to sheet: around the
edges of the mesh, and around the segments in which triangles cross, where each triangle passed through from behind to
its front takes one away. Every edge must agree, and so must the count of rays from points near some of the sheets.
"""

from typing import NamedTuple

import numpy as np

from ...jit import device_inlined, njit_no_refs
from ...types import Bools, Floats, Ints
from ..inside import winding_number
from ..mesh import cross_rows
from ..predicates import orient3d
from ..rings import HalfEdgeRings
from ..shells import measure_shells
from .contacts import Unsettled
from .edges import Shells, counted
from .faces import ArrangementFaces
from .graph import Graph, begins

_PROBES = 3  # of each connected part; chosen by time
STEP = 2.0**-47  # of the diagonal: how far in front of its sheet a probe is; 64 roundings


class TriangleSheets(NamedTuple):
    """The F sheets, whole triangles first, and the n triangles that make them up."""

    parent: Ints  #: (F,) triangle of the shells that each is in
    whole: Ints  #: the triangles that are not crossed
    position: Floats  #: (N,3) of the nodes
    triangles: Ints  #: (n,3) nodes
    sheet: Ints  #: (n,) sheet of each triangle


class _Steps(NamedTuple):
    """Winding numbers in front of sheets: that of `after` is that of `before` plus `rise`."""

    before: Ints
    after: Ints
    rise: Ints


def levels(sheets: TriangleSheets, shells: Shells, rings: HalfEdgeRings, graph: Graph, faces: ArrangementFaces) -> Ints:
    """Winding number in front of each of the sheets (F,) of shells, in units of the diagonal.

    Raises Unsettled where steps or probes contradict each other.
    """
    steps, count = _steps(sheets, shells, rings, graph, faces), len(sheets.parent)
    root, level, bad = np.arange(count), np.zeros(count, np.int64), np.zeros(count, np.bool_)
    _walk(steps.before, steps.after, steps.rise, root, level, bad)
    if bad.any():
        raise Unsettled(np.unique(sheets.parent[bad]))
    probe = _chosen(sheets, root)
    sheet = sheets.sheet[probe]
    parent = sheets.parent[sheet]
    found, known = _probed(sheets, shells, probe)
    found -= level[sheet]  # of the root
    base, nothing = np.zeros(count, np.int64), np.ones(count, np.bool_)
    base[root[sheet[known]]] = found[known]
    nothing[root[sheet[known]]] = False
    wrong = known & (base[root[sheet]] != found)
    if wrong.any() or nothing[root].any():
        raise Unsettled(np.unique(parent[wrong | ~known]))
    return np.asarray(base[root] + level)


def _steps(
    sheets: TriangleSheets, shells: Shells, rings: HalfEdgeRings, graph: Graph, faces: ArrangementFaces
) -> _Steps:
    """What the winding numbers of neighbouring sheets have to do with each other."""
    edge = shells.edges.of_half[rings.half]
    pair = np.flatnonzero(edge[1:] == edge[:-1])
    edge = edge[pair]
    pieces, smaller = np.diff(graph.side_piece)[edge], shells.edges.ends[:, 0].take(edge)
    place = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    sheet_of, row_of = (np.full(len(shells.triangles), -1, np.int64) for _ in range(2))
    sheet_of[sheets.whole] = np.arange(len(sheets.whole))
    row_of[graph.rows] = np.arange(len(graph.rows))
    found, forward = [], []
    for half in (rings.half[pair], rings.half[pair + 1]):
        up = smaller == shells.triangles.reshape(-1)[half]
        half, up = np.repeat(half, pieces), np.repeat(up, pieces)
        sheet = sheet_of[half // 3]
        cut = np.flatnonzero(sheet < 0)
        side = 3 * row_of[half[cut] // 3] + half[cut] % 3
        at = np.where(up[cut], place[cut], np.diff(graph.side_half)[side] - 1 - place[cut])
        sheet[cut] = faces.of_half[graph.side_half[side] + at] + len(sheets.whole)
        found.append(sheet)
        forward.append(up)
    # The space between two triangles is in front of the first where that runs up, and of the second where it runs down.
    multiple = shells.multiple[sheets.parent]
    one, other = (multiple[sheet] for sheet in found)
    rise = np.where(forward[0], 0, one) - np.where(forward[1], other, 0)
    i_left, i_right, j_left, j_right = faces.of_half[: graph.side_half[0]].reshape(-1, 4).T + len(sheets.whole)
    i, j = shells.multiple[graph.rows[graph.pairs[graph.segment_of]]].T
    # Left of the segment is behind j, and in front of i. What is in front of both is in front of each.
    return _Steps(
        np.concatenate([found[0], i_left, j_right, i_right]),
        np.concatenate([found[1], i_right, j_left, j_left]),
        np.concatenate([rise, -j, -i, np.zeros(len(i), np.int64)]),
    )


def _probed(sheets: TriangleSheets, shells: Shells, probe: Ints) -> tuple[Ints, Bools]:
    """Winding number in front of the sheets of some triangles (n,), by rays, and whether it is known."""
    parent = sheets.parent[sheets.sheet[probe]]
    plane = shells.vertices[shells.triangles[parent]]
    normal = cross_rows(plane[:, 1] - plane[:, 0], plane[:, 2] - plane[:, 0])
    length = np.sqrt(np.square(normal).sum(axis=1))
    middle = sheets.position[sheets.triangles[probe]].cumsum(axis=1)[:, 2] / 3.0
    point = middle + STEP * normal / np.where(length > 0.0, length, 1.0)[:, None]
    found = winding_number(shells.vertices, counted(shells.triangles, shells.multiple), point)
    values = np.concatenate([plane.reshape(-1, 9), point], axis=1).tolist()
    depth = np.array([orient3d(*row) for row in values])
    return found - np.where(depth > 0.0, shells.multiple[parent], 0), depth != 0.0


def _chosen(sheets: TriangleSheets, root: Ints) -> Ints:
    """Some triangles of each connected part, of large inradius."""
    part = root[sheets.sheet]
    radius = measure_shells(sheets.position, sheets.triangles, np.zeros(len(part), np.int64)).radius
    order = np.argsort(part, kind="stable")
    begin = begins(part[order])
    size = np.diff(np.append(begin, len(order)))
    # Each part in runs of nearly equal length, and the best of each run.
    runs = np.minimum(size, _PROBES)
    run = np.arange(runs.sum()) - np.repeat(np.cumsum(runs) - runs, runs)
    first = np.repeat(begin, runs) + run * np.repeat(size, runs) // np.repeat(runs, runs)
    owner = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(order))))
    best = np.maximum.reduceat(radius[order], first)
    hit = np.flatnonzero(radius[order] == best[owner])
    hit = hit[begins(owner[hit])]
    return np.asarray(order[hit])


@device_inlined
def _root(root: Ints, level: Ints, at: int) -> tuple[int, int]:
    """The first sheet of the part of a sheet, and the level of the sheet over it; halves the way to it."""
    total = 0
    while root[at] != at:
        above = root[at]
        level[at] += level[above]
        root[at] = root[above]
        total += level[at]
        at = root[at]
    return at, total


@njit_no_refs
def _walk(before: Ints, after: Ints, rise: Ints, root: Ints, level: Ints, bad: Bools) -> None:
    """Join sheets; `level` becomes that over the root. Comes with every sheet as its own root, at level 0."""
    for i in range(len(before)):
        a, over_a = _root(root, level, before[i])
        b, over_b = _root(root, level, after[i])
        lift = over_a + rise[i] - over_b  # of b over a
        if a == b:
            if lift != 0:
                bad[before[i]] = bad[after[i]] = True
        elif a < b:
            root[b], level[b] = a, lift
        else:
            root[a], level[a] = b, -lift
    for i in range(len(root)):
        root[i], level[i] = _root(root, level, i)
