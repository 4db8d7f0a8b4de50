"""Prisms over a planar subdivision as a face-to-face complex: rays and rings in a sheet, bricks, slices, panes.

Every polygon of the plane stands upright as one prism a slab. Walls over one straight crack share one stored plane,
slab faces share one plane a height, and all edges along the axis share one direction, so that the cutter decides
alike wherever they meet.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..arithmetic.elementary import hypot
from ..arithmetic.products import apply
from ..errors import CutError
from ..geometry import packed
from ..types import Bools, Floats, Ints, Partition
from .incidence import facets_of_edges, find_region_facets

#: A corner whose sine is smaller than this makes two walls coplanar. Chosen, well above the round-off of a sine, 1e-16
#: over the length of the wall.
_STRAIGHT = 1e-9


class Frame(NamedTuple):
    """Where the plane lies in space: x = origin + axes^T (u, v, h)."""

    origin: Floats  #: (3,) [m]
    axes: Floats  #: (3,3) orthonormal, right-handed rows: two directions in the plane and the axis of the prisms


class _Plan(NamedTuple):
    """The planar subdivision as tables: A polygons, P points, E edges, N corners of polygons."""

    points: Floats  #: (P,2)
    start: Ints  #: (A+1,)
    corner: Ints  #: (N,) counter-clockwise
    corner_edge: Ints  #: (N,) edge from this corner to the next
    forward: Bools  #: (N,) whether the polygon runs along its edge from first to second end
    ends: Ints  #: (E,2)
    sides: (
        Ints  #: (E,2) polygon on the left, polygon on the right or -1: an edge on the rim has its polygon on the left
    )
    normal: Floats  #: (E,2) unit, from left to right
    foot: Floats  #: (E,2) a point on the line of the edge


class _Facets(NamedTuple):
    """Facets of one kind, their edges packed."""

    regions: Ints  #: (F,2) lo, hi
    length: Ints  #: (F,) number of edges
    edge: Ints  #: (H,)
    sign: Ints  #: (H,)


def prism_complex(
    points: Floats,
    polygons: Sequence[Sequence[int]],
    heights: Floats,
    frame: Frame,
    runs: Sequence[Sequence[int]] = (),
    group: Ints | None = None,
    site: Floats | None = None,
) -> Partition:
    """The prisms over `polygons` between consecutive `heights` as a Partition of the box that they fill.

    points (P,2) [m]; polygons: point numbers of each, counter-clockwise, strictly convex, edge to edge (a corner of one
    is a corner of all that it touches) and together one patch without holes that uses all points; heights (S+1,)
    ascending [m]. Region s * len(polygons) + i is polygon i in slab s. `runs` are points in order along straight lines:
    their edges share one plane. group (R,) as in Partition, default every region by itself; site (R,3) a point of each
    region, default the mean of its corners. Points, heights and sites are in `frame`.

    Raises CutError for polygons that are not convex or do not fit together edge to edge.
    """
    points, heights = np.ascontiguousarray(points, np.float64), np.asarray(heights, np.float64)
    plan = _plan(points, polygons, runs)
    count, slabs = len(polygons), len(heights) - 1
    walls, floors = _walls(plan, count, slabs), _floors(plan, count, slabs)
    regions, length, edge, sign = (np.concatenate(both) for both in zip(walls, floors, strict=True))
    vertices, ends, line = _skeleton(plan, heights, frame)
    normal, point = _planes(plan, heights, frame)
    facet_start = np.concatenate(([0], np.cumsum(length)))
    region_start, region_facet = find_region_facets(regions, count * slabs)
    edge_start, edge_facet = facets_of_edges(facet_start, edge, len(ends))
    middle = np.repeat(0.5 * (heights[1:] + heights[:-1]), count)
    means = np.column_stack((np.tile(_means(plan), (slabs, 1)), middle))
    return Partition(
        vertices=vertices,
        edge_vertices=ends,
        edge_line=line,
        facet_regions=regions,
        facet_normal=normal,
        facet_point=point,
        facet_start=facet_start,
        facet_edge=edge,
        facet_edge_sign=sign,
        region_start=region_start,
        region_facet=region_facet,
        edge_start=edge_start,
        edge_facet=edge_facet,
        site=_placed(frame, means if site is None else np.asarray(site, np.float64)),
        group=np.arange(count * slabs) if group is None else np.asarray(group, np.int64),
        facet_strength=np.ones(len(regions)),
    )


def _placed(frame: Frame, local: Floats) -> Floats:
    placed: Floats = frame.origin + apply(frame.axes.T, local)
    return placed


def _plan(points: Floats, polygons: Sequence[Sequence[int]], runs: Sequence[Sequence[int]]) -> _Plan:
    size = np.array([len(polygon) for polygon in polygons], np.int64)
    start = np.concatenate([[0], np.cumsum(size)])
    corner = np.concatenate([np.asarray(polygon, np.int64) for polygon in polygons])
    after = packed.following(start)
    _require_convex(points[corner], points[corner[after]], after)
    first, second = corner, corner[after]
    keys, edge = np.unique(np.minimum(first, second) * len(points) + np.maximum(first, second), return_inverse=True)
    owner = np.repeat(np.arange(len(polygons)), size)
    ends, sides = np.empty((len(keys), 2), np.int64), np.full((len(keys), 2), -1, np.int64)
    # The first corner at an edge decides its direction, so a rim has its polygon on the left.
    leads = np.unique(edge, return_index=True)[1]
    forward = np.zeros(len(corner), np.bool_)
    forward[leads] = True
    ends[:, 0], ends[:, 1], sides[:, 0] = first[leads], second[leads], owner[leads]
    others = np.flatnonzero(~forward)
    sides[edge[others], 1] = owner[others]
    against = first[others] == ends[edge[others], 1]
    # Euler: a patch without holes in which no corner lies inside another polygon's edge has V - E + A = 1.
    euler = len(points) - len(keys) + len(polygons)
    if not against.all() or len(np.unique(edge[others])) != len(others) or euler != 1:
        raise CutError("The polygons of the pattern do not fit together edge to edge.")
    normal, foot = _lines(points, ends, keys, runs)
    return _Plan(points, start, corner, edge, forward, ends, sides, normal, foot)


def _require_convex(here: Floats, there: Floats, after: Ints) -> None:
    along = there - here
    along = along / np.maximum(hypot(*along.T), np.finfo(np.float64).tiny)[:, None]
    turn = along[:, 0] * along[after, 1] - along[:, 1] * along[after, 0]
    if not np.all(turn > _STRAIGHT):
        raise CutError("A polygon of the pattern is not convex, or has a corner without an angle.")


def _lines(points: Floats, ends: Ints, keys: Ints, runs: Sequence[Sequence[int]]) -> tuple[Floats, Floats]:
    """Unit normal (E,2) from left to right and a point (E,2) of each edge's line, the same bits along each run."""
    along, foot = points[ends[:, 1]] - points[ends[:, 0]], points[ends[:, 0]]
    for run in runs:
        line = np.asarray(run, np.int64)
        low, high = np.minimum(line[1:], line[:-1]), np.maximum(line[1:], line[:-1])
        edges = np.searchsorted(keys, low * len(points) + high)
        turned = ends[edges, 0] != line[:-1]
        direction = points[line[-1]] - points[line[0]]
        along[edges] = np.where(turned[:, None], -direction, direction)
        foot[edges] = points[line[0]]
    along /= hypot(*along.T)[:, None]
    return np.stack((along[:, 1], -along[:, 0]), axis=1), foot


def _means(plan: _Plan) -> Floats:
    size = np.diff(plan.start)
    return np.asarray(np.add.reduceat(plan.points[plan.corner], plan.start[:-1]) / size[:, None])


# Edges of the complex are numbered: those of the plan at the lowest height, at the next, ..., then the edges along the
# axis of the lowest slab, of the next, ... Its points: those of the plan at the lowest height, at the next, ...


def _walls(plan: _Plan, count: int, slabs: int) -> _Facets:
    """The upright facets, slab by slab."""
    slab, edge = np.arange(slabs)[:, None], np.arange(len(plan.ends))
    regions = np.where(plan.sides >= 0, plan.sides + count * slab[..., None], -1)
    level, partition_edge = len(edge) * slab, len(edge) * (slabs + 1) + len(plan.points) * slab
    # Seen from the right, where hi is: along the bottom, up at the second end, back along the top, down at the first.
    around = (
        level + edge,
        partition_edge + plan.ends[:, 1],
        level + len(edge) + edge,
        partition_edge + plan.ends[:, 0],
    )
    edges = np.stack(around, axis=-1).ravel()
    sides = np.full(slabs * len(edge), 4)
    return _Facets(regions.reshape(-1, 2), sides, edges, np.tile((1, 1, -1, -1), len(sides)))


def _floors(plan: _Plan, count: int, slabs: int) -> _Facets:
    """The level facets, height by height; the lowest ones are seen from below."""
    level = np.arange(slabs + 1)[:, None]
    above = np.arange(count) + count * level
    regions = np.stack((above - count, above), axis=-1)
    regions[0, :, 0], regions[0, :, 1], regions[-1, :, 1] = above[0], -1, -1
    edges = plan.corner_edge + len(plan.ends) * level
    signs = np.broadcast_to(np.where(plan.forward, 1, -1), edges.shape) * np.where(level > 0, 1, -1)
    return _Facets(regions.reshape(-1, 2), np.tile(np.diff(plan.start), slabs + 1), edges.ravel(), signs.ravel())


def _planes(plan: _Plan, heights: Floats, frame: Frame) -> tuple[Floats, Floats]:
    """Normals (F,3) and points (F,3) of walls and floors."""
    slabs, count = len(heights) - 1, len(plan.start) - 1
    normal = np.tile(apply(frame.axes[:2].T, plan.normal), (slabs, 1))
    foot = np.tile(_placed(frame, np.column_stack((plan.foot, np.zeros(len(plan.foot))))), (slabs, 1))
    level = np.repeat(_placed(frame, heights[:, None] * (0.0, 0.0, 1.0)), count, axis=0)
    axis = np.tile(frame.axes[2], (len(level), 1))
    axis[:count] *= -1.0
    return np.concatenate((normal, axis)), np.concatenate((foot, level))


def _skeleton(plan: _Plan, heights: Floats, frame: Frame) -> tuple[Floats, Ints, Floats]:
    """Vertices, edges (E,2) and their lines (E,2,3)."""
    levels, total = len(heights), len(plan.points)
    local = np.column_stack((np.tile(plan.points, (levels, 1)), np.repeat(heights, total)))
    vertices = _placed(frame, local)
    flat = (plan.ends + total * np.arange(levels)[:, None, None]).reshape(-1, 2)
    bottom = np.arange(total * (levels - 1))
    ends = np.concatenate((flat, np.column_stack((bottom, bottom + total))))
    # A wall's normal turned by a quarter is the direction of its edges, with the same bits along a run.
    along = apply(frame.axes[:2].T, np.column_stack((-plan.normal[:, 1], plan.normal[:, 0])))
    direction = np.concatenate((np.tile(along, (levels, 1)), np.tile(frame.axes[2], (len(bottom), 1))))
    return vertices, ends, np.stack((vertices[ends[:, 0]], direction), axis=1)
