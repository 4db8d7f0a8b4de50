"""Nodes are joined by Delaunay tetrahedra that fill all of space around the body, and those of the body are found."""

from typing import NamedTuple

import numpy as np

from ...geometry.mesh import bounds, diagonal
from ...pieces.convention import JITTER
from ...pieces.delaunay_complex import tetrahedra_between
from ...types import Bools, Floats, Ints
from ..lattice_embedding.tetrahedra import tetrahedron_volumes
from .matter import find_matter
from .mesh_nodes import MeshNodes
from .meshed_body import MeshedBody
from .peeling import peel

#: How far nodes of the surface are moved outward for the joining and the cut, in JITTER: flat sides then lie within the
#: elements, and not by chance on either side of their faces. By derivation: others move by up to sqrt(3) of it.
_OUTWARD = 3.0


class JoinedNodes(NamedTuple):
    """Nodes and all tetrahedra between them and four corners far away."""

    nodes: MeshNodes
    moved: Floats  #: (n+4,3) where the nodes were when they were joined, and the far corners [m]
    corners: Ints  #: (M,4) positively oriented between `moved`
    neighbours: Ints  #: (M,4) tetrahedron opposite to each corner, -1 for none
    kept: Bools  #: (M,) the elements

    @property
    def elements(self) -> Ints:
        """(e,4) nodes."""
        return np.asarray(self.corners[self.kept])


def join_nodes(meshed: MeshedBody, nodes: MeshNodes, rng: np.random.Generator) -> JoinedNodes:
    """The Delaunay tetrahedra of nodes, which are moved by some 1e-6 of the body's size; flat ones are no elements."""
    moved = move_apart(meshed, nodes, rng)
    made = tetrahedra_between(moved, *bounds(meshed.body.vertices))
    corners, neighbours = made.number[made.corners].astype(np.int64), made.neighbours.astype(np.int64)
    moved = np.concatenate([moved, made.vertices[len(moved) :]])
    turned = np.flatnonzero(tetrahedron_volumes(moved, corners) < 0.0)
    for table in (corners, neighbours):
        table[turned] = table[turned][:, [0, 1, 3, 2]]
    kept = find_matter(meshed, nodes.place, nodes.surface, corners)
    return JoinedNodes(nodes, moved, corners, neighbours, peel(nodes.place, corners, neighbours, kept))


def move_apart(meshed: MeshedBody, nodes: MeshNodes, rng: np.random.Generator) -> Floats:
    """Nodes (n,3) moved at random, so that no four lie in a plane or five on a sphere, on the surface outward."""
    size = JITTER * diagonal(meshed.body.vertices)
    return np.asarray(nodes.place + size * (_OUTWARD * nodes.normal + rng.uniform(-1.0, 1.0, nodes.place.shape)))
