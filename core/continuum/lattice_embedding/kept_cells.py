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
#: Share of a cell that must be matter for it to be kept, at first and where matter would be left out otherwise. By
#: derivation: at a flat side, the kept cells then reach half a cell beyond it or stay half a cell behind it, and nodes
#: move by that at most.
BARE_SHARES = (0.5,)
#: The same where a layer comes around the kept cells: together with it they are about as large as others. By eye: with
#: 0.3 there are no holes in walls of three quarters of a cell.
LAYERED_SHARES = (0.85, 0.5, 0.3)
#: Around matter that would be left out, so many cells on each side are asked for less. By derivation: those that touch
#: kept ones count as theirs, so that a gap of one cell has to be closed.
_AROUND_LEFT = 2
#: How much more matter there must be on one side of a cell than on the other for that to be behind it [1]. By eye.
_LEVEL = 0.2
#: How often a cell may be kept or dropped while pinches are cured, so that this ends. Chosen: 1 leaves a few.
_TURNS = 3

#: How much less a cell is turned where that drops matter, in shares of it. By eye: walls of one cell keep no holes.
_LOSS = 0.3


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


def keep_cells(grid: BodyGrid, share: Floats, levels: tuple[float, ...]) -> Bools:
    """Which cells (H,) are kept, of which at least a share is filled: one part that hangs together by faces.

    Around matter that would be left out by the first of the levels, the next one counts. There are no pinches that can
    be cured; the fullest cell is always kept.
    """
    least = np.full(len(share), levels[0])
    kept = _cleaned(grid, share, least)
    for level in levels[1:]:
        least[_dilated(grid, _left_out(grid, kept, share), _AROUND_LEFT) | _walls(grid, kept, share)] = level
        kept = _cleaned(grid, share, least)
    return kept


def _cleaned(grid: BodyGrid, share: Floats, least: Floats) -> Bools:
    kept = share >= least
    kept[share.argmax()] = True
    state = kept.astype(np.int64)
    _clean(sealed_ints(grid.cells_around), _FAULTS, sealed_floats(share), state, np.zeros(len(share), np.int64))
    return _largest_part(grid, state > 0, share)


def _largest_part(grid: BodyGrid, kept: Bools, share: Floats) -> Bools:
    """The part (H,) of the kept cells that hangs together by faces and has the most matter."""
    pairs = np.stack([np.repeat(np.arange(len(kept)), 6), grid.neighbours.ravel()], axis=1)
    pairs = pairs[(pairs[:, 1] > pairs[:, 0])]
    label = connected_labels(len(kept), pairs[kept[pairs].all(axis=1)])
    matter = np.bincount(label, np.where(kept, share, 0.0))
    return np.asarray(kept & (label == matter.argmax()))


def left_out_share(grid: BodyGrid, kept: Bools, share: Floats) -> float:
    """How much of the matter lies in cells that do not even touch a kept one [1]."""
    return float(share[_left_out(grid, kept, share)].sum() / share.sum())


def _left_out(grid: BodyGrid, kept: Bools, share: Floats) -> Bools:
    return np.asarray((share > 0.0) & ~_dilated(grid, kept, 1))


def _walls(grid: BodyGrid, kept: Bools, share: Floats) -> Bools:
    """Cells (H,) that are not kept, nor is the one behind them: where the matter is more, if it is more anywhere."""
    shape = tuple(int(count) for count in grid.counts)
    there = share.reshape(shape)
    slope = np.stack([np.roll(there, -1, axis) - np.roll(there, 1, axis) for axis in range(3)], axis=-1).reshape(-1, 3)
    steep = np.abs(slope).max(axis=1)
    rows = np.flatnonzero(~kept & (share > 0.0))
    step = np.where(np.abs(slope[rows]) >= 0.5 * steep[rows, None], np.sign(slope[rows]), 0.0).astype(np.int64)
    place = np.stack(np.unravel_index(rows, shape), axis=1) + step
    behind = np.ravel_multi_index(tuple(place.T), shape)
    result = np.zeros(len(kept), np.bool_)
    result[rows] = (steep[rows] < _LEVEL) | ~kept[behind]
    return result


def _dilated(grid: BodyGrid, cells: Bools, times: int) -> Bools:
    """Cells (H,) that are at most so many away from some, also across edges and corners.

    None may be on the border of the box: its sides are taken for neighbours.
    """
    near = cells.reshape(tuple(int(count) for count in grid.counts))
    for axis in (0, 1, 2) * times:
        near = near | np.roll(near, 1, axis) | np.roll(near, -1, axis)
    return near.ravel()


def _count_faults() -> Ints:
    """For each way to keep some of eight cells around a node, what is wrong there: see `_FAULTS`."""
    pairs = np.array([(k, k | 1 << axis) for axis in range(3) for k in range(8) if not k >> axis & 1])
    result = np.zeros(256, np.int64)
    for code in range(256):
        kind = np.array([code >> k & 1 for k in range(8)])
        label = connected_labels(8, pairs[kind[pairs[:, 0]] == kind[pairs[:, 1]]])
        step = (kind[pairs[:, 1]] - kind[pairs[:, 0]]).reshape(3, 4)
        both = np.count_nonzero((step > 0).any(axis=1) & (step < 0).any(axis=1))
        result[code] = max(len(np.unique(label)) - 2, 0) + both
    return result


#: (256,) by the bits of the kept cells around a node: parts beyond two that these and the others form, and axes along
#: which faces look both ways. There a node has no way that leads away from all of its faces.
_FAULTS = _count_faults()


@njit_no_refs
def _clean(around: Ints, faults: Ints, share: Floats, kept: Ints, turned: Ints) -> None:
    """Turn cells, those first whose share is nearest to the limit, until no node is a pinch that can be cured.

    `kept (H,)` 0 or 1, `turned (H,)` 0: how often each cell was turned.
    """
    changed = True
    while changed:
        changed = False
        for n in range(len(around)):
            code = 0
            for k in range(8):
                code |= kept[around[n, k]] << k
            if faults[code] == 0:
                continue
            best, least, cost = -1, faults[code], np.inf
            for k in range(8):
                cell = around[n, k]
                if turned[cell] >= _TURNS or (kept[cell] == 0 and share[cell] == 0.0):
                    continue
                count, away = faults[code ^ 1 << k], abs(share[cell] - 0.5) + _LOSS * kept[cell]
                if count < least or (count == least and best >= 0 and away < cost):
                    best, least, cost = cell, count, away
            if best >= 0:
                kept[best] = 1 - kept[best]
                turned[best] += 1
                changed = True
