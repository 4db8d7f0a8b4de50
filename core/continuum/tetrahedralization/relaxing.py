"""Nodes move to where tetrahedra between them are good.

Inside each goes where the piecewise linear interpolation of x^2 would be best (optimal Delaunay triangulations: Chen
2004; Alliez, Cohen-Steiner, Yvinec, Desbrun 2005): the mean of the circumcentres of the elements around it, by volume.
On the surface each goes to the middle of the outer faces around it, and back onto the surface. Those of edges and
corners stay.
"""

import numpy as np

from ...arithmetic.products import dot, norm
from ...geometry.mesh import cross_rows
from ...geometry.sums import summed
from ...types import Floats, Ints
from .joining import JoinedNodes
from .matter import find_outer, outer_triangles
from .mesh_nodes import MeshNodes
from .meshed_body import MeshedBody

#: How far a node inside goes at once, in sizes [1]. By eye: at the first joining some would fly.
_MOST = 0.5


def relax_nodes(meshed: MeshedBody, joined: JoinedNodes) -> MeshNodes:
    """The nodes where they are best for the elements that they have now."""
    nodes = joined.nodes
    place, normal = nodes.place.copy(), nodes.normal.copy()
    place[nodes.surface :] = _best_inside(meshed, joined)
    some = np.arange(nodes.fixed, nodes.surface)
    place[some], normal[some] = meshed.on_surface(nodes.place[some], normal[some], _middles_outside(joined))
    return MeshNodes(place, normal, nodes.fixed, nodes.surface)


def _best_inside(meshed: MeshedBody, joined: JoinedNodes) -> Floats:
    nodes, elements = joined.nodes, joined.elements
    o = nodes.place[elements[:, 0]]
    a, b, c = (nodes.place[elements[:, k]] - o for k in range(1, 4))
    bc, ca, ab = cross_rows(b, c), cross_rows(c, a), cross_rows(a, b)
    six = dot(a, bc)
    # Six volumes times the circumcentre, from the first corner: that of a flat one is finite.
    centre = 0.5 * (dot(a, a)[:, None] * bc + dot(b, b)[:, None] * ca + dot(c, c)[:, None] * ab)
    size = meshed.sizes.at(o + 0.25 * (a + b + c))
    weight = 1.0 / (size * size * size)
    total = _sums(elements, weight[:, None] * (centre + six[:, None] * o), len(nodes.place))[nodes.surface :]
    matter = _sums(elements, (weight * six)[:, None], len(nodes.place))[nodes.surface :]
    here = nodes.place[nodes.surface :]
    way = np.where(matter > 0.0, total / np.where(matter > 0.0, matter, 1.0) - here, 0.0)
    length = np.maximum(norm(way), np.finfo(np.float64).tiny)
    return np.asarray(here + way * np.minimum(1.0, _MOST * meshed.sizes.at(here) / length)[:, None])


def _middles_outside(joined: JoinedNodes) -> Floats:
    """The mean (n,3) of the centres of the outer faces around each node that slides, by area."""
    nodes = joined.nodes
    some = slice(nodes.fixed, nodes.surface)
    face = outer_triangles(joined.corners, *find_outer(joined.corners, joined.neighbours, joined.kept))
    a, b, c = (nodes.place[face[:, k]] for k in range(3))
    area = norm(cross_rows(b - a, c - a))[:, None]
    total = _sums(face, area * (a + b + c) / 3.0, len(nodes.place))[some]
    weight = _sums(face, area, len(nodes.place))[some]
    return np.asarray(np.where(weight > 0.0, total / np.where(weight > 0.0, weight, 1.0), nodes.place[some]))


def _sums(corners: Ints, terms: Floats, count: int) -> Floats:
    """Sums (count,m) of terms (r,m) at each of their corners (r,k)."""
    return summed(np.repeat(terms, corners.shape[1], axis=0), corners.ravel(), count)
