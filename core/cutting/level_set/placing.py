"""Where the vertex of a sheet goes: onto the planes of the faces that meet there, one plane after the other.

Dual contouring (Ju et al. 2002) minimises the distances from all planes by least squares. The planes here are of two
kinds: facets, which are flat and must come out flat, and the skin's, which scatter where it is curved. So facets come
first, each exactly, then the skin: planes with nearly one normal move the vertex by the mean of what each asks for. A
move keeps to the planes that are met already; one that would leave the voxel far behind is not made. Where that
happens the skin comes first after all: what is left of a wedge thinner than a cell ends on the body's surface.
"""

from typing import NamedTuple

import numpy as np

from ...geometry import packed
from ...jit import device_inlined, njit_no_refs, sealed_floats, sealed_ints
from ...types import Bools, Floats, Ints
from .crossings import Crossings
from .faces import DualFaces
from .grid import Grid

#: Sine of the angle to what is met already above which a facet, and the skin, can be met too. By eye: at a smaller
#: angle the place is far away.
_LEAST = (0.02, 0.1)
#: Cosine of the angle below which two planes of the skin make an edge; those that differ less, as on curved skin, are
#: taken together. 30 degrees, by eye.
_SHARP = 0.866
#: How far a vertex may leave its voxel, in cells: where a facet meets the skin at a small angle, the rim lies beside
#: the voxels in which the nodes' labels change. Then the skin folds a little, in its own plane. 0.1 was tried before.
_SLACK = 1.0


class _Planes(NamedTuple):
    """Where faces cross edges of the grid, and how they lie there."""

    kind: Ints  #: (n,) 0 of a facet, 1 of the skin
    point: Floats  #: (n,3) in cells
    normal: Floats  #: (n,3)


class _Scratch(NamedTuple):
    """Room for one vertex after the other."""

    basis: Floats  #: (3,3) the directions that are settled
    work: Floats  #: (2,3) the one to be settled next, and a trial
    met: Ints  #: (3,) the skin's planes that are settled, and the one that is tried


def sheet_vertices(grid: Grid, faces: DualFaces, crossings: Crossings, confined: Bools) -> Floats:
    """The vertex (S,3) [m] of each sheet; those of the `confined (S,)` stay in their voxels."""
    start, corner = packed.group_by_owner(faces.corner.reshape(-1), len(faces.voxel))
    middle = (grid.places(faces.voxel) - grid.origin) / grid.spacing + 0.5
    point = (crossings.point - grid.origin) / grid.spacing
    kind = np.where(crossings.facet >= 0, 0, 1)
    place = np.empty((len(faces.voxel), 3))
    planes = _Planes(sealed_ints(kind), sealed_floats(point), sealed_floats(crossings.normal))
    scratch = _Scratch(np.empty((3, 3)), np.empty((2, 3)), np.empty(3, np.int64))
    reach = np.where(confined, 0.5, 0.5 + _SLACK)
    _place(sealed_ints(start), sealed_ints(corner // 4), planes, sealed_floats(middle), reach, scratch, place)
    return grid.origin + grid.spacing * place


@njit_no_refs
def _place(
    start: Ints, row: Ints, planes: _Planes, middle: Floats, reach: Floats, scratch: _Scratch, place: Floats
) -> None:
    """Fill the places (S,3), in cells; sheet s has the faces `row[start[s]:start[s+1]]`."""
    for s in range(len(start) - 1):
        x = place[s]
        for first in range(2):
            for c in range(3):
                x[c] = 0.0
                for at in range(start[s], start[s + 1]):
                    x[c] += planes.point[row[at], c]
                x[c] /= start[s + 1] - start[s]
            rows = row[start[s] : start[s + 1]]
            if _meet(rows, planes, middle[s], reach[s], first, scratch, x):
                break


@device_inlined
def _meet(rows: Ints, planes: _Planes, middle: Floats, reach: float, first: int, scratch: _Scratch, x: Floats) -> bool:
    """Move x onto one plane after the other, those of the kind `first` first; whether no move was too long."""
    kind, point, normal = planes
    basis, work, met = scratch
    rank, skins, turn, whole = 0, 0, 0, True
    while turn < 2 and rank < 3:
        stage = first if turn == 0 else 1 - first
        least = _LEAST[0] if stage == 0 else _LEAST[1]
        best, pivot = least * least, -1
        for r in rows:
            if kind[r] == stage and _is_new(normal, r, met, skins):
                square = _rest(normal, r, basis, rank, work[1])
                if square > best + 1e-9:  # of equals the first, whatever the rounding
                    best, pivot = square, r
        if pivot < 0:
            turn += 1
            continue
        _rest(normal, pivot, basis, rank, work[0])
        met[skins] = pivot
        for c in range(3):
            work[0, c] /= np.sqrt(best)
        total, count = 0.0, 0
        for r in rows:
            along, away = 0.0, 0.0
            for c in range(3):
                along += normal[r, c] * work[0, c]
                away += normal[r, c] * (point[r, c] - x[c])
            alike = stage == 1 and kind[r] == 1 and along * along > 0.25 * best and along > 0.0
            if r == pivot or (alike and not _is_new(normal, r, met[skins:], 1)):
                total += away / along
                count += 1
        fits = True
        for c in range(3):
            work[1, c] = x[c] + total / count * work[0, c]
            fits = fits and abs(work[1, c] - middle[c]) <= reach
        if not fits:
            whole = False
            turn += 1
            continue
        for c in range(3):
            x[c] = work[1, c]
            basis[rank, c] = work[0, c]
        rank += 1
        if stage == 1:
            skins += 1
    return whole


@device_inlined
def _is_new(normal: Floats, row: int, met: Ints, skins: int) -> bool:
    """Whether a plane makes an edge with each of those of the skin that are met already."""
    new = True
    for k in range(skins):
        along = 0.0
        for c in range(3):
            along += normal[row, c] * normal[met[k], c]
        new = new and along < _SHARP
    return new


@device_inlined
def _rest(normal: Floats, row: int, basis: Floats, rank: int, rest: Floats) -> float:
    """Fill what the settled directions leave of a normal, and return the square of its length."""
    square = 0.0
    for c in range(3):
        rest[c] = normal[row, c]
    for k in range(rank):
        along = rest[0] * basis[k, 0] + rest[1] * basis[k, 1] + rest[2] * basis[k, 2]
        for c in range(3):
            rest[c] -= along * basis[k, c]
    for c in range(3):
        square += rest[c] * rest[c]
    return square
