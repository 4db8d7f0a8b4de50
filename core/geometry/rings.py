"""The triangles around each edge, sorted where there are more than two of them.

Angles rise counter-clockwise seen from the larger vertex of the edge, against its direction from the smaller one.
`exact_rings` sorts by exact signs what has no two triangles on each other, `rings` any mesh. There, what is sorted is
not the direction in which a triangle leaves the edge but its normal that looks to rising angle, a quarter turn ahead.

Of two with nearly equal angles, the volume of the tetrahedron between them says which comes first. Where it is zero, to
rounding, or nothing is known, the triangles are layers at one place, and what matters is that the layers keep one order
along all edges that they share: triangles with the same three vertices lie on each other by number, counted along the
normal of the vertices in ascending order; others by the number of the patch to which they belong (up to the next edge
where more than two meet), counted along a fixed direction of space.

A triangle without height over an edge (it seals a T-junction) has no direction there. It is given that of what lies
behind it: of the triangle across its longest side, or, over its longest side, of that across one of the others. Opened
by a hair, the slit that it fills lies there, between the two sides of the surface that it seals.

Limitations: edges without length sort nothing, vertices at one place should be welded before. Coincident layers with
different triangles keep one order for sure if they are two, not if they are more, or if rounding has pushed them
through each other.
"""

from typing import NamedTuple

import numpy as np

from ..arithmetic.elementary import arctan2
from ..arithmetic.products import dot, norm
from ..jit import device, njit, sealed_floats, sealed_ints
from ..types import Bools, Floats, Ints
from .graph import connected_labels
from .mesh import MeshEdges, cross_rows, diagonal, edge_table, group_half_edges, paired_half_edges
from .predicates import side_of_plane

# Of the mesh's diagonal: the height of a triangle that the spacing of float32 may have made; four roundings.
NO_HEIGHT = 2.0**-22
NOISE = 2.0**-46  # of the mesh's diagonal: what some steps of rounding move a vertex by; 128 roundings
_NEARLY = 1e-6  # difference of angles that needs a closer look; chosen, well above round-off
# Cosine of the angle between two triangles from which they lie on each other; an angle of 0.08 degrees, chosen.
_FOLDED = 1.0 - 1e-6
# Of sorting neighbours among nearly equal angles; more layers than these at one edge stay half sorted; chosen by time.
_ROUNDS = 64
# In general position; cosine and sine of 1, and the root of 1/2: chosen.
SOMEWHERE = np.array([0.5403023058681398, 0.8414709848078965, 0.7071067811865476])


class HalfEdgeRings(NamedTuple):
    """The triangles around the edges of a mesh, as half-edges 3t + k: from corner k of triangle t to the next."""

    edges: MeshEdges
    start: Ints  #: (E+1,)
    half: Ints  #: (3T,) half-edges edge by edge, by rising angle from anywhere


def rings(vertices: Floats, triangles: Ints) -> HalfEdgeRings:
    """Sort the triangles (T,3) around the edges.

    Raises ValueError for a triangle that uses a vertex twice and for arrays that do not fit, IndexError for a vertex
    that does not exist.
    """
    _check(vertices, triangles)
    edges = edge_table(triangles)
    around = HalfEdgeRings(edges, *group_half_edges(edges))
    place = np.flatnonzero(in_crowd(around))
    if len(place) > 0:
        size = diagonal(vertices)
        mesh = _Mesh(vertices, triangles, edges, around, NO_HEIGHT * size, NOISE * size)
        around.half[place] = _sorted(mesh, around.half[place])
    return around


def exact_rings(vertices: Floats, triangles: Ints, edges: MeshEdges) -> HalfEdgeRings:
    """Sort the triangles (T,3) around their edges by exact signs. No two of them may lie on each other."""
    around = HalfEdgeRings(edges, *group_half_edges(edges))
    crowded = np.flatnonzero(np.diff(around.start) > 2)
    if len(crowded) > 0:
        third = sealed_ints(triangles[:, [2, 0, 1]].reshape(-1))
        _sort_exactly(sealed_floats(vertices), edges.ends, third, crowded, around.start, around.half)
    return around


def in_crowd(around: HalfEdgeRings) -> Bools:
    """Of each entry of `half (3T,)`, whether its edge has more than two triangles."""
    count = np.diff(around.start)
    return np.repeat(count > 2, count)


@device
def _rises(v: Floats, p: int, q: int, a: int, b: int) -> int:
    """Sign of the angle about the edge p q by which vertex b is ahead of a."""
    return side_of_plane(v, a, b, p, q)


@device
def _half_turn(v: Floats, p: int, q: int, first: int, c: int) -> int:
    """0, then 1 less than half a turn ahead of the first, 2 across from it, 3 beyond."""
    if c == first:
        return 0
    rise = _rises(v, p, q, first, c)
    return 1 if rise > 0 else (2 if rise == 0 else 3)


@njit
def _sort_exactly(vertices: Floats, ends: Ints, third: Ints, crowded: Ints, start: Ints, half: Ints) -> None:
    for e in crowded:
        p, q, begin = ends[e, 0], ends[e, 1], start[e]
        first = third[half[begin]]
        for end in range(begin + 1, start[e + 1]):
            i = end
            c = third[half[end]]
            turn = _half_turn(vertices, p, q, first, c)
            while i > begin + 1:
                other = third[half[i - 1]]
                ahead = turn - _half_turn(vertices, p, q, first, other)
                if ahead > 0 or (ahead == 0 and _rises(vertices, p, q, other, c) >= 0):
                    break
                half[i - 1], half[i] = half[i], half[i - 1]
                i -= 1


def _check(vertices: Floats, triangles: Ints) -> None:
    if vertices.ndim != 2 or vertices.shape[1:] != (3,) or triangles.ndim != 2 or triangles.shape[1:] != (3,):
        raise ValueError("vertices (V,3) and triangles (T,3) are needed")
    if len(triangles) == 0:
        return
    if triangles.min() < 0 or triangles.max() >= len(vertices):
        raise IndexError("a triangle has a vertex that does not exist")
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    if ((a == b) | (b == c) | (c == a)).any():
        raise ValueError("a triangle uses a vertex twice")


class _Mesh(NamedTuple):
    vertices: Floats
    triangles: Ints
    edges: MeshEdges
    unsorted: HalfEdgeRings
    least: float  #: height [m] up to which a triangle has no direction
    noise: float  #: what vertices may be off their place [m]


class _Blocks(NamedTuple):
    """Triangles with the same three vertices, at one edge."""

    edge: Ints
    p: Ints  #: smaller vertex of the edge
    q: Ints  #: larger vertex
    r: Ints  #: third vertex
    half: Ints  #: the first of their half-edges
    rising: Floats  #: (n,3) unit normal that looks to rising angle, zero where unknown
    high: Bools  #: whether they have a height over the edge, so that their own place means something


def _sorted(mesh: _Mesh, half: Ints) -> Ints:
    """The half-edges of the crowded edges, edge by edge and by rising angle."""
    edge, third = mesh.edges.of_half[half], _third(mesh, half)
    order = np.lexsort((half, third, edge))
    half, edge, third = half[order], edge[order], third[order]
    first = np.ones(len(half), dtype=np.bool_)
    first[1:] = (edge[1:] != edge[:-1]) | (third[1:] != third[:-1])
    begin = np.flatnonzero(first)
    at = np.arange(len(begin))
    several = np.flatnonzero(np.bincount(edge[begin])[edge[begin]] > 2)  # two have one order only
    if len(several) > 0:
        at[several] = several[_by_angle(mesh, _blocks(mesh, half[begin[several]]), half, first)]
    # The normal of the three vertices in ascending order looks to rising angle, except for p < r < q.
    p, q = mesh.edges.ends[edge[begin]].T
    downward = (p < third[begin]) & (third[begin] < q)
    size = np.diff(np.append(begin, len(half)))[at]
    row = np.arange(len(half)) - np.repeat(np.cumsum(size) - size, size)
    owner = np.repeat(at, size)
    return np.asarray(half[begin[owner] + np.where(downward[owner], np.repeat(size, size) - 1 - row, row)])


def _third(mesh: _Mesh, half: Ints) -> Ints:
    return np.asarray(mesh.triangles[half // 3, (half + 2) % 3])


def _blocks(mesh: _Mesh, half: Ints) -> _Blocks:
    edge = mesh.edges.of_half[half]
    rising, own, high = _rising(mesh, half)
    unknown = np.flatnonzero(~rising.any(axis=1))
    if len(unknown) > 0:
        for row in unknown:
            rising[row] = _behind(mesh, int(half[row]))
            if not rising[row].any():  # as in a part so small that nothing of it has a height
                rising[row], high[row] = own[row], True
    return _Blocks(edge, mesh.edges.ends[edge, 0], mesh.edges.ends[edge, 1], _third(mesh, half), half, rising, high)


def _rising(mesh: _Mesh, half: Ints) -> tuple[Floats, Floats, Bools]:
    """Unit normals (n,3) that look to rising angle, zero where unknown; the triangles' own; who has a height."""
    p, q = mesh.edges.ends[mesh.edges.of_half[half]].T
    axis = mesh.vertices[q] - mesh.vertices[p]
    arm = mesh.vertices[_third(mesh, half)] - mesh.vertices[p]
    own = cross_rows(axis, arm)
    # Beyond the ends of a short edge, what its ends are off the line counts many times.
    squared, along = dot(axis, axis), dot(axis, arm)
    high = _length(own) * np.sqrt(squared) > mesh.least * np.maximum(squared, np.maximum(along, squared - along))
    own = _unit(own, 0.0)
    return np.where(high[:, None], own, 0.0), own, high


def _across(vector: Floats, axis: Floats) -> Floats:
    """The part of unit vectors (n,3) across the axes, of length 1; zero where they run along the axis."""
    axis = _unit(axis, 0.0)
    return _unit(vector - dot(vector, axis)[:, None] * axis, 1e-6)


def _unit(vector: Floats, least: float) -> Floats:
    """Vectors (n,3) of length 1, or 0 where they are not longer than `least`."""
    length = _length(vector)
    fine = (length > least) & np.isfinite(length)
    return np.where(fine[:, None], vector / np.where(fine, length, 1.0)[:, None], 0.0)


def _length(vector: Floats) -> Floats:
    return np.asarray(norm(vector))


def _behind(mesh: _Mesh, half: int) -> Floats:
    """The direction (3,) of what lies behind a triangle without one, zero where nothing does."""
    ends, of_half = mesh.edges.ends, mesh.edges.of_half
    _, start, around = mesh.unsorted
    axis = mesh.vertices[ends[of_half[half], 1]] - mesh.vertices[ends[of_half[half], 0]]
    ahead, seen = _ways(mesh, half), {int(of_half[half])}
    while ahead:
        edge = int(of_half[ahead.pop()])
        if edge in seen:
            continue
        seen.add(edge)
        here = around[start[edge] : start[edge + 1]]
        rising = _rising(mesh, here)[0]
        known = np.flatnonzero(rising.any(axis=1))
        if len(known) > 0:
            along = float((axis * (mesh.vertices[ends[edge, 1]] - mesh.vertices[ends[edge, 0]])).sum())
            return np.asarray(_across((1.0 if along >= 0.0 else -1.0) * rising[known[:1]], axis[None])[0])
        for other in here:
            ahead += _ways(mesh, int(other))
    return np.zeros(3)


def _ways(mesh: _Mesh, half: int) -> list[int]:
    """The other two half-edges of a triangle, the longer one last: that is the way to go first."""
    ways = half // 3 * 3 + (half + np.array([1, 2])) % 3
    p, q = mesh.edges.ends[mesh.edges.of_half[ways]].T
    length = _length(mesh.vertices[q] - mesh.vertices[p])
    return [int(way) for way in (ways if length[0] <= length[1] else ways[::-1])]


def _by_angle(mesh: _Mesh, blocks: _Blocks, half: Ints, first: Bools) -> Ints:
    """The rows of the blocks, edge by edge and by rising angle. They begin where half-edges are `first (H,)`."""
    axis = _unit(mesh.vertices[blocks.q] - mesh.vertices[blocks.p], 0.0)
    u = np.zeros_like(axis)  # the direction of space that is farthest from the axis, made perpendicular
    u[np.arange(len(axis)), np.abs(axis).argmin(axis=1)] = 1.0
    u = _across(u, axis)
    v = cross_rows(axis, u)
    angle = arctan2(dot(blocks.rising, v), dot(blocks.rising, u))
    at = np.lexsort((blocks.half, angle, blocks.edge))
    edge, angle = blocks.edge[at], angle[at]
    begin = np.flatnonzero(np.append(True, edge[1:] != edge[:-1]))
    count = np.diff(np.append(begin, len(at)))
    # Cut the circle at its widest gap, so that nearly equal angles are neighbours in the row.
    last = np.zeros(len(at), dtype=np.bool_)
    last[begin + count - 1] = True
    following = np.where(last, np.repeat(angle[begin] + 2.0 * np.pi, count), np.append(angle[1:], 0.0))
    gap = following - angle
    widest = np.lexsort((-gap, edge))[begin] - begin + 1
    row = np.arange(len(at)) - np.repeat(begin, count)
    turn = np.repeat(begin, count) + (row + np.repeat(widest, count)) % np.repeat(count, count)
    near = (gap[turn] < _NEARLY) & ~last
    if not near.any():
        return np.asarray(at[turn])
    return _settled(mesh, blocks, at[turn], np.flatnonzero(near), _patches(mesh, half, first))


def _settled(mesh: _Mesh, blocks: _Blocks, at: Ints, near: Ints, patch: Ints) -> Ints:
    """Sort rows of blocks; those at the places `near` and the next ones have nearly equal angles."""
    still = 0
    for turn in range(_ROUNDS):
        some = near[near % 2 == turn % 2]
        swap = some[_is_behind(mesh, blocks, patch[blocks.half // 3], at[some], at[some + 1])]
        at[swap], at[swap + 1] = at[swap + 1], at[swap]
        still = 0 if len(swap) > 0 else still + 1
        if still == 2:
            break
    return at


def _is_behind(mesh: _Mesh, blocks: _Blocks, patch: Ints, a: Ints, b: Ints) -> Bools:
    """Whether block a comes after block b of nearly the same angle."""
    axis, arm_a, arm_b = (
        mesh.vertices[end] - mesh.vertices[blocks.p[a]] for end in (blocks.q[a], blocks.r[a], blocks.r[b])
    )
    ahead = dot(cross_rows(axis, arm_a), arm_b)  # by how much b is ahead of a
    noise = mesh.noise * _length(axis) * np.maximum(_length(arm_a), _length(arm_b))
    told = blocks.high[a] & blocks.high[b] & (np.abs(ahead) > noise)
    upward = np.where(dot(blocks.rising[a], SOMEWHERE) >= 0.0, 1, -1)
    layer = np.where(patch[a] != patch[b], patch[a] - patch[b], blocks.half[a] - blocks.half[b])
    return np.asarray(np.where(told, ahead < 0.0, upward * layer > 0))


def _patches(mesh: _Mesh, half: Ints, first: Bools) -> Ints:
    """Patch of each triangle (T,): triangles are joined by edges with two of them, where those of a block count once.

    Two that are folded onto each other are two layers: they are not joined.
    `half (H,)` are the half-edges of crowded edges, edge by edge and block by block, which are `first` ones or not.
    """
    edge, begin = mesh.edges.of_half[half], np.flatnonzero(first)
    blocks = np.bincount(edge[begin], minlength=len(mesh.edges.ends))
    pairs = paired_half_edges(mesh.edges)
    two = np.concatenate([pairs.reshape(-1), half[begin[blocks[edge[begin]] == 2]]])
    _, own, high = _rising(mesh, two)
    folded = dot(own[::2], own[1::2]) > _FOLDED
    flat = ~(folded & high[::2] & high[1::2])
    twins = np.stack([half[np.flatnonzero(~first) - 1], half[~first]], axis=1)
    return connected_labels(len(mesh.triangles), np.concatenate([two.reshape(-1, 2)[flat], twins]) // 3)
