"""The two sides of every face of a sheet, and how they join around edges and vertices.

A *slot* is one corner of one side: 6t + 3s + k is corner k of the side s of triangle t, behind (0) or in front (1).
A *wedge* is the space between two faces that follow each other around an edge: it joins the side of the one that looks
to rising angle with the side of the other that looks to falling angle. At a border the one face is both.
A *fan* is what is left of the surface around a vertex when the sides are pushed apart: sides joined by wedges, but not
around borders. So a sheet has a fan before and one behind at each vertex, and k sheets that end in a vertex have k.

The end of a fin that stands on a face would be one fan from one side of the fin, over the face, to its other side.
Such a fan is split where it runs straight on, so that the fin keeps its thickness up to its end: a fan that meets an
edge twice would give two edges of the result the same vertices.
"""

from typing import NamedTuple

import numpy as np

from ..geometry import packed
from ..geometry.graph import connected_labels
from ..geometry.rings import HalfEdgeRings
from ..types import Bools, Floats, Ints


class Wedges(NamedTuple):
    """Of the n wedges of a mesh; `a` looks to rising angle about the edge from its lower to its higher vertex."""

    edge: Ints  #: (n,)
    a: Ints  #: (n,2) slots at the lower and the higher vertex of the edge; its side runs from the lower to the higher
    b: Ints  #: (n,2) slots at the lower and the higher vertex of the edge; its side runs from the higher to the lower
    border: Bools  #: (n,) the two sides are those of one face


def wedges(triangles: Ints, around: HalfEdgeRings) -> Wedges:
    """The wedges of faces (T,3) that are sorted around their edges."""
    edge, half = packed.owners(around.start), around.half
    along = triangles.reshape(-1)[half] == around.edges.ends[edge, 0]
    following = packed.following(around.start)
    triangle, corner = np.divmod(half, 3)
    after = np.where(corner < 2, corner + 1, 0)
    low, high = np.where(along, corner, after), np.where(along, after, corner)
    front, behind = 6 * triangle + 3, 6 * triangle
    rising, falling = np.where(along, front, behind), np.where(along, behind, front)
    a = np.stack([rising + low, rising + high], axis=1)
    b = np.stack([falling + low, falling + high], axis=1)[following]
    return Wedges(edge, a, b, following == np.arange(len(half)))


def find_fans(triangles: Ints, found: Wedges, angle: Floats) -> tuple[Ints, Bools]:
    """The fan (6T,) of each slot, and which ends (n,2) of which wedges are open: borders, and where fans were split.

    `angle (T,3)` are those of the corners.
    """
    closed = np.repeat(~found.border[:, None], 2, axis=1)
    fan = _joined(len(triangles), found, closed)
    uses = np.bincount(found.edge)
    crowded = (uses[found.edge] > 2)[:, None] & closed
    edge = np.stack([found.edge, found.edge], axis=1)[crowded]
    met, count = np.unique(fan[found.a][crowded] * len(uses) + edge, return_counts=True)
    twice = met[count > 1] // max(len(uses), 1)
    if len(twice) > 0:
        at, end = np.nonzero(closed & np.isin(fan[found.a], twice))
        for row in _cuts(found, at, end, fan, angle.reshape(-1)):
            closed[at[row], end[row]] = False
        fan = _joined(len(triangles), found, closed)
    return fan, ~closed


def _joined(count: int, found: Wedges, closed: Bools) -> Ints:
    return connected_labels(6 * count, np.stack([found.a[closed], found.b[closed]], axis=1))


def _cuts(found: Wedges, at: Ints, end: Ints, fan: Ints, angle: Floats) -> list[int]:
    """Rows of the wedge ends `at, end (m,)` at which to split the fans that they make up."""
    a, b = found.a[at, end], found.b[at, end]
    order = np.argsort(fan[a], kind="stable")
    cuts = []
    for rows in np.split(order, np.flatnonzero(np.diff(fan[a][order])) + 1):
        slots, path, ring = _walk(a[rows].tolist(), b[rows].tolist())
        rows = rows[path]
        width = angle[[slot // 6 * 3 + slot % 3 for slot in slots]]
        cuts += [int(rows[k]) for k in _split(found.edge[at[rows]].tolist(), width.tolist(), ring)]
    return cuts


def _walk(a: list[int], b: list[int]) -> tuple[list[int], list[int], bool]:
    """Slots and links in the order in which a fan runs through them, and whether it comes back to its first slot.

    Link k of the path joins slots k and k + 1; the last link of a ring leads back to slot 0.
    """
    ways: dict[int, list[tuple[int, int]]] = {}
    for k, (one, other) in enumerate(zip(a, b, strict=True)):
        ways.setdefault(one, []).append((k, other))
        ways.setdefault(other, []).append((k, one))
    slot = min((slot for slot in ways if len(ways[slot]) == 1), default=min(ways))
    ring = len(ways[slot]) > 1
    slots, path, used = [slot], [], set[int]()
    while step := next(((k, to) for k, to in ways[slot] if k not in used), None):
        link, slot = step
        used.add(link)
        path.append(link)
        slots.append(slot)
    return slots[:-1] if ring else slots, path, ring


def _split(edge: list[int], width: list[float], ring: bool) -> list[int]:
    """Links of a fan at which to split it: in the middle of each innermost stretch from an edge back to that edge.

    `edge` of each link and `width` of each slot, an angle, as `_walk` orders them. Whatever else lies between two
    visits of one edge holds an innermost stretch, so after the split no part of the fan meets an edge twice.
    """
    n = len(edge)
    turns = 2 if ring else 1
    latest: dict[int, int] = {}
    stretches: list[tuple[int, int]] = []
    begun = -1  # of the innermost stretch so far: one that begins earlier holds it
    for k in range(turns * n):
        before = latest.get(edge[k % n], -1)
        latest[edge[k % n]] = k
        if before > begun and k - before != n:
            stretches.append((before, k))
            begun = before
    return sorted({_middle(first, last, width, n) for first, last in stretches})


def _middle(first: int, last: int, width: list[float], n: int) -> int:
    """The link between two others at which the angle passed on the way is next to the half of all."""
    passed, total = [], 0.0
    for k in range(first + 1, last + 1):
        total += width[k % len(width)]
        passed.append(total)
    return min(range(first + 1, last), key=lambda k: abs(passed[k - first - 1] - 0.5 * total)) % n
