"""Formulas of Su 2009, section 3, on a grid, to hold the cutter against: docs/papers/su2009.md, B4, B6, B8.

The cutter itself has one label a node instead of level sets, and measures its closed pieces.

V = int 1, C = 1/V int x, Sigma = int (x - C)(x - C)^T, I = rho (tr(Sigma) 1 - Sigma). The paper prints Sigma about the
origin of the grid and leaves out what each cell has about its own centre, h^2/12 of its volume along each axis; both
are put right here.
"""

import numpy as np
from scipy import ndimage

from core.arithmetic.products import dot
from core.cutting.level_set.flood import node_counts
from core.cutting.level_set.grid import Grid
from core.fragments.mass import Masses
from core.geometry.bvh import build_tree
from core.geometry.nearest import nearest_in
from core.geometry.sums import summed
from core.types import Body, Bools, Floats, Ints, Partition

#: A node and the 26 around it.
_AROUND = np.ones((3, 3, 3), np.bool_)


def signed_distance(body: Body, grid: Grid, within: Bools, layers: int = 2) -> Floats:
    """The level set of a body on the nodes [m]: its distance, negative where the node is `within` it.

    Exact on the nodes next to the surface and on so many more `layers` of them to both sides, which is all that a
    surface between nodes depends on. Beyond them it is `layers` cells, with the right sign: less than the distance.
    """
    band = ndimage.binary_dilation(within, ndimage.generate_binary_structure(3, 1)) & ~within
    band |= ndimage.binary_dilation(~within, ndimage.generate_binary_structure(3, 1)) & within
    band = ndimage.binary_dilation(band, _AROUND, iterations=layers)
    away = np.full(grid.shape, layers * grid.spacing)
    near = np.flatnonzero(band)
    away.reshape(-1)[near] = nearest_in(build_tree(body.vertices, body.triangles), grid.places(near))[2]
    return np.where(within, -away, away)


def snap_to_node(grid: Grid, point: Floats) -> Floats:
    """The place (3,) [m] of the node nearest to a point, on the endless grid.

    A pattern that is moved by whole cells needs no interpolation (Su 2009, section 3). The move is at most half the
    diagonal of a cell, h sqrt(3) / 2.
    """
    return np.asarray(grid.origin + grid.spacing * np.rint((point - grid.origin) / grid.spacing))


def region_distance(partition: Partition, region: int, points: Floats) -> Floats:
    """Level set (n,) [m] of a convex region at points (n,3): the largest of the signed distances from its facets.

    Exact inside, too small in magnitude outside off an edge.
    """
    facets = partition.region_facet[partition.region_start[region] : partition.region_start[region + 1]]
    away = np.full(len(points), -np.inf)
    for f in facets:
        outward = partition.facet_normal[f]
        if partition.facet_regions[f, 0] != region:
            outward = -outward
        away = np.maximum(away, dot(points - partition.facet_point[f], outward))
    return away


def fragment_distance(region: Floats, parent: Floats) -> Floats:
    """Level set of what a body and a region have in common: phi_f = max(phi_region, phi_parent), Su 2009, section 3."""
    return np.maximum(region, parent)


def grid_masses(grid: Grid, label: Ints, count: int, mass: float) -> Masses:
    """Mass properties of the pieces 0..count-1 of a body of that `mass` [kg], from the labels of the nodes.

    Every cell with matter belongs to one piece, so the masses sum to the body's, and linear and angular momentum are
    kept when each piece goes on with the body's velocity field. A piece without cells has no mass.
    """
    h, nodes = grid.spacing, np.flatnonzero(label >= 0)
    cube = h * h * h
    piece, x = label.reshape(-1)[nodes], grid.places(nodes)
    cells = node_counts(label, count)
    safe = np.maximum(cells, 1.0)
    middle = 0.5 * grid.spacing * (np.array(grid.shape) - 1.0) + grid.origin
    centre = middle + summed(x - middle, piece, count) / safe[:, None]
    d = x - centre[piece]
    second = summed((d[:, :, None] * d[:, None, :]).reshape(-1, 9), piece, count).reshape(-1, 3, 3) * cube
    volume = cells * cube
    second += (volume * (h * h) / 12.0)[:, None, None] * np.eye(3)
    density = mass / float(volume.sum()) if len(nodes) else 0.0
    inertia = density * (np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second)
    return Masses(volume, density * volume, centre, inertia)
