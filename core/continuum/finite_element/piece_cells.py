"""The matter of pieces: the body cut along elements as they are cut by now, and along what is around them.

What sticks out of the elements lies in tetrahedra around them. Each of these belongs to a piece as elements do, and
keeps that until the piece breaks: so the pieces of one have its volume, and no other piece changes.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from ...geometry.sums import summed
from ...types import Body, Cells, Floats, Ints
from ..lattice_embedding.body_solids import BodySolid, split_solids
from ..tetrahedralization.element_embedding import ElementEmbedding, cut_by_tetrahedra
from ..tetrahedralization.element_places import locate_in_elements
from .cut_mesh import CutMesh
from .surrounding_tetrahedra import halve_tetrahedra, places_of_cut

#: Numbers of corners that are no nodes begin here, so that those of nodes to come are free. Chosen: beyond all nodes.
_FAR = 1 << 40


@dataclass(slots=True)
class _Around:
    """What is around the elements of one solid of a body."""

    solid: BodySolid
    elements: tuple[int, int]  # its elements as they were made: from, to
    far: Floats  # (k,3) corners that are no nodes [m]
    corners: Ints  # (M,4) of tetrahedra that are no elements
    piece: Ints  # (M,) of each


class PieceCells:
    """Cuts a body along its pieces whenever one broke. At first all of it is piece 0."""

    def __init__(self, body: Body, embedding: ElementEmbedding, seed: int) -> None:
        self._seed = seed
        self._moved = np.concatenate([one.moved[: len(one.nodes)] for one in embedding.solids])
        self._seen = len(self._moved)  # places at which the tetrahedra around are divided
        self._around: list[_Around] = []
        node = element = 0
        for solid, one in zip(split_solids(body), embedding.solids, strict=True):
            count, outside = len(one.nodes), one.complex[one.owner < 0]
            corners = np.where(outside < count, outside + node, outside - count + _FAR)
            span = element, element + len(one.elements)
            piece = np.zeros(len(corners), np.int64)
            self._around.append(_Around(solid, span, one.moved[count:], corners, piece))
            node, element = node + count, element + len(one.elements)

    def divide(self, cut: CutMesh, parent: Ints, child: Ints) -> Generator[tuple[Cells, Ints], None, None]:
        """The cells of each solid of which a piece broke, of one unit for each piece, and the pieces (U,) of units.

        parent, child (e,): the piece of each element before and after. Raises CutError where the body cannot be cut.
        """
        ends = cut.rows.nodes.between[self._seen : cut.node_count]
        for around in self._around:
            around.corners, whole = halve_tetrahedra(around.corners, ends, self._seen)
            around.piece = around.piece[whole]
        self._seen = cut.node_count
        places = places_of_cut(cut, self._moved)
        origin = cut.element_origin
        for around in self._around:
            rows = np.flatnonzero((origin >= around.elements[0]) & (origin < around.elements[1]))
            if (parent[rows] != child[rows]).any():
                yield self._cut(around, places, cut.element_place[rows], (parent[rows], child[rows]))

    def _cut(self, around: _Around, places: Floats, elements: Ints, pieces: tuple[Ints, Ints]) -> tuple[Cells, Ints]:
        parent, child = pieces
        used, corners = np.unique(np.concatenate([elements, around.corners]), return_inverse=True)
        is_far = used >= _FAR
        point = np.where(
            is_far[:, None], around.far[np.where(is_far, used - _FAR, 0)], places[np.where(is_far, 0, used)]
        )
        corners = corners.reshape(-1, 4)
        owner = np.concatenate([child, around.piece])
        cells, _, _ = cut_by_tetrahedra(around.solid.body, point, corners, owner, self._seed)
        broken = np.isin(around.piece, parent[parent != child])
        row, centre = _matter_of(cells, len(elements) + np.flatnonzero(broken))
        for piece in np.unique(around.piece[broken]).tolist():
            mine = np.flatnonzero(parent == piece)
            some = around.piece[row - len(elements)] == piece
            found, _ = locate_in_elements(point, corners, centre[some], mine)
            around.piece[row[some] - len(elements)] = child[found]
        owner = np.concatenate([child, around.piece])[cells.region]
        kinds, unit = np.unique(owner, return_inverse=True)
        outer = around.solid.rows[cells.outer_triangle]
        return replace(cells, unit=unit.astype(np.int64), outer_triangle=outer), kinds


def _matter_of(cells: Cells, regions: Ints) -> tuple[Ints, Floats]:
    """Those of some regions (k,) in which there is matter, and its centres (k,3)."""
    count = int(max(cells.region.max(), regions.max(initial=0))) + 1
    volume = summed(cells.volume[:, None], cells.region, count)[:, 0]
    moment = summed(cells.volume[:, None] * cells.centroid, cells.region, count)
    some = regions[volume[regions] > 0.0]
    return some, moment[some] / volume[some, None]
