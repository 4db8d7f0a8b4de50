"""The planar graph that other triangles draw into each crossed triangle, and the loops around its faces.

Nodes are the mesh's vertices, the points where sides pass through triangles, and points where three triangles meet.
*Lines* are the sides that something passes through and the segments that two triangles have in common; the nodes on
them cut them into *pieces*. Each crossed triangle has half-edges for the pieces on its border (its inside on the left)
and two for each piece of its segments. Which half-edge follows which around a face is decided by exact signs alone:
rounded positions of nodes can make a face thin or bent, but never tie it wrongly to another.
"""

from typing import NamedTuple

import numpy as np

from ...jit import sealed_floats, sealed_ints
from ...types import Floats, Ints
from ..mesh import edge_uses
from .contacts import Contacts, Unsettled
from .edges import Shells
from .points import SegmentPartners, find_triples, place_pierced, place_triples, sort_along, sort_corners

#: Points for which there is room at first; it grows on demand.
FIRST_ROOM = 1 << 12


def begins(sorted_keys: Ints) -> Ints:
    """Where the runs of equal values begin."""
    new = np.ones(len(sorted_keys), np.bool_)
    new[1:] = sorted_keys[1:] != sorted_keys[:-1]
    return np.flatnonzero(new)


def place_of(value: Ints, rows: Ints) -> Ints:
    """Column of each value (n,) in its row (n,3), where it is once."""
    return np.asarray((rows[:, 1] == value) + 2 * (rows[:, 2] == value), np.int64)


class Graph(NamedTuple):
    """M crossed triangles, N nodes, L pieces, H half-edges."""

    rows: Ints  #: (M,) the crossed triangles, ascending
    position: Floats  #: (N,3) of the nodes; the mesh's vertices are the first
    side_piece: Ints  #: (E + 1,) first of the pieces of each edge of the mesh
    piece_count: int  #: L, of edges and of segments
    tail: Ints  #: (H,) node at which each half-edge begins
    row: Ints  #: (H,) crossed triangle, counted in `rows`, of each half-edge
    piece: Ints  #: (H,) piece of each half-edge
    follows: Ints  #: (H,) the half-edge after it, around the face on its left
    #: (3M+1,) first half-edge of each side of the crossed triangles; in the order of the side. Those of segments come
    #: before, four a piece: along n_i x n_j and back, in the smaller triangle i, then in j.
    side_half: Ints
    segment_of: Ints  #: (P,) pair of contacts of each piece of a segment
    pairs: Ints  #: (S,2) triangles of each segment, counted in `rows`


class _Net(NamedTuple):
    """The crossed triangles; everything that is numbered by triangles is counted in `rows`."""

    vertices: Floats
    vertex_count: int
    rows: Ints  #: (M,) ascending
    corner: Ints  #: (M,3)
    edges: Ints  #: (E,2) all edges of the mesh
    uses: Ints  #: (E,) how many triangles have each edge
    side_edge: Ints  #: (M,3) edge of each side
    rank: Ints  #: (M,3) place of each side in the order around its edge
    pairs: Ints  #: (S,2)


class _Nodes(NamedTuple):
    pierce: Ints  #: (R,3) side from the front of a triangle to behind it, and that triangle
    edge: Ints  #: (R,) edge of the mesh
    segments: Ints  #: (S,2) nodes at the ends of each segment
    position: Floats
    #: The nodes on lines: first the edges with nodes, then the segments.
    line_edge: Ints  #: (K,) the edges that are lines
    line_start: Ints  #: (K + S + 1,)
    line_node: Ints
    triples: Ints  #: (Q,6) as of `find_triples`
    triple_place: Ints  #: (Q,3) how many nodes of its three segments come before


def crossed_graph(shells: Shells, rank: Ints, found: Contacts) -> Graph:
    """The graph of shells with the given contacts, the triangles having ranks (T,3) around edges. Raises Unsettled."""
    triangle_edge = shells.triangle_edge
    rows = np.unique(found.pairs)
    row_of = np.full(len(triangle_edge), -1, np.int64)
    row_of[rows] = np.arange(len(rows))
    net = _Net(
        shells.vertices, len(shells.vertices), rows, sealed_ints(shells.triangles[rows]), shells.edges.ends,
        edge_uses(shells.edges), triangle_edge[rows], rank[rows],
        row_of[found.pairs],
    )  # fmt: skip
    side = found.ends[:, :, 0] >= 0
    half, plane = found.ends[side][:, 0], row_of[found.ends[side][:, 1]]
    key, node = np.unique(triangle_edge.reshape(-1)[half] * len(rows) + plane, return_inverse=True)
    segments = found.ends[:, :, 1].copy()
    segments[side] = node + len(shells.vertices)
    edge, plane = key // len(rows), key % len(rows)
    # A side that passes through a triangle does so in all triangles that have it.
    bad = np.bincount(node, minlength=len(key)) != net.uses[edge]
    if bad.any():
        raise Unsettled(rows[plane[bad]])
    return _linked(net, _nodes(net, edge, plane, segments))


def _nodes(net: _Net, edge: Ints, plane: Ints, segments: Ints) -> _Nodes:
    """Place the nodes, and sort them along the lines."""
    pierce = np.column_stack([net.edges[edge], plane])
    share, at = np.zeros(len(edge)), np.zeros((len(edge), 3))
    if place_pierced(net.vertices, net.corner, pierce, share, at) > 0:
        raise Unsettled(net.rows)
    position = np.concatenate([net.vertices, at])
    triples, third = _triples(net, pierce, segments)
    triple_share, triple_at = np.empty((len(triples), 3)), np.empty((len(triples), 3))
    place_triples(
        net.vertices, net.corner, pierce, sealed_floats(position), segments, third, triples, triple_share, triple_at
    )
    line_edge, line = np.unique(edge, return_inverse=True)
    lines = np.concatenate([net.edges[line_edge], segments])
    line = np.concatenate([line, (triples[:, :3] + len(line_edge)).reshape(-1)])
    plane = np.concatenate([plane, third.reshape(-1)])
    where = np.concatenate([share, triple_share.reshape(-1)])
    item = np.concatenate([np.arange(len(edge)), np.repeat(np.arange(len(triples)) + len(edge), 3)])
    order, start = np.lexsort((where, line)), _starts(line, len(lines))
    unsure = np.zeros(len(lines), np.bool_)
    sort_along(net.vertices, net.corner, pierce, lines, start, plane, order, unsure)
    if unsure.any():
        raise Unsettled(net.rows[np.unique(plane[unsure[line]])])
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - start[line[order]]
    return _Nodes(
        pierce, edge, segments, np.concatenate([position, triple_at]), line_edge, start,
        item[order] + net.vertex_count, triples, place[len(edge) :].reshape(-1, 3),
    )  # fmt: skip


def _triples(net: _Net, pierce: Ints, segments: Ints) -> tuple[Ints, Ints]:
    """The points where three triangles meet, as of `find_triples`, and the third triangle of each segment (Q,3)."""
    pairs, rows = net.pairs, net.rows
    start = _starts(pairs[:, 0], len(rows))
    mark, unsure = np.full(len(rows), -1, np.int64), np.zeros(len(rows), np.bool_)
    partners = SegmentPartners(start, np.ascontiguousarray(pairs[:, 1]), np.arange(len(pairs)))
    room = FIRST_ROOM
    while True:
        found = np.empty((room, 6), np.int64)
        count = find_triples(net.vertices, net.corner, pierce, segments, partners, mark, found, unsure)
        if count <= room:
            break
        room = count
    if unsure.any():
        raise Unsettled(rows[unsure])
    found = found[:count].copy()
    (i, j), k = pairs[found[:, 0]].T, pairs[found[:, 1], 1]
    return found, np.stack([k, j, i], axis=1)


def _starts(group: Ints, count: int) -> Ints:
    """Where the entries of each of the groups 0..count-1 begin once they are sorted (count+1,)."""
    return np.concatenate([[0], np.cumsum(np.bincount(group, minlength=count))]).astype(np.int64)


class _Sides(NamedTuple):
    """The half-edges on the borders of the crossed triangles, side by side."""

    start: Ints  #: (3M+1,) first half-edge of each side, counted from 0
    node: Ints  #: the node at which each begins
    piece: Ints  #: piece of the mesh's edges
    up: Ints  #: (3M,) whether a side runs from its edge's smaller to its larger vertex


def _sides(net: _Net, side_piece: Ints, nodes: _Nodes) -> _Sides:
    edge, tail = net.side_edge.reshape(-1), net.corner.reshape(-1)
    up = net.edges[edge, 0] == tail
    count = np.diff(side_piece)[edge]
    start = np.concatenate([[0], np.cumsum(count)])
    owner = np.repeat(np.arange(len(edge)), count)
    place = np.arange(start[-1]) - start[owner]
    last = count[owner] - 1
    first = np.zeros(len(net.edges), np.int64)
    first[nodes.line_edge] = nodes.line_start[: len(nodes.line_edge)]
    node = tail[owner]
    inner = place > 0
    at = first[edge[owner]] + np.where(up[owner], place - 1, last - place)
    node[inner] = nodes.line_node[at[inner]]
    return _Sides(start, node, side_piece[edge[owner]] + np.where(up[owner], place, last - place), up)


class _Ends(NamedTuple):
    """Both ends of each segment, in each of its two triangles: 4s + 2w + e for end e in triangle w of segment s."""

    node: Ints
    row: Ints
    other: Ints  #: the other triangle
    out: Ints  #: half-edge that leaves the end along the segment
    back: Ints  #: half-edge that comes to it
    far: Ints  #: node at the other end
    left: Ints  #: whether what lies left of `out` is in front of the other triangle (1) or behind it (-1)


def _ends(pairs: Ints, segments: Ints, first: Ints) -> _Ends:
    count = len(pairs)
    segment, triangle, end = (a.reshape(-1) for a in np.indices((count, 2, 2)))
    piece = np.where(end == 0, first[segment], first[segment + 1] - 1)
    forward = 4 * piece + 2 * triangle
    return _Ends(
        segments[segment, end],
        pairs[segment, triangle],
        pairs[segment, 1 - triangle],
        forward + end,
        forward + 1 - end,
        segments[segment, 1 - end],
        # Left of n_i x n_j lies, in i, what is behind j, and in j what is in front of i.
        np.where((triangle == 0) == (end == 0), -1, 1),
    )


class _Cuts(NamedTuple):
    """How the lines are cut, and the half-edges that come of it."""

    first: Ints  #: (S+1,) first piece of each segment
    sides: _Sides
    side_half: Ints  #: (3M+1,)


def _linked(net: _Net, nodes: _Nodes) -> Graph:
    """Cut the lines into pieces and link the half-edges."""
    lines = len(nodes.line_edge)
    between = np.diff(nodes.line_start)
    pieces = np.ones(len(net.edges), np.int64)
    pieces[nodes.line_edge] += between[:lines]
    side_piece = np.concatenate([[0], np.cumsum(pieces)])
    sides = _sides(net, side_piece, nodes)
    first = np.concatenate([[0], np.cumsum(between[lines:] + 1)])
    segment = np.repeat(np.arange(len(net.pairs)), np.diff(first))
    begin, head = _piece_ends(nodes, first)
    tail = np.concatenate([np.stack([begin, head, begin, head], axis=1).reshape(-1), sides.node])
    row = np.repeat(np.arange(3 * len(net.rows)) // 3, np.diff(sides.start))
    row = np.concatenate([net.pairs[segment][:, [0, 0, 1, 1]].reshape(-1), row])
    piece = np.concatenate([np.repeat(np.arange(len(segment)), 4) + side_piece[-1], sides.piece])
    side_half = sides.start + 4 * len(segment)
    follows = np.full(len(tail), -1, np.int64)
    _follow(follows, net, nodes, _Cuts(first, sides, side_half))
    if len(follows) and (follows.min() < 0 or np.bincount(follows, minlength=len(follows)).max() > 1):
        raise Unsettled(net.rows)
    # Distinct nodes at one place: there are fewer digits than would be needed here.
    x = nodes.position[:, 0].take(tail)
    some = np.flatnonzero(x == x.take(follows))
    start, end = tail[some], tail[follows[some]]
    bad = (nodes.position[start] == nodes.position[end]).all(axis=1) & (np.maximum(start, end) >= net.vertex_count)
    if bad.any():
        raise Unsettled(np.unique(net.rows[row[some[bad]]]))
    return Graph(
        net.rows, nodes.position, side_piece, int(side_piece[-1]) + len(segment), tail, row, piece, follows, side_half,
        segment, net.pairs,
    )  # fmt: skip


def _piece_ends(nodes: _Nodes, first: Ints) -> tuple[Ints, Ints]:
    """Nodes at which the pieces of all segments begin and end (P,)."""
    begin, head = np.empty(first[-1], np.int64), np.empty(first[-1], np.int64)
    inner = np.ones(len(head), np.bool_)
    inner[first[1:] - 1] = False
    head[~inner] = nodes.segments[:, 1]
    head[inner] = nodes.line_node[nodes.line_start[len(nodes.line_edge)] :]
    begin[first[:-1]] = nodes.segments[:, 0]
    after = np.flatnonzero(inner)
    begin[after + 1] = head[after]
    return begin, head


def _follow(follows: Ints, net: _Net, nodes: _Nodes, cuts: _Cuts) -> None:
    """Fill in which half-edge comes after which: turn as far left as possible at each node."""
    corner = np.arange(3 * len(net.rows))
    ahead = cuts.side_half[corner - corner % 3 + (corner + 1) % 3]
    follows[cuts.side_half[1:] - 1] = ahead  # where nothing leaves the corner
    ends = _ends(net.pairs, nodes.segments, cuts.first)
    at_vertex = ends.node < net.vertex_count
    pierced = np.flatnonzero(~at_vertex)
    through = nodes.pierce[ends.node[pierced] - net.vertex_count, 2] == ends.row[pierced]
    _follow_side(follows, net, nodes, cuts, ends, pierced[~through])
    _follow_through(follows, net, nodes, ends, pierced[through])
    if at_vertex.any():
        _follow_corner(follows, net, nodes, cuts, ends, np.flatnonzero(at_vertex))
    _follow_triple(follows, nodes, cuts.first)


def _follow_side(follows: Ints, net: _Net, nodes: _Nodes, cuts: _Cuts, ends: _Ends, at: Ints) -> None:
    """Segments that end on a side of the triangle."""
    lines, point = len(nodes.line_edge), ends.node[at] - net.vertex_count
    count = nodes.line_start[lines]
    place = np.empty(len(nodes.edge), np.int64)
    line = np.repeat(np.arange(lines), np.diff(nodes.line_start[: lines + 1]))
    place[nodes.line_node[:count] - net.vertex_count] = np.arange(count) - nodes.line_start[line]
    edge = nodes.edge[point]
    side = 3 * ends.row[at] + place_of(edge, net.side_edge.take(ends.row[at], axis=0))
    last = np.diff(cuts.side_half)[side] - 2
    before = cuts.side_half[side] + np.where(cuts.sides.up[side], place[point], last - place[point])
    follows[before] = ends.out[at]
    follows[ends.back[at]] = before + 1


def _follow_through(follows: Ints, net: _Net, nodes: _Nodes, ends: _Ends, at: Ints) -> None:
    """Segments that end within the triangle, where an edge passes through it: in the order around that edge."""
    point = ends.node[at] - net.vertex_count
    edge, other = nodes.edge[point], ends.other[at]
    side = place_of(edge, net.side_edge.take(other, axis=0))
    rising = nodes.pierce[point, 0] == net.edges[edge, 1]  # the edge runs towards the front of the triangle
    rank = net.rank[other, side] * np.where(rising, 1, -1)
    order = np.lexsort((rank, point))
    at, point = at[order], point[order]
    begin = begins(point)
    clockwise = np.arange(len(at)) - 1
    clockwise[begin] = np.append(begin[1:], len(at)) - 1
    follows[ends.back[at]] = ends.out[at[clockwise]]


def _follow_corner(follows: Ints, net: _Net, nodes: _Nodes, cuts: _Cuts, ends: _Ends, at: Ints) -> None:
    """Segments that end in a corner of the triangle."""
    row = ends.row[at]
    corner = 3 * row + place_of(ends.node[at], net.corner[row])
    order = np.argsort(corner, kind="stable")
    begin = begins(corner[order])
    ray = np.stack([ends.far[at], ends.other[at], ends.left[at]], axis=1)
    unsure = np.zeros(len(at), np.bool_)
    sort_corners(net.vertices, net.corner, nodes.pierce, np.append(begin, len(at)), ray, order, unsure)
    if unsure.any():
        raise Unsettled(net.rows[np.unique(row[unsure])])
    at, corner = at[order], corner[order]
    clockwise = np.empty(len(at), np.int64)
    clockwise[1:] = ends.out[at[:-1]]
    clockwise[begin] = cuts.side_half[corner[begin]]
    follows[ends.back[at]] = clockwise
    last = np.append(begin[1:], len(at)) - 1
    side_before = corner[last] - corner[last] % 3 + (corner[last] + 2) % 3
    follows[cuts.side_half[side_before + 1] - 1] = ends.out[at[last]]


def _follow_triple(follows: Ints, nodes: _Nodes, first: Ints) -> None:
    """Two segments that cross within a triangle."""
    segment, end = nodes.triples[:, :3], nodes.triples[:, 3:]
    before = first[segment] + nodes.triple_place
    # The triangle i, j, k; its two segments; which of its triangles it is in each; whether the second runs to the left.
    cases = ((0, 1, 0, 0, end[:, 1] < 0), (0, 2, 1, 0, end[:, 2] > 0), (1, 2, 1, 1, end[:, 2] > 0))
    for f, g, in_f, in_g, left in cases:
        f_before, g_before = 4 * before[:, f] + 2 * in_f, 4 * before[:, g] + 2 * in_g
        # Half-edges that come to the node: from the beginning of a segment, from its end.
        f_start, f_end, g_start, g_end = f_before, f_before + 5, g_before, g_before + 5
        west, east = np.where(left, g_end, g_start), np.where(left, g_start, g_end)
        follows[f_end] = east ^ 1
        follows[west] = f_end ^ 1
        follows[f_start] = west ^ 1
        follows[east] = f_start ^ 1
