"""Boxes between three families of parallel planes, as a face-to-face complex by index arithmetic.

Everything that lies on one plane of the lattice shares the bits of that plane, and everything on one line the bits of
that line: coplanar facets then always agree about the side of a point.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..arithmetic.products import apply
from ..errors import CutError
from ..types import Floats, Ints, Partition
from .convention import JITTER
from .incidence import facets_of_edges, find_region_facets


class _Facets(NamedTuple):
    """Facets across one axis."""

    regions: Ints  #: (n,2) lo, hi
    normal: Floats  #: (n,3)
    point: Floats  #: (n,3)
    edge: Ints  #: (n,4)
    sign: Ints  #: (n,4)


def draw_shift(diagonal: float, stream: Sequence[int]) -> Floats:
    """A random shift (3,) [m], between half and all of JITTER along each axis, for the random stream `stream`."""
    rng = np.random.default_rng(list(stream))
    size = rng.uniform(0.5, 1.0, 3)
    return np.asarray(JITTER * diagonal * np.where(rng.random(3) < 0.5, -size, size))


def lattice_complex(
    planes: Sequence[Floats],
    axes: Floats | None = None,
    origin: Floats | None = None,
    margin: float = 0.0,
    group: Ints | None = None,
    joint: float = 1.0,
) -> Partition:
    """The boxes between three families of planes; box (i,j,k) of nx x ny x nz is region (i ny + j) nz + k.

    planes: three ascending lists (nx+1,), (ny+1,), (nz+1,) of distances from `origin` (3,) [m] along the rows of `axes`
    (3,3), a right-handed orthonormal frame, by default the world's. The outermost planes are moved out by `margin` [m],
    so that they lie beyond the body; the sites are the middles of the boxes without it.
    group (R,): boxes with equal values never part, by default each is by itself; joint: strength of the facets between
    different groups, relative to the material's.
    Shift the origin by `draw_shift`, or vertices of a body that lie exactly on a plane make the cut fail.
    Raises CutError where planes of a family coincide or run backwards.
    """
    rows = [np.asarray(family, np.float64) for family in planes]
    if any(len(family) < 2 or not np.all(np.diff(family) > 0.0) for family in rows):
        raise CutError("Two planes of the pattern coincide.")
    frame = np.eye(3) if axes is None else np.asarray(axes, np.float64)
    start = np.zeros(3) if origin is None else np.asarray(origin, np.float64)
    size = np.array([len(family) - 1 for family in rows])
    middles = [0.5 * (family[1:] + family[:-1]) for family in rows]
    rows = [np.concatenate([[row[0] - margin], row[1:-1], [row[-1] + margin]]) for row in rows]
    edge_vertices, edge_line = _edges(rows, size, frame, start)
    parts = [_facets(rows[k], size, k, frame, start) for k in range(3)]
    regions = np.concatenate([part.regions for part in parts])
    edge = np.concatenate([part.edge for part in parts]).ravel()
    facet_start = 4 * np.arange(len(regions) + 1)
    count = int(size.prod())
    own = np.arange(count) if group is None else np.asarray(group, np.int64)
    region_start, region_facet = find_region_facets(regions, count)
    edge_start, edge_facet = facets_of_edges(facet_start, edge, len(edge_vertices))
    return Partition(
        vertices=_points(rows, frame, start),
        edge_vertices=edge_vertices,
        edge_line=edge_line,
        facet_regions=regions,
        facet_normal=np.concatenate([part.normal for part in parts]),
        facet_point=np.concatenate([part.point for part in parts]),
        facet_start=facet_start,
        facet_edge=edge,
        facet_edge_sign=np.concatenate([part.sign for part in parts]).ravel(),
        region_start=region_start,
        region_facet=region_facet,
        edge_start=edge_start,
        edge_facet=edge_facet,
        site=_points(middles, frame, start),
        group=own,
        facet_strength=np.where((regions[:, 1] >= 0) & (own[regions[:, 0]] != own[regions[:, 1]]), joint, 1.0),
    )


def _points(coordinates: Sequence[Floats], frame: Floats, start: Floats) -> Floats:
    """World positions of the grid of these coordinates, the last axis running fastest."""
    local = np.stack([grid.ravel() for grid in np.meshgrid(*coordinates, indexing="ij")], axis=1)
    return np.asarray(start + apply(frame.T, local))


def _edge_shape(size: Ints, axis: int) -> Ints:
    """Numbers of edges along an axis: one for each box along it, one for each plane across it."""
    return np.asarray(size + (np.arange(3) != axis))


def _first_edge(size: Ints, axis: int) -> int:
    return sum(int(_edge_shape(size, k).prod()) for k in range(axis))


def _number(index: Sequence[Ints], shape: Ints) -> Ints:
    return np.asarray((index[0] * shape[1] + index[1]) * shape[2] + index[2])


def _edges(rows: Sequence[Floats], size: Ints, frame: Floats, start: Floats) -> tuple[Ints, Floats]:
    """Ends (E,2) in the direction of the axes, and the lines (E,2,3), of all edges, axis by axis."""
    ends, lines = [], []
    for axis in range(3):
        index = [grid.ravel() for grid in np.indices(tuple(_edge_shape(size, axis).tolist()))]
        after = [index[k] + (k == axis) for k in range(3)]
        ends.append(np.stack([_number(index, size + 1), _number(after, size + 1)], axis=1))
        point = np.broadcast_to(start, (len(index[0]), 3))
        for k in ((axis + 1) % 3, (axis + 2) % 3):
            point = point + rows[k][index[k]][:, None] * frame[k]
        lines.append(np.stack([point, np.broadcast_to(frame[axis], point.shape)], axis=1))
    return np.concatenate(ends), np.concatenate(lines)


def _facets(planes: Floats, size: Ints, axis: int, frame: Floats, start: Floats) -> _Facets:
    """The facets on the planes across an axis; those on the first plane look backwards, since hi is outside."""
    shape = size + (np.arange(3) == axis)
    index = [grid.ravel() for grid in np.indices(tuple(shape.tolist()))]
    at = index[axis]
    turn = np.where(at == 0, -1, 1)
    before = _number([index[k] - (k == axis) for k in range(3)], size)
    after = _number(index, size)
    lo, hi = np.where(at == 0, after, before), np.where((at == 0) | (at == size[axis]), -1, after)
    edge, sign = [], []
    a, b = (axis + 1) % 3, (axis + 2) % 3
    # counter-clockwise about the axis: along a at the low end of b, along b at the high end of a, and back
    for along, across, far, direction in ((a, b, 0, 1), (b, a, 1, 1), (a, b, 1, -1), (b, a, 0, -1)):
        beside = [index[k] + far * (k == across) for k in range(3)]
        edge.append(_first_edge(size, along) + _number(beside, _edge_shape(size, along)))
        sign.append(direction * turn)
    return _Facets(
        regions=np.stack([lo, hi], axis=1),
        normal=turn[:, None] * frame[axis],
        point=start + planes[at][:, None] * frame[axis],
        edge=np.stack(edge, axis=1),
        sign=np.stack(sign, axis=1),
    )
