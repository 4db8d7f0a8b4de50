"""The faces between nodes with different labels: one for each edge of the grid, with a corner in each voxel around it.

A face between two pieces is stored once, and both have it.
"""

from typing import NamedTuple

import numpy as np

from ...types import Ints
from .grid import Shorts, stepped
from .sheets import VoxelSheets, sheets_of


class DualFaces(NamedTuple):
    """Q faces with four corners each, seen counter-clockwise from `end`, and the S sheets that are their corners."""

    begin: Ints  #: (Q,) node on whose matter the face is the skin
    end: Ints  #: (Q,) the node across
    corner: Ints  #: (Q,4) sheet at each corner
    voxel: Ints  #: (S,) voxel of each sheet, by its lowest corner


def find_dual_faces(label: Shorts) -> DualFaces:
    """The faces of labels (nx,ny,nz), -1 without matter, as on all of the border. `begin` has the higher label."""
    stride = np.array([label.shape[1] * label.shape[2], label.shape[2], 1])
    flat = label.reshape(-1)
    node, axis = _changes(label)
    first, second = stride[(axis + 1) % 3], stride[(axis + 2) % 3]
    turns = np.array([(1, 1), (0, 1), (0, 0), (1, 0)])  # voxels around the edge, counter-clockwise about the axis
    around = node[:, None] - turns[:, 0] * first[:, None] - turns[:, 1] * second[:, None]
    sheets, voxels, row = _sheets(label, around)
    corner = sheets.sheet[row, 4 * axis[:, None] + 2 * turns[:, 0] + turns[:, 1]]
    other = node + stride[axis]
    back = flat[node] < flat[other]
    corner[back] = corner[back, ::-1]
    return DualFaces(np.where(back, other, node), np.where(back, node, other), corner, voxels[sheets.voxel])


def _changes(label: Shorts) -> tuple[Ints, Ints]:
    """Lower node and axis of the grid's edges between different labels."""
    nodes = []
    for axis in range(3):
        first, second = stepped(label, axis)
        changes = first != second
        places = np.unravel_index(np.flatnonzero(changes), changes.shape)
        nodes.append(np.ravel_multi_index(places, label.shape))
    return np.concatenate(nodes), np.repeat(np.arange(3), [len(n) for n in nodes])


def _sheets(label: Shorts, around: Ints) -> tuple[VoxelSheets, Ints, Shorts]:
    """The sheets of all voxels that occur (n,4), these voxels, and the row of each."""
    used = np.zeros(label.size, np.bool_)
    used[around] = True
    voxels = np.flatnonzero(used)
    number = np.empty(label.size, np.int32)
    number[voxels] = np.arange(len(voxels), dtype=np.int32)
    return sheets_of(label, voxels), voxels, number[around]
