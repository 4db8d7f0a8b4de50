"""Space divided about an axis: a prism around it, and wedges between half-planes through the corners of the prism."""

from typing import NamedTuple

import numpy as np

from ..arithmetic.angles import arctan2, cos, sin
from ..arithmetic.products import apply, dot, norm
from ..geometry import packed
from ..types import Floats, Ints, Partition

#: Corners of the prism. More make its sides narrower, fewer leave more room between the sides and the core. By eye.
SIDES = 8
#: Of the prism's own size: keeps corners and half-planes off the body's vertices. As that of all partitions.
_JITTER = 1e-6
#: [rad] the seam lies so close to where it was asked for; 6 degrees, chosen by eye: wide enough for a gap among the
#: vertices.
_NEAR = 0.1
STREAM = 5801  #: of the random numbers
_MARGIN = 1.25  #: size of the whole, relative to what the body needs; chosen: any factor above 1 does


class Prism(NamedTuple):
    """A partition of a box around the body: wedge i is region i, the prism is region SIDES."""

    partition: Partition
    centre: Floats  #: (3,) a point of the prism's own axis, which lies beside the given one by the jitter [m]
    axes: Floats  #: (3,3) orthonormal, right-handed rows: towards the half-plane of the seam, across it, along the axis
    seam: Floats  #: (2,) direction from the centre to the seam's corner, along the first two axes
    plane: Floats  #: (1+SIDES,4) unit normal and offset of the seam, out of wedge 0, and of each side, out of its wedge


def prism_partition(vertices: Floats, point: Floats, axes: Floats, core: float, attempt: int) -> Prism:
    """Wedges 0, 1, ... follow each other counter-clockwise about the axis, from the half-plane of the seam on.

    vertices (V,3) of the body; `core`: the sides of the prism are so far from the axis [m]. The half-plane of the seam
    is that between the last wedge and the first. The lo region of a side is its wedge, that of a half-plane the wedge
    that begins there. The whole is turned by up to NEAR to keep off the vertices.
    """
    rng = np.random.default_rng([STREAM, attempt])
    shift = rng.uniform(-1.0, 1.0, (SIDES + 1, 2)) * _JITTER * core
    centre = point + apply(axes[:2].T, shift[SIDES])
    local = apply(axes, vertices - centre)
    turn = 2.0 * np.pi * np.arange(SIDES) / SIDES + _gap(local, core)
    corner = core / cos(np.pi / SIDES) * np.stack([cos(turn), sin(turn)], axis=1) + shift[:SIDES]
    # The outer corners are the inner ones further out, so that half-planes go through the axis.
    out = _MARGIN * max(float(norm(local[:, :2]).max()), core) / core + 1.0
    low, high = float(local[:, 2].min()), float(local[:, 2].max())
    margin = (_MARGIN - 1.0) * (high - low) + core
    flat = np.concatenate([corner, out * corner])
    levels = [np.column_stack([flat, np.full(len(flat), h)]) for h in (low - margin, high + margin)]
    points = centre + apply(axes.T, np.concatenate(levels))
    polygons, regions = _facets()
    middle = 0.5 * (low + high) * axes[2]
    wide = 0.25 * (1.0 + out) * (corner + np.roll(corner, -1, axis=0))
    site = np.concatenate([centre + middle + apply(axes[:2].T, wide), [centre + middle]])
    partition = _partition(points, polygons, regions, site)
    kept = np.concatenate([[SIDES], np.arange(SIDES)])
    normal = partition.facet_normal[kept]
    offset = dot(normal, partition.facet_point[kept])
    return Prism(partition, centre, axes, corner[0], np.column_stack([normal, offset]))


def _gap(local: Floats, core: float) -> float:
    """The angle near 0 that is farthest from those of vertices: between columns of vertices there are no slivers."""
    outside = local[norm(local[:, :2]) > core]
    angle = arctan2(outside[:, 1], outside[:, 0])
    ends = np.concatenate([[-_NEAR], np.sort(angle[np.abs(angle) < _NEAR]), [_NEAR]])
    widest = int(np.argmax(np.diff(ends)))
    return float(0.5 * (ends[widest] + ends[widest + 1]))


def _facets() -> tuple[list[list[int]], Ints]:
    """Corners of each facet, counter-clockwise seen from hi, and regions (F,2) lo, hi: sides first, then half-planes.

    Points are numbered: inner corners, outer corners, the same at the upper level.
    """
    polygons: list[list[int]] = []
    regions: list[tuple[int, int]] = []
    n, up = SIDES, 2 * SIDES
    pairs = [(i, (i + 1) % n) for i in range(n)]
    for i, j in pairs:
        polygons.append([j, i, up + i, up + j])
        regions.append((i, n))
    for i in range(n):
        polygons.append([i, n + i, up + n + i, up + i])
        regions.append((i, (i - 1) % n))
    for i, j in pairs:
        floor = [i, n + i, n + j, j]
        polygons += [[n + i, n + j, up + n + j, up + n + i], floor[::-1], [up + k for k in floor]]
        regions += [(i, -1)] * 3
    polygons += [list(range(n))[::-1], [up + k for k in range(n)]]
    regions += [(n, -1)] * 2
    return polygons, np.array(regions, np.int64)


def _partition(points: Floats, polygons: list[list[int]], regions: Ints, site: Floats) -> Partition:
    start = packed.packed_starts(np.array([len(polygon) for polygon in polygons], np.int64))
    first = np.concatenate([np.array(polygon, np.int64) for polygon in polygons])
    second = first[packed.following(start)]
    low, high = np.minimum(first, second), np.maximum(first, second)
    key, edge = np.unique(low * len(points) + high, return_inverse=True)
    ends = np.stack([key // len(points), key % len(points)], axis=1)
    along = points[ends[:, 1]] - points[ends[:, 0]]
    line = np.stack([points[ends[:, 0]], along / norm(along)[:, None]], axis=1)
    owner, sides = packed.owners(start), regions.ravel()
    region_start, row = packed.group_by_owner(sides[sides >= 0], len(site))
    edge_start, corner = packed.group_by_owner(edge.ravel().astype(np.int64), len(key))
    return Partition(
        vertices=points,
        edge_vertices=ends,
        edge_line=line,
        facet_regions=regions,
        facet_normal=np.array([_normal(points[polygon]) for polygon in polygons]),
        facet_point=points[[polygon[0] for polygon in polygons]],
        facet_start=start,
        facet_edge=edge.ravel().astype(np.int64),
        facet_edge_sign=np.where(first == low, 1, -1),
        region_start=region_start,
        region_facet=np.flatnonzero(sides >= 0)[row] // 2,
        edge_start=edge_start,
        edge_facet=owner[corner],
        site=site,
        group=np.arange(len(site)),
        facet_strength=np.ones(len(polygons)),
    )


def _normal(corners: Floats) -> Floats:
    """Newell's sum over the corners, as a unit vector."""
    arm = corners - corners[0]
    normal: Floats = np.cross(arm[1:-1], arm[2:]).sum(axis=0)
    return np.asarray(normal / norm(normal))
