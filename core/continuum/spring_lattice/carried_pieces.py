"""Where the matter of pieces is at each stored frame: which hexahedra carry it, and where their nodes were."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...geometry.mesh import diagonal
from ...types import Bools, Floats, Frozen, Ints
from ..lattice_embedding.embedding import Embedding, find_point_weights
from .cell_frames import rotate_about

_KEPT = 3  # sets of points of a piece of which it is kept where they lie: skins, meshes of pieces, and one more


class ShardPose(NamedTuple):
    """Where a shard is when it is born: it has its form at rest."""

    turn: Floats  #: (3,3)
    centre: Floats  #: (3,) at rest [m]
    to: Floats  #: (3,) where that is [m]


@dataclass(frozen=True, eq=False, slots=True)
class _Carriers(Frozen):
    """By which hexahedra a piece is carried from a stored frame on, or where it went as a rigid body in that frame."""

    frame: int
    hexahedra: Ints
    went: ShardPose | None = None


@dataclass(frozen=True, eq=False, slots=True)
class _EmbeddedPoints(Frozen):
    """Where points lie among the carriers of a piece."""

    points: Floats
    corner: Ints  #: (n,8)
    weight: Floats  #: (n,8)


class CarriedPieces:
    """All pieces that there ever were, by number, and all nodes at all stored frames."""

    def __init__(self, embedding: Embedding, whole: Bools) -> None:
        self._embedding = embedding
        self._nodes = [embedding.nodes]
        self._carriers = {0: [_Carriers(0, np.flatnonzero(whole))]}
        self._parent = {0: -1}
        self._placed: dict[tuple[int, int], list[_EmbeddedPoints]] = {}

    def nodes_at(self, frame: int) -> Floats:
        """(N,3) at a stored frame."""
        return self._nodes[frame]

    @property
    def last(self) -> Floats:
        """(N,3) at the last one."""
        return self._nodes[-1]

    def add_frame(self, nodes: Floats) -> None:
        """Note where nodes are at the next stored frame."""
        self._nodes.append(nodes)

    def last_way(self, node: Ints) -> tuple[float, float]:
        """How far some nodes went in the last frame at the most, and how large all of them are [m]."""
        now, before = self._nodes[-1][node], self._nodes[-2][node]
        return float(np.abs(now - before).max(initial=0.0)), diagonal(now)

    def carry(self, piece: int, frame: int, hexahedra: Ints) -> None:
        """From a frame on a piece is carried by other hexahedra."""
        self._carriers[piece].append(_Carriers(frame, np.unique(hexahedra)))

    def bear(self, piece: int, parent: int, frame: int, hexahedra: Ints) -> None:
        """A piece is born."""
        self._parent[piece] = parent
        self._carriers[piece] = [_Carriers(frame, np.unique(hexahedra))]

    def bear_shard(self, piece: int, parent: int, frame: int, went: ShardPose) -> None:
        """A piece is born that leaves as a rigid body."""
        self._parent[piece] = parent
        self._carriers[piece] = [_Carriers(frame, np.zeros(0, np.int64), went)]

    def deform(self, piece: int, points: Floats, frame: int) -> Floats:
        """Where points (n,3) are; before its birth, where the matter was of the piece that it broke from."""
        own = piece
        while self._carriers[own][0].frame > frame:
            own = self._parent[own]
        versions = self._carriers[own]
        version = max(k for k, one in enumerate(versions) if one.frame <= frame)
        one = versions[version]
        if one.went is not None:
            return rotate_about(one.went.turn, points, one.went.centre, one.went.to)
        placed = self._place(own, version, points)
        return _interpolate_points(placed, self._nodes[frame])

    def _place(self, piece: int, version: int, points: Floats) -> _EmbeddedPoints:
        known = self._placed.setdefault((piece, version), [])
        for one in known:
            if one.points.shape == points.shape and np.array_equal(one.points, points):
                return one
        corner, weight = find_point_weights(self._embedding, points, self._carriers[piece][version].hexahedra)
        found = _EmbeddedPoints(points.copy(), corner, weight)
        known.append(found)
        del known[:-_KEPT]
        return found


def _interpolate_points(placed: _EmbeddedPoints, nodes: Floats) -> Floats:
    """Where points are (n,3) with nodes at (N,3) [m]."""
    total = placed.weight[:, :1] * nodes[placed.corner[:, 0]]
    for k in range(1, 8):
        total += placed.weight[:, k : k + 1] * nodes[placed.corner[:, k]]
    return np.asarray(total)
