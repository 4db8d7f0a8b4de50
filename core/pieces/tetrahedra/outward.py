"""Corners move off the skin: tetrahedra whose faces lie in it would be cut into thousands of crumbs."""

import numpy as np
from scipy.spatial import cKDTree

from ...arithmetic.elementary import arccos, cos
from ...arithmetic.products import dot, norm
from ...geometry.inside import inside
from ...types import Body, Floats
from ..layouts.shape import measure_skin

#: Corners move outwards by this share of the spacing, or of the wall where that is thinner. Less leaves slivers of the
#: body outside of all tetrahedra where the skin is not quite flat between corners (on a ball of 3400 pieces 17 at 0.03,
#: one at 0.05), more lets tetrahedra with one edge at the skin show there as broad strips.
_SHARE = 0.05
#: And by this share of the depth of the skin below the tangent plane at one spacing: h^2 / 2R on a ball. The plane
#: through three corners at circumradius c lies c^2 / 2R below it; of even points the largest c is about 0.8 h. 0.5 was
#: tried before, with a share of 0.1 above: more strips, no fewer crumbs.
SAG = 0.75
#: But never by more than this share of the spacing. By eye, for spikes.
MOST_OUTWARD = 0.3
#: Places of the skin that are looked at. By eye.
_NEAR = 24
#: Cosine of the angle at which two faces, or two edges, meet that make a sharp edge, or a corner: what differs by more
#: is another side. By eye: less takes the facets of a coarse cylinder for edges, more rounds off blunt ones.
SHARP = float(cos(np.radians(40.0)))
#: So often the way is halved where it would end in the matter on the other side of a gap. Chosen: after them 3 % of the
#: way are left.
_HALVINGS = 5


def vertex_normals(body: Body) -> Floats:
    """Unit outward normals (V,3) at the vertices: of the triangles around, weighted by their angles; 0 for none."""
    _, normal = measure_skin(body)
    corners = body.vertices[body.triangles]
    total = np.zeros((len(body.vertices), 3))
    for k in range(3):
        a, b = corners[:, (k + 1) % 3] - corners[:, k], corners[:, (k + 2) % 3] - corners[:, k]
        length = norm(a) * norm(b)
        cosine = dot(a, b) / np.where(length > 0.0, length, 1.0)
        weighted = normal * arccos(np.clip(cosine, -1.0, 1.0))[:, None]
        for i in range(3):
            total[:, i] += np.bincount(body.triangles[:, k], weighted[:, i], len(total))
    length = norm(total)
    return np.asarray(total / np.where(length > 0.0, length, 1.0)[:, None])


def ways(spacing: Floats, wall: Floats, depth: Floats | float = 0.0) -> Floats:
    """How far (n,) corners move out, for their spacings, the walls behind them and the `sag` around them (n,)."""
    return np.minimum(_SHARE * np.minimum(spacing, wall) + SAG * depth, MOST_OUTWARD * spacing)


def sag(place: Floats, outward: Floats, spacing: Floats, around: Floats, inward: Floats) -> Floats:
    """Depth (n,) of the skin below the tangent planes at points, within one spacing of each.

    around, inward (m,3): places of the skin and their normals; other sides and sharp edges do not count.
    """
    near = min(_NEAR, len(around))
    distance, row = (np.reshape(found, (len(place), near)) for found in cKDTree(around).query(place, near))
    depth = dot(place[:, None, :] - around[row], outward[:, None])
    alike = -dot(inward[row], outward[:, None]) > SHARP
    return np.asarray(np.where(alike & (distance <= spacing[:, None]), depth, 0.0).max(axis=1).clip(0.0))


def moved_out(body: Body, place: Floats, outward: Floats, way: Floats) -> Floats:
    """Points (n,3) of the skin, moved off it along `outward (n,3)` by `way (n,)`.

    They stay outside of the matter: where a gap is narrower than the way, this becomes shorter.
    """
    way = way.copy()
    moved = place + way[:, None] * outward
    for _ in range(_HALVINGS):
        wrong = np.flatnonzero(inside(body, moved))
        if len(wrong) == 0:
            break
        way[wrong] *= 0.5
        moved[wrong] = place[wrong] + way[wrong, None] * outward[wrong]
    return np.asarray(moved)
