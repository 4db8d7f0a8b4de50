"""Leftovers of dropped bonds: faces that one plane holds become one face again, and straight corners disappear.

Works on rings of half-edges whose twins are known, and moves nothing. Two faces are joined across the edges that they
share where both lie on one body triangle or on one flat polygon of the artist's, or both are facets with the same
normal; the joined face stays one simple loop, so a face with a hole remains split in two. A vertex that only two faces
use is a straight point of the line in which they meet. Both faces lose it together, hence closed surfaces stay closed.
"""

from typing import NamedTuple

import numpy as np

from ..jit import device_inlined, njit_no_refs
from ..types import Bools, Cells, Floats, Ints
from .rings import FragmentRings

_PARALLEL = 1e-24  #: squared difference of two unit normals that are equal but for round-off; ten thousand roundings
#: Distance of a straight corner from the line between its neighbours, relative to the extent; ten thousand roundings.
_STRAIGHT = 1e-12


class Work(NamedTuple):
    """What changes while faces are joined."""

    following: Ints  #: (N,) next corner; -1 where the corner is gone
    previous: Ints  #: (N,)
    twin: Ints  #: (N,)
    vertex: Ints  #: (N,)
    face: Ints  #: (N,) face that holds the corner
    seam: Bools  #: (N,) half-edges between two faces of one plane
    size: Ints  #: (F,) corners of each face; 0 where it became a part of another one
    entry: Ints  #: (F,) a corner of each face
    stamp: Ints  #: (V,) the face that grows, at its vertices


def dissolve(
    cells: Cells,
    start: Ints,
    face_start: Ints,
    rings: FragmentRings,
    twin: Ints,
    stamp: Ints,
    extent: float,
    polygon: Ints,
) -> Ints:
    """Join faces and drop straight corners of the sets of several cells, in place.

    With a `polygon (T,)` of each body triangle, see Body, also of all sets that have more than one triangle of one.
    Changes `rings.following` (-1 at corners that are gone) and `twin`. Returns a corner of each face (F,), -1 where
    the face became a part of another one. `stamp (V,)` is room to work in, `extent` the size of all cells [m].
    Vertices of the body stay, and so do those whose loss would leave a face less than three corners or join two
    vertices by two edges.
    """
    several, surface = np.diff(start) > 1, rings.triangle
    if len(polygon):
        surface = np.where(rings.triangle < 0, -1, polygon[rings.triangle])
        parts = np.flatnonzero(surface != rings.triangle)
        several[np.searchsorted(face_start, parts, side="right") - 1] = True
    sets = np.flatnonzero(several)
    if not len(sets) or not len(twin):
        return rings.start[:-1].copy()
    work = join_faces(sets, face_start, rings, surface, twin, stamp, cells.bond_cells, cells.bond_normal)
    reach = _STRAIGHT * extent
    corner_start = rings.start[face_start]
    _straighten(sets, corner_start, surface, work, rings.source, cells.outer_weight, cells.vertices, reach)
    return work.entry


def join_faces(
    several: Ints,
    face_start: Ints,
    rings: FragmentRings,
    surface: Ints,
    twin: Ints,
    stamp: Ints,
    bond_cells: Ints,
    bond_normal: Floats,
) -> Work:
    """Join the faces of one plane in each of the sets `several`, in place: the first half of `dissolve`.

    `surface (F,)` names the part of the skin on which each face lies: the body triangle, or what stands for several
    in one plane; -1 on inner faces.
    """
    corners, faces = len(twin), len(rings.cell)
    size, entry = np.diff(rings.start), rings.start[:-1].copy()
    previous, face, seam = np.empty(corners, np.int64), np.empty(corners, np.int64), np.zeros(corners, np.bool_)
    grows = np.zeros(faces, np.bool_)
    work = Work(rings.following, previous, twin, rings.vertex, face, seam, size, entry, stamp)
    _find_seams(several, face_start, rings, surface, work, bond_cells, bond_normal, grows)
    _join_all(np.flatnonzero(grows), rings.start, work, np.empty(corners, np.int64))
    return work


@njit_no_refs
def _find_seams(
    several: Ints,
    face_start: Ints,
    rings: FragmentRings,
    surface: Ints,
    work: Work,
    bond_cells: Ints,
    bond_normal: Floats,
    grows: Bools,
) -> None:
    """Mark half-edges between two faces of one plane, and the first face of each two.

    Those lie on one part of the skin, or on facets of two bonds with one normal: parts of one bond are the
    triangles of a facet with holes.
    """
    bond = rings.bond
    for k in several:
        for f in range(face_start[k], face_start[k + 1]):
            for c in range(rings.start[f], rings.start[f + 1]):
                work.face[c] = f
                work.previous[rings.following[c]] = c
                work.stamp[rings.vertex[c]] = -1
        for c in range(rings.start[face_start[k]], rings.start[face_start[k + 1]]):
            m = work.twin[c]
            if m < c:
                continue
            f, g = work.face[c], work.face[m]
            if surface[f] != surface[g] or f == g or (surface[f] < 0 and bond[f] == bond[g]):
                continue
            if surface[f] < 0:
                turned = (bond_cells[bond[f], 0] == rings.cell[f]) != (bond_cells[bond[g], 0] == rings.cell[g])
                sign = 1.0 if turned else -1.0
                gap = 0.0
                for i in range(3):
                    apart = bond_normal[bond[f], i] + sign * bond_normal[bond[g], i]
                    gap += apart * apart
                if not gap <= _PARALLEL:
                    continue
            work.seam[c] = True
            work.seam[m] = True
            grows[min(f, g)] = True


@njit_no_refs
def _join_all(grows: Ints, start: Ints, work: Work, stack: Ints) -> None:
    """Join to each face what lies in its plane beside it, as long as the whole stays a simple loop.

    `stack` are corners at whose edges the face may grow.
    """
    for f in grows:
        if work.size[f] == 0:
            continue
        size = 0
        for c in range(start[f], start[f + 1]):
            work.stamp[work.vertex[c]] = f
            stack[size] = c
            size += 1
        while size > 0:
            size -= 1
            c = stack[size]
            if work.following[c] < 0 or not work.seam[c]:
                continue
            g = work.face[work.twin[c]]
            # Faces before f have grown as far as they could.
            if g > f and _fits(f, g, start, work):
                _join(f, g, start, work)
                for d in range(start[g], start[g + 1]):
                    if work.following[d] >= 0:
                        stack[size] = d
                        size += 1


@device_inlined
def _fits(f: int, g: int, start: Ints, work: Work) -> bool:
    """Whether f and g meet along one path and nowhere else, so that together they are one simple loop."""
    shared = 0
    paths = 0
    touching = 0
    last = work.twin[start[g + 1] - 1]
    before = last >= 0 and work.face[last] == f
    for c in range(start[g], start[g + 1]):
        across = work.twin[c] >= 0 and work.face[work.twin[c]] == f
        if across:
            shared += 1
            if not before:
                paths += 1
        if work.stamp[work.vertex[c]] == f:
            touching += 1
        before = across
    return bool(paths == 1 and touching == shared + 1 and work.size[f] + work.size[g] - 2 * shared >= 3)


@device_inlined
def _join(f: int, g: int, start: Ints, work: Work) -> None:
    """Make g a part of f: the path that they share goes."""
    first = -1
    final = -1
    for c in range(start[g], start[g + 1]):
        work.stamp[work.vertex[c]] = f
        if work.twin[c] >= 0 and work.face[work.twin[c]] == f:
            before, after = work.twin[work.previous[c]], work.twin[work.following[c]]
            if before < 0 or work.face[before] != f:
                first = c
            if after < 0 or work.face[after] != f:
                final = c
    into, out = work.previous[work.twin[final]], work.following[final]
    back, onward = work.previous[first], work.following[work.twin[first]]
    shared = 0
    c = first
    while c != out:
        if c != first:
            work.stamp[work.vertex[c]] = -1
        work.following[work.twin[c]] = -1
        after = work.following[c]
        work.following[c] = -1
        shared += 1
        c = after
    for a, b in ((into, out), (back, onward)):
        work.following[a] = b
        work.previous[b] = a
    for c in range(start[g], start[g + 1]):
        if work.following[c] >= 0:
            work.face[c] = f
    work.size[f] += work.size[g] - 2 * shared
    work.size[g] = 0
    work.entry[g] = -1
    if work.following[work.entry[f]] < 0:
        work.entry[f] = onward


@njit_no_refs
def _straighten(
    several: Ints,
    corner_start: Ints,
    surface: Ints,
    work: Work,
    source: Ints,
    weight: Floats,
    position: Floats,
    reach: float,
) -> None:
    """Drop the straight corners of joined faces that only two faces use, in place: the second half of `dissolve`.

    `corner_start (K+1,)` bounds the corners of each set. A corner is straight between two parts of the skin, see
    `join_faces`, for they meet in edges of the body; elsewhere where it is not further than `reach` [m] from the line
    between its neighbours. It stays at a vertex of the body: where the row `source (N,)` of `weight (.,3)` of one of
    the two corners, -1 for none, holds a one.
    """
    for k in several:
        for c in range(corner_start[k], corner_start[k + 1]):
            if work.following[c] < 0:
                continue
            before, r = work.previous[c], work.twin[c]
            q = work.twin[before]
            if q < 0 or r < 0 or work.following[r] != q or q == c:
                continue
            kept = False
            for row in (source[c], source[q]):
                if row >= 0 and (weight[row, 0] == 1.0 or weight[row, 1] == 1.0 or weight[row, 2] == 1.0):
                    kept = True
            one, other = work.face[c], work.face[q]
            if kept or one == other or work.size[one] <= 3 or work.size[other] <= 3:
                continue
            a, b = work.vertex[before], work.vertex[work.following[c]]
            edge = surface[one] >= 0 and surface[other] >= 0 and surface[one] != surface[other]
            if (edge or _straight(a, work.vertex[c], b, position, reach)) and not _linked(before, b, work):
                _drop(c, q, work)


@device_inlined
def _linked(c: int, b: int, work: Work) -> bool:
    """Whether an edge leads from the vertex of corner c to vertex b."""
    i = c
    while True:
        if work.vertex[work.following[i]] == b:
            return True
        i = work.twin[i]
        if i < 0:
            return True  # an open surface is left as it is
        i = work.following[i]
        if i == c:
            return False


@device_inlined
def _drop(c: int, q: int, work: Work) -> None:
    """Take out corner c of one face and q of the other, which are one vertex."""
    before, r = work.previous[c], work.twin[c]
    for corner, into in ((c, before), (q, r)):
        after = work.following[corner]
        work.following[into] = after
        work.previous[after] = into
        work.following[corner] = -1
        face = work.face[corner]
        work.size[face] -= 1
        if work.entry[face] == corner:
            work.entry[face] = after
    work.twin[before] = r
    work.twin[r] = before


@device_inlined
def _straight(a: int, b: int, c: int, p: Floats, reach: float) -> bool:
    """Whether vertex b lies between a and c, not further than `reach` from their line."""
    ux, uy, uz = p[b, 0] - p[a, 0], p[b, 1] - p[a, 1], p[b, 2] - p[a, 2]
    wx, wy, wz = p[c, 0] - p[a, 0], p[c, 1] - p[a, 1], p[c, 2] - p[a, 2]
    along = ux * wx + uy * wy + uz * wz
    whole = wx * wx + wy * wy + wz * wz
    if not (0.0 < along < whole):
        return False
    cx, cy, cz = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
    return bool(cx * cx + cy * cy + cz * cz <= reach * reach * whole)
