"""Which cells of a grid become those of the lattice: those that are filled enough, without pinches.

A pinch is a node around which the kept cells, or those that are not, hang together by an edge or a node only: springs
would bend there as a hinge, and the surface would pass through itself.
"""

import numpy as np

from ...arithmetic.products import norm
from ...geometry.bvh import Tree
from ...geometry.graph import connected_labels
from ...geometry.inside import winding_number
from ...geometry.nearest import nearest_in
from ...jit import njit_no_refs, sealed_floats, sealed_ints
from ...types import Body, Bools, Floats, Ints
from .grid import BodyGrid

#: Samples along each side of a cell. Chosen: shares are then known to some hundredths.
_SAMPLES = 4
#: Share of a cell that must be matter for it to be kept. By derivation: at a flat side, the kept cells then reach half
#: a cell beyond it or stay half a cell behind it, and nodes move by that at most.
FILLED = 0.5


def filled_shares(body: Body, grid: BodyGrid, tree: Tree) -> Floats:
    """Share (H,) of each cell that is matter of a body of one part, by samples near its surface [1]."""
    corner = grid.nodes[grid.hexahedra[:, [0, 7]]]
    middle = 0.5 * (corner[:, 0] + corner[:, 1])
    _, _, distance = nearest_in(tree, middle)
    reach = 0.5 * float(norm(grid.size))
    share = np.minimum(winding_number(body.vertices, body.triangles, middle), 1).astype(np.float64)
    near = np.flatnonzero(distance <= reach * (1.0 + 1e-9))
    steps = (np.arange(_SAMPLES) + 0.5) / _SAMPLES - 0.5
    local = np.stack([s.ravel() for s in np.meshgrid(steps, steps, steps, indexing="ij")], axis=1) * grid.size
    offset = sum(local[:, k, None] * grid.axes[k] for k in range(3))
    points = (middle[near, None] + offset).reshape(-1, 3)
    inside = winding_number(body.vertices, body.triangles, points) >= 1
    share[near] = inside.reshape(len(near), -1).sum(axis=1) / len(local)
    return np.maximum(share, 0.0)


def keep_cells(grid: BodyGrid, share: Floats) -> Bools:
    """Which cells (H,) are kept: at least the fullest, no pinches, and what hangs together by faces is one part."""
    kept = share >= FILLED
    kept[share.argmax()] = True
    state = kept.astype(np.int64)
    _clean(sealed_ints(_cells_around(grid)), _PARTS, sealed_floats(share), state, np.zeros(len(share), np.int64))
    return state > 0


def largest_part(grid: BodyGrid, kept: Bools, share: Floats) -> Bools:
    """The part (H,) of the kept cells that hangs together by faces and has the most matter."""
    pairs = np.stack([np.repeat(np.arange(len(kept)), 6), grid.neighbours.ravel()], axis=1)
    pairs = pairs[(pairs[:, 1] > pairs[:, 0])]
    label = connected_labels(len(kept), pairs[kept[pairs].all(axis=1)])
    matter = np.bincount(label, np.where(kept, share, 0.0))
    return np.asarray(kept & (label == matter.argmax()))


def _cells_around(grid: BodyGrid) -> Ints:
    """The eight cells around each inner node (n,8); cell k lies at (k & 1, k >> 1 & 1, k >> 2 & 1) of it."""
    shape = tuple(int(count) for count in grid.counts)
    cell = np.arange(int(grid.counts.prod())).reshape(shape)
    ends = (slice(None, -1), slice(1, None))
    return np.stack([cell[ends[k & 1], ends[k >> 1 & 1], ends[k >> 2 & 1]].ravel() for k in range(8)], axis=1)


def _count_parts() -> Ints:
    """For each way to keep some of eight cells around a node: face-connected parts of these and of the others."""
    pairs = np.array([(k, k | 1 << axis) for k in range(8) for axis in range(3) if not k >> axis & 1])
    result = np.zeros(256, np.int64)
    for code in range(256):
        kind = np.array([code >> k & 1 for k in range(8)])
        label = connected_labels(8, pairs[kind[pairs[:, 0]] == kind[pairs[:, 1]]])
        result[code] = len(np.unique(label))
    return result


#: (256,) 1 where all or none are kept, 2 at a proper surface, more at a pinch.
_PARTS = _count_parts()


@njit_no_refs
def _clean(around: Ints, parts: Ints, share: Floats, kept: Ints, locked: Ints) -> None:
    """Turn cells, those first whose share is nearest to the limit, until no node is a pinch that can be cured.

    `kept (H,)` 0 or 1, `locked (H,)` 0: a cell is turned once at most, so this ends.
    """
    changed = True
    while changed:
        changed = False
        for n in range(len(around)):
            code = 0
            for k in range(8):
                code |= kept[around[n, k]] << k
            if parts[code] <= 2:
                continue
            best, least, cost = -1, parts[code], np.inf
            for k in range(8):
                cell = around[n, k]
                if locked[cell] != 0 or (kept[cell] == 0 and share[cell] == 0.0):
                    continue
                count, away = parts[code ^ 1 << k], abs(share[cell] - 0.5)
                if count < least or (count == least and best >= 0 and away < cost):
                    best, least, cost = cell, count, away
            if best >= 0:
                kept[best] = 1 - kept[best]
                locked[best] = 1
                changed = True
