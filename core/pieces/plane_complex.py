"""All the convex regions that a set of planes cuts a box into, as a face-to-face complex.

Everything follows from the points where three planes meet: on the line of two planes the points in their order bound
the edges, and the sides of all other planes on which an edge lies name the facets and regions around it. Two elements
are the same when they lie on the same planes and on the same sides of the rest: nothing is compared by its position.

Limitation: n planes in general position make about n^3/6 regions.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arithmetic.products import apply, dot, norm
from ..errors import CutError, InputError
from ..types import Bools, Floats, Ints, Partition
from .incidence import facets_of_edges, find_region_facets, owner_starts

#: Two planes whose normals differ by less than this angle [rad] do not meet inside of the box. Chosen: where they meet
#: is lost in round-off, of 1e-16 over the angle.
_PARALLEL = 1e-10
#: Most combinations of three planes that are looked at: 60 planes in general position have 34 thousand. Bounds the
#: memory.
MOST_COMBINATIONS = 8_000_000


class _Planes(NamedTuple):
    """The given planes and, after them, the six of the box, outward."""

    normal: Floats  #: (n,3)
    offset: Floats  #: (n,)
    inner: int  #: number of given planes


class _Corners(NamedTuple):
    """Points where three planes meet, inside of the box."""

    planes: Ints  #: (P,3) ascending
    position: Floats  #: (P,3)


class _Edges(NamedTuple):
    """Stretches of the lines of two planes between two corners."""

    planes: Ints  #: (E,2) ascending
    ends: Ints  #: (E,2) in the direction of the line
    line: Floats  #: (E,2,3)
    above: Bools  #: (E,n) whether the edge lies on the positive side of each plane; False for its own two


def plane_complex(normals: Floats, points: Floats, low: Floats, high: Floats) -> Partition:
    """The regions between planes through `points (n,3)` [m] with `normals (n,3)`, inside of the box low..high (3,).

    Make the box larger than the body. Sites are means over the corners of the regions. Raises CutError where round-off
    decides how planes meet, as where four of them share a point: move them by a jitter. Raises InputError where more
    planes cross than anyone wants to wait for.
    """
    origin = 0.5 * (np.asarray(low, np.float64) + np.asarray(high, np.float64))
    planes = _with_box(np.asarray(normals, np.float64), np.asarray(points, np.float64) - origin, low - origin)
    corners = _corners(planes)
    edges = _edges(planes, corners)
    regions, normal_of, facet_start, facet_edge, facet_sign = _facets(planes, edges)
    count = int(regions.max()) + 1
    region_start, region_facet = find_region_facets(regions, count)
    edge_start, edge_facet = facets_of_edges(facet_start, facet_edge, len(edges.ends))
    middle = np.add.reduceat(corners.position[edges.ends].mean(axis=1)[facet_edge], facet_start[:-1])
    middle /= np.diff(facet_start)[:, None]
    site = np.add.reduceat(middle[region_facet], region_start[:-1]) / np.diff(region_start)[:, None]
    normal = planes.normal[normal_of]
    return Partition(
        vertices=corners.position + origin,
        edge_vertices=edges.ends,
        edge_line=edges.line + np.stack([origin, np.zeros(3)]),
        facet_regions=regions,
        facet_normal=normal,
        facet_point=(planes.offset[:, None] * planes.normal + origin)[normal_of],
        facet_start=facet_start,
        facet_edge=facet_edge,
        facet_edge_sign=facet_sign,
        region_start=region_start,
        region_facet=region_facet,
        edge_start=edge_start,
        edge_facet=edge_facet,
        site=site + origin,
        group=np.arange(count),
        facet_strength=np.ones(len(regions)),
    )


def _with_box(normals: Floats, points: Floats, low: Floats) -> _Planes:
    """The planes and those of a box about the origin."""
    unit = normals / norm(normals)[:, None]
    offset = dot(unit, points)
    sides = np.concatenate([np.eye(3), -np.eye(3)])
    return _Planes(np.concatenate([unit, sides]), np.concatenate([offset, -low, -low]), len(unit))


def _lines(planes: _Planes, pair: Ints) -> tuple[Floats, Floats, Bools]:
    """A point (n,3) and the direction (n,3) of the line of each pair (n,2) of planes, and whether there is a line."""
    a, b = planes.normal[pair[:, 0]], planes.normal[pair[:, 1]]
    c, d = planes.offset[pair[:, 0], None], planes.offset[pair[:, 1], None]
    direction = np.cross(a, b)
    squared = dot(direction, direction)[:, None]
    crossing = squared[:, 0] > _PARALLEL * _PARALLEL
    squared = np.where(crossing[:, None], squared, 1.0)
    # x = (c b x d + d d x a)/|d|^2 solves a.x = c, b.x = d with the smallest |x|
    point = (c * np.cross(b, direction) + d * np.cross(direction, a)) / squared
    return point, direction / np.sqrt(squared), crossing


def _corners(planes: _Planes) -> _Corners:
    """Every point of three planes in the box, found from the lines that reach into it."""
    wall = np.arange(planes.inner, len(planes.normal))
    pair = np.stack(np.triu_indices(len(planes.normal), 1), axis=1)
    point, direction, crossing = _lines(planes, pair)
    entry, leave = _stretch(planes, pair, point, direction)
    # a little generous: the corner itself decides below
    slack = 1e-6 * planes.offset[wall].max()
    kept = crossing & (entry <= leave + slack)
    pair, point, direction, entry, leave = (item[kept] for item in (pair, point, direction, entry, leave))
    if len(pair) * len(planes.normal) > MOST_COMBINATIONS:
        raise InputError("There are too many planes that cross; ask for fewer slices, or for less tilt.")
    at, _ = _meetings(planes, pair, point, direction, np.arange(len(planes.normal)))
    row, third = np.nonzero((at >= (entry - slack)[:, None]) & (at <= (leave + slack)[:, None]))
    triple = np.unique(np.sort(np.concatenate([pair[row], third[:, None]], axis=1), axis=1), axis=0)
    n = planes.normal[triple]
    volume = dot(n[:, 0], np.cross(n[:, 1], n[:, 2]))
    triple, n, volume = (item[np.abs(volume) > _PARALLEL] for item in (triple, n, volume))
    c = planes.offset[triple]
    position = sum(c[:, k, None] * np.cross(n[:, (k + 1) % 3], n[:, (k + 2) % 3]) for k in range(3)) / volume[:, None]
    over = apply(planes.normal[wall], position) - planes.offset[wall]
    over[(triple[:, :, None] == wall).any(axis=1)] = 0.0  # on its own planes
    inside = np.all(over <= 0.0, axis=1)
    return _Corners(triple[inside], np.ascontiguousarray(position[inside]))


def _meetings(planes: _Planes, pair: Ints, point: Floats, direction: Floats, others: Ints) -> tuple[Floats, Floats]:
    """Where (n,m) along the lines of pairs of planes they meet the `others (m,)`, NaN where never; and how steeply."""
    along = apply(planes.normal[others], direction)
    along[(pair[:, :, None] == others).any(axis=1) | (np.abs(along) <= _PARALLEL)] = np.nan
    return (planes.offset[others] - apply(planes.normal[others], point)) / along, along


def _stretch(planes: _Planes, pair: Ints, point: Floats, direction: Floats) -> tuple[Floats, Floats]:
    """Where (n,) along each line the box begins and ends; the end comes first where a line misses the box."""
    at, along = _meetings(planes, pair, point, direction, np.arange(planes.inner, len(planes.normal)))
    entry = np.where(along < 0.0, at, -np.inf).max(axis=1)
    return entry, np.where(along > 0.0, at, np.inf).min(axis=1)


def _edges(planes: _Planes, corners: _Corners) -> _Edges:
    """Neighbouring corners of each line, and the sides on which they lie."""
    count = len(planes.normal)
    t = corners.planes
    pair = np.concatenate([t[:, [0, 1]], t[:, [0, 2]], t[:, [1, 2]]])
    corner = np.tile(np.arange(len(t)), 3)
    point, direction, _ = _lines(planes, pair)
    at = dot(corners.position[corner] - point, direction)
    line = pair[:, 0] * count + pair[:, 1]
    order = np.lexsort((at, line))
    next_to = line[order[1:]] == line[order[:-1]]
    first = order[:-1][next_to]
    ends = np.stack([corner[first], corner[order[1:][next_to]]], axis=1)
    side = apply(planes.normal, corners.position) - planes.offset
    np.put_along_axis(side, t, 0.0, axis=1)
    p, q = side[ends[:, 0]], side[ends[:, 1]]
    own = (p == 0.0) & (q == 0.0)
    if np.any(p * q < 0.0) or np.any(own.sum(axis=1) != 2):
        raise CutError("Planes of the pattern meet so closely that round-off decides how.")
    return _Edges(pair[first], ends, np.stack([point[first], direction[first]], axis=1), p + q > 0.0)


def _facets(planes: _Planes, edges: _Edges) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Regions (F,2) and plane (F,) of each facet, and the packed lists of its edges and their signs.

    An edge of the planes i < j runs along n_i x n_j. Around it lie up to four facets: on plane i, above or below j, and
    the other way round; it runs counter-clockwise about n_i where the facet is below j, about n_j where above i.
    """
    edge, plane, sign, above = [], [], [], []
    for own, other, turn in ((0, 1, -1), (1, 0, 1)):
        for up in (False, True):
            keep = np.flatnonzero(~(up & (edges.planes[:, other] >= planes.inner)))  # nothing beyond a wall
            sides = edges.above[keep].copy()
            sides[np.arange(len(keep)), edges.planes[keep, other]] = up
            edge.append(keep)
            plane.append(edges.planes[keep, own])
            sign.append(np.full(len(keep), turn if up else -turn))
            above.append(sides)
    bits = np.packbits(np.concatenate(above), axis=1)
    of = np.concatenate(plane)
    key = np.concatenate([of[:, None].astype(np.int64), _numbered(bits)[:, None]], axis=1)
    _, first, facet = np.unique(key, axis=0, return_index=True, return_inverse=True)
    facet = facet.ravel()
    order = np.argsort(facet, kind="stable")
    sides = np.concatenate(above)[first]
    facet_plane = of[first]
    beyond = sides.copy()
    beyond[np.arange(len(sides)), facet_plane] = True
    region = _numbered(np.packbits(np.concatenate([sides, beyond[facet_plane < planes.inner]]), axis=1))
    hi = np.full(len(sides), -1, np.int64)
    hi[facet_plane < planes.inner] = region[len(sides) :]
    return (
        np.stack([region[: len(sides)], hi], axis=1),
        facet_plane,
        owner_starts(facet, len(sides)),
        np.concatenate(edge)[order],
        np.concatenate(sign)[order],
    )


def _numbered(rows: NDArray[np.uint8]) -> Ints:
    """A number 0.. for each row (n,bytes); equal rows have equal numbers."""
    whole = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1]))).ravel()
    return np.asarray(np.unique(whole, return_inverse=True)[1].ravel(), np.int64)
