"""Voronoi regions of given sites as a face-to-face complex, in any linear metric.

The diagram is the dual of the Delaunay tetrahedra (Qhull): vertices are circumcentres, edges are Delaunay triangles,
facets are Delaunay edges. Sixty-four ghost sites far away keep the regions of all real sites bounded.
"""

from typing import NamedTuple

import numpy as np
from scipy.spatial import Delaunay, QhullError

from ..errors import CutError
from ..geometry.mesh_edges import pair_ids
from ..types import Floats, Ints, Partition

GHOSTS = 64
GHOST_RADIUS = 6.0  #: in diagonals of the box of body and sites
ROUND_OFF = 4.5e-16  #: error of a circumcentre relative to the sum of its terms


class _Dual(NamedTuple):
    """Delaunay triangles with a real site: ends (tetrahedra), sites, direction from first end to second."""

    ends: Ints  #: (E,2)
    sites: Ints  #: (E,3)
    direction: Floats  #: (E,3)
    turn: Ints  #: (E,) +1 where the direction is that of (s1-s0) x (s2-s0), else -1


def voronoi_complex(
    sites: Floats, low: Floats, high: Floats, group: Ints | None = None, metric: Floats | None = None
) -> Partition:
    """The Voronoi diagram of `sites` as a Partition whose region i belongs to site i.

    sites (R,3) [m], free of exact coincidences (jitter them by 1e-6 of the diagonal); low, high (3,) the box of the
    body [m]; group (R,), default every region by itself; metric (3,3) maps real space to the space in which the
    regions are Euclidean Voronoi regions: distances between x and y are |metric (x - y)|.

    Raises CutError where round-off makes the diagram invalid: coincident sites, or neighbours so nearly cospherical
    that a Voronoi edge is shorter than the error of its ends. Another jitter cures both.
    """
    sites = np.ascontiguousarray(sites, np.float64)
    low, high = np.asarray(low, np.float64), np.asarray(high, np.float64)
    linear = np.eye(3) if metric is None else np.asarray(metric, np.float64)
    inverse = np.linalg.inv(linear)
    origin = 0.5 * (low + high)
    mapped = _map(sites - origin, linear)
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * (high - low) + low - origin
    around = np.concatenate([mapped, _map(corners, linear)])
    scale = 2.0 ** np.ceil(np.log2(float(np.linalg.norm(np.ptp(around, axis=0)))))  # a power of two rounds nothing
    points = np.concatenate([mapped / scale, _ghosts(around / scale)])
    simplices, neighbours = _delaunay(points)
    centres, error = _circumcentres(points, simplices)
    dual = _triangles(points, simplices, neighbours, len(sites))
    _require_positive_edges(dual, centres, error)
    on_line = _triangle_circumcentres(points, dual.sites)
    facets, facet_start, facet_edge, facet_sign = _facets(dual, len(points), len(sites))
    lo, hi = points[facets[:, 0]], points[facets[:, 1]]
    normal = _unit(_map(hi - lo, linear.T))
    direction = _unit(_map(dual.direction, inverse))
    regions = np.where(facets < len(sites), facets, -1)
    used, ends = np.unique(dual.ends, return_inverse=True)
    region_start, region_facet = _inverted(regions[:, 0], regions[:, 1], len(sites))
    edge_start, edge_facet = _rings(facet_start, facet_edge, len(dual.ends))
    if np.any(np.diff(region_start) < 4):
        raise CutError("Two sites of the pattern coincide, so one of them has no piece of its own.")
    return Partition(
        vertices=_map(centres[used] * scale, inverse) + origin,
        edge_vertices=ends.reshape(-1, 2).astype(np.int64),
        edge_line=np.stack([_map(on_line * scale, inverse) + origin, direction], axis=1),
        facet_regions=regions,
        facet_normal=normal,
        facet_point=_map(0.5 * (lo + hi) * scale, inverse) + origin,
        facet_start=facet_start,
        facet_edge=facet_edge,
        facet_edge_sign=facet_sign if np.linalg.det(linear) > 0.0 else -facet_sign,
        region_start=region_start,
        region_facet=region_facet,
        edge_start=edge_start,
        edge_facet=edge_facet,
        site=sites,
        group=np.arange(len(sites)) if group is None else np.asarray(group, np.int64),
        facet_strength=np.ones(len(facets)),
    )


def _map(vectors: Floats, linear: Floats) -> Floats:
    """Each row of `vectors` through the linear map; einsum keeps the threads of BLAS asleep."""
    if np.array_equal(linear, np.eye(3)):
        return vectors
    mapped: Floats = np.einsum("ij,nj->ni", linear, vectors)
    return mapped


def _unit(vectors: Floats) -> Floats:
    unit: Floats = vectors / np.sqrt(_squared(vectors))[:, None]
    return unit


def _ghosts(around: Floats) -> Floats:
    """A Fibonacci spiral of sites on a far sphere, its radius slightly varied so that no two tetrahedra tie."""
    low, high = around.min(axis=0), around.max(axis=0)
    k = np.arange(GHOSTS)
    z = 1.0 - (2.0 * k + 1.0) / GHOSTS
    angle = k * (np.pi * (3.0 - np.sqrt(5.0)))
    ring = np.sqrt(1.0 - z * z)
    sphere = np.stack([ring * np.cos(angle), ring * np.sin(angle), z], axis=1)
    radius = GHOST_RADIUS * np.linalg.norm(high - low) * (1.0 + 0.01 * np.sin(7.0 * k + 0.5))
    ghosts: Floats = 0.5 * (low + high) + radius[:, None] * sphere
    return ghosts


def _delaunay(points: Floats) -> tuple[Ints, Ints]:
    """Tetrahedra and their neighbours as int64 tables. Raises CutError where Qhull drops or rejects sites."""
    try:
        diagram = Delaunay(points)
    except QhullError as failure:
        raise CutError("No Voronoi diagram can be made of these sites.") from failure
    if len(diagram.coplanar):
        raise CutError("Two sites of the pattern coincide.")
    return diagram.simplices.astype(np.int64), diagram.neighbors.astype(np.int64)


def _cross(a: Floats, b: Floats) -> Floats:
    """Row-wise cross products; a tenth of the time of np.cross."""
    product = np.empty(a.shape)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        product[:, i] = a[:, j] * b[:, k] - a[:, k] * b[:, j]
    return product


def _squared(a: Floats) -> Floats:
    squared: Floats = np.einsum("ij,ij->i", a, a)
    return squared


def _circumcentres(points: Floats, simplices: Ints) -> tuple[Floats, Floats]:
    """Centres (M,3) of the circumscribed spheres and bounds (M,) of their errors."""
    o = points[simplices[:, 0]]
    a, b, c = (points[simplices[:, k]] - o for k in (1, 2, 3))
    aa, bb, cc = _squared(a), _squared(b), _squared(c)
    bc = _cross(b, c)
    twice = 2.0 * np.einsum("ij,ij->i", a, bc)
    numerator = aa[:, None] * bc + bb[:, None] * _cross(c, a) + cc[:, None] * _cross(a, b)
    # |b_j c_k| + |b_k c_j| summed over components is at most 2 |b| |c|: a bound of all terms of the numerator
    terms = 2.0 * (aa * np.sqrt(bb * cc) + bb * np.sqrt(cc * aa) + cc * np.sqrt(aa * bb))
    with np.errstate(divide="ignore", invalid="ignore"):
        centres = o + numerator / twice[:, None]
        error = ROUND_OFF * terms / np.abs(twice)
    flat = twice == 0.0
    centres[flat], error[flat] = o[flat], np.inf
    return centres, error


def _triangles(points: Floats, simplices: Ints, neighbours: Ints, real: int) -> _Dual:
    """The Delaunay triangles with a real site, each seen from the tetrahedron with the smaller number."""
    owner = np.repeat(np.arange(len(simplices)), 4)
    opposite = np.tile(np.arange(4), len(simplices))
    other = neighbours.ravel()
    corners = simplices[:, [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]].reshape(-1, 3)
    keep = np.minimum(np.minimum(corners[:, 0], corners[:, 1]), corners[:, 2]) < real
    if np.any(other[keep] < 0):
        raise CutError("The sites of the pattern lie too far from each other.")
    keep &= owner < other
    owner, other, corners = owner[keep], other[keep], corners[keep]
    s0, s1, s2 = (points[corners[:, k]] for k in range(3))
    normal = _cross(s1 - s0, s2 - s0)
    far = points[simplices[owner, opposite[keep]]]
    turn = np.where(np.einsum("ij,ij->i", normal, far - s0) < 0.0, 1, -1)
    return _Dual(np.stack([owner, other], axis=1), corners, normal * turn[:, None], turn)


def _require_positive_edges(dual: _Dual, centres: Floats, error: Floats) -> None:
    """Every Voronoi edge must be longer than the errors of its two ends, and point the right way."""
    length = np.einsum("ij,ij->i", centres[dual.ends[:, 1]] - centres[dual.ends[:, 0]], _unit(dual.direction))
    if not np.all(length > error[dual.ends[:, 0]] + error[dual.ends[:, 1]]):
        raise CutError("Sites of the pattern are so regular that round-off decides who is whose neighbour.")


def _triangle_circumcentres(points: Floats, corners: Ints) -> Floats:
    """Centres (E,3) of the circles through three sites: points on the lines of the Voronoi edges."""
    o = points[corners[:, 0]]
    a, b = points[corners[:, 1]] - o, points[corners[:, 2]] - o
    n = _cross(a, b)
    centres: Floats = o + _cross(_squared(a)[:, None] * b - _squared(b)[:, None] * a, n) * (0.5 / _squared(n))[:, None]
    return centres


def _facets(dual: _Dual, count: int, real: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Pairs of sites (F,2) of the facets, and their edges with signs as a packed list.

    Seen from the larger site j of (i, j), the facet's interior lies left of (j-i) x (k-i), k being the third site.
    """
    edge = np.repeat(np.arange(len(dual.sites)), 3)
    start, end = dual.sites.ravel(), dual.sites[:, [1, 2, 0]].ravel()
    sign = np.where(start < end, 1, -1) * dual.turn[edge]
    keep = np.minimum(start, end) < real
    pairs, facet = pair_ids(start[keep], end[keep], count)
    order = np.argsort(facet, kind="stable")
    return pairs, _starts(facet, len(pairs)), edge[keep][order], sign[keep][order]


def _inverted(lo: Ints, hi: Ints, regions: int) -> tuple[Ints, Ints]:
    """The packed list of facets of each region."""
    region = np.stack([lo, hi], axis=1).ravel()
    order = np.argsort(region, kind="stable")[np.count_nonzero(region < 0) :]
    return _starts(region[region >= 0], regions), order // 2


def _rings(facet_start: Ints, facet_edge: Ints, edges: int) -> tuple[Ints, Ints]:
    """The packed list of facets around each edge."""
    facet = np.repeat(np.arange(len(facet_start) - 1), np.diff(facet_start))
    return _starts(facet_edge, edges), facet[np.argsort(facet_edge, kind="stable")]


def _starts(owner: Ints, count: int) -> Ints:
    start = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(owner, minlength=count), out=start[1:])
    return start
