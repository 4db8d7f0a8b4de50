"""Solids as few convex parts: halved by planes until no part's hull holds much that is not solid.

How far a hull is from its solid is measured where the skin turns its back to it: from a point of the skin a chord runs
along the outward normal until it leaves the hull, and its gap is twice the depth of the chord's middle under the hull.
For a dent that is its depth, for a step its height, for a hollow its width. The depth of the skin itself would not
do: both sides of the wall of a cup are near to its hull, and still all of its inside is empty.

The part with the largest gap is halved first, by the best of a few planes: the skin's own plane at the largest gap
(right for solids with flat faces) and planes along its chord (right for round ones). Best is what leaves the least hull
and the least gaps. Planes that slice off less than the tolerance are not used.

In the spirit of: Lien, Amato: Approximate convex decomposition of polyhedra, 2007; Wei et al.: Approximate convex
decomposition for 3D meshes with collision-aware concavity and tree search, 2022 (CoACD).
"""

import heapq
from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ...arithmetic.elementary import cos, sin
from ...geometry.mesh import cross_rows
from ...jit import njit_no_refs, sealed_floats, sealed_ints
from ...stepwise import result_of
from ...types import Bools, Floats, Ints
from .hull_points import DIRECTIONS, heights_along
from .inner_corners import InsideTest, corners_of_planes
from .quick_hull import QuickHull, build_hull, build_hulls
from .solids import SLIVER_HEIGHT, SolidMesh, halve_solid, make_solid

SNAP = 1e-9  # distance from a splitting plane that counts as none, in sizes of the solid; chosen: a million roundings
_SAMPLES = 400  # triangles of a part on which gaps are measured, at their corners and middles; by time
SECOND_LOOK = 4000  # triangles of a part without a gap on which they are sought again, at their middles; by time
TRIAL = 100  # triangles of a part on which planes are tried; by time
_MARGIN = 1.0 + 1e-6  # ratio of gaps that differ; of equal ones the first counts, whatever round-off says
_GOOD = 0.4  # score of a plane that ends the search for a better one; halving what is convex has 1; by time
_NEAR = 0.01  # distance from a face's plane that counts as on it, in extents of the part along the normal; by eye
_FLAT = 0.1  # share of a part's vertices on the plane of a face from which on the face is flat; by eye
_LEAST = 0.2  # of a part's extent that an untried plane slices off at least; by eye: no slices
_POINTS = 400  # vertices of a part of which its hull is made, together with the extreme ones; by time
INWARDS = (1.0, 0.05, 0.05, 0.05)  # where gaps are measured: the way from the corners of a triangle to its middle
_CORNERS = 100  # directions in which the corners of round hulls are sought; by time


class Decomposition(NamedTuple):
    """The parts of a solid, and where they were split."""

    points: list[Floats]  #: of each part (n,3), all corners of its hull among them [m]
    plane: Floats  #: (K,4) unit normal and offset of each splitting plane
    sides: list[tuple[tuple[int, int], ...]]  #: of each part: the planes that bound it, and 1 above, -1 below
    gap: float  #: the largest that is left [m]
    inner: list[Floats]  #: of each part (n,3), the last of its points: those that are not on the skin [m]


class _Gap(NamedTuple):
    """The largest gap of a part."""

    size: float
    point: Floats  #: (3,) of the skin
    normal: Floats  #: (3,) of the skin there


class _Part(NamedTuple):
    solid: SolidMesh
    inner: Floats  #: (n,3) its corners that are not on the skin
    planes: Floats  #: (F,4) of the hull; empty where it has no volume
    volume: float
    gap: _Gap
    sides: tuple[tuple[int, int], ...]


#: Where a part fills its hull.
_NO_GAP = _Gap(0.0, np.zeros(3), np.zeros(3))


def decompose(solid: SolidMesh, tolerance: float, most: int, *, tries: bool = True) -> Decomposition:
    """`decompose_steps`, run to their end at once."""
    return result_of(decompose_steps(solid, tolerance, most, tries=tries))


def decompose_steps(
    solid: SolidMesh, tolerance: float, most: int, *, tries: bool = True
) -> Generator[None, None, Decomposition]:
    """At most `most` convex parts that hold the solid; their hulls hold gaps of at most `tolerance` [m] if they can.

    Without `tries` curved skins are cut across at their largest gap, in half of the time and to as many parts.
    Yields with each part that is halved.
    """
    size = float(np.sqrt(np.square(np.ptp(solid.vertices, axis=0)).sum()))
    inside = InsideTest(solid)
    first = _part(solid, np.zeros((0, 3)), (), tolerance)
    ahead = [(_rank(first, size), 0, first)]
    done: list[_Part] = []
    planes: list[Floats] = []
    number = 1
    while ahead and len(ahead) + len(done) < most and ahead[0][2].gap.size > tolerance:
        part = heapq.heappop(ahead)[2]
        plane = None if tries else _across(part, tolerance)
        plane = _best_plane(part, tolerance, SNAP * size) if plane is None else plane
        pair = None if plane is None else halve_solid(part.solid, plane[:3], float(plane[3]), SNAP * size)
        if plane is None or pair is None or min(len(half.triangles) for half in pair) == 0:
            done.append(part)
            continue
        planes.append(plane)
        inner = np.concatenate([part.inner, inside(corners_of_planes(plane, _bounding(part, planes), SNAP * size))])
        height = heights_along(inner, plane[None, :3])[:, 0] - plane[3]
        for half, side in zip(pair, (1, -1), strict=True):
            own = inner[side * height >= -SNAP * size]
            child = _part(half, own, (*part.sides, (len(planes) - 1, side)), tolerance)
            heapq.heappush(ahead, (_rank(child, size), number, child))
            number += 1
        yield
    parts = done + [part for _, _, part in sorted(ahead, key=lambda entry: entry[1])]
    gap = max(part.gap.size for part in parts)
    points = [np.concatenate([part.solid.vertices, part.inner]) for part in parts]
    planes_made = np.array(planes).reshape(-1, 4)
    return Decomposition(points, planes_made, [part.sides for part in parts], gap, [part.inner for part in parts])


def _rank(part: _Part, size: float) -> float:
    """Larger gaps first; gaps that differ by round-off only are equal."""
    return -round(part.gap.size / size, 7)


def _bounding(part: _Part, planes: list[Floats]) -> Floats:
    """The planes (s,4) that bound a part, their normals outwards."""
    rows = [-side * planes[plane] for plane, side in part.sides]
    return np.array(rows).reshape(-1, 4)


def _part(solid: SolidMesh, inner: Floats, sides: tuple[tuple[int, int], ...], tolerance: float) -> _Part:
    hull = _rough_hull(solid.vertices, inner)
    if hull is None:
        return _Part(solid, inner, np.zeros((0, 4)), 0.0, _NO_GAP, sides)
    planes = hull.plane
    gap = _largest_gap(solid, _SAMPLES, planes, INWARDS)
    if gap.size <= tolerance and len(solid.triangles) > _SAMPLES and tolerance < np.inf:
        gap = max(gap, _largest_gap(solid, SECOND_LOOK, planes, (1.0,)), key=lambda one: one.size)
    return _Part(solid, inner, planes, hull.volume, gap, sides)


def _rough_hull(points: Floats, more: Floats) -> QuickHull | None:
    """A hull of few of the points and all of the others, near to that of all; None without a volume."""
    if len(points) > _POINTS:
        rows = np.arange(_POINTS) * len(points) // _POINTS
        points = points[np.concatenate([rows, heights_along(points, DIRECTIONS).argmax(axis=0)])]
    points = np.concatenate([points, more])
    hull = build_hull(points)
    return _coarser(points, hull)


def _coarser(points: Floats, hull: QuickHull | None) -> QuickHull | None:
    """The hull of so many corners of a hull that it has few triangles."""
    if hull is None or len(hull.plane) <= 2 * _CORNERS - 4:  # by Euler as many corners
        return hull
    corner = hull.corners()
    far = heights_along(points[corner], _EVEN).argmax(axis=0)
    return build_hull(points[corner[np.unique(far)]])


def _evenly(count: int) -> Floats:
    """Unit vectors (count,3) on a Fibonacci spiral."""
    k = np.arange(count) + 0.5
    z, turn = 1.0 - 2.0 * k / count, np.pi * (1.0 + np.sqrt(5.0)) * k
    ring = np.sqrt(1.0 - z * z)
    return np.stack([ring * cos(turn), ring * sin(turn), z], axis=1)


_EVEN = np.concatenate([DIRECTIONS, _evenly(_CORNERS)])


def _sampled(solid: SolidMesh, samples: int) -> SolidMesh:
    """Some of the triangles, evenly from all."""
    count = len(solid.triangles)
    if count <= samples:
        return solid
    rows = np.arange(samples) * count // samples
    return make_solid(solid.vertices, solid.triangles[rows], solid.skin[rows])


def _largest_gap(solid: SolidMesh, samples: int, planes: Floats, inwards: tuple[float, ...]) -> _Gap:
    """Over the middles of skin triangles, or over points so far from their corners towards their middles."""
    most, count = len(inwards) * min(samples, len(solid.triangles)), np.zeros(1, np.int64)
    point, normal = np.empty((most, 3)), np.empty((most, 3))
    _look_out(
        sealed_floats(solid.vertices), sealed_ints(solid.triangles), solid.skin, sealed_floats(inwards),
        point, normal, count,
    )  # fmt: skip
    if count[0] == 0:
        return _NO_GAP
    size, worst = widest_gap(point[: count[0]], normal[: count[0]], planes)
    return _Gap(size, point[worst], normal[worst])


@njit_no_refs
def _look_out(
    vertices: Floats, triangles: Ints, skin: Bools, inwards: Floats, point: Floats, normal: Floats, count: Ints
) -> None:
    """The points from which gaps are measured, and the normals there; nothing is known of slivers."""
    samples = len(point) // len(inwards)
    for k in range(len(inwards)):
        for row in range(samples):
            t = row * len(triangles) // samples
            if not skin[t]:
                continue
            at, a, b, c = count[0], triangles[t, 0], triangles[t, 1], triangles[t, 2]
            ux, uy, uz = (
                vertices[b, 0] - vertices[a, 0],
                vertices[b, 1] - vertices[a, 1],
                vertices[b, 2] - vertices[a, 2],
            )
            vx, vy, vz = (
                vertices[c, 0] - vertices[a, 0],
                vertices[c, 1] - vertices[a, 1],
                vertices[c, 2] - vertices[a, 2],
            )
            wx, wy, wz = (
                vertices[c, 0] - vertices[b, 0],
                vertices[c, 1] - vertices[b, 1],
                vertices[c, 2] - vertices[b, 2],
            )
            x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
            longest = max(ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, wx * wx + wy * wy + wz * wz)
            double = np.sqrt(x * x + y * y + z * z)
            if not double > SLIVER_HEIGHT * longest:
                continue
            normal[at, 0], normal[at, 1], normal[at, 2] = x / double, y / double, z / double
            for axis in range(3):
                middle = (vertices[a, axis] + vertices[b, axis] + vertices[c, axis]) / 3.0
                corner = vertices[triangles[t, (k + 2) % 3], axis]
                point[at, axis] = corner + inwards[k] * (middle - corner)
            count[0] += 1


def widest_gap(point: Floats, normal: Floats, planes: Floats) -> tuple[float, int]:
    """The largest gap [m] and its row, of at least one point (n,3) with unit normals in a hull of `planes` (F,4)."""
    found = np.zeros(2)
    _find_gap(sealed_floats(point), sealed_floats(normal), sealed_floats(planes), found)
    return float(found[0]), int(found[1])


@njit_no_refs
def _find_gap(point: Floats, normal: Floats, planes: Floats, found: Floats) -> None:
    """The largest gap and its row, of points (n,3) with unit normals in a hull of `planes` (normal, minus offset).

    A chord is no shorter than its gap, and a gap no larger than twice the least depth: both end the search early.
    """
    for i in range(len(point)):
        x, y, z, u, v, w = point[i, 0], point[i, 1], point[i, 2], normal[i, 0], normal[i, 1], normal[i, 2]
        length = np.inf
        for f in range(len(planes)):
            rate = planes[f, 0] * u + planes[f, 1] * v + planes[f, 2] * w
            if rate > 1e-9:
                depth = -(planes[f, 0] * x + planes[f, 1] * y + planes[f, 2] * z + planes[f, 3])
                length = min(length, max(0.0, depth / rate))
                if length <= _MARGIN * found[0]:
                    break
        if length <= _MARGIN * found[0]:
            continue
        x, y, z = x + 0.5 * length * u, y + 0.5 * length * v, z + 0.5 * length * w
        gap = np.inf
        for f in range(len(planes)):
            gap = min(gap, -2.0 * (planes[f, 0] * x + planes[f, 1] * y + planes[f, 2] * z + planes[f, 3]))
            if gap <= _MARGIN * found[0]:
                break
        if gap > _MARGIN * found[0]:
            found[0], found[1] = gap, i


def _best_plane(part: _Part, tolerance: float, snap: float) -> Floats | None:
    """The candidate (4,) that leaves the least, or None where all slice off too little."""
    trial = _sampled(part.solid, TRIAL)
    best, least = None, np.inf
    for normal, offset in _candidates(part):
        height = heights_along(part.solid.vertices, normal[None])[:, 0] - offset
        if min(float(height.max()), -float(height.min())) < tolerance:
            continue
        score = _score(part, halve_solid(trial, normal, offset, snap))
        if score < least - 1e-6:
            best, least = np.append(normal, offset), score
            if score < _GOOD:
                break
    return best if best is not None else _middle(part, tolerance)


def _score(part: _Part, pair: tuple[SolidMesh, SolidMesh]) -> float:
    """How much of a part its halves leave: 1 for all of its hull, and a half for all of its gap."""
    start = np.cumsum([0] + [len(half.vertices) for half in pair])
    points, score = np.concatenate([half.vertices for half in pair]), 0.0
    for half, found in zip(pair, build_hulls(points, start), strict=True):
        hull = _coarser(half.vertices, found)
        if hull is not None:
            gap = _largest_gap(half, _SAMPLES, hull.plane, INWARDS)
            score += hull.volume / part.volume + 0.5 * gap.size / part.gap.size
    return score


def _across(part: _Part, tolerance: float) -> Floats | None:
    """The plane across the part at the largest gap of a curved skin; None at flat faces or where it slices off little.

    Tries find nothing better there; at flat faces they do, since the planes of some faces leave no gap.
    """
    (own, own_offset), (normal, offset), _ = _candidates(part)
    away = heights_along(part.solid.vertices, own[None])[:, 0] - own_offset
    if np.count_nonzero(np.abs(away) < _NEAR * np.ptp(away)) > _FLAT * len(away):
        return None
    height = heights_along(part.solid.vertices, normal[None])[:, 0] - offset
    low, high = -float(height.min()), float(height.max())
    return np.append(normal, offset) if min(low, high) >= max(tolerance, _LEAST * (low + high)) else None


def _middle(part: _Part, tolerance: float) -> Floats | None:
    """The plane across the middle of a part, where all others slice off too little; None for small parts."""
    low, high = part.solid.vertices.min(axis=0), part.solid.vertices.max(axis=0)
    axis = int((high - low > 0.999 * (high - low).max()).argmax())
    if high[axis] - low[axis] < 2.0 * tolerance:
        return None
    return np.append(np.eye(3)[axis], 0.5 * (low[axis] + high[axis]))


def _candidates(part: _Part) -> list[tuple[Floats, float]]:
    """Planes at the largest gap: the skin's own, and the two along the chord that cut the part across."""
    point, n = part.gap.point, part.gap.normal
    found = [(n, float((n * point).sum()))]
    extent = np.ptp(part.solid.vertices, axis=0) * np.sqrt(np.maximum(0.0, 1.0 - n * n))
    axis = int((extent > 0.999 * extent.max()).argmax())  # round-off decides nothing
    across = -n[axis] * n
    across[axis] += 1.0
    across = across / np.sqrt(np.square(across).sum())
    for normal in (across, cross_rows(n[None], across[None])[0]):
        found.append((normal, float((normal * point).sum())))
    return found
