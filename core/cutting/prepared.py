"""What the cutter needs to know of a body whatever cuts it: worked out once where a body is cut again and again."""

from dataclasses import dataclass

import numpy as np

from ..geometry.mesh import bounds, count_open_edges, edge_table
from ..types import Body, Frozen, Ints
from .moments import triangle_volume


@dataclass(frozen=True, eq=False, slots=True)
class Prepared(Frozen):
    """The edges of a body, and what its self-checks found."""

    body: Body
    triangle_edge: Ints  #: (T,3) edge from corner k to corner k+1
    edges: int  #: how many there are
    open_edges: int  #: how many are not used equally often in both directions
    volume: float  #: [m^3]
    reach: float  #: largest coordinate [m]
    size: float  #: squared diagonal of the box around the body [m^2]
    region: Ints | None = None  #: (V,) of each vertex, where the one partition that will cut the body is known


def prepared(body: Body) -> Prepared:
    """Number the body's edges, see whether they close, and measure its volume."""
    edges = edge_table(body.triangles, len(body.vertices))
    return with_edges(body, edges.of_half.reshape(-1, 3), len(edges.ends), count_open_edges(edges))


def with_edges(body: Body, triangle_edge: Ints, edges: int, open_edges: int, region: Ints | None = None) -> Prepared:
    """Prepare a body whose edges are known, and maybe the regions of its vertices; see `Prepared`."""
    low, high = bounds(body.vertices)
    return Prepared(
        body=body,
        triangle_edge=triangle_edge,
        edges=edges,
        open_edges=open_edges,
        volume=triangle_volume(body.vertices, body.triangles, 0.5 * (low + high)),
        reach=float(max(np.abs(low).max(), np.abs(high).max())),
        size=float(np.square(high - low).sum()),
        region=region,
    )
