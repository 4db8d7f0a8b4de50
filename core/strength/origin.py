"""The object as it came: what fields are fixed to, whatever becomes of its pieces."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arithmetic.products import dot, norm
from ..geometry.bvh import Tree, build_tree
from ..geometry.mesh import bounds, rotated
from ..types import Body, Cells, Floats, Ints, Painted
from .depth import wall_depth
from .fields.contract import Sample
from .paint import corner_values, own_skin, skin_places


@dataclass(frozen=True, eq=False)
class Origin:
    """A whole body, how its object is turned, and what is painted on it; trees over its skin are made when needed.

    Pieces that are cut anew are asked about their places in this body, so that fields and paint stay where they were.
    """

    body: Body  #: in material coordinates, like the cells
    turn: Floats  #: (3,3) from the object's own axes to those of the body, see `Mesh.turn`
    painted: tuple[Painted, ...] = ()

    @cached_property
    def box(self) -> tuple[Floats, Floats]:
        """Lower and upper corner (3,) of the body along the object's own axes [m]."""
        return bounds(rotated(self.body.vertices, self.turn.T))

    @cached_property
    def diagonal(self) -> float:
        """Length of the box's diagonal [m]."""
        return float(np.sqrt(np.square(self.box[1] - self.box[0]).sum()))

    @cached_property
    def skin(self) -> Tree:
        """All triangles."""
        return build_tree(self.body.vertices, self.body.triangles)

    @cached_property
    def own_skin(self) -> tuple[Tree, Ints]:
        """The triangles that may be painted, see paint.py."""
        return own_skin(self.body)

    def placed(self, points: Floats) -> Floats:
        """Points (n,3) [m] in the object's own axes from the middle of its box, in diagonals."""
        low, high = self.box
        return np.asarray((rotated(points, self.turn.T) - 0.5 * (low + high)) / self.diagonal)

    def of_bonds(self, cells: Cells, paints: Iterable[tuple[str, str]] = (), of_skin: bool = False) -> Sample:
        """The bonds of cells of this body, with the paints of these sources and names, and depths if asked for."""
        pairs, centroid = cells.bond_cells, self.placed(cells.centroid)
        depth, inward = wall_depth(self.skin, cells.bond_centroid) if of_skin else (np.zeros(0), np.zeros((0, 3)))
        return Sample(
            points=self.placed(cells.bond_centroid),
            ends=centroid[pairs],
            normal=rotated(cells.bond_normal, self.turn.T),
            area=_relative(cells.bond_area, cells.bond_area),
            volume=_relative(0.5 * (cells.volume[pairs[:, 0]] + cells.volume[pairs[:, 1]]), cells.volume),
            extent=(self.box[1] - self.box[0]) / self.diagonal,
            depth=depth,
            inward=rotated(inward, self.turn.T),
            painted=self.paint_at(cells.bond_centroid, frozenset(paints)),
        )

    def of_links(self, ends: Floats, paints: Iterable[tuple[str, str]] = (), of_skin: bool = False) -> Sample:
        """Links between points (n,2,3) of this body [m], all equally large, across their own directions."""
        middle, along = 0.5 * (ends[:, 0] + ends[:, 1]), ends[:, 1] - ends[:, 0]
        depth, inward = wall_depth(self.skin, middle) if of_skin else (np.zeros(0), np.zeros((0, 3)))
        return Sample(
            points=self.placed(middle),
            ends=self.placed(ends.reshape(-1, 3)).reshape(-1, 2, 3),
            normal=rotated(along / norm(along)[:, None], self.turn.T),
            area=np.ones(len(ends)),
            volume=np.ones(len(ends)),
            extent=(self.box[1] - self.box[0]) / self.diagonal,
            depth=depth,
            inward=rotated(inward, self.turn.T),
            painted=self.paint_at(middle, frozenset(paints)),
        )

    def of_cells(self, cells: Cells) -> Sample:
        """The cells themselves."""
        centroid = self.placed(cells.centroid)
        return Sample(
            points=centroid,
            ends=np.stack([centroid, centroid], axis=1),
            normal=np.zeros_like(centroid),
            area=np.ones(len(centroid)),
            volume=_relative(cells.volume, cells.volume),
            extent=(self.box[1] - self.box[0]) / self.diagonal,
        )

    def paint_at(self, points: Floats, wanted: frozenset[tuple[str, str]]) -> dict[tuple[str, str], Floats]:
        """(n,) values of the wanted paints at the nearest places of the artist's own skin."""
        chosen = {(one.source, one.name): one.values for one in self.painted if (one.source, one.name) in wanted}
        if not chosen:
            return {}
        rows, weight = skin_places(self.body, self.own_skin, points)
        return {key: dot(weight, corner_values(values, self.body, rows)) for key, values in chosen.items()}


def _relative(values: Floats, all_of_them: Floats) -> Floats:
    mean = float(all_of_them.mean()) if len(all_of_them) else 0.0
    return np.asarray(values / mean) if mean > 0.0 else np.ones(len(values))
