"""Which tetrahedra between nodes on and in a body are elements of it, and the faces that have one on one side only."""

import numpy as np

from ...geometry.inside import inside
from ...geometry.mesh import diagonal
from ...geometry.nearest import nearest_in
from ...pieces.convention import JITTER
from ...types import Bools, Floats, Ints
from .meshed_body import MeshedBody

#: Corners of the faces opposite to each corner, counter-clockwise seen from outside.
OPPOSITE = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])
#: What lies so near to the surface, in JITTER, is nothing but nodes of one flat side that were moved. By derivation:
#: they are moved by up to 3 + sqrt(3) of it.
_ON_SURFACE = 10.0


def find_matter(meshed: MeshedBody, place: Floats, surface: int, corners: Ints) -> Bools:
    """Which (M,) of the tetrahedra (M,4) of nodes (n,3) are elements: nodes from n on are far away.

    Those with a node inside are, so that outer faces have nodes of the surface only; of those with nodes of the surface
    alone, the first `surface` ones, those whose centre is inside and not on the surface.
    """
    last = corners.max(axis=1)
    kept = (last >= surface) & (last < len(place))
    rows = np.flatnonzero(last < surface)
    centre = place[corners[rows]].mean(axis=1)
    rows, centre = _where(inside(meshed.body, centre), rows, centre)
    _, _, distance = nearest_in(meshed.tree, centre)
    kept[rows] = distance > _ON_SURFACE * JITTER * diagonal(meshed.body.vertices)
    return np.asarray(kept)


def _where(some: Bools, rows: Ints, centre: Floats) -> tuple[Ints, Floats]:
    return rows[some], centre[some]


def find_outer(corners: Ints, neighbours: Ints, kept: Bools) -> tuple[Ints, Ints]:
    """Outer faces of the kept tetrahedra: the tetrahedron (F,) and the corner opposite to each (F,)."""
    beyond = np.where(neighbours >= 0, kept[neighbours], False)
    tetrahedron, corner = np.nonzero(kept[:, None] & ~beyond)
    return tetrahedron, corner


def outer_triangles(corners: Ints, tetrahedron: Ints, corner: Ints) -> Ints:
    """(F,3) nodes of the faces of positively oriented tetrahedra (M,4), counter-clockwise seen from outside."""
    return np.asarray(corners[tetrahedron[:, None], OPPOSITE[corner]])
