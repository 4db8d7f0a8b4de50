"""Shapes glued to each other at nodes (Norton et al. 1991; docs/papers/norton1991.md, N8).

A node of one shape gives way to the nearest of the other, in all of its cells. Springs are made of cells later, so no
two join the same nodes, and masses are those of the cells.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import InputError
from ...types import Bools, Floats, Frozen, Ints
from ...wording import count, length
from ..spring_lattice.hexahedra import HexahedralComplex
from .alternation import alternate_parities


@dataclass(frozen=True, eq=False, slots=True)
class GluedShapes(Frozen):
    """Two shapes as one. The nodes and cells of the one that was glued onto come first, with their numbers."""

    solid: HexahedralComplex
    node: Ints  #: (n,) where each node of the other one is now
    farthest: float  #: of a glued node from the one that it gave way to [m]
    notes: tuple[str, ...]  #: a sentence where that is farther than was wanted


def glue_shapes(onto: HexahedralComplex, part: HexahedralComplex, nodes: Ints, within: float) -> GluedShapes:
    """Glue the nodes (k,) of `part` to the nearest ones of `onto`, which keep their places.

    within: of a node to be glued from its nearest [m]; what is farther is glued, and told. Raises InputError where a
    cell would lose a corner, because two of its nodes have the same nearest one.
    """
    nearest, distance = _nearest_nodes(onto.node_position, part.node_position[nodes])
    first, stays = len(onto.node_position), np.ones(len(part.node_position), np.bool_)
    stays[nodes] = False
    node = first + np.cumsum(stays) - 1
    node[nodes] = nearest
    glued = node[part.cell_node]
    row = np.sort(glued, axis=1)
    if (row[:, 1:] == row[:, :-1]).any():
        raise InputError("The shapes cannot be glued: the cells of one are much finer there than those of the other.")
    cells = np.concatenate([onto.cell_node, glued])
    position = np.concatenate([onto.node_position, part.node_position[stays]])
    far = int((distance > within).sum())
    farthest = float(distance.max(initial=0.0))
    told = f"{count(far, 'glued node')} moved by up to {length(farthest)}: put the shapes closer together."
    return GluedShapes(
        HexahedralComplex(position, cells, alternate_parities(cells)), node, farthest, (told,) if far else ()
    )


def beside(solids: Sequence[HexahedralComplex]) -> HexahedralComplex:
    """Shapes side by side, which share no node."""
    first = np.cumsum([0, *(len(solid.node_position) for solid in solids)])
    return HexahedralComplex(
        np.concatenate([solid.node_position for solid in solids]),
        np.concatenate([solid.cell_node + start for solid, start in zip(solids, first[:-1], strict=True)]),
        np.concatenate([solid.cell_parity for solid in solids]),
    )


def select_cells(solid: HexahedralComplex, kept: Bools) -> tuple[HexahedralComplex, Ints]:
    """The shape of the `kept (c,)` cells, and where each node (n,) is in it, -1 for none."""
    used, corner = np.unique(solid.cell_node[kept], return_inverse=True)
    node = np.full(len(solid.node_position), -1)
    node[used] = np.arange(len(used))
    cells = corner.reshape(-1, 8).astype(np.int64)
    return HexahedralComplex(solid.node_position[used], cells, solid.cell_parity[kept]), node


def _nearest_nodes(position: Floats, points: Floats) -> tuple[Ints, Floats]:
    """The nearest node to each point, and how far it is; of equal ones the first."""
    found, distance = np.empty(len(points), np.int64), np.empty(len(points))
    for k, point in enumerate(points):
        x, y, z = (position - point).T
        square = x * x + y * y + z * z
        found[k] = square.argmin()
        distance[k] = np.sqrt(square[found[k]])
    return found, distance
