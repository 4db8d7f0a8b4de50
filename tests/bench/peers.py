"""The same cells made by manifold3d: region by region from the whole body, or from boxes that it was cropped to."""

import manifold3d
import numpy as np

from core.types import Body, Floats, Ints, Partition

#: Regions for which a box is cropped no further; of 1, 4, 16 and 64 the fastest on the largest case.
LEAF = 16


def solid_of(body: Body) -> manifold3d.Manifold:
    """The body as manifold3d knows it."""
    return manifold3d.Manifold(manifold3d.Mesh64(body.vertices.copy(), body.triangles.astype(np.uint64)))


def corners_of(p: Partition) -> list[Floats]:
    """The corners (n,3) of each region."""
    length = np.diff(p.facet_start)
    facet = p.region_facet
    slot = np.concatenate([np.arange(p.facet_start[f], p.facet_start[f + 1]) for f in facet])
    region = np.repeat(np.repeat(np.arange(len(p.region_start) - 1), np.diff(p.region_start)), length[facet])
    ends = p.edge_vertices[p.facet_edge[slot]].ravel()
    pairs = np.unique(np.stack([np.repeat(region, 2), ends], axis=1), axis=0)
    bounds = np.searchsorted(pairs[:, 0], np.arange(len(p.region_start)))
    return [p.vertices[pairs[bounds[r] : bounds[r + 1], 1]] for r in range(len(p.region_start) - 1)]


def cut_one_by_one(solid: manifold3d.Manifold, corners: list[Floats], regions: Ints) -> list[manifold3d.Manifold]:
    """The body intersected with the hull of each of some regions."""
    return [_piece(solid, corners[region]) for region in regions]


def cut_by_boxes(
    solid: manifold3d.Manifold, corners: list[Floats], low: Floats, high: Floats, leaf: int = LEAF
) -> dict[int, manifold3d.Manifold]:
    """All pieces that are not empty, by region; the body is cropped to half of the regions again and again."""
    lows = np.maximum([c.min(axis=0) for c in corners], low)
    highs = np.minimum([c.max(axis=0) for c in corners], high)
    margin = 1e-3 * (high - low)
    found: dict[int, manifold3d.Manifold] = {}
    ahead = [(solid, np.flatnonzero((lows < highs).all(axis=1)))]
    while ahead:
        crop, regions = ahead.pop()
        if len(regions) <= leaf:
            pieces = zip(regions.tolist(), cut_one_by_one(crop, corners, regions), strict=True)
            found.update({region: piece for region, piece in pieces if not piece.is_empty()})
            continue
        axis = int(np.argmax(highs[regions].max(axis=0) - lows[regions].min(axis=0)))
        order = regions[np.argsort(lows[regions, axis] + highs[regions, axis], kind="stable")]
        for part in (order[: len(order) // 2], order[len(order) // 2 :]):
            a, b = lows[part].min(axis=0) - margin, highs[part].max(axis=0) + margin
            half = crop ^ manifold3d.Manifold.cube(tuple(b - a)).translate(tuple(a))
            if not half.is_empty():
                ahead.append((half, part))
    return found


def _piece(solid: manifold3d.Manifold, corners: Floats) -> manifold3d.Manifold:
    piece = solid ^ manifold3d.Manifold.hull_points(corners)
    piece.num_tri()  # manifold3d works when it is asked, not when it is told
    return piece
