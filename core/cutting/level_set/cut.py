"""The third cutter: pieces as labels on a grid, with surfaces from dual contouring (Su 2009, section 3).

Nothing is asked of the body but inside and outside, and nothing can fail at a coincidence; what is thinner than a cell
is not resolved. The time depends on the resolution, not on how the triangles lie.
"""

from typing import NamedTuple

import numpy as np

from ...arithmetic.products import dot
from ...errors import InputError
from ...geometry.barycentric import closest_weights
from ...geometry.mesh import cross_rows
from ...types import Body, Bools, Cells, Floats, Ints, Partition
from ..components import CellSides
from ..crumbs import region_sites, region_units
from ..moments import cell_moments
from .bonds import bonds_of
from .crossings import Crossings, crossings_of
from .faces import DualFaces, find_dual_faces
from .flood import GridPieces, flooded, node_counts
from .grid import Shorts, grid_around, inside_nodes
from .placing import sheet_vertices
from .polygons import Polygons, flat_polygons
from .regions import node_regions
from .thin import check_nodes, check_volume

#: A piece with less than this share of the volume of its nodes is contoured within its voxels. By eye.
SHRUNK = 0.2


def cut_by_level_sets(body: Body, partition: Partition, resolution: int) -> Cells:
    """Cut a closed body on a grid with `resolution` cells along its longest side.

    The pieces are closed and fit each other bit for bit, their walls are flat, and edges of the body stay sharp; but
    all of them together are the body contoured on the grid: its surface is the body's within a cell h, and its volume
    differs from the body's by the order of h times the length of edges that the grid rounds off, h^2 on smooth bodies.
    Outer faces name a body triangle that they cross; their corners have the weights of the closest place in it, which
    is not quite where they are. Groups and crumbs make units as in `cut.cut`. Parts of one cell join a neighbour.

    Raises:
        InputError: no matter is left on the grid, or walls are thinner than its cells; says which resolution would do.
        CutError: the body reaches out of the pattern.

    """
    grid = grid_around(body, resolution)
    within = inside_nodes(body, grid)
    check_nodes(body, grid, within)
    region = node_regions(partition, grid, within)
    pieces = flooded(region)
    faces = find_dual_faces(pieces.label)
    crossings = crossings_of(body, partition, grid, region, faces)
    confined = np.zeros(len(faces.voxel), np.bool_)
    vertices = sheet_vertices(grid, faces, crossings, confined)
    small = _shrunk(pieces, faces, vertices, grid.spacing)
    if small.any():
        label = pieces.label.reshape(-1)
        confined[faces.corner[small[label[faces.begin]] | small[label[faces.end]] & (label[faces.end] >= 0)]] = True
        vertices = sheet_vertices(grid, faces, crossings, confined)
    cells = _cells(body, partition, region, pieces, faces, crossings, vertices, grid.spacing)
    check_volume(body, grid, float(cells.volume.sum()))
    return cells


def _shrunk(pieces: GridPieces, faces: DualFaces, vertices: Floats, h: float) -> Bools:
    """Pieces (C,) that have lost most of the volume of their nodes, for vertices of them have passed each other."""
    label, count = pieces.label.reshape(-1), len(pieces.region)
    middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    a, b, c, d = (vertices[faces.corner[:, k]] - middle for k in range(4))
    part = (dot(a, cross_rows(b, c)) + dot(a, cross_rows(c, d))) / 6.0
    inner = label[faces.end] >= 0
    volume = np.bincount(label[faces.begin], part, count)
    volume -= np.bincount(label[faces.end[inner]], part[inner], count)
    return np.asarray(volume < SHRUNK * (h * h * h) * node_counts(pieces.label, count))


class _Walls(NamedTuple):
    """Inner polygons, seen counter-clockwise from hi."""

    polygons: Polygons
    cells: Ints  #: (F,2) lo, hi
    regions: Ints  #: (F,2)
    facet: Ints  #: (F,)


def _walls(
    partition: Partition, region: Shorts, label: Shorts, faces: DualFaces, facet: Ints, vertices: Floats, h: float
) -> _Walls:
    """The walls; lo is that of the facet, or the piece with the lower number where there is none."""
    rows = np.flatnonzero(label[faces.end] >= 0)
    ends = np.stack([faces.begin[rows], faces.end[rows]], axis=1)
    f = facet[rows]
    back = np.where(f >= 0, partition.facet_regions[f, 0] != region[ends[:, 0]], label[ends[:, 0]] > label[ends[:, 1]])
    ends[back] = ends[back, ::-1]
    corner = faces.corner.copy()
    corner[rows[back]] = corner[rows[back], ::-1]
    polygons = flat_polygons(vertices, corner, rows, h)
    at = np.searchsorted(rows, polygons.face)
    return _Walls(polygons, label[ends[at]], region[ends[at]], f[at])


def _cells(
    body: Body,
    partition: Partition,
    region: Shorts,
    pieces: GridPieces,
    faces: DualFaces,
    crossings: Crossings,
    vertices: Floats,
    h: float,
) -> Cells:
    label, count = pieces.label.reshape(-1), len(pieces.region)
    skin = flat_polygons(vertices, faces.corner, np.flatnonzero(label[faces.end] < 0), h)
    walls = _walls(partition, region.reshape(-1), label, faces, crossings.facet, vertices, h)
    outer_cell = label[faces.begin[skin.face]]
    volume, centroid, second, outer_area = _moments(skin, outer_cell, walls, vertices, count)
    if not np.all(volume > 0.0):
        raise InputError("Some pieces are smaller than the cells of the grid: raise the Resolution, or make fewer.")
    bonds = bonds_of(partition, vertices, walls.polygons, walls.cells, walls.regions, walls.facet)
    unit, crumb = region_units(partition, pieces.region, bonds.cells, bonds.area, volume, outer_area)
    triangle = crossings.triangle[skin.face]
    corner = body.vertices[body.triangles[np.repeat(triangle, np.diff(skin.start))]]
    return Cells(
        vertices=vertices,
        outer_start=skin.start,
        outer_vertex=skin.corner,
        outer_weight=closest_weights(corner, vertices[skin.corner]),
        outer_triangle=triangle,
        outer_cell=outer_cell,
        inner_start=walls.polygons.start,
        inner_vertex=walls.polygons.corner,
        inner_bond=bonds.of,
        bond_cells=bonds.cells,
        bond_area=bonds.area,
        bond_normal=bonds.normal,
        bond_centroid=bonds.centroid,
        bond_strength=bonds.strength,
        volume=volume,
        centroid=centroid,
        second_moment=second,
        region=pieces.region,
        site=region_sites(partition.site[pieces.region], pieces.region, centroid),
        unit=unit,
        crumb=crumb,
    )


def _moments(
    skin: Polygons, outer_cell: Ints, walls: _Walls, vertices: Floats, count: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Volume, centroid, second moment and outer area of each cell, exactly those of its closed surface."""
    none = np.zeros(0, np.int64)
    sides = CellSides(
        skin.start, skin.corner, outer_cell, walls.polygons.start, walls.polygons.corner, walls.regions.T.ravel(),
        none, 0,
    )  # fmt: skip
    cell = np.concatenate([outer_cell, walls.cells[:, 0], walls.cells[:, 1]])
    return cell_moments(sides, cell, vertices, count)
