"""The way from a body in one piece to a lattice whose outer nodes lie on its surface: what is tried in which order.

Without a layer, boxes are divided into boxes, and blocks with edges along the grid have as few cells as can be. All
else gets a layer of cells around the kept ones (see `box_complex`). Cells of which less is filled are kept where walls
are thin: they become flat.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...geometry.bvh import Tree, build_tree
from ...geometry.mesh import volume
from ...geometry.nearest import nearest_in
from ...types import Body
from ...wording import length
from ..spring_lattice.hexahedra import HexahedralComplex, hexahedron_volumes
from .box_complex import BoxComplex, bare_box, layered_box
from .fitting import STRAIGHT_STAGES, THOROUGH_STAGES, FitStage, fit_nodes
from .grid import grid_of_body
from .kept_cells import BARE_SHARES, LAYERED_SHARES, filled_shares, keep_cells, left_out_share
from .tetrahedra import divide_hexahedra, tetrahedron_volumes
from .walls import thin_sentence

#: Cells of the grid around a solid at most. Chosen: a hundred times as many as springs are fast for.
_CELLS_MAX = 2_000_000
#: Share of the matter that may lie beyond all cells that touch kept ones: tips and needles. By eye.
_LEFT_OUT = 0.005
#: Volumes of body and lattice within which the first lattice that is tried is taken. By eye: walls with
#: holes miss more.
_ALIKE = 0.05
#: Volumes of body and lattice farther apart than this are those of something thinner than cells can be. By eye: planks
#: of half a cell got a lattice half as large again as they are; what looked good was within a twentieth.
_UNLIKE = 0.15
#: An outer node is on the surface within so many cells. By eye: a hundredth of a cell is not seen.
_ON_SURFACE = 0.01


class FittedBox(NamedTuple):
    """A box around a solid, fitted to it."""

    box: BoxComplex
    off: float  #: share of the outer nodes that are not on the surface
    distance: float  #: see `Embedding`
    excess: float  #: by how much the lattice is larger than the body, as a share of it


def fit_box(body: Body, spacing: float) -> FittedBox:
    """The box around a body in one piece, with cells of about `spacing` [m], fitted to it.

    Raises InputError where there would be far too many, or where much of the body is thinner than cells can be.
    """
    grid = grid_of_body(body, spacing)
    if int(grid.counts.prod()) > _CELLS_MAX:
        raise InputError(f"Cells of {length(spacing)} would be too many: make cells larger, or the object smaller.")
    tree = build_tree(body.vertices, body.triangles)
    share = filled_shares(body, grid, tree)
    kept = keep_cells(grid, share, BARE_SHARES)
    bare = _fitted(body, bare_box(grid, kept), tree, STRAIGHT_STAGES)
    if bare is not None and bare.off == 0.0 and left_out_share(grid, kept, share) == 0.0:
        return bare
    best = None
    for first in range(len(LAYERED_SHARES)):
        kept = keep_cells(grid, share, LAYERED_SHARES[first:])
        if left_out_share(grid, kept, share) > _LEFT_OUT:
            continue
        found = _fitted(body, layered_box(grid, kept), tree, THOROUGH_STAGES)
        if found is not None and (best is None or abs(found.excess) < abs(best.excess)):
            best = found
        if best is not None and abs(best.excess) <= _ALIKE:
            break
    if best is None or abs(best.excess) > _UNLIKE:
        raise InputError(thin_sentence(body, spacing))
    return best


def _fitted(body: Body, box: BoxComplex, tree: Tree, stages: tuple[FitStage, ...]) -> FittedBox | None:
    """The box fitted to a body, None where a tetrahedron is turned inside out."""
    box = replace(box, nodes=fit_nodes(body, box, tree, stages))
    corners = divide_hexahedra(box.hexahedra, box.parity)
    if not tetrahedron_volumes(box.nodes, corners).min() > 0.0:
        return None
    _, _, distance = nearest_in(tree, box.nodes[np.unique(box.faces)])
    off = np.count_nonzero(distance > _ON_SURFACE * float(box.size.min())) / len(distance)
    lattice = HexahedralComplex(box.nodes, box.hexahedra[box.kept], box.parity[box.kept])
    excess = float(hexahedron_volumes(lattice).sum()) / volume(body.vertices, body.triangles) - 1.0
    return FittedBox(box, off, float(distance.max()), excess)
