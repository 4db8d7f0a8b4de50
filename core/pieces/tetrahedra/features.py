"""Points on the sharp edges and corners of a body: between points of its faces alone, edges would be cut off."""

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from ...arithmetic.products import dot, norm
from ...geometry.mesh import edge_table, paired_half_edges
from ...types import Body, Bools, Floats, Ints
from ..layouts.shape import measure_skin
from .outward import SHARP, vertex_normals

#: Points of features keep this distance, in spacings, and by as much more as their normals differ: the two edges of a
#: thin rim, 90 degrees apart, keep all of theirs, which face each other. By eye.
_APART = 0.5


class Points(NamedTuple):
    """Points of a surface."""

    place: Floats  #: (n,3)
    outward: Floats  #: (n,3) unit


class _Sharp(NamedTuple):
    """The sharp edges."""

    ends: Ints  #: (S,2)
    normal: Floats  #: (S,3) unit, between the two faces


def features(body: Body, factor: float, relative: Floats, random: bool, rng: np.random.Generator) -> Points:
    """Points on sharp corners, and along sharp edges with spacings `factor * relative (V,)` at the vertices.

    Evenly along each run of edges between two corners, or at random. Fewer where features crowd, as on a rough scan.
    """
    sharp = _sharp_edges(body)
    if len(sharp.ends) == 0:
        return Points(np.zeros((0, 3)), np.zeros((0, 3)))
    h = factor * relative
    start, row = _around(sharp.ends, len(body.vertices))
    corner = _corners(body.vertices, sharp.ends, start, row)
    place, outward = [body.vertices[corner]], [vertex_normals(body)[corner]]
    spacing = [h[corner]]
    for chain, edges in _chains(sharp.ends, start, row, corner):
        p, of, share = _along(body.vertices[chain], h[chain], random, chain[0] == chain[-1], rng)
        place.append(p)
        outward.append(sharp.normal[edges[of]])
        spacing.append((1.0 - share) * h[chain[of]] + share * h[chain[of + 1]])
    points = Points(np.concatenate(place), np.concatenate(outward))
    keep = _thinned(points, np.concatenate(spacing))
    return Points(points.place[keep], points.outward[keep])


def _sharp_edges(body: Body) -> _Sharp:
    edges = edge_table(body.triangles, len(body.vertices))
    area, normal = measure_skin(body)
    pairs = paired_half_edges(edges)
    one, other = pairs.T // 3
    cosine = dot(normal[one], normal[other])
    pick = (cosine < SHARP) & (area[one] > 0.0) & (area[other] > 0.0)
    total = normal[one] + normal[other]
    length = norm(total)
    total = np.where(length[:, None] > 1e-6, total, normal[one])  # a knife's edge has no side
    total /= norm(total)[:, None].clip(1e-300)
    return _Sharp(edges.ends[edges.of_half[pairs[pick, 0]]], total[pick])


def _around(ends: Ints, count: int) -> tuple[Ints, Ints]:
    """Packed list of the edges at each vertex."""
    order = np.argsort(ends.ravel(), kind="stable")
    start = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(ends.ravel(), minlength=count), out=start[1:])
    return start, order // 2


def _corners(vertices: Floats, ends: Ints, start: Ints, row: Ints) -> Ints:
    """Vertices in which other than two sharp edges end, or two that turn."""
    degree = np.diff(start)
    corner = (degree > 0) & (degree != 2)
    two = np.flatnonzero(degree == 2)
    arm = [vertices[ends[row[start[two] + k]].sum(axis=1) - two] - vertices[two] for k in range(2)]
    length = norm(arm[0]) * norm(arm[1])
    corner[two] = -dot(*arm) < SHARP * length
    return np.flatnonzero(corner)


def _chains(ends: Ints, start: Ints, row: Ints, corner: Ints) -> list[tuple[Ints, Ints]]:
    """Runs of edges from corner to corner, then closed ones: vertices in order (k+1,) and edges (k,)."""
    used = np.zeros(len(ends), np.bool_)
    stops = np.zeros(len(start) - 1, np.bool_)
    stops[corner] = True
    found = []
    for at in np.concatenate([corner, np.flatnonzero(np.diff(start) == 2)]).tolist():
        for edge in row[start[at] : start[at + 1]].tolist():
            if used[edge] or (not stops[at] and used[row[start[at]]]):
                continue
            found.append(_walk(ends, start, row, stops, used, at, edge))
    return found


def _walk(ends: Ints, start: Ints, row: Ints, stops: Bools, used: Bools, at: int, edge: int) -> tuple[Ints, Ints]:
    chain, edges = [at], [edge]
    while True:
        used[edge] = True
        at = int(ends[edge, 0] + ends[edge, 1] - at)
        chain.append(at)
        ahead = [e for e in row[start[at] : start[at + 1]].tolist() if not used[e]]
        if stops[at] or not ahead:
            return np.array(chain), np.array(edges)
        edge = ahead[0]
        edges.append(edge)


def _along(
    place: Floats, h: Floats, random: bool, closed: bool, rng: np.random.Generator
) -> tuple[Floats, Ints, Floats]:
    """Points of a run, none at its ends: places, the edge of the run on which each lies, and the share of the way."""
    step = norm(np.diff(place, axis=0)) * 2.0 / (h[:-1] + h[1:])
    way = np.concatenate([[0.0], np.cumsum(step)])
    pieces = round(way[-1])
    if closed and pieces < 3:
        pieces = 3 if way[-1] >= 1.5 else 0
    count = pieces if closed else max(pieces - 1, 0)
    if random:
        at = np.sort(rng.random(count)) * way[-1]
    else:
        at = way[-1] * (np.arange(count) + (0 if closed else 1)) / max(pieces, 1)
    of = np.clip(np.searchsorted(way, at, side="right") - 1, 0, len(step) - 1)
    share = np.clip((at - way[of]) / np.where(step[of] > 0.0, step[of], 1.0), 0.0, 1.0)
    return place[of] + share[:, None] * (place[of + 1] - place[of]), of, share


def _thinned(points: Points, spacing: Floats) -> Ints:
    """Points that stay: each drops those after it that are too close, in space and normals together."""
    there = np.concatenate([points.place / (_APART * spacing)[:, None], points.outward], axis=1)
    pairs = cKDTree(there).query_pairs(1.0, output_type="ndarray")
    keep = np.ones(len(there), np.bool_)
    for early, late in pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))].tolist():
        if keep[early]:
            keep[late] = False
    return np.flatnonzero(keep)
