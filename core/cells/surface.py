"""The surface of sets of cells: which faces bound a set, and which corners are one vertex of a manifold.

A corner and the next corner of its face make a half-edge. Two half-edges that run opposite ways along one edge are
mates; around a vertex, going from a corner to the corner after its mate turns through one fan of faces. One fan is
one vertex, so sheets that merely touch at an edge or a point do not share vertices. At an edge with more than two
faces the mates are the faces on both sides of one wedge of matter.
"""

from dataclasses import dataclass

import numpy as np

from ..jit import inner, njit
from ..types import Cells, Floats, Frozen, Ints
from . import packed


@dataclass(frozen=True, eq=False, slots=True)
class Surface(Frozen):
    """Packed closed meshes in body coordinates; the fields are those of Fragments."""

    vertex_start: Ints
    vertices: Floats
    face_start: Ints
    corner_start: Ints
    corner_vertex: Ints
    corner_weight: Floats
    face_triangle: Ints
    face_bond: Ints


def gather(cells: Cells, start: Ints, member: Ints) -> Surface:
    """The boundary surface of each set of cells; set k is `member[start[k]:start[k+1]]`."""
    outer_count = len(cells.outer_triangle)
    face_start, code = _boundary(cells, start, member)
    inner, reverse = (code - outer_count) // 2, (code - outer_count) % 2
    is_inner = code >= outer_count
    outer = np.where(is_inner, 0, code)
    face_triangle = np.where(is_inner, -1, _take(cells.outer_triangle, outer))
    face_bond = np.where(is_inner, _take(cells.inner_bond, np.where(is_inner, inner, 0)), -1)
    cell = np.where(is_inner, _side(cells, face_bond, reverse), _take(cells.outer_cell, outer))
    corner_start, vertex, weight = _corners(cells, code)
    next_ = packed.following(corner_start)
    mate = np.full(len(vertex), -1, np.int64)
    head = np.full(len(cells.vertices), -1, np.int64)
    tangled = _mates(face_start, corner_start, vertex, next_, head, mate)
    if tangled:
        _pair(face_start, corner_start, vertex, next_, mate, cells.vertices, cell)
    local = np.full(len(vertex), -1, np.int64)
    vertex_start = np.zeros(len(face_start), np.int64)
    _fans(face_start, corner_start, next_, packed.preceding(corner_start), mate, local, vertex_start)
    first = np.zeros(int(vertex_start[-1]), np.int64)
    fragment = packed.owners(face_start)[packed.owners(corner_start)]
    first[(vertex_start[fragment] + local)[::-1]] = vertex[::-1]
    surface = Surface(
        vertex_start, cells.vertices[first], face_start, corner_start, local, weight, face_triangle, face_bond
    )
    return _split_double_edges(surface, fragment, next_, mate) if tangled else surface


def _take(values: Ints, index: Ints) -> Ints:
    result: Ints = values[index] if len(values) else np.full(len(index), -1, np.int64)
    return result


def _side(cells: Cells, bond: Ints, reverse: Ints) -> Ints:
    if not len(cells.bond_cells):
        return np.full(len(bond), -1, np.int64)
    result: Ints = cells.bond_cells[np.maximum(bond, 0), reverse]
    return result


def _boundary(cells: Cells, start: Ints, member: Ints) -> tuple[Ints, Ints]:
    """CSR of the faces of each set: f for outer face f, Fo + 2 i for inner face i seen from lo, + 1 from hi."""
    cell_count, bond_count = len(cells.volume), len(cells.bond_cells)
    outer_start, outer = packed.grouped(cells.outer_cell, cell_count)
    side_start, side = packed.grouped(cells.bond_cells.reshape(-1), cell_count)
    inner_start, inner = packed.grouped(cells.inner_bond, bond_count)
    stamp = np.full(cell_count, -1, np.int64)
    face_start = np.zeros(len(start), np.int64)
    links = (cells.bond_cells, side_start, side, inner_start, inner)
    _select(start, member, outer_start, outer, *links, stamp, face_start, np.zeros(0, np.int64))
    code = np.empty(int(face_start[-1]), np.int64)
    stamp[:] = -1
    _select(start, member, outer_start, outer, *links, stamp, face_start, code)
    return face_start, code


@njit
def _select(
    start: Ints,
    member: Ints,
    outer_start: Ints,
    outer: Ints,
    bond_cells: Ints,
    side_start: Ints,
    side: Ints,
    inner_start: Ints,
    inner: Ints,
    stamp: Ints,
    face_start: Ints,
    code: Ints,
) -> None:
    """Count the faces of each set into `face_start`, or write them where `code` has room."""
    outer_count = len(outer)
    write = len(code) > 0
    count = 0
    for k in range(len(start) - 1):
        for i in range(start[k], start[k + 1]):
            stamp[member[i]] = k
        for i in range(start[k], start[k + 1]):
            cell = member[i]
            for j in range(outer_start[cell], outer_start[cell + 1]):
                if write:
                    code[count] = outer[j]
                count += 1
        for i in range(start[k], start[k + 1]):
            cell = member[i]
            for j in range(side_start[cell], side_start[cell + 1]):
                bond = side[j] // 2
                hi = side[j] % 2
                if stamp[bond_cells[bond, 1 - hi]] == k:
                    continue
                for f in range(inner_start[bond], inner_start[bond + 1]):
                    if write:
                        code[count] = outer_count + 2 * inner[f] + hi
                    count += 1
        face_start[k + 1] = count


def _corners(cells: Cells, code: Ints) -> tuple[Ints, Ints, Floats]:
    """Corners of the selected faces: start (F+1,), vertex of the cells (N,), barycentric weight (N,3)."""
    outer_count = len(cells.outer_triangle)
    is_inner = code >= outer_count
    outer_first, outer_length = cells.outer_start[:-1], np.diff(cells.outer_start)
    inner_first, inner_length = cells.inner_start[:-1], np.diff(cells.inner_start)
    length = np.empty(len(code), np.int64)
    length[~is_inner] = outer_length[code[~is_inner]]
    length[is_inner] = inner_length[(code[is_inner] - outer_count) // 2]
    start = packed.starts(length)
    vertex = np.empty(int(start[-1]), np.int64)
    weight = np.zeros((int(start[-1]), 3))
    here = packed.ranges(start[:-1][~is_inner], length[~is_inner])
    there = packed.ranges(outer_first[code[~is_inner]], length[~is_inner])
    vertex[here] = cells.outer_vertex[there]
    weight[here] = cells.outer_weight[there]
    face = (code[is_inner] - outer_count) // 2
    here = packed.ranges(start[:-1][is_inner], length[is_inner])
    there = packed.ranges(inner_first[face], length[is_inner])
    # Stored counter-clockwise as the hi cell sees them, which is how they look from outside of lo: hi turns them.
    turned = np.repeat((code[is_inner] - outer_count) % 2 == 1, length[is_inner])
    mirror = np.repeat(2 * inner_first[face] + length[is_inner] - 1, length[is_inner]) - there
    vertex[here] = cells.inner_vertex[np.where(turned, mirror, there)]
    return start, vertex, weight


@njit
def _mates(face_start: Ints, corner_start: Ints, vertex: Ints, next_: Ints, head: Ints, mate: Ints) -> int:
    """Mate of each half-edge where it is unique; returns the number of half-edges whose mate is not."""
    link = np.full(len(vertex), -1, np.int64)
    tangled = 0
    for k in range(len(face_start) - 1):
        first = corner_start[face_start[k]]
        last = corner_start[face_start[k + 1]]
        for c in range(first, last):
            head[vertex[c]] = -1
        for c in range(first, last):
            link[c] = head[vertex[c]]
            head[vertex[c]] = c
        for c in range(first, last):
            a = vertex[c]
            b = vertex[next_[c]]
            alike = 0
            o = head[a]
            while o >= 0:
                if vertex[next_[o]] == b:
                    alike += 1
                o = link[o]
            opposite = 0
            found = -1
            o = head[b]
            while o >= 0:
                if vertex[next_[o]] == a:
                    opposite += 1
                    found = o
                o = link[o]
            if alike == 1 and opposite == 1:
                mate[c] = found
            elif opposite > 0:
                tangled += 1
    return tangled


@njit
def _pair(
    face_start: Ints, corner_start: Ints, vertex: Ints, next_: Ints, mate: Ints, position: Floats, cell: Ints
) -> None:
    """Mates at edges with more than two faces: the two faces that bound one wedge of matter.

    About the axis a -> b, matter lies counter-clockwise of a face that holds b -> a, and clockwise of one that
    holds a -> b: each b -> a takes the first a -> b that follows it. Faces of one cell come first.
    """
    face_of = np.empty(len(vertex), np.int64)
    for f in range(len(corner_start) - 1):
        for c in range(corner_start[f], corner_start[f + 1]):
            face_of[c] = f
    for k in range(len(face_start) - 1):
        first = corner_start[face_start[k]]
        last = corner_start[face_start[k + 1]]
        for c in range(first, last):
            if mate[c] >= 0:
                continue
            a = vertex[c]
            b = vertex[next_[c]]
            axis = position[b] - position[a]
            turn = _turn(face_of[c], axis, corner_start, vertex, position)
            best = -1
            least = 1e300
            for o in range(first, last):
                if mate[o] >= 0 or vertex[o] != b or vertex[next_[o]] != a:
                    continue
                angle = _angle(axis, turn, -_turn(face_of[o], axis, corner_start, vertex, position))
                # `c` holds a -> b: the matter wedge reaches from `o` up to it, clockwise of `c`.
                score = 2.0 * np.pi - angle
                if cell[face_of[o]] == cell[face_of[c]]:
                    score -= 10.0
                if score < least:
                    least = score
                    best = o
            if best >= 0:
                mate[c] = best
                mate[best] = c


@inner
def _turn(face: int, axis: Floats, corner_start: Ints, vertex: Ints, position: Floats) -> Floats:
    """Direction across the edge `axis` into a face that holds it: normal x axis, not normalised."""
    first = corner_start[face]
    n = np.zeros(3)
    p = position[vertex[first]]
    for c in range(first + 1, corner_start[face + 1] - 1):
        u = position[vertex[c]] - p
        v = position[vertex[c + 1]] - p
        n[0] += u[1] * v[2] - u[2] * v[1]
        n[1] += u[2] * v[0] - u[0] * v[2]
        n[2] += u[0] * v[1] - u[1] * v[0]
    t = np.empty(3)
    t[0] = n[1] * axis[2] - n[2] * axis[1]
    t[1] = n[2] * axis[0] - n[0] * axis[2]
    t[2] = n[0] * axis[1] - n[1] * axis[0]
    return t


@inner
def _angle(axis: Floats, u: Floats, v: Floats) -> float:
    """Angle from u to v about `axis`, counter-clockwise, in [0, 2 pi)."""
    length = np.sqrt(axis[0] ** 2 + axis[1] ** 2 + axis[2] ** 2)
    cross = (
        axis[0] * (u[1] * v[2] - u[2] * v[1])
        + axis[1] * (u[2] * v[0] - u[0] * v[2])
        + axis[2] * (u[0] * v[1] - u[1] * v[0])
    )
    dot = u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
    angle = np.arctan2(cross, dot * length)
    return float(angle + 2.0 * np.pi if angle < 0.0 else angle)


@njit
def _fans(
    face_start: Ints, corner_start: Ints, next_: Ints, previous: Ints, mate: Ints, local: Ints, vertex_start: Ints
) -> None:
    """Number the fans: `local` is the vertex of each corner, counted from the fragment's first one."""
    for k in range(len(face_start) - 1):
        count = 0
        for c in range(corner_start[face_start[k]], corner_start[face_start[k + 1]]):
            if local[c] >= 0:
                continue
            i = c
            while i >= 0 and local[i] < 0:
                local[i] = count
                i = next_[mate[i]] if mate[i] >= 0 else -1
            i = mate[previous[c]] if i < 0 else -1  # an open surface: turn the other way too
            while i >= 0 and local[i] < 0:
                local[i] = count
                i = mate[previous[i]]
            count += 1
        vertex_start[k + 1] = vertex_start[k] + count


def _split_double_edges(surface: Surface, fragment: Ints, next_: Ints, mate: Ints) -> Surface:
    """Where two edges of a fragment still join the same two vertices, put a vertex in the middle of all but one."""
    start = surface.vertex_start[fragment] + surface.corner_vertex
    end = start[next_]
    forward = np.flatnonzero((start < end) & (mate >= 0))
    key = start[forward] * (int(surface.vertex_start[-1]) + 1) + end[forward]
    _, index = np.unique(key, return_index=True)
    extra = np.delete(forward, index)
    if not len(extra):
        return surface
    # One new vertex for each extra edge, at the end of its fragment; a new corner after both of its half-edges.
    extra = extra[np.argsort(fragment[extra], kind="stable")]
    added = np.bincount(fragment[extra], minlength=len(surface.vertex_start) - 1)
    rank = np.arange(len(extra)) - (np.cumsum(added) - added)[fragment[extra]]
    vertex = np.diff(surface.vertex_start)[fragment[extra]] + rank
    after = np.concatenate([extra, mate[extra]])
    middle = (surface.corner_weight[after] + surface.corner_weight[next_[after]]) / 2.0
    point = (surface.vertices[start[extra]] + surface.vertices[end[extra]]) / 2.0
    order = np.argsort(after, kind="stable")
    face_of_corner = packed.owners(surface.corner_start)
    length = np.diff(surface.corner_start) + np.bincount(face_of_corner[after], minlength=len(surface.face_triangle))
    return Surface(
        surface.vertex_start + packed.starts(added),
        np.insert(surface.vertices, surface.vertex_start[fragment[extra] + 1], point, axis=0),
        surface.face_start,
        packed.starts(length),
        np.insert(surface.corner_vertex, after[order] + 1, np.concatenate([vertex, vertex])[order]),
        np.insert(surface.corner_weight, after[order] + 1, middle[order], axis=0),
        surface.face_triangle,
        surface.face_bond,
    )
