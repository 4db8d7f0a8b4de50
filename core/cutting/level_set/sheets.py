"""Which sheets of surface pass through a voxel: the eight nodes at its corners say it.

A voxel here is the cube between eight nodes. Where the labels at the two ends of one of its edges differ, a face
crosses the edge. Around each side of the voxel faces are linked from edge to edge, and what is linked is one sheet, as
in dual marching cubes (Nielson 2004): it gets one vertex. Two sheets of one label that only come near stay apart.

Where the four nodes of a side are a, b, a, c in turn, the two a are joined and b and c are kept apart: the other way
round the surfaces of b and c would be open. For a, b, a, b the lower label is joined, so matter parts rather than
joins across an edge, and both voxels of a side agree.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...geometry.graph import join, root
from ...jit import njit_no_refs, sealed_ints
from ...types import Ints
from .grid import Shorts


def _edge_corners() -> Ints:
    """The two corners (12,2) of the edges of a voxel; edge 4 k + 2 i + j runs along axis k, at i, j along the next two.

    Corner 4 x + 2 y + z has the offsets x, y, z.
    """
    bit = (4, 2, 1)
    edges = [
        [i * bit[(k + 1) % 3] + j * bit[(k + 2) % 3] + end * bit[k] for end in (0, 1)]
        for k in range(3)
        for i in (0, 1)
        for j in (0, 1)
    ]
    return np.array(edges, np.int64)


def _sides() -> Ints:
    """The six sides (6,8): four corners in turn, and the edges from each to the next."""
    bit = (4, 2, 1)
    edge_of = {frozenset(pair): e for e, pair in enumerate(VOXEL_EDGES.tolist())}
    sides = []
    for k in range(3):
        for end in (0, 1):
            u, v = bit[(k + 1) % 3], bit[(k + 2) % 3]
            ring = [end * bit[k] + step for step in (0, u, u + v, v)]
            sides.append(ring + [edge_of[frozenset((ring[i], ring[(i + 1) % 4]))] for i in range(4)])
    return np.array(sides, np.int64)


VOXEL_EDGES = sealed_ints(_edge_corners())
_SIDES = sealed_ints(_sides())


class VoxelSheets(NamedTuple):
    """The sheets in each of M voxels."""

    sheet: Shorts  #: (M,12) sheet of the face that crosses each edge, numbered through all voxels; -1 for no face
    voxel: Ints  #: (S,) row of the voxel of each sheet


def sheets_of(label: ArrayLike, voxels: Ints) -> VoxelSheets:
    """The sheets of voxels (M,), which are given by their lowest corners: nodes, numbered row by row, none of them last
    along an axis.
    """
    labels = np.ascontiguousarray(label, np.int32)
    _, ny, nz = labels.shape
    bit = np.arange(8)
    offset = (bit >> 2) * (ny * nz) + (bit >> 1 & 1) * nz + (bit & 1)
    sheet, count = np.empty((len(voxels), 12), np.int32), np.empty(len(voxels), np.int64)
    _link(
        labels.reshape(-1),
        sealed_ints(voxels),
        sealed_ints(offset),
        VOXEL_EDGES,
        _SIDES,
        np.empty(12, np.int64),
        sheet,
        count,
    )
    return VoxelSheets(sheet, np.repeat(np.arange(len(voxels)), count))


@njit_no_refs
def _link(
    label: Shorts, voxels: Ints, offset: Ints, edges: Ints, sides: Ints, parent: Ints, sheet: Shorts, count: Ints
) -> None:
    """Fill the number of the sheet at each edge, -1 for none, and how many there are in each voxel."""
    found = 0
    for m in range(len(voxels)):
        at = voxels[m]
        for e in range(12):
            parent[e] = e
        for s in range(6):
            a, b = label[at + offset[sides[s, 0]]], label[at + offset[sides[s, 1]]]
            c, d = label[at + offset[sides[s, 2]]], label[at + offset[sides[s, 3]]]
            if a != b and b != c and c != d and d != a and (a == c or b == d):
                turn = 0 if b != d or (a == c and a < b) else 3  # around b and d, or around a and c
                join(parent, sides[s, 4 + turn], sides[s, 4 + (turn + 1) % 4])
                join(parent, sides[s, 4 + (turn + 2) % 4], sides[s, 4 + (turn + 3) % 4])
                continue
            last = -1
            for k in range(4):
                e = sides[s, 4 + k]
                if label[at + offset[edges[e, 0]]] != label[at + offset[edges[e, 1]]]:
                    if last >= 0:
                        join(parent, last, e)
                    last = e
        before = found
        for e in range(12):
            first = root(parent, e)
            if label[at + offset[edges[e, 0]]] == label[at + offset[edges[e, 1]]]:
                sheet[m, e] = -1
            elif first == e:  # a root comes before the rest of its set
                sheet[m, e] = found
                found += 1
            else:
                sheet[m, e] = sheet[m, first]
        count[m] = found - before
