"""The surface of sets of cells: which faces bound a set, and which corners are one vertex of a manifold.

Around a vertex, going from a corner to the corner after its twin turns through one fan of faces. One fan is one vertex,
so sheets that merely touch at an edge or a point do not share vertices.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..geometry import packed
from ..geometry.corner_values import weights_in
from ..jit import device, njit
from ..types import Body, Cells, Floats, Frozen, Ints
from .dissolve import dissolve
from .rings import FragmentRings, collect, empty_rings, find_twins, first_rings, make_face_table, pair_wedges

#: Sets are made in batches of about so many corners: what is needed only on the way then stays in the caches. By time.
BATCH = 1 << 15


@dataclass(frozen=True, eq=False, slots=True)
class FragmentSurface(Frozen):
    """Packed closed meshes in body coordinates; the fields are those of Fragments."""

    vertex_start: Ints
    vertices: Floats
    face_start: Ints
    corner_start: Ints
    corner_vertex: Ints
    corner_weight: Floats
    face_triangle: Ints
    face_bond: Ints
    corner_triangle: Ints = field(default_factory=lambda: np.zeros(0, np.int64))


class _Made(NamedTuple):
    """Room for the surface of all sets."""

    vertex_start: Ints  #: (K+1,)
    vertex: Ints  #: vertex of the cells behind each vertex
    face_start: Ints  #: (K+1,)
    corner_start: Ints
    corner_vertex: Ints
    corner_row: Ints  #: row of the outer corners of the cells, -1 on inner faces
    face_triangle: Ints
    face_bond: Ints
    end: Ints  #: (3,) how many vertices, faces and corners there are


class _Room(NamedTuple):
    """Room to work in, for one batch of sets."""

    rings: FragmentRings
    twin: Ints  #: (N,) this one and the next three
    link: Ints
    local: Ints  #: vertex of each half-edge, counted from the set's first one
    place: Ints  #: corner that each half-edge became
    stamp: Ints  #: (V,)
    extent: float  #: of all cells [m]
    polygon: Ints  #: (T,) of the body
    joins: bool  #: whether faces of one plane are joined


def gather(cells: Cells, start: Ints, member: Ints, body: Body | None = None, as_cut: bool = False) -> FragmentSurface:
    """The boundary surface of each set of cells; set k is `member[start[k]:start[k+1]]`.

    Outer faces are joined over the polygons of the `body` that was cut, where it is given and has some. Faces that stay
    `as_cut` are not joined at all.
    """
    whole = body if body is not None and len(body.polygon) and not as_cut else None
    polygon = whole.polygon if whole else np.zeros(0, np.int64)
    faces, cell_faces, cell_corners = make_face_table(cells)
    # As if no bond were left out: room that is never used costs nothing.
    face_most, corner_most = (_summed(number[member], start) for number in (cell_faces, cell_corners))
    bounds = _batches(corner_most)
    most = [int(np.diff(x[bounds]).max(initial=0)) for x in (face_most, corner_most)]
    twin, link, local, place = (np.empty(most[1], np.int64) for _ in range(4))
    extent = float(np.ptp(cells.vertices, axis=0).max())
    room = _Room(
        empty_rings(*most),
        twin,
        link,
        local,
        place,
        np.empty(len(cells.vertices), np.int64),
        extent,
        polygon,
        not as_cut,
    )
    made = _empty_made(len(start) - 1, int(face_most[-1]), int(corner_most[-1]))
    of_cell = np.full(len(cells.volume), -1, np.int64)
    splits = [np.zeros((5, 0), np.int64)]
    for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        here = start[first : last + 1]
        face_start, corner_start = np.zeros(len(here), np.int64), np.zeros(len(here), np.int64)
        collect(faces, here, member, of_cell, face_start, corner_start, room.rings)
        splits.append(_make(cells, here, face_start, corner_start, room, made, first))
    surface = _finished(cells, made, whole is not None)
    split = np.concatenate(splits, axis=1)
    return _split_edges(surface, split[0], split[1:3], split[3:], whole) if split.shape[1] else surface


def _summed(values: Ints, start: Ints) -> Ints:
    """(K+1,) bounds of the items of each set, from how many each of its members has."""
    result: Ints = packed.packed_starts(values)[start]
    return result


def _batches(corner_start: Ints) -> Ints:
    """Bounds of runs of sets, of about BATCH corners each where no set has more."""
    begin = np.searchsorted(corner_start, np.arange(0, corner_start[-1], BATCH), side="right") - 1
    return np.asarray(np.unique(np.concatenate([[0], begin, [len(corner_start) - 1]])), np.int64)


def _empty_made(sets: int, faces: int, corners: int) -> _Made:
    return _Made(
        vertex_start=np.zeros(sets + 1, np.int64),
        vertex=np.empty(corners, np.int64),
        face_start=np.zeros(sets + 1, np.int64),
        corner_start=np.zeros(faces + 1, np.int64),
        corner_vertex=np.empty(corners, np.int64),
        corner_row=np.empty(corners, np.int64),
        face_triangle=np.empty(faces, np.int64),
        face_bond=np.empty(faces, np.int64),
        end=np.zeros(3, np.int64),
    )


def _make(
    cells: Cells, start: Ints, face_start: Ints, corner_start: Ints, room: _Room, made: _Made, first: int
) -> Ints:
    """Add the sets of one batch, whose first is set `first`, to `made`.

    Returns (5,n) the edges that must be split: their set, the corners at the ends of both half-edges.
    """
    corners = int(corner_start[-1])
    rings = first_rings(room.rings, int(face_start[-1]), corners)
    twin, link, local, place = (x[:corners] for x in room[1:5])
    tangled = np.zeros(len(start) - 1, np.int64)
    find_twins(corner_start, rings.vertex, rings.following, room.stamp, link, twin, tangled)
    if tangled.any():
        pair_wedges(face_start, rings, cells.vertices, cells.bond_cells, cells.bond_normal, tangled, twin)
    entry = (
        dissolve(cells, start, face_start, rings, twin, room.stamp, room.extent, room.polygon)
        if room.joins
        else rings.start[:-1].copy()
    )
    _write(face_start, rings, twin, entry, local, place, made, first)
    edge = _double_edges(np.flatnonzero(tangled), corner_start, rings.following, local, twin)
    of_set = np.searchsorted(corner_start, edge, side="right") - 1
    ends = np.stack([edge, twin[edge]])
    return np.concatenate([[of_set + first], place[ends], place[rings.following[ends]]])


@njit
def _write(
    face_start: Ints,
    rings: FragmentRings,
    twin: Ints,
    entry: Ints,
    local: Ints,
    place: Ints,
    made: _Made,
    first: int,
) -> None:
    """Number the fans of the sets from `first` on, and write their faces behind those that are there."""
    following = rings.following
    vertices, faces, corners = made.end
    local[:] = -1
    place[:] = -1
    for k in range(len(face_start) - 1):
        begin = vertices
        for c in range(rings.start[face_start[k]], rings.start[face_start[k + 1]]):
            if local[c] >= 0 or following[c] < 0:
                continue
            i = c
            while i >= 0 and local[i] < 0:
                local[i] = vertices - begin
                i = following[twin[i]] if twin[i] >= 0 else -1
            i = twin[_preceding(c, following)] if i < 0 else -1  # an open surface: turn the other way too
            while i >= 0 and local[i] < 0:
                local[i] = vertices - begin
                i = twin[_preceding(i, following)]
            made.vertex[vertices] = rings.vertex[c]
            vertices += 1
        for f in range(face_start[k], face_start[k + 1]):
            c = entry[f]
            if c < 0:
                continue
            made.face_triangle[faces] = rings.triangle[f]
            made.face_bond[faces] = rings.bond[f]
            while place[c] < 0:
                made.corner_vertex[corners] = local[c]
                made.corner_row[corners] = rings.source[c]
                place[c] = corners
                corners += 1
                c = following[c]
            faces += 1
            made.corner_start[faces] = corners
        made.vertex_start[first + k + 1] = vertices
        made.face_start[first + k + 1] = faces
    made.end[0], made.end[1], made.end[2] = vertices, faces, corners


@device
def _preceding(c: int, following: Ints) -> int:
    i = c
    while following[i] != c:
        i = following[i]
    return i


def _finished(cells: Cells, made: _Made, joined: bool) -> FragmentSurface:
    """What was made; where faces are `joined` over several triangles, their corners know which is theirs."""
    vertices, faces, corners = made.end.tolist()
    row = made.corner_row[:corners]
    inner = row < 0
    weight = cells.outer_weight.take(row, axis=0, mode="wrap") if len(cells.outer_weight) else np.zeros((corners, 3))
    weight[inner] = 0.0
    triangle = np.zeros(0, np.int64)
    if joined:
        triangle = np.where(inner, -1, np.repeat(cells.outer_triangle, np.diff(cells.outer_start))[row])
    return FragmentSurface(
        made.vertex_start,
        cells.vertices[made.vertex[:vertices]],
        made.face_start,
        made.corner_start[: faces + 1],
        made.corner_vertex[:corners],
        weight,
        made.face_triangle[:faces],
        made.face_bond[:faces],
        triangle,
    )


def _double_edges(sets: Ints, corner_start: Ints, following: Ints, local: Ints, twin: Ints) -> Ints:
    """Half-edges of those sets that join the same two vertices as another one does, all but one for each pair."""
    first, length = corner_start[sets], corner_start[sets + 1] - corner_start[sets]
    owner = np.repeat(np.arange(len(sets)), length)
    corner = packed.ranges(first, length)
    begin, end = local[corner], local[following[corner]]
    forward = (following[corner] >= 0) & (twin[corner] >= 0) & (begin < end)
    # No vertex of a set has a larger number than `most`.
    most = int(length.max(initial=0)) + 1
    key = ((owner * most + begin) * most + end)[forward]
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(key[order][1:] == key[order][:-1]) + 1
    return np.sort(corner[forward][order[again]])


def _split_edges(
    surface: FragmentSurface, fragment: Ints, after: Ints, end: Ints, body: Body | None
) -> FragmentSurface:
    """Put a vertex in the middle of edges: the half-edges (2,n) from corners `after` to corners `end` of `fragment`.

    `body` where faces are joined over several triangles of it.
    """
    # New vertices come at the end of their fragment.
    added = np.bincount(fragment, minlength=len(surface.vertex_start) - 1)
    rank = np.arange(len(fragment)) - (np.cumsum(added) - added)[fragment]
    vertex = np.diff(surface.vertex_start)[fragment] + rank
    a, b = (surface.vertices[surface.vertex_start[fragment] + surface.corner_vertex[at[0]]] for at in (after, end))
    flat = after.ravel()
    last, triangle = surface.corner_weight[end.ravel()], surface.corner_triangle
    if body is not None:
        last = weights_in(body, triangle[end.ravel()], last, triangle[flat])
    middle = (surface.corner_weight[flat] + last) / 2.0
    order = np.argsort(flat, kind="stable")
    face = np.searchsorted(surface.corner_start, flat, side="right") - 1
    length = np.diff(surface.corner_start) + np.bincount(face, minlength=len(surface.face_triangle))
    return FragmentSurface(
        surface.vertex_start + packed.packed_starts(added),
        np.insert(surface.vertices, surface.vertex_start[fragment + 1], (a + b) / 2.0, axis=0),
        surface.face_start,
        packed.packed_starts(length),
        np.insert(surface.corner_vertex, flat[order] + 1, np.tile(vertex, 2)[order]),
        np.insert(surface.corner_weight, flat[order] + 1, middle[order], axis=0),
        surface.face_triangle,
        surface.face_bond,
        np.insert(triangle, flat[order] + 1, triangle[flat[order]]) if body is not None else triangle,
    )
