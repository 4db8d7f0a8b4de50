"""The flat patches of all meshes laid over each other: those that touch have the same triangles afterwards.

Where patches lie in each other, the edges of the one cut the other one; edges meet at their ends only (`touching`), so
an edge lies in a patch or outside of it as a whole. Equal faces of two patches are cut into triangles once.
Limitation: patches that pass through each other are not cut; `overlaps` has seen to it that there are none.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ....arithmetic.products import apply, dot
from ....geometry import packed
from ....geometry.mesh import edge_table, paired_half_edges, plane_axes
from ....types import Bools, Floats, Ints
from .flat import flat_parts, planes
from .planar import PlaneNodes, covers, triangulate_faces
from .solids import JigsawSolid
from .touching import Chains, boxes, chains, meeting_in_blocks, weld_vertices


class ConformingTriangles(NamedTuple):
    """Triangles that meet at common edges and vertices only, and the meshes on whose surface each lies."""

    vertices: Floats  #: (V,3)
    triangles: Ints  #: (n,3) no three vertices twice
    claim_triangle: Ints  #: (c,)
    claim_mesh: Ints  #: (c,) a mesh that has this triangle
    claim_front: Bools  #: (c,) whether the mesh lies in front of the triangle, not behind it


class _Patches(NamedTuple):
    triangle_start: Ints  #: (P+1,)
    triangle: Ints  #: (T,) triangles of each patch
    mesh: Ints  #: (P,)
    point: Floats  #: (P,3)
    normal: Floats  #: (P,3)
    frame: Floats  #: (P,2,3) two unit vectors across each normal, see `plane_axes`
    border_start: Ints  #: (P+1,)
    border: Ints  #: (.,2) pieces of its border


def overlay_patches(meshes: Sequence[JigsawSolid], near: float) -> ConformingTriangles:
    """The surfaces of all meshes, conforming to each other within the tolerance `near`."""
    first = np.cumsum([0] + [len(mesh.vertices) for mesh in meshes])
    vertices = np.concatenate([mesh.vertices for mesh in meshes])
    triangles = np.concatenate([mesh.triangles + at for mesh, at in zip(meshes, first[:-1], strict=True)])
    owner = np.repeat(np.arange(len(meshes)), [len(mesh.triangles) for mesh in meshes])
    found, place = _patches(vertices, triangles, owner, near)
    builder = _Builder()
    extra_start, extra = _within(found, vertices, triangles, place, near)
    simple = (np.diff(found.border_start) == 3) & (np.diff(extra_start) == 0) & (np.diff(found.triangle_start) == 1)
    for p in np.flatnonzero(simple).tolist():
        builder.add([found.border[found.border_start[p] : found.border_start[p + 1], 0].tolist()], int(found.mesh[p]))
    several = np.flatnonzero(~simple)
    for p, made in _filled(found, several, (extra_start, extra), vertices[triangles[found.triangle]], place):
        builder.add(made, int(found.mesh[p]))
    return builder.conforming(place)


def _filled(
    found: _Patches, some: Ints, extra: tuple[Ints, Ints], corner: Floats, place: Floats
) -> Iterator[tuple[int, list[list[int]]]]:
    """The faces between the edges in and around some patches, each with its patch: what lies in its triangles."""
    border_size, extra_size = np.diff(found.border_start)[some], np.diff(extra[0])[some]
    pieces = np.concatenate(
        [
            found.border[packed.ranges(found.border_start[some], border_size)],
            extra[1][packed.ranges(extra[0][some], extra_size)],
        ]
    )
    patch = np.concatenate([np.repeat(some, border_size), np.repeat(some, extra_size)])
    key, ends = np.unique(patch[:, None] * len(place) + pieces, return_inverse=True)
    plane, node = key // len(place), key % len(place)
    nodes = PlaneNodes(plane, node, apply(found.frame[plane], place[node] - found.point[plane]))
    faces = triangulate_faces(nodes, ends.reshape(-1, 2).astype(np.int64))
    of = np.searchsorted(faces.plane, np.arange(len(found.mesh) + 1))
    bounds = np.searchsorted(faces.face, np.arange(len(faces.plane) + 1))
    rows = nodes.node[faces.triangle]
    for p in some.tolist():
        own = slice(found.triangle_start[p], found.triangle_start[p + 1])
        flat = apply(found.frame[p], corner[own] - found.point[p])
        for face in of[p] + np.flatnonzero(covers(flat, faces.inner[of[p] : of[p + 1]])):
            yield p, rows[bounds[face] : bounds[face + 1]].tolist()


class _Builder:
    """Collects triangles, each once, and who has them."""

    def __init__(self) -> None:
        self.row: dict[tuple[int, int, int], int] = {}
        self.triangles: list[list[int]] = []
        self.claims: list[tuple[int, int, bool]] = []

    def add(self, triangles: list[list[int]], mesh: int) -> None:
        """Triangles that face outward of a mesh."""
        for corner in triangles:
            low, middle, high = sorted(corner)
            if low == middle or middle == high:
                continue
            row = self.row.setdefault((low, middle, high), len(self.triangles))
            if row == len(self.triangles):
                self.triangles.append(corner)
            given = self.triangles[row]
            same = given[(given.index(corner[0]) + 1) % 3] == corner[1]
            self.claims.append((row, mesh, not same))

    def conforming(self, place: Floats) -> ConformingTriangles:
        used, corner = np.unique(np.array(self.triangles, np.int64).reshape(-1, 3), return_inverse=True)
        claims = np.array(self.claims, np.int64).reshape(-1, 3)
        return ConformingTriangles(
            place[used],
            corner.reshape(-1, 3).astype(np.int64),
            claims[:, 0],
            claims[:, 1],
            claims[:, 2].astype(np.bool_),
        )


def _patches(vertices: Floats, triangles: Ints, owner: Ints, near: float) -> tuple[_Patches, Floats]:
    """The flat patches of all meshes with their borders as chains, and the places of all vertices of these."""
    patch = flat_parts(vertices, triangles, owner, near)
    point, normal = planes(vertices, triangles, patch)
    edges = edge_table(triangles)
    two = paired_half_edges(edges)
    inner = np.zeros(len(edges.of_half), np.bool_)
    inner[two[patch[two[:, 0] // 3] == patch[two[:, 1] // 3]]] = True
    rim = np.flatnonzero(~inner)
    ends = np.stack([triangles.reshape(-1)[rim], np.roll(triangles, -1, axis=1).reshape(-1)[rim]], axis=1)
    ends = weld_vertices(vertices, near)[ends]
    kept = ends[:, 0] != ends[:, 1]
    rim, ends = rim[kept], ends[kept]
    pair, which = np.unique(np.sort(ends, axis=1), axis=0, return_inverse=True)
    cut = chains(vertices, pair, near)
    border, of = _borders(cut, which.ravel(), ends[:, 0] != pair[which.ravel(), 0], patch[rim // 3])
    count = len(point)
    order = np.argsort(patch, kind="stable")
    bounds = np.searchsorted(patch[order], np.arange(count + 1))
    return _Patches(
        bounds,
        order,
        owner[order[bounds[:-1]]],
        point,
        normal,
        plane_axes(normal),
        np.searchsorted(of, np.arange(count + 1)),
        border,
    ), cut.vertices


def _borders(cut: Chains, edge: Ints, turned: Bools, patch: Ints) -> tuple[Ints, Ints]:
    """The pieces (n,2) of all borders, in the sense of their patch, and the patch (n,) of each, ascending."""
    count = np.diff(cut.start)[edge]
    owner = np.repeat(np.arange(len(edge)), count)
    begin = np.repeat(np.concatenate([[0], np.cumsum(count)])[:-1], count)
    piece = cut.piece[cut.start[edge[owner]] + np.arange(len(owner)) - begin]
    piece = np.where(turned[owner][:, None], piece[:, ::-1], piece)
    order = np.argsort(patch[owner], kind="stable")
    return piece[order], patch[owner][order]


def _within(found: _Patches, vertices: Floats, triangles: Ints, place: Floats, near: float) -> tuple[Ints, Ints]:
    """Pieces that lie in each patch and not on its border: `start (P+1,)` and pieces (n,2)."""
    piece = np.unique(np.sort(found.border, axis=1), axis=0)
    low, high = boxes(place[piece], near)
    count = len(found.mesh)
    corner = vertices[triangles[found.triangle]]
    begin = found.triangle_start[:-1]
    box = (np.minimum.reduceat(corner.min(axis=1), begin), np.maximum.reduceat(corner.max(axis=1), begin))
    own = np.repeat(np.arange(count), np.diff(found.border_start)) * len(piece) + _rows_of(piece, found.border)
    own = np.unique(own)
    patches, pieces = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for p, k in meeting_in_blocks(box[0], box[1], low, high):
        away = np.abs(dot(place[piece[k]] - found.point[p][:, None], found.normal[p][:, None]))
        flat = (away < 2.0 * near).all(axis=1)
        p, k = p[flat], k[flat]
        foreign = ~np.isin(p * len(piece) + k, own)
        patches.append(p[foreign])
        pieces.append(k[foreign])
    p, k = np.concatenate(patches), np.concatenate(pieces)
    order = np.lexsort((k, p))
    p, k = p[order], k[order]
    middle = place[piece[k]].mean(axis=1)
    kept = _covered(found, corner, p, middle)
    return np.searchsorted(p[kept], np.arange(count + 1)), piece[k[kept]]


def _rows_of(table: Ints, pieces: Ints) -> Ints:
    """The row of each piece in a sorted table of pieces with ascending ends."""
    count = int(table.max(initial=0)) + 1
    key = pieces.min(axis=1) * count + pieces.max(axis=1)
    return np.asarray(np.searchsorted(table[:, 0] * count + table[:, 1], key), np.int64)


def _covered(found: _Patches, corner: Floats, patch: Ints, point: Floats) -> Bools:
    """Whether points (n,3) near the planes of patches (n,) lie in them."""
    result = np.zeros(len(patch), np.bool_)
    bounds = np.searchsorted(patch, np.arange(len(found.mesh) + 1))
    for p in np.unique(patch).tolist():
        rows = slice(bounds[p], bounds[p + 1])
        frame = found.frame[p]
        flat = apply(frame, corner[found.triangle_start[p] : found.triangle_start[p + 1]] - found.point[p])
        result[rows] = covers(flat, apply(frame, point[rows] - found.point[p]))
    return result
