"""The skin of a refined body back in the artist's triangles: one outer face for each of them in each cell.

A body is refined so that bent space can be cut by planes; nothing of the refinement but its rims should reach the
artist. The faces are joined as those of fragments are (see ../dissolve.py), cell by cell: positions are not looked at,
for in bent space the edges of the body are no straight lines.
"""

from dataclasses import replace

import numpy as np

from ...jit import lean, sealed_floats
from ...types import Cells, Floats, Ints
from .. import packed
from ..cut import used_vertices
from ..dissolve import join_faces, straighten
from ..rings import Rings, collect, empty_rings, faces_of, find_mates


def joined_outer(cells: Cells, source: Ints, weight: Floats) -> Cells:
    """The cells of a refined body with outer faces that lie in the triangles of the body before it was refined.

    Args:
        cells: of the refined body, whose outer faces lie in its triangles.
        source: (T,) triangle of the body in which each refined triangle lies.
        weight: (T,3,3) barycentric coordinates of each refined corner in that triangle.

    All outer faces of a cell in one triangle become one simple loop, or a few where a loop would have a hole or touch
    itself. Vertices stay that an inner face of the cell uses, and those of the body, which are the refined corners with
    a weight of one. Each cell stays closed. Outer faces come in the order of their cells.

    """
    count = len(cells.volume)
    joined = replace(cells, outer_triangle=source[cells.outer_triangle])
    faces, cell_faces, cell_corners = faces_of(joined)
    rings = empty_rings(int(cell_faces.sum()), int(cell_corners.sum()))
    face_start, corner_start = np.zeros(count + 1, np.int64), np.zeros(count + 1, np.int64)
    of_cell, stamp = np.full(count, -1, np.int64), np.empty(len(cells.vertices), np.int64)
    collect(faces, np.arange(count + 1), np.arange(count), of_cell, face_start, corner_start, rings)
    mate, link = np.empty(len(rings.vertex), np.int64), np.empty(len(rings.vertex), np.int64)
    # At edges with more than two faces none is joined.
    find_mates(corner_start, rings.vertex, rings.following, stamp, link, mate, np.zeros(count, np.int64))
    every = np.arange(count)
    no_normal = sealed_floats(np.full_like(cells.bond_normal, np.nan))  # no two facets are of one plane
    work = join_faces(every, face_start, rings, rings.triangle, mate, stamp, cells.bond_cells, no_normal)
    left = np.flatnonzero((rings.following >= 0) & (rings.source >= 0))
    mixed = _mixed(cells, weight, rings.source[left])
    # Rows of `mixed`; the last one, of a vertex that stays, is that of all inner faces.
    row = np.full(len(mate), len(left))
    row[left] = np.arange(len(left))
    straighten(every, rings.start[face_start], rings.triangle, work, row, mixed, cells.vertices, 0.0)
    return _rewritten(joined, rings, work.entry, work.size, row, mixed)


def _mixed(cells: Cells, weight: Floats, corner: Ints) -> Floats:
    """(n+1,3) barycentric coordinates of outer corners (n,) in the body, and after them those of a vertex of it."""
    face = packed.owners(cells.outer_start)[corner]
    mixed = np.ones((len(corner) + 1, 3))
    mixed[-1, 1:] = 0.0
    np.einsum("nk,nki->ni", cells.outer_weight[corner], weight[cells.outer_triangle[face]], out=mixed[:-1])
    # Dyadic coordinates sum to one exactly, so this rounds nothing that is exact.
    mixed /= mixed.sum(axis=1)[:, None]
    return sealed_floats(mixed)


def _rewritten(cells: Cells, rings: Rings, entry: Ints, size: Ints, row: Ints, mixed: Floats) -> Cells:
    """The cells with the outer faces that are left of the rings; `entry` and `size (F,)` are those of each face."""
    left = np.flatnonzero((entry >= 0) & (rings.triangle >= 0))
    start = packed.starts(size[left])
    corner = np.empty(int(start[-1]), np.int64)
    _walk(entry[left], rings.following, start, corner)
    vertices, outer_vertex, inner_vertex = used_vertices(cells.vertices, rings.vertex[corner], cells.inner_vertex)
    return replace(
        cells,
        vertices=vertices,
        outer_start=start,
        outer_vertex=outer_vertex,
        outer_weight=mixed[row[corner]],
        outer_triangle=rings.triangle[left],
        outer_cell=rings.cell[left],
        inner_vertex=inner_vertex,
    )


@lean
def _walk(entry: Ints, following: Ints, start: Ints, corner: Ints) -> None:
    """Write the corners of each face, from its `entry` on."""
    for f in range(len(entry)):
        c = entry[f]
        for i in range(start[f], start[f + 1]):
            corner[i] = c
            c = following[c]
