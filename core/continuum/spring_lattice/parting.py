"""What becomes of the matter of a piece in which hexahedra broke: parts that hang together, and shards.

Norton et al. 1991 drop what is in a broken cell. Here it stays: it goes with the unbroken neighbour in the same piece
with which it shares most of its faces. Where it has none, and lonely nodes around it, it is a shard by itself.
"""

from typing import NamedTuple

import numpy as np

from ...geometry.graph import number_by_appearance
from ...types import Bools, Floats, Ints, Units
from .lattice import sums_at

SHARD = -1  #: the carrier of a unit that none carries


class Parting(NamedTuple):
    """The parts of some units, of a piece."""

    part: Ints  #: (m,) of each unit
    joined: int  #: parts before this number hang together by springs; each of the others is one unit
    total: int  #: of parts
    carrier: Ints  #: (m,) hexahedron by which each unit is moved; SHARD for those by themselves


class LatticeDamage(NamedTuple):
    """What is broken of a lattice, as units of matter see it."""

    hexahedron: Ints  #: (U,) of each unit
    corner: Ints  #: (H,8) nodes of the hexahedra
    broken: Bools  #: (H,)
    label: Ints  #: (n,) component of each node
    lonely: Bools  #: (n,) nodes without a spring


def part_matter(graph: Units, members: Ints, state: LatticeDamage) -> Parting:
    """The parts of the units `members` (m,) of one piece.

    Those that hang together are numbered in the order of their first units, then come the shards.
    """
    row = np.full(len(graph.volume), -1, np.int64)
    row[members] = np.arange(len(members))
    own = state.hexahedron[members]
    whole = ~state.broken[own]
    part = np.full(len(members), -1, np.int64)
    first, number = number_by_appearance(state.label[state.corner[own[whole], 0]])
    part[whole] = number
    carrier = np.where(whole, own, SHARD)
    _join_by_faces(graph, row, own, whole, part, carrier)
    left = np.flatnonzero(part < 0)
    if len(left):
        label_part = dict(zip(first.tolist(), range(len(first)), strict=True))
        for cell in left[~state.lonely[state.corner[own[left]]].any(axis=1)]:
            _join_by_nodes(int(cell), own, whole, state, label_part, part, carrier)
    shards = np.flatnonzero(part < 0)
    part[shards] = len(first) + np.arange(len(shards))
    return Parting(part, len(first), len(first) + len(shards), carrier)


def _join_by_faces(graph: Units, row: Ints, own: Ints, whole: Bools, part: Ints, carrier: Ints) -> None:
    """Give broken cells to the part with which they share most area, carried by the neighbour that has most of it."""
    a, b = row[graph.links].T
    inside = (a >= 0) & (b >= 0)
    cell = np.concatenate([a[inside], b[inside]])
    other = np.concatenate([b[inside], a[inside]])
    area = np.tile(graph.area[inside], 2)
    touching = ~whole[cell] & whole[other]
    cell, other, area = cell[touching], other[touching], area[touching]
    if len(cell) == 0:
        return
    total = _area_with_part(cell, part[other], area, int(part.max()) + 1)
    order = np.lexsort((other, -area, part[other], -total, cell))
    leading = np.ones(len(order), np.bool_)
    leading[1:] = cell[order][1:] != cell[order][:-1]
    best = order[leading]
    part[cell[best]], carrier[cell[best]] = part[other[best]], own[other[best]]


def _area_with_part(cell: Ints, part: Ints, area: Floats, parts: int) -> Floats:
    """(k,) area of the faces that a cell shares with all of a part, for each pair of them."""
    _, pair = np.unique(cell * parts + part, return_inverse=True)
    return sums_at(pair, area, int(pair.max()) + 1)[pair]


def _join_by_nodes(
    cell: int, own: Ints, whole: Bools, state: LatticeDamage, label_part: dict[int, int], part: Ints, carrier: Ints
) -> None:
    """Give a broken cell whose nodes all hang on others to the part that has most of them."""
    labels = state.label[state.corner[own[cell]]]
    known = [label for label in labels.tolist() if label in label_part]
    if not known:
        return
    most = max(sorted(set(known), key=label_part.__getitem__), key=known.count)
    mine = np.flatnonzero(whole & (part == label_part[most]))
    nodes = state.corner[own[cell]][labels == most]
    near = mine[np.isin(state.corner[own[mine]], nodes).any(axis=1)]
    part[cell], carrier[cell] = label_part[most], own[near[0] if len(near) else mine[0]]
