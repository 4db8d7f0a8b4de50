"""What is matter: closed, outward solids out of triangles that are turned, tangled, walled or torn in any way.

Each edge-connected component is looked at on its own, by its side groups (`geometry/sides.py`):

- its outside is the group with the most negative volume; other groups of negative volume, which only a surface that
  crosses itself has, are empty too;
- groups with a positive volume are chambers. A chamber is matter, unless it is a hollow: it touches other chambers
  only, and most of its area was given with its front towards it (measured against what those chambers show the
  outside). A wall between two chambers at equal depth speaks against any order of that kind: then nothing is a hollow,
  as in a honeycomb, whose walls face anywhere;
- a group of negligible volume is a slit between layers. One that reaches the outside, or a hollow, is empty; one
  between matter and matter is matter.

Where matter meets what is empty, a triangle becomes part of a solid. Chambers that share a wall are one solid, or, with
walls kept, one each. The vertices of a solid are fans of sides that look into the matter: edges with four triangles and
pinched vertices come apart, and every edge has two triangles, which run against each other. Where a solid touches
itself along an edge and comes together again at both ends, two edges would run between the same two vertices: such an
edge is halved first.

Limitations: an open surface, and one whose order around an edge is spoilt by crossing parts, has one group on both of
its sides: all of it are fins. Hollows within hollows of one component are not looked for.
"""

from typing import NamedTuple

import numpy as np

from ..geometry.graph import connected_labels
from ..geometry.mesh import areas, edge_table, edge_uses
from ..geometry.rings import HalfEdgeRings, in_crowd, rings
from ..geometry.sides import Sides, glued
from ..types import Bools, Floats, Ints
from .clean import FLAT


class SolidTable(NamedTuple):
    """S solids of n triangles, made of T triangles."""

    vertices: Floats  #: (V',3) no vertex belongs to two solids; in the order of the vertices they came from
    triangles: Ints  #: (n,3) outward of their solid
    parent: Ints  #: (n,) row of the given triangles
    flip: Bools  #: (n,) whether it faces against its parent; its corners, unless halved, are then those 0, 2, 1 of it
    solid: Ints  #: (n,) number of the solid, ascending
    inside_out: Bools  #: (S,) whether more of its area was given inward than outward
    fins: Ints  #: (.,) rows of given triangles without matter on either side: sheets, fins, second layers
    walls: Ints  #: (.,) rows of given triangles with matter on both sides; those between chambers stay where kept
    turned: int  #: triangles, other than walls, that face against the majority of their solid
    split_edges: int  #: edges with more than two triangles between matter and no matter, which came apart
    chambers: int  #: chambers that are matter
    hollows: int  #: chambers that are not


def solids(vertices: Floats, triangles: Ints, *, keep_walls: bool = False) -> SolidTable:
    """The solids that triangles (T,3) enclose; errors as for `geometry.rings.rings`.

    Every given triangle is the parent of a new one, or among the fins or walls. With `keep_walls` a wall between two
    chambers is the parent of two: both solids have vertices of their own at equal coordinates. Triangles at an edge
    that stays double (see above) are halved at its middle.
    """
    found, double = _solids(vertices, triangles, keep_walls)
    if len(double) == 0:
        return found
    vertices, triangles, parent = _halved(vertices, triangles, double)
    halved, _ = _solids(vertices, triangles, keep_walls)
    return halved._replace(
        parent=parent[halved.parent],
        fins=np.unique(parent[halved.fins]),
        walls=np.unique(parent[halved.walls]),
        split_edges=found.split_edges,
        turned=found.turned,
    )


def _solids(vertices: Floats, triangles: Ints, keep_walls: bool) -> tuple[SolidTable, Ints]:
    """The solids, and the edges (D,2) of given vertices at which one of them still has more than two triangles."""
    around = rings(vertices, triangles)
    found = glued(vertices, triangles, around)
    area = areas(vertices, triangles)
    body, chambers, hollows = _bodies(found, area, keep_walls)
    matter = body[found.group]
    skin = (matter >= 0) & (matter != matter[:, ::-1])  # (T,2) sides that look into a solid
    keep = skin.any(axis=1)
    if not keep.all():
        found = glued(vertices, triangles, around, keep)
    row, side = np.nonzero(skin)
    order = np.argsort(matter[row, side], kind="stable")
    row, side = row[order], side[order]
    solid, flip = matter[row, side], side == 1
    vertex, new_triangles = _fans(found, row, side)
    inside_out = _majority(solid, flip, area[row], int(body.max(initial=-1)) + 1)
    wall = (matter >= 0).all(axis=1)
    turned = (flip != inside_out[solid]) & ~wall[row]
    result = SolidTable(
        vertices[vertex], new_triangles, row, flip, solid, inside_out,
        np.flatnonzero((matter < 0).all(axis=1)), np.flatnonzero(wall),
        int(turned.sum()), _crowded(around, keep & ~wall), chambers, hollows,
    )  # fmt: skip
    at_crowded = np.zeros(len(triangles), dtype=np.bool_)
    at_crowded[around.half[in_crowd(around)] // 3] = True
    edges = edge_table(new_triangles[at_crowded[row]])
    double = edges.ends[edge_uses(edges) > 2]
    return result, np.unique(np.sort(vertex[double], axis=1), axis=0)


def _halved(vertices: Floats, triangles: Ints, ends: Ints) -> tuple[Floats, Ints, Ints]:
    """Triangles with the edges between the vertices `ends (D,2)` halved, and the rows they are parts of, ascending."""
    middle = {(int(p), int(q)): len(vertices) + row for row, (p, q) in enumerate(ends)}
    used = np.zeros(len(vertices), dtype=np.bool_)
    used[ends] = True
    may = used[triangles].sum(axis=1) > 1
    parts, parent = [], []
    for row in np.flatnonzero(may):
        ahead = [(int(triangles[row, 0]), int(triangles[row, 1]), int(triangles[row, 2]))]
        while ahead:
            a, b, c = ahead.pop()
            for p, q, r in ((a, b, c), (b, c, a), (c, a, b)):
                m = middle.get((min(p, q), max(p, q)))
                if m is not None:
                    ahead += [(p, m, r), (m, q, r)]
                    break
            else:
                parts.append((a, b, c))
                parent.append(row)
    source = np.concatenate([np.flatnonzero(~may), parent])
    order = np.argsort(source, kind="stable")
    points = np.concatenate([vertices, vertices[ends].mean(axis=1)])
    return points, np.concatenate([triangles[~may], parts])[order], source[order]


def _fans(found: Sides, row: Ints, side: Ints) -> tuple[Ints, Ints]:
    """The given vertex (V',) of each new one, ascending, and the triangles that the chosen sides make of those."""
    corner = np.where(side[:, None] == 1, (0, 2, 1), (0, 1, 2))
    fan = found.fan[row[:, None], side[:, None], corner]
    used = np.zeros(len(found.fan_vertex), dtype=np.bool_)
    used[fan] = True
    order = np.flatnonzero(used)
    order = order[np.argsort(found.fan_vertex[order], kind="stable")]
    number = np.empty(len(used), np.int64)
    number[order] = np.arange(len(order))
    return found.fan_vertex[order], number[fan]


def _majority(solid: Ints, flip: Bools, area: Floats, count: int) -> Bools:
    """Solids (count,) of which more area is flipped than not."""
    return np.asarray(np.bincount(solid, np.where(flip, area, -area), count) > 0.0)


def _crowded(around: HalfEdgeRings, skin: Bools) -> int:
    """Edges with more than two of the chosen triangles (T,)."""
    total = np.concatenate([[0], np.cumsum(skin[around.half // 3])])
    return int(np.count_nonzero(np.diff(total[around.start]) > 2))


def _bodies(found: Sides, area: Floats, keep_walls: bool) -> tuple[Ints, int, int]:
    """The solid of each group (G,), -1 where there is no matter; the numbers of chambers and of hollows."""
    count = len(found.volume)
    behind, front = found.group[:, 0], found.group[:, 1]
    between = behind != front
    behind, front, area = behind[between], front[between], area[between]
    size = np.bincount(np.concatenate([behind, front]), np.concatenate([area, area]), count)
    flat = np.abs(found.volume) <= FLAT * size * np.sqrt(size)
    empty = (found.volume < 0.0) & ~flat
    empty[_outsides(found)] = True
    key = np.unique(np.minimum(behind, front) * count + np.maximum(behind, front))
    pairs = np.stack([key // max(count, 1), key % max(count, 1)], axis=1)
    depth, owner = _depths(pairs, empty, flat & ~empty)
    hollow = np.zeros(count, dtype=np.bool_)
    if (depth == 2).any():
        hollow = ~flat & _hollows(found, behind, front, area, depth, pairs)
    matter = (depth > 0) & ~hollow
    links = np.stack([np.arange(count), owner], axis=1) if keep_walls else pairs
    joined = connected_labels(count, links[matter[links].all(axis=1)])
    body = np.full(count, -1)
    body[matter] = np.unique(joined[matter], return_inverse=True)[1]
    return body, int((matter & ~flat).sum()), int(hollow.sum())


def _outsides(found: Sides) -> Ints:
    """The group with the most negative volume of each component, the first of equal ones."""
    order = np.lexsort((found.volume, found.component))
    first = np.append(True, found.component[order[1:]] != found.component[order[:-1]])
    return np.asarray(order[first[: len(order)]])


def _depths(pairs: Ints, empty: Bools, flat: Bools) -> tuple[Ints, Ints]:
    """How many chambers deep each group lies (G,), 0 outside; flat groups lie as deep as the shallowest next to them.

    Also the chamber that each flat group belongs to (G,), itself for others. `pairs (P,2)` are groups with a common
    triangle.
    """
    depth, owner = np.where(empty, 0, -1), np.arange(len(empty))
    both = np.concatenate([pairs, pairs[:, ::-1]])
    level = 0
    while (depth < 0).any():
        reached = both[(depth[both[:, 0]] == level) & (depth[both[:, 1]] < 0)]
        thin = reached[flat[reached[:, 1]]]
        if len(thin) > 0:
            first = np.full(len(empty), len(empty))
            np.minimum.at(first, thin[:, 1], owner[thin[:, 0]])
            depth[thin[:, 1]] = level
            owner[thin[:, 1]] = first[thin[:, 1]]
            continue
        if len(reached) == 0:
            break
        level += 1
        depth[reached[:, 1]] = level
    return depth, owner


def _hollows(found: Sides, behind: Ints, front: Ints, area: Floats, depth: Ints, pairs: Ints) -> Bools:
    """Groups (G,) at depth 2 that most of their area, given between `behind` and `front`, has its front towards."""
    count = len(depth)
    walled = np.zeros(count, dtype=np.bool_)  # by component
    level = depth[pairs]
    walled[found.component[pairs[(level[:, 0] == level[:, 1]) & (level[:, 0] > 0), 0]]] = True
    outward = np.where(depth[front] == 0, area, 0.0)
    inward = np.where(depth[behind] == 0, area, 0.0)
    sign = np.bincount(behind, outward, count) - np.bincount(front, inward, count)
    turn = np.where(sign < 0.0, -1.0, 1.0)
    vote = np.bincount(front, np.where(depth[behind] == 1, turn[behind] * area, 0.0), count)
    vote -= np.bincount(behind, np.where(depth[front] == 1, turn[front] * area, 0.0), count)
    return np.asarray((depth == 2) & (vote > 0.0) & ~walled[found.component])
