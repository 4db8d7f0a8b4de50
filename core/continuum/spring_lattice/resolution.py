"""How wide cells are, such that a body takes about a number of nodes."""

import math
from dataclasses import replace

from ...geometry.mesh import area, volume
from ...types import Body
from ..fineness import size_of_parts
from .params import SpringLatticeParams

#: Nodes where the artist names no number. By eye, of 3,000 to 10,000: fine enough for cracks that turn, and a second of
#: soft matter takes some seconds.
AUTOMATIC_NODES = 6000
#: Nodes by area of the skin over the square of the spacing, besides those by volume. Measured on cubes, balls, tubes
#: and Suzanne of 500 to 20,000 nodes: 1.2 to 1.7.
_BY_AREA = 1.5
#: Nodes of the smallest piece that is divided anew. By eye: what has fewer breaks into cells, which are seen.
_FEWEST = 100


def sheet_thickness(params: SpringLatticeParams, area: float) -> float:
    """How thick sheets of an area [m^2] have to be at least, so that cells as wide as they are thick fill them [m].

    N = V/h^3 + 1.5 A/h^2 as below, with V = area h, and the skin on both sides.
    """
    return math.sqrt((1.0 + 2.0 * _BY_AREA) * area / (params.nodes or AUTOMATIC_NODES))


def params_of_piece(params: SpringLatticeParams, share: float) -> SpringLatticeParams | None:
    """Params for a piece with a share of the volume, so that its cells are about as wide; None for one of few."""
    nodes = round((params.nodes or AUTOMATIC_NODES) * share)
    return replace(params, nodes=nodes) if nodes >= _FEWEST else None


def choose_spacing(body: Body, nodes: int) -> float:
    """The width of cells [m] with which a body takes about so many nodes; 0 nodes: some thousand.

    A grid with n nodes in the matter has a layer of cells more at its skin: N = V/h^3 + 1.5 A/h^2. Thin walls count by
    their area, so that they get cells that are about as wide as they are thick, or wider.
    """
    wanted = float(nodes or AUTOMATIC_NODES)
    V, A = abs(volume(body.vertices, body.triangles)), area(body.vertices, body.triangles)
    return size_of_parts(V, _BY_AREA * A, wanted)
