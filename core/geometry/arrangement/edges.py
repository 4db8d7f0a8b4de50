"""Closed shells and their edges."""

from typing import NamedTuple

import numpy as np

from ...jit import sealed_floats, sealed_ints
from ...types import Floats, Ints
from ..mesh import MeshEdges, edge_table
from ..rings import HalfEdgeRings


class Shells(NamedTuple):
    """Triangles whose directed edges all have their opposites."""

    vertices: Floats  #: (V,3)
    triangles: Ints  #: (T,3) no vertex twice in one, no three vertices twice
    multiple: Ints  #: (T,) how often each counts
    source: Ints  #: (T,) row of the input
    edges: MeshEdges
    triangle_edge: Ints  #: (T,3) edge from corner k to the next


def shells_of(vertices: Floats, triangles: Ints, multiple: Ints, source: Ints) -> Shells:
    """The shells of triangles; whether they are closed is not looked at."""
    edges = edge_table(triangles, len(vertices))
    return Shells(
        sealed_floats(vertices), sealed_ints(triangles), multiple, source, edges, edges.of_half.reshape(-1, 3)
    )


def counted(triangles: Ints, multiple: Ints) -> Ints:
    """Triangles (T,3), each as often as it counts."""
    return triangles if (multiple == 1).all() else np.repeat(triangles, multiple, axis=0)


def ring_ranks(around: HalfEdgeRings) -> Ints:
    """The place (T,3) of each half-edge around its edge."""
    rank = np.empty(len(around.half), np.int64)
    rank[around.half] = np.arange(len(around.half)) - np.repeat(around.start[:-1], np.diff(around.start))
    return rank.reshape(-1, 3)
