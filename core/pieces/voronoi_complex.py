"""Voronoi regions of given sites as a face-to-face complex, in any linear metric.

The diagram is the dual of the Delaunay tetrahedra: vertices are circumcentres, edges are Delaunay triangles, facets are
Delaunay edges. Four ghost sites far away keep the regions of all real sites bounded.
"""

import numpy as np

from ..arithmetic.products import dot, norm
from ..arithmetic.small_matrices import determinant
from ..errors import CutError
from ..geometry.mesh import invert_3x3, map_vectors
from ..types import Floats, Ints, Partition
from .delaunay import along_curve, delaunay, far_corners
from .dual import FAR, DualEdges, dual_edges, pairs_of_triangles, sort_region_facets


def voronoi_complex(
    sites: Floats, low: Floats, high: Floats, group: Ints | None = None, metric: Floats | None = None
) -> Partition:
    """The Voronoi diagram of `sites` as a Partition whose region i belongs to site i.

    sites (R,3) [m], free of exact coincidences (jitter them by 1e-6 of the diagonal); low, high (3,) the box of the
    body [m]; group (R,), default every region by itself; metric (3,3) maps real space to the space in which the
    regions are Euclidean Voronoi regions: distances between x and y are |metric (x - y)|.
    The facets of a region are listed nearest to its site first.

    Raises CutError where round-off makes the diagram invalid: coincident sites, or neighbours so nearly cospherical
    that a Voronoi edge is shorter than the error of its ends. Another jitter cures both.
    """
    sites = np.ascontiguousarray(sites, np.float64)
    low, high = np.asarray(low, np.float64), np.asarray(high, np.float64)
    linear = None if metric is None else np.asarray(metric, np.float64)
    back = None if linear is None else invert_3x3(linear)
    origin = 0.5 * (low + high)
    there = _map(sites - origin, linear)
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * (high - low) + low - origin
    around = np.concatenate([there, _map(corners, linear)])
    fraction, exponent = np.frexp(norm(np.ptp(around, axis=0)))
    scale = np.ldexp(1.0, exponent - (fraction == 0.5))  # the next power of two: it rounds nothing
    order = along_curve(there)  # facets and edges are numbered along the curve, regions as the sites are
    points = np.concatenate([there[order] / scale, far_corners(around / scale)])
    edges = _edges(points, len(sites))
    pairs = pairs_of_triangles(points, edges.sites, edges.turn, edges.start, len(sites))
    regions = np.append(order, np.full(4, -1))[pairs.sites]
    distance = pairs.middle - points[pairs.sites[:, 0]]
    region_start, region_facet = sort_region_facets(regions, dot(distance, distance), len(sites))
    if np.any(np.diff(region_start) < 4):
        raise CutError("Two sites of the pattern coincide, so one of them has no piece of its own.")
    line = edges.line if back is None else _mapped_lines(edges.line, back)
    line[:, 0] = line[:, 0] * scale + origin
    return Partition(
        vertices=_map(edges.centre, back) * scale + origin,
        edge_vertices=edges.ends,
        edge_line=line,
        facet_regions=regions,
        facet_normal=pairs.direction if linear is None else _unit(_map(pairs.direction, linear.T)),
        facet_point=_map(pairs.middle, back) * scale + origin,
        facet_start=pairs.start,
        facet_edge=pairs.triangle,
        facet_edge_sign=pairs.sign if linear is None or determinant(linear) > 0.0 else -pairs.sign,
        region_start=region_start,
        region_facet=region_facet,
        edge_start=edges.start,
        edge_facet=pairs.of_triangle,
        site=sites,
        group=np.arange(len(sites)) if group is None else np.asarray(group, np.int64),
        facet_strength=np.ones(len(regions)),
    )


def _edges(points: Floats, real: int) -> DualEdges:
    edges = dual_edges(points, *delaunay(points), real)
    if isinstance(edges, DualEdges):
        return edges
    if edges == FAR:
        raise CutError("The sites of the pattern lie too far from each other.")
    raise CutError("Sites of the pattern are so regular that round-off decides who is whose neighbour.")


def _map(vectors: Floats, linear: Floats | None) -> Floats:
    """Each row of `vectors` through the linear map, None for none."""
    return vectors if linear is None else map_vectors(vectors, linear)


def _unit(vectors: Floats) -> Floats:
    unit: Floats = vectors / norm(vectors)[:, None]
    return unit


def _mapped_lines(line: Floats, linear: Floats) -> Floats:
    return np.stack([_map(line[:, 0], linear), _unit(_map(line[:, 1], linear))], axis=1)
