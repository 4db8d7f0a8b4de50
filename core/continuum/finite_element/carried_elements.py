"""Where the matter of pieces is at each stored frame: which elements carry it, and where their nodes were."""

from dataclasses import dataclass

import numpy as np

from ...arithmetic.products import dot
from ...types import Floats, Frozen, Ints
from ..tetrahedralization.element_places import locate_in_elements

_KEPT = 3  # sets of points of a piece of which it is kept where they lie: skins, meshes of pieces, and one more


@dataclass(frozen=True, eq=False, slots=True)
class _Carriers(Frozen):
    """The elements by which a piece is carried from a stored frame on."""

    frame: int
    node: Ints  #: (k,4)


@dataclass(frozen=True, eq=False, slots=True)
class _EmbeddedPoints(Frozen):
    """Where points lie among the carriers of a piece."""

    points: Floats
    node: Ints  #: (n,4)
    weight: Floats  #: (n,4)


class CarriedElements:
    """All pieces that there ever were, by number, and all nodes at all stored frames."""

    def __init__(self, node_material: Floats, element_node: Ints) -> None:
        self._material = node_material
        self._nodes = [node_material]
        self._carriers = {0: [_Carriers(0, element_node)]}
        self._parent = {0: -1}
        self._placed: dict[tuple[int, int], list[_EmbeddedPoints]] = {}

    def add_frame(self, node_material: Floats, position: Floats) -> None:
        """Note where nodes are at the next stored frame, and in the material: there may be more of them now."""
        self._material = node_material
        self._nodes.append(position)

    def last_way(self) -> Floats:
        """(n,3) how far the nodes went in the last frame that were there before it [m]."""
        before = self._nodes[-2]
        return np.asarray(self._nodes[-1][: len(before)] - before)

    def carry(self, piece: int, frame: int, element_node: Ints) -> None:
        """From a frame on a piece is carried by other elements."""
        self._carriers[piece].append(_Carriers(frame, element_node))

    def bear(self, piece: int, parent: int, frame: int, element_node: Ints) -> None:
        """A piece is born."""
        self._parent[piece] = parent
        self._carriers[piece] = [_Carriers(frame, element_node)]

    def deform(self, piece: int, points: Floats, frame: int) -> Floats:
        """Where points (n,3) are; before its birth, where the matter was of the piece that it broke from."""
        own = piece
        while self._carriers[own][0].frame > frame:
            own = self._parent[own]
        version = max(k for k, one in enumerate(self._carriers[own]) if one.frame <= frame)
        placed = self._place(own, version, points)
        return np.asarray(dot(placed.weight[:, None, :], np.swapaxes(self._nodes[frame][placed.node], 1, 2)))

    def _place(self, piece: int, version: int, points: Floats) -> _EmbeddedPoints:
        known = self._placed.setdefault((piece, version), [])
        for one in known:
            if one.points.shape == points.shape and np.array_equal(one.points, points):
                return one
        node = self._carriers[piece][version].node
        element, weight = locate_in_elements(self._material, node, points, np.arange(len(node)))
        found = _EmbeddedPoints(points.copy(), node[element], weight)
        known.append(found)
        del known[:-_KEPT]
        return found
