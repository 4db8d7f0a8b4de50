"""The shells of a mesh, and the border loops of each.

A shell is what hangs together over edges with two faces. So three faces at an edge are three borders of shells there,
but no hole: only edges with a single face are, where they run round to where they began.
"""

from typing import NamedTuple

import numpy as np

from ..geometry.graph import connected_labels
from ..geometry.mesh import MeshEdges, edge_table, edge_uses, paired_half_edges
from ..jit import njit_no_refs, sealed_ints
from ..types import Bools, Ints


class BorderLoops(NamedTuple):
    """L loops of N edges in all; a vertex comes once in a loop."""

    edges: MeshEdges
    uses: Ints  #: (E,) faces of each edge
    pairs: Ints  #: (p,2) sides 3t + k at each edge with two faces
    shell: Ints  #: (T,) shell of each triangle, 0.. in the order of their first triangles
    start: Ints  #: (L+1,)
    vertex: Ints  #: (N,) runs against most of the faces at the loop, as a face that closes it would
    #: (N,) side 3t + k of the one face at the edge from each vertex of a loop to the next; -1 where the edge has more
    #: faces: it belongs to where chains end.
    half: Ints
    of_shell: Ints  #: (L,) shell of each loop
    whole: Bools  #: (L,) all of its edges are border edges
    chains: (
        Ints  #: (c,) shell of each row of border edges that ends at edges with more faces, and is no loop with those
    )


def border_loops(triangles: Ints) -> BorderLoops:
    """The shells of triangles (T,3) without repeated vertices, and their loops.

    Where a loop comes to a vertex a second time, the part in between is a loop of its own. A row of border edges that
    ends where shells meet is a loop if one edge more closes it, or if it goes round single triangles that are missing.
    Limitation: of loops that touch each other twice, parts may be exchanged.
    """
    edges = edge_table(triangles)
    uses, pairs = edge_uses(edges), paired_half_edges(edges)
    shell = connected_labels(len(triangles), pairs // 3)
    half = np.flatnonzero(uses[edges.of_half] == 1)
    corner = triangles.reshape(-1)
    ends = np.stack([corner[half], corner[half // 3 * 3 + (half + 1) % 3]], axis=1)
    count = int(triangles.max()) + 1 if len(triangles) else 1
    place, node = np.unique(shell[half // 3, None] * count + ends, return_inverse=True)
    start, at, edge, chains = trace_loops(node.reshape(-1, 2), len(place))
    vertex, half_of, whole = place[at] % count, half[edge], len(start) - 1
    left: list[int] = []
    more: list[tuple[Ints, Ints]] = []
    if len(chains) > 0:
        around = _around(
            triangles, edges.ends[uses > 1], count, place[np.concatenate([nodes for nodes, _ in chains])] % count
        )
    for nodes, between in chains:
        found = _completed(around, place[nodes] % count, half[between])
        more += found
        left += [] if found else [int(place[nodes[0]]) // count]
    start = np.concatenate([start, start[-1] + np.cumsum([len(v) for v, _ in more], dtype=np.int64)])
    vertex, half_of = np.concatenate([vertex, *(v for v, _ in more)]), np.concatenate([half_of, *(h for _, h in more)])
    vertex, half_of = _against(corner, start, vertex, half_of)
    first = half_of[start[:-1]]
    if len(more) > 0:
        first = np.maximum.reduceat(half_of, start[:-1])  # any that is there
    return BorderLoops(
        edges, uses, pairs, shell, start, vertex, half_of, shell[first // 3],
        np.arange(len(first)) < whole, np.array(left, np.int64),
    )  # fmt: skip


def _against(corner: Ints, start: Ints, vertex: Ints, half: Ints) -> tuple[Ints, Ints]:
    """The same loops, turned where they run along with most of their faces."""
    if len(start) == 1:
        return vertex, half
    along = np.where(half < 0, 0, np.where(corner[half] == vertex, 1, -1))
    back = np.add.reduceat(along, start[:-1]) > 0
    length = np.diff(start)
    turn, first, size = np.repeat(back, length), np.repeat(start[:-1], length), np.repeat(length, length)
    i = np.arange(len(vertex))
    vertex = vertex[np.where(turn, 2 * first + size - 1 - i, i)]
    return vertex, half[np.where(turn, first + (size - 2 - (i - first)) % size, i)]


class _Around(NamedTuple):
    """What is at the vertices of chains."""

    start: Ints  #: (V+1,)
    other: Ints  #: (.,) vertices that edges with several faces join to each
    faces: set[tuple[int, ...]]  #: vertices of the triangles there, ascending


def _around(triangles: Ints, ends: Ints, count: int, vertex: Ints) -> _Around:
    at = np.zeros(count, dtype=np.bool_)
    at[vertex] = True
    faces = np.sort(triangles[at[triangles].any(axis=1)], axis=1)
    near = ends[at[ends].any(axis=1)]
    both = np.concatenate([near, near[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    return _Around(np.searchsorted(both[:, 0], np.arange(count + 1)), both[:, 1], set(map(tuple, faces.tolist())))


def _completed(around: _Around, vertex: Ints, half: Ints) -> list[tuple[Ints, Ints]]:
    """Loops that make use of all of a chain, vertices (m+1,) and sides (m,) of faces; none where that is impossible."""
    end = np.array([-1])
    if len(half) > 1 and _is_missing(around, vertex):
        return [(vertex, np.concatenate([half, end]))]
    found, i = [], 0
    while i < len(half):
        if i + 2 < len(vertex) and _is_missing(around, vertex[i : i + 3]):
            found.append((vertex[i : i + 3], np.concatenate([half[i : i + 2], end])))
            i += 2
            continue
        corner = _corner(around, vertex[i : i + 2])
        if len(corner) == 0:
            return []
        found.append((np.concatenate([vertex[i : i + 2], corner]), np.concatenate([half[i : i + 1], end, end])))
        i += 1
    return found


def _corner(around: _Around, vertex: Ints) -> Ints:
    """The vertex (1,) by which two edges close a chain of one, if just one does: else none (0,)."""
    one, two = (around.other[around.start[v] : around.start[v + 1]] for v in vertex)
    tips = [tip for tip in np.intersect1d(one, two) if _is_missing(around, np.append(vertex, tip))]
    return np.array(tips if len(tips) == 1 else [], np.int64)


def _is_missing(around: _Around, vertex: Ints) -> bool:
    """Whether an edge joins the ends of a chain, and no triangle is there already."""
    begin, end = around.start[vertex[0]], around.start[vertex[0] + 1]
    joined = bool((around.other[begin:end] == vertex[-1]).any())
    return joined and not (len(vertex) == 3 and tuple(sorted(vertex.tolist())) in around.faces)


class _Graph(NamedTuple):
    """Edges between nodes."""

    ends: Ints  #: (E,2)
    start: Ints  #: (N+1,) bounds of the edges at each node in `incident`
    incident: Ints  #: (2E,)
    begin: Ints  #: (N,) nodes in the order in which walks begin at them


class _Walk(NamedTuple):
    """Room to walk in."""

    used: Ints  #: (E,) 1 for edges that were walked
    path: Ints  #: (E+1,2) nodes, and the edges that lead on from them
    place: Ints  #: (N,) where on the path a node is, or -1
    cursor: Ints  #: (N,) the first edge of each node that may be unused


class _Traced(NamedTuple):
    """What is found: loops from the beginning on, chains from the end."""

    found: Ints  #: (E,2) nodes and edges
    bounds: Ints  #: (E+1,) of the loops
    chains: Ints  #: (N,2) where in `found` each chain begins, and its last node
    sizes: Ints  #: (2,) numbers of loops and chains


def trace_loops(ends: Ints, nodes: int) -> tuple[Ints, Ints, Ints, list[tuple[Ints, Ints]]]:
    """Loops of edges (n,2) between nodes 0..: bounds, the nodes, the edge after each.

    And for each open chain its nodes (m+1,) and edges (m,). Where as many edges begin at each node as end there, there
    are no chains, and all loops run along their edges.
    """
    count = len(ends)
    degree = np.bincount(ends.reshape(-1), minlength=nodes)
    start = np.concatenate([[0], np.cumsum(degree)])
    incident = np.argsort(ends.reshape(-1), kind="stable") // 2
    begin = np.argsort(degree % 2 == 0, kind="stable")  # from odd nodes first: what is left then closes everywhere
    graph = _Graph(sealed_ints(ends), sealed_ints(start), sealed_ints(incident), sealed_ints(begin))
    walk = _Walk(
        used=np.zeros(count, np.int64),
        path=np.empty((count + 1, 2), np.int64),
        place=np.full(nodes, -1, np.int64),
        cursor=start[:-1].copy(),
    )
    traced = _Traced(
        found=np.empty((count, 2), np.int64),
        bounds=np.zeros(count + 1, np.int64),
        chains=np.empty((nodes, 2), np.int64),
        sizes=np.zeros(2, np.int64),
    )
    _trace(graph, walk, traced)
    found, sizes = traced.found, traced.sizes
    bounds, last = traced.bounds[: sizes[0] + 1].copy(), count
    rows = []
    for first, end in traced.chains[: sizes[1]].tolist():
        rows.append((np.append(found[first:last, 0], end), found[first:last, 1]))
        last = first
    return bounds, found[: bounds[-1], 0].copy(), found[: bounds[-1], 1].copy(), rows


@njit_no_refs
def _trace(graph: _Graph, walk: _Walk, traced: _Traced) -> None:
    """Walk along unused edges; whenever the path comes back to itself, what it has closed is a loop."""
    ends, start, incident, begin = graph
    used, path, place, cursor = walk
    found, bounds, chains, sizes = traced
    loops, chain_count, written, last = 0, 0, 0, len(found)
    b = 0
    while b < len(begin):
        top = 0
        at = begin[b]
        path[0, 0] = at
        place[at] = 0
        forward = True
        while True:
            edge = -1
            while cursor[at] < start[at + 1] and used[incident[cursor[at]]] == 1:
                cursor[at] += 1
            for i in range(cursor[at], start[at + 1]):
                e = incident[i]
                if used[e] == 0 and (edge < 0 or (ends[e, 0] == at) == forward):
                    edge = e
                    if (ends[e, 0] == at) == forward:
                        break
            if edge < 0:
                break  # the cursor is at the end
            used[edge] = 1
            forward = ends[edge, 0] == at
            path[top, 1] = edge
            at = ends[edge, 1] if forward else ends[edge, 0]
            top += 1
            if place[at] < 0:
                path[top, 0] = at
                place[at] = top
                continue
            first = place[at]
            for i in range(first, top):
                found[written, 0], found[written, 1] = path[i, 0], path[i, 1]
                written += 1
                if i > first:
                    place[path[i, 0]] = -1
            loops += 1
            bounds[loops] = written
            top = first
        for i in range(top + 1):
            place[path[i, 0]] = -1
        at = begin[b]
        while cursor[at] < start[at + 1] and used[incident[cursor[at]]] == 1:
            cursor[at] += 1
        if top > 0:
            last -= top
            for i in range(top):
                found[last + i, 0], found[last + i, 1] = path[i, 0], path[i, 1]
            chains[chain_count, 0], chains[chain_count, 1] = last, path[top, 0]
            chain_count += 1
        if cursor[at] == start[at + 1]:
            b += 1
    sizes[0], sizes[1] = loops, chain_count
