"""The faces of sets of cells as rings of half-edges, and which half-edges run along the same edge.

A corner and the next corner of its face make a half-edge. Two half-edges that run opposite ways along one edge are
twins. At an edge with more than two faces the twins are the faces on both sides of one wedge of matter.
"""

from typing import NamedTuple

import numpy as np

from ..arithmetic.angles import arctan2
from ..geometry import packed
from ..jit import device, njit, sealed_ints
from ..types import Cells, Floats, Ints


class FaceTable(NamedTuple):
    """The faces of all cells, and which of them each cell has."""

    outer_start: Ints
    outer_vertex: Ints
    outer_triangle: Ints
    inner_start: Ints
    inner_vertex: Ints
    inner_bond: Ints
    bond_cells: Ints
    cell_outer_start: Ints  #: (C+1,) bounds of each cell's entries in `cell_outer`
    cell_outer: Ints
    cell_inner_start: Ints  #: (C+1,) bounds of each cell's entries in `cell_inner`
    cell_inner: Ints  #: 2 f for inner face f where its lo is the cell, 2 f + 1 where its hi is


class FragmentRings(NamedTuple):
    """Faces of all sets: row f of the first four, corners `start[f]:start[f+1]` of the others."""

    start: Ints  #: (F+1,)
    triangle: Ints  #: (F,) body triangle, -1 on inner faces
    bond: Ints  #: (F,) -1 on outer faces
    cell: Ints  #: (F,) the cell behind the face
    vertex: Ints  #: (N,) vertex of the cells
    source: Ints  #: (N,) row of the outer corners of the cells, -1 on inner faces
    following: Ints  #: (N,) next corner of the face; -1 where the corner is gone


def make_face_table(cells: Cells) -> tuple[FaceTable, Ints, Ints]:
    """Look up which faces each cell has, and how many faces and corners (C,) those are."""
    count = len(cells.volume)
    sides = sealed_ints(cells.bond_cells.reshape(-1, 2)[cells.inner_bond].reshape(-1))
    outer_start, outer = packed.group_by_owner(cells.outer_cell, count)
    inner_start, inner = packed.group_by_owner(sides, count)
    faces = FaceTable(
        cells.outer_start,
        cells.outer_vertex,
        cells.outer_triangle,
        cells.inner_start,
        cells.inner_vertex,
        cells.inner_bond,
        cells.bond_cells,
        outer_start,
        outer,
        inner_start,
        inner,
    )
    corners = np.bincount(cells.outer_cell, np.diff(cells.outer_start), count)
    corners = corners + np.bincount(sides, np.repeat(np.diff(cells.inner_start), 2), count)
    return faces, np.diff(outer_start) + np.diff(inner_start), corners.astype(np.int64)


def empty_rings(faces: int, corners: int) -> FragmentRings:
    """Room for that many faces and corners."""
    by_face = (np.empty(faces, np.int64) for _ in range(3))
    by_corner = (np.empty(corners, np.int64) for _ in range(3))
    return FragmentRings(np.zeros(faces + 1, np.int64), *by_face, *by_corner)


def first_rings(rings: FragmentRings, faces: int, corners: int) -> FragmentRings:
    """The first faces and corners of the room."""
    return FragmentRings(rings.start[: faces + 1], *(x[:faces] for x in rings[1:4]), *(x[:corners] for x in rings[4:]))


@njit
def collect(
    faces: FaceTable, start: Ints, member: Ints, stamp: Ints, face_start: Ints, corner_start: Ints, rings: FragmentRings
) -> None:
    """The faces that bound each set of cells, set k being `member[start[k]:start[k+1]]`.

    A bond between two cells of a set is left out. Writes the faces into `rings`, and the bounds of each set's faces and
    corners into `face_start` and `corner_start` (K+1,). `stamp (C,)` holds negative numbers before and after.
    One function without parts: they would count the references to all these arrays for each face.
    """
    row = 0
    count = 0
    for k in range(len(start) - 1):
        for i in range(start[k], start[k + 1]):
            stamp[member[i]] = k
        for i in range(start[k], start[k + 1]):
            cell = member[i]
            for j in range(faces.cell_outer_start[cell], faces.cell_outer_start[cell + 1]):
                f = faces.cell_outer[j]
                begin = count
                for n in range(faces.outer_start[f], faces.outer_start[f + 1]):
                    rings.vertex[count] = faces.outer_vertex[n]
                    rings.source[count] = n
                    count += 1
                    rings.following[count - 1] = count
                rings.following[count - 1] = begin
                rings.triangle[row] = faces.outer_triangle[f]
                rings.bond[row] = -1
                rings.cell[row] = cell
                row += 1
                rings.start[row] = count
        for i in range(start[k], start[k + 1]):
            cell = member[i]
            for j in range(faces.cell_inner_start[cell], faces.cell_inner_start[cell + 1]):
                f = faces.cell_inner[j] // 2
                hi = faces.cell_inner[j] % 2
                bond = faces.inner_bond[f]
                if stamp[faces.bond_cells[bond, 1 - hi]] == k:
                    continue
                begin = count
                low, high = faces.inner_start[f], faces.inner_start[f + 1]
                for n in range(low, high):
                    # Stored counter-clockwise as the hi cell sees it, which is how it looks from outside of lo.
                    rings.vertex[count] = faces.inner_vertex[low + high - 1 - n if hi else n]
                    rings.source[count] = -1
                    count += 1
                    rings.following[count - 1] = count
                rings.following[count - 1] = begin
                rings.triangle[row] = -1
                rings.bond[row] = bond
                rings.cell[row] = cell
                row += 1
                rings.start[row] = count
        for i in range(start[k], start[k + 1]):
            stamp[member[i]] = -1
        face_start[k + 1] = row
        corner_start[k + 1] = count


@njit
def find_twins(
    corner_start: Ints, vertex: Ints, following: Ints, head: Ints, link: Ints, twin: Ints, tangled: Ints
) -> None:
    """Twin (N,) of each half-edge where it is unique, else -1; `tangled (K,)` counts those with several of a kind.

    A half-edge is tangled where its edge has another one that runs the same way, or more than one opposite.
    `corner_start (K+1,)` bounds the corners of each set; `head (V,)` and `link (N,)` are room to work in.
    """
    for k in range(len(corner_start) - 1):
        first = corner_start[k]
        last = corner_start[k + 1]
        tangled[k] = 0
        for c in range(first, last):
            head[vertex[c]] = -1
            twin[c] = -1
        for c in range(first, last):
            a = vertex[c]
            b = vertex[following[c]]
            o = head[a]
            while o >= 0:
                if vertex[following[o]] == b:
                    tangled[k] += 1
                o = link[o]
            o = head[b]
            while o >= 0:
                if vertex[following[o]] == a:
                    if twin[o] >= 0:
                        tangled[k] += 1
                    twin[o] = c
                    twin[c] = o
                o = link[o]
            link[c] = head[a]
            head[a] = c
        if tangled[k] > 0:
            _untie(first, last, vertex, following, head, link, twin)


@device
def _untie(first: int, last: int, vertex: Ints, following: Ints, head: Ints, link: Ints, twin: Ints) -> None:
    """Take the twins from all half-edges of a set that are not the only ones of their kind."""
    for c in range(first, last):
        a = vertex[c]
        b = vertex[following[c]]
        alike = 0
        o = head[a]
        while o >= 0:
            if vertex[following[o]] == b:
                alike += 1
            o = link[o]
        opposite = 0
        o = head[b]
        while o >= 0:
            if vertex[following[o]] == a:
                opposite += 1
            o = link[o]
        if alike != 1 or opposite != 1:
            twin[c] = -1


@njit
def pair_wedges(
    face_start: Ints,
    rings: FragmentRings,
    position: Floats,
    bond_cells: Ints,
    bond_normal: Floats,
    tangled: Ints,
    twin: Ints,
) -> None:
    """Twins at edges with more than two faces: the two faces that bound one wedge of matter.

    About the axis a -> b, matter lies counter-clockwise of a face that holds b -> a, and clockwise of one that
    holds a -> b: each b -> a takes the first a -> b that follows it. Faces of one cell come first.
    """
    head = np.full(len(position), -1, np.int64)
    link = np.empty(len(twin), np.int64)
    face_of = np.empty(len(twin), np.int64)
    for k in range(len(face_start) - 1):
        if tangled[k] == 0:
            continue
        for f in range(face_start[k], face_start[k + 1]):
            for c in range(rings.start[f], rings.start[f + 1]):
                head[rings.vertex[c]] = -1
                face_of[c] = f
        first = rings.start[face_start[k]]
        last = rings.start[face_start[k + 1]]
        for c in range(last - 1, first - 1, -1):
            if twin[c] < 0:
                link[c] = head[rings.vertex[c]]
                head[rings.vertex[c]] = c
        for c in range(first, last):
            if twin[c] >= 0:
                continue
            a = rings.vertex[c]
            b = rings.vertex[rings.following[c]]
            axis = position[b] - position[a]
            turn = _turn(face_of[c], axis, rings, position, bond_cells, bond_normal)
            best = -1
            least = 1e300
            o = head[b]
            while o >= 0:
                if twin[o] < 0 and rings.vertex[rings.following[o]] == a:
                    other = _turn(face_of[o], axis, rings, position, bond_cells, bond_normal)
                    # `c` holds a -> b: the wedge of matter reaches from `o` up to it, clockwise of `c`.
                    score = 2.0 * np.pi - _angle(axis, turn, -other)
                    if rings.cell[face_of[o]] == rings.cell[face_of[c]]:
                        score -= 10.0
                    if score < least:
                        least = score
                        best = o
                o = link[o]
            if best >= 0:
                twin[c] = best
                twin[best] = c


@device
def _turn(
    face: int, axis: Floats, rings: FragmentRings, position: Floats, bond_cells: Ints, bond_normal: Floats
) -> Floats:
    """Direction across the edge `axis` into a face that holds it: normal x axis, not normalised."""
    n = np.zeros(3)
    bond = rings.bond[face]
    if bond >= 0:  # the facet's own normal, for slivers have none
        n[:] = bond_normal[bond]
        if bond_cells[bond, 0] != rings.cell[face]:
            n = -n
    else:
        first = rings.start[face]
        p = position[rings.vertex[first]]
        for c in range(first + 1, rings.start[face + 1] - 1):
            u = position[rings.vertex[c]] - p
            v = position[rings.vertex[c + 1]] - p
            n[0] += u[1] * v[2] - u[2] * v[1]
            n[1] += u[2] * v[0] - u[0] * v[2]
            n[2] += u[0] * v[1] - u[1] * v[0]
    t = np.empty(3)
    t[0] = n[1] * axis[2] - n[2] * axis[1]
    t[1] = n[2] * axis[0] - n[0] * axis[2]
    t[2] = n[0] * axis[1] - n[1] * axis[0]
    return t


@device
def _angle(axis: Floats, u: Floats, v: Floats) -> float:
    """Angle from u to v about `axis`, counter-clockwise, in [0, 2 pi)."""
    length = np.sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2])
    cross = (
        axis[0] * (u[1] * v[2] - u[2] * v[1])
        + axis[1] * (u[2] * v[0] - u[0] * v[2])
        + axis[2] * (u[0] * v[1] - u[1] * v[0])
    )
    dot = u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
    angle = arctan2(cross, dot * length)
    return float(angle + 2.0 * np.pi if angle < 0.0 else angle)
