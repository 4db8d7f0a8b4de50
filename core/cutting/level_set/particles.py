"""Particles on the surfaces of pieces, from which shapes for contact are made (Su 2009, section 3).

A body has particles on its surface, and so has each region of a pattern. A piece gets those of the body that lie in its
region, and those of its region that lie in the body.
"""

from typing import NamedTuple

import numpy as np

from ...arithmetic.products import multiply
from ...geometry import packed
from ...geometry.inside import inside
from ...geometry.mesh import areas
from ...types import Body, Floats, Ints, Partition
from .grid import OFFSETS, Grid
from .regions import point_regions


class Particles(NamedTuple):
    """The particles of C pieces, packed."""

    start: Ints  #: (C+1,)
    point: Floats  #: (P,3) [m]


def particles_of(body: Body, partition: Partition, grid: Grid, region: Ints, label: Ints, count: int) -> Particles:
    """The surface particles of the pieces 0..count-1, no farther apart than a cell of the grid.

    `region` and `label (nx,ny,nz)` are those of the nodes. Which of several pieces of a region a particle belongs to is
    what the nearest node of that region says, out of the eight around the particle; where there is none, as in
    corners thinner than a cell, the particle is left out. Particles on a facet belong to both sides.
    """
    skin, _ = sample_triangles(body.vertices[body.triangles], grid.spacing)
    facet_corner, facet = facet_triangles(partition)
    wall, of = sample_triangles(facet_corner, grid.spacing)
    kept = inside(body, wall)
    wall, sides = wall[kept], partition.facet_regions[facet[of[kept]]]
    points = np.concatenate([skin, wall, wall])
    home = np.concatenate([point_regions(partition, skin), sides[:, 0], sides[:, 1]])
    piece = _nearest_piece(points, home, grid, region, label)
    rows = np.flatnonzero(piece >= 0)
    start, order = packed.group_by_owner(piece[rows], count)
    return Particles(start, points[rows[order]])


def facet_triangles(partition: Partition) -> tuple[Floats, Ints]:
    """The facets within the pattern as triangles (n,3,3) around their first corners, and the facet (n,) of each."""
    p = partition
    begin, end = p.edge_vertices[p.facet_edge].T
    first = begin[p.facet_start[:-1]]
    facet = np.repeat(np.arange(len(first)), np.diff(p.facet_start))
    rows = np.flatnonzero((p.facet_regions[facet, 1] >= 0) & (begin != first[facet]) & (end != first[facet]))
    return p.vertices[np.stack([first[facet[rows]], begin[rows], end[rows]], axis=1)], facet[rows]


def sample_triangles(corner: Floats, spacing: float) -> tuple[Floats, Ints]:
    """Points (n,3) on triangles (T,3,3), their corners included, no farther apart than `spacing`; and their triangles.

    Each point once in each triangle.
    """
    return _placed(corner, spacing, 0.0)


def sample_middles(vertices: Floats, triangles: Ints, spacing: float) -> tuple[Floats, Floats]:
    """Points (n,3) in the middle of equal parts of triangles, no larger than `spacing`, and the area of each [m^2]."""
    points, triangle = _placed(vertices[triangles], spacing, 1.0 / 3.0)
    return points, (areas(vertices, triangles) / np.bincount(triangle, minlength=len(triangles)))[triangle]


def _placed(corner: Floats, spacing: float, shift: float) -> tuple[Floats, Ints]:
    """Points at (i + shift, j + shift) / n of the way along two sides of each triangle, where they are in it."""
    side = np.square(corner - corner[:, [1, 2, 0]]).sum(axis=2).max(axis=1, initial=0.0)
    parts = np.maximum(np.ceil(np.sqrt(side) / spacing), 1.0).astype(np.int64)
    points, owner = [np.zeros((0, 3))], [np.zeros(0, np.int64)]
    for n in np.unique(parts):
        rows = np.flatnonzero(parts == n)
        weight = _shares(int(n), shift)
        points.append(multiply(weight, corner[rows]).reshape(-1, 3))
        owner.append(np.repeat(rows, len(weight)))
    return np.concatenate(points), np.concatenate(owner)


def _shares(n: int, shift: float) -> Floats:
    """Barycentric coordinates (m,3): the (n+1)(n+2)/2 points of a lattice, or with a shift the middles of its parts."""
    i, j = (x.ravel() for x in np.mgrid[: n + 1, : n + 1])
    u = np.stack([i, j], axis=1) + shift
    if shift > 0.0:
        u = np.concatenate([u, u + shift])
    u = u[u.sum(axis=1) <= n + 1e-9] / n
    return np.column_stack([1.0 - u.sum(axis=1), u])


def _nearest_piece(points: Floats, home: Ints, grid: Grid, region: Ints, label: Ints) -> Ints:
    """Piece (n,) at the nearest of the eight nodes around each point that is in its region, -1 without."""
    at = (points - grid.origin) / grid.spacing
    low = np.clip(at.astype(np.int64), 0, np.array(grid.shape) - 2)
    piece, best = np.full(len(points), -1), np.full(len(points), np.inf)
    for corner in range(8):
        node = low + OFFSETS[corner]
        away = np.square(at - node).sum(axis=1)
        flat = np.ravel_multi_index(tuple(node.T), grid.shape)
        closer = (region.reshape(-1)[flat] == home) & (home >= 0) & (away < best)
        piece[closer], best[closer] = label.reshape(-1)[flat[closer]], away[closer]
    return piece
