"""Bonds of pieces on a grid: what two pieces share of one facet, in one connected part."""

from typing import NamedTuple

import numpy as np

from ...arithmetic.products import dot, norm
from ...geometry.graph import connected_labels
from ...geometry.sums import summed
from ...types import Floats, Ints, Partition
from .polygons import Polygons, area_vectors


class Bonds(NamedTuple):
    """B bonds and the bond of each of F polygons."""

    of: Ints  #: (F,)
    cells: Ints  #: (B,2) lo, hi
    area: Floats  #: (B,) [m^2]
    normal: Floats  #: (B,3) unit, from lo to hi
    centroid: Floats  #: (B,3) [m]
    strength: Floats  #: (B,)


def bonds_of(
    partition: Partition, vertices: Floats, polygons: Polygons, cells: Ints, regions: Ints, facet: Ints
) -> Bonds:
    """The bonds of inner polygons: `cells` and `regions (F,2)` lo and hi of each, and its `facet (F,)` or -1.

    Where the two regions have no facet in common, what was between them is thinner than a cell: the bond has the mean
    normal of its polygons, and the strength of the weakest facet of the two regions.
    """
    bond, first = _connected(polygons, cells, regions, len(vertices))
    count = len(first)
    vector, middle = area_vectors(vertices, polygons)
    size = norm(vector)
    total = summed(vector, bond, count)
    f = facet[first]
    forward = np.where(partition.facet_regions[f, 0] == regions[first, 0], 1.0, -1.0)
    length = norm(total)
    mean = np.where(length[:, None] > 0.0, total / np.where(length > 0.0, length, 1.0)[:, None], [0.0, 0.0, 1.0])
    normal = np.where((f >= 0)[:, None], forward[:, None] * partition.facet_normal[f], mean)
    area = np.abs(dot(total, normal))
    least = 1e-30 * float(np.square(np.ptp(vertices, axis=0)).sum())
    weight = np.where(np.bincount(bond, size, count)[bond] > least, size, 1.0)
    centroid = summed(weight[:, None] * middle, bond, count) / np.bincount(bond, weight, count)[:, None]
    weak = np.minimum(*(_weakest(partition)[regions[first, k]] for k in range(2)))
    strength = np.where(f >= 0, partition.facet_strength[f], weak)
    return Bonds(bond, cells[first], np.maximum(area, least), normal, centroid, strength)


def _connected(polygons: Polygons, cells: Ints, regions: Ints, vertex_count: int) -> tuple[Ints, Ints]:
    """Bond of each polygon, and the first polygon of each bond: those of one pair that share a vertex are one."""
    most = int(max(cells.max(initial=0), regions.max(initial=0))) + 1
    between = np.unique(cells[:, 0] * most + cells[:, 1], return_inverse=True)[1].ravel()
    key = (between * most + regions[:, 0]) * most + regions[:, 1]
    pair = np.unique(key, return_inverse=True)[1].ravel()
    owner = np.repeat(np.arange(len(pair)), np.diff(polygons.start))
    key = pair[owner] * vertex_count + polygons.corner
    order = np.argsort(key, kind="stable")
    same = np.flatnonzero(key[order][1:] == key[order][:-1])
    bond = connected_labels(len(pair), np.stack([owner[order[same]], owner[order[same + 1]]], axis=1))
    return bond, np.unique(bond, return_index=True)[1]


def _weakest(partition: Partition) -> Floats:
    """Smallest strength (R,) of the facets of each region."""
    weak = np.full(len(partition.site), np.inf)
    inner = partition.facet_regions[:, 1] >= 0
    for side in range(2):
        np.minimum.at(weak, partition.facet_regions[inner, side], partition.facet_strength[inner])
    return np.where(np.isfinite(weak), weak, 1.0)
