"""A body cut by an artist's own pattern with Boolean operations of manifold3d, as `booleans.py` does.

The walls of the pattern are there twice, with equal coordinates and triangles, so both copies meet the body in the same
way. Regions that touch go through operations of their own: where one comes out in the middle of a triangle of the body
its outline is that of a hole in its neighbour's skin, and manifold3d would join the two.

A bond is a connected part of a flat facet: two pieces that interlock have several, each with its own normal. Regions
may have any shape; where one falls into several pieces, each of them is a cell.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from ...arithmetic.products import dot, norm
from ...geometry.crossings import crossing_pairs
from ...geometry.inside import winding_number
from ...geometry.mesh import cross_rows
from ...types import Body, Bools, Cells, Floats, Ints, OwnPattern
from ..assemble_cells import assemble_cells
from ..booleans import Polytopes, label_triangles, put_back
from ..retry import Hopeless


def cut_by_own(body: Body, pattern: OwnPattern) -> Cells:
    """The cells of a closed body [m] of one part and a pattern that was placed in its coordinates.

    Every wall between two pieces is stored once, with vertices that both share; the outer faces are those of the body,
    cut. Time: some five to ten Boolean operations of the body.
    Raises CutError where the result fails a check, and Hopeless where the body reaches out of the pattern or overlaps
    itself.
    """
    middle = 0.5 * (body.vertices.min(axis=0) + body.vertices.max(axis=0))
    local = replace(body, vertices=body.vertices - middle)
    if len(crossing_pairs(local.vertices, local.triangles, limit=1)):
        raise Hopeless("The mesh crosses or overlaps itself: unite its parts with a Boolean modifier (Union).")
    cells = _cut(local, replace(pattern, vertices=pattern.vertices - middle, site=pattern.site - middle))
    return put_back(cells, local, body, middle)


class _Regions(NamedTuple):
    """The regions as `labelled.py` wants to know them."""

    site: Floats
    group: Ints
    dropped: Bools


class _Walls(NamedTuple):
    """The flat facets of the walls as `labelled.py` wants to know them; a cell of the pattern is a region."""

    region: Ints
    bond_cells: Ints
    bond_normal: Floats
    bond_strength: Floats


def _cut(body: Body, pattern: OwnPattern) -> Cells:
    _check_enclosed(body, pattern)
    parts = _polytopes(pattern)
    labelled = label_triangles(body, parts, pattern.sides, lambda point: region_at(pattern, point))
    # Triangles kept their own numbers in the Boolean; from here on a facet counts as one plane.
    inner = ~labelled.skin
    face = labelled.face.copy()
    face[inner] = 2 * pattern.facet[face[inner] // 2] + face[inner] % 2
    count = len(pattern.site)
    return assemble_cells(
        body,
        _Regions(pattern.site, np.arange(count), np.zeros(0, np.bool_)),
        _facets(pattern),
        labelled._replace(face=face),
    )


def _facets(pattern: OwnPattern) -> _Walls:
    """Facets with the regions at their first triangle, and their normals from lo to hi."""
    count = int(pattern.facet.max()) + 1
    first = np.unique(pattern.facet, return_index=True)[1]
    a, b, c = (pattern.vertices[pattern.triangles[:, k]] for k in range(3))
    vector = cross_rows(b - a, c - a)
    normal = np.stack([np.bincount(pattern.facet, vector[:, k], count) for k in range(3)], axis=1).astype(np.float64)
    length = norm(normal)
    normal /= np.where(length > 0.0, length, 1.0)[:, None]
    return _Walls(np.arange(len(pattern.site)), pattern.sides[first], normal, np.ones(count))


def _polytopes(pattern: OwnPattern) -> list[Polytopes]:
    """The borders of all regions, outward, as meshes of closed parts, of which no two touch."""
    inner = np.flatnonzero(pattern.sides[:, 1] >= 0)
    rim = np.flatnonzero(pattern.sides[:, 1] < 0)
    lo, hi = pattern.copies[:, 0], pattern.copies[:, 1]
    triangle = np.concatenate([lo[rim], lo[inner], hi[inner][:, ::-1]])
    face = np.concatenate([np.full(len(rim), -1), 2 * inner, 2 * inner + 1])
    region = np.concatenate([pattern.sides[rim, 0], pattern.sides[inner, 0], pattern.sides[inner, 1]])
    colour = _colours(pattern)[region]
    return [_part(pattern, triangle[colour == k], face[colour == k]) for k in range(int(colour.max()) + 1)]


def _part(pattern: OwnPattern, triangle: Ints, face: Ints) -> Polytopes:
    used, corner = np.unique(triangle, return_inverse=True)
    return Polytopes(pattern.vertices[pattern.copy_vertex[used]], corner.reshape(-1, 3).astype(np.int64), face)


def _colours(pattern: OwnPattern) -> Ints:
    """(R,) numbers of the regions, such that two that share a vertex differ; as few as a greedy choice needs."""
    region = np.repeat(pattern.sides.ravel(), 3)
    vertex = pattern.copy_vertex[pattern.copies.reshape(-1)]
    mine = region >= 0
    on = csr_matrix(
        (np.ones(int(mine.sum())), (region[mine], vertex[mine])), shape=(len(pattern.site), vertex.max() + 1)
    )
    touching = (on @ on.T).tocsr()
    colour = np.full(len(pattern.site), -1)
    for region in np.argsort(-np.diff(touching.indptr), kind="stable"):
        taken = set(colour[touching.indices[touching.indptr[region] : touching.indptr[region + 1]]].tolist())
        colour[region] = next(k for k in range(len(colour)) if k not in taken)
    return colour


def _check_enclosed(body: Body, pattern: OwnPattern) -> None:
    """The outermost surface is convex: nothing of the body may lie beyond one of its planes."""
    rim = pattern.triangles[pattern.sides[:, 1] < 0]
    a, b, c = (pattern.vertices[rim[:, k]] for k in range(3))
    normal = cross_rows(b - a, c - a)
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    farthest = np.where(normal > 0.0, high, low)
    if np.any(dot(normal, farthest - a) >= 0.0):
        raise Hopeless("The mesh reaches out of the pattern: make the pattern larger.")


def region_at(pattern: OwnPattern, point: Floats) -> int:
    """The region around a point (3,) that lies on no wall; the nearest by its site where there is none."""
    for region in np.argsort(np.square(pattern.site - point).sum(axis=1), kind="stable").tolist():
        vertices, triangles = region_mesh(pattern, region)
        if winding_number(vertices, triangles, point[None])[0] > 0:
            return int(region)
    return int(np.argmin(np.square(pattern.site - point).sum(axis=1)))


def region_mesh(pattern: OwnPattern, region: int) -> tuple[Floats, Ints]:
    """The border of one region: its vertices (V',3), and triangles (n,3) that face outward."""
    lo, hi = pattern.sides[:, 0] == region, pattern.sides[:, 1] == region
    rows = np.concatenate([pattern.copies[lo, 0], pattern.copies[hi, 1][:, ::-1]])
    used, corner = np.unique(rows, return_inverse=True)
    return pattern.vertices[pattern.copy_vertex[used]], corner.reshape(-1, 3).astype(np.int64)
