"""Which cells are even and which odd, such that two that share a face have the same diagonal on it."""

import numpy as np

from ...types import Ints
from ..spring_lattice.hexahedra import HEXAHEDRON_FACES

#: (6,2) of the corners of a face, the two with an even number of ones: what even cells join.
_EVEN = np.array([[k for k in face if k.bit_count() % 2 == 0] for face in HEXAHEDRON_FACES.tolist()])


def alternate_parities(cell_node: Ints) -> Ints:
    """The parity (c,) of cells (c,8): the first of those that hang together is even.

    Where a ring of cells has none, some faces have another diagonal on either side.
    """
    near: list[list[tuple[int, int]]] = [[] for _ in range(len(cell_node))]
    for a, b, other in zip(*(part.tolist() for part in _shared(cell_node)), strict=True):
        near[a].append((b, other))
        near[b].append((a, other))
    parity = [-1] * len(near)
    for first in range(len(near)):
        if parity[first] >= 0:
            continue
        parity[first], front = 0, [first]
        for cell in front:
            for beyond, other in near[cell]:
                if parity[beyond] < 0:
                    parity[beyond] = parity[cell] ^ other
                    front.append(beyond)
    return np.array(parity, np.int64)


def _shared(cell_node: Ints) -> tuple[Ints, Ints, Ints]:
    """Pairs of cells that share a face, and 1 where the even diagonal of one is not that of the other there."""
    low = np.sort(cell_node[:, HEXAHEDRON_FACES].reshape(-1, 4), axis=1)
    even = np.sort(cell_node[:, _EVEN].reshape(-1, 2), axis=1)
    order = np.lexsort(low.T)
    same = (low[order[1:]] == low[order[:-1]]).all(axis=1)
    a, b = order[:-1][same], order[1:][same]
    return a // 6, b // 6, (even[a] != even[b]).any(axis=1).astype(np.int64)
