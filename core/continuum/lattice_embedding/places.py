"""Where points lie in hexahedra, so that they move with the corners: trilinear coordinates and weights of corners.

A point at (u,v,w) of a hexahedron is the sum of its corners k times the products of u or 1-u, v or 1-v and w or 1-w, as
bits of k say. Points a little outside have coordinates below 0 or above 1.
"""

import numpy as np

from ...arithmetic.products import dot, outer
from ...arithmetic.small_matrices import solve
from ...geometry.nearest import square_to_box
from ...jit import device_inlined, njit_no_refs, sealed_floats
from ...types import Floats, Ints
from .box_bins import BoxBins, bin_of_point, sort_into_bins

#: A hexahedron is asked about points in its box, which is larger by this share of its size on each side [1]. By
#: derivation: what is not in a kept cell lies within half a cell of one; by so much again for skewed ones.
_SLACK = 0.75
#: Newton's steps at most, and the step below which it has arrived [1]: some 50 roundings.
_STEPS, _ARRIVED = 40, 1e-14
#: Coordinates beyond -_FAR or 1 + _FAR are not looked for [1]: lines along an edge that runs together may cross there.
_FAR = 2.0


def locate_corners(nodes: Floats, hexahedra: Ints, points: Floats) -> tuple[Ints, Floats]:
    """The hexahedron (n,) of those given (H,8) in which each point (n,3) lies, or comes nearest to, and (n,3) where.

    Of equally near ones the first. Where no coordinates of a point can be found, which may be so far outside or beyond
    edges that cross, they are those of the middle: `corner_weights` makes good for that.
    """
    corner = sealed_floats(nodes[hexahedra])
    low, high = corner.min(axis=1), corner.max(axis=1)
    slack = _SLACK * (high - low)
    boxes = sealed_floats(np.concatenate([low - slack, high + slack], axis=1))
    queries = sealed_floats(np.asarray(points, np.float64).reshape(-1, 3))
    found, place = np.zeros(len(queries), np.int64), np.full((len(queries), 3), 0.5)
    if len(queries):
        _locate_all(corner, boxes, sort_into_bins(boxes), queries, np.empty((5, 3)), found, place)
    return found, place


def trilinear_weights(place: Floats) -> Floats:
    """Weights (n,8) of the corners at coordinates (n,3)."""
    weight = np.ones((len(place), 8))
    for corner in range(8):
        for axis in range(3):
            weight[:, corner] *= place[:, axis] if corner >> axis & 1 else 1.0 - place[:, axis]
    return weight


def corner_weights(corners: Floats, points: Floats, place: Floats) -> Floats:
    """Weights (n,8) of corners (n,8,3) that are those of places (n,3), and give back points (n,3) to the last bits.

    What the places miss is made up by weights that are affine in the corners, so that every affine map of the corners
    is that of the points.
    """
    weight = trilinear_weights(place)
    middle = corners.sum(axis=1) / 8.0
    arm = corners - middle[:, None]
    moment = outer(arm[:, 0], arm[:, 0])
    for k in range(1, 8):
        moment = moment + outer(arm[:, k], arm[:, k])
    missed = points - middle
    for k in range(8):
        missed = missed - weight[:, k, None] * arm[:, k]
    share = solve(moment, missed[:, :, None])[:, :, 0]
    return np.asarray(weight + dot(arm, share[:, None, :]))


@device_inlined
def _misses(corner: Floats, h: int, points: Floats, n: int, u: float, v: float, w: float, out: Floats) -> None:
    """Fill `out (4,3)`: what coordinates miss of a point, and how the place changes with each of them."""
    for c in range(3):
        x00 = corner[h, 0, c] + u * (corner[h, 1, c] - corner[h, 0, c])
        x10 = corner[h, 2, c] + u * (corner[h, 3, c] - corner[h, 2, c])
        x01 = corner[h, 4, c] + u * (corner[h, 5, c] - corner[h, 4, c])
        x11 = corner[h, 6, c] + u * (corner[h, 7, c] - corner[h, 6, c])
        y0, y1 = x00 + v * (x10 - x00), x01 + v * (x11 - x01)
        out[0, c] = points[n, c] - (y0 + w * (y1 - y0))
        d0 = (1.0 - v) * (corner[h, 1, c] - corner[h, 0, c]) + v * (corner[h, 3, c] - corner[h, 2, c])
        d1 = (1.0 - v) * (corner[h, 5, c] - corner[h, 4, c]) + v * (corner[h, 7, c] - corner[h, 6, c])
        out[1, c] = (1.0 - w) * d0 + w * d1
        out[2, c] = (1.0 - w) * (x10 - x00) + w * (x11 - x01)
        out[3, c] = y1 - y0


@device_inlined
def _outside(place: Floats) -> float:
    """How far the farthest of three coordinates is out of 0..1."""
    far = 0.0
    for c in range(3):
        far = max(far, -place[c], place[c] - 1.0)
    return far


@device_inlined
def _invert(corner: Floats, h: int, points: Floats, n: int, place: Floats, work: Floats) -> bool:
    """Newton's method for the coordinates `place (3,)` of a point; whether they were found. `work (4,3)` is scratch."""
    for c in range(3):
        place[c] = 0.5
    for _ in range(_STEPS):
        _misses(corner, h, points, n, place[0], place[1], place[2], work)
        r0, r1, r2 = work[0, 0], work[0, 1], work[0, 2]
        a0, a1, a2 = work[1, 0], work[1, 1], work[1, 2]
        b0, b1, b2 = work[2, 0], work[2, 1], work[2, 2]
        c0, c1, c2 = work[3, 0], work[3, 1], work[3, 2]
        x0, x1, x2 = b1 * c2 - b2 * c1, b2 * c0 - b0 * c2, b0 * c1 - b1 * c0
        det = a0 * x0 + a1 * x1 + a2 * x2
        if not det > 0.0:
            return False
        du = (r0 * x0 + r1 * x1 + r2 * x2) / det
        dv = (r0 * (c1 * a2 - c2 * a1) + r1 * (c2 * a0 - c0 * a2) + r2 * (c0 * a1 - c1 * a0)) / det
        dw = (r0 * (a1 * b2 - a2 * b1) + r1 * (a2 * b0 - a0 * b2) + r2 * (a0 * b1 - a1 * b0)) / det
        place[0] += du
        place[1] += dv
        place[2] += dw
        if not max(abs(du), abs(dv), abs(dw)) > _ARRIVED:
            return True
        if _outside(place) > _FAR:
            return False
    return False


@njit_no_refs
def _locate_all(
    corner: Floats, boxes: Floats, bins: BoxBins, points: Floats, work: Floats, found: Ints, place: Floats
) -> None:
    """Fill `found (n,)` and `place (n,3)`; `work (5,3)` is scratch."""
    start, item = bins.start, bins.item
    here, box_low, box_high = work[4], boxes[:, :3], boxes[:, 3:]
    for n in range(len(points)):
        best, out = -1, np.inf
        one = bin_of_point(bins, points, n)
        for at in range(start[one], start[one + 1]):
            h = item[at]
            if square_to_box(box_low, box_high, h, points, n) > 0.0:
                continue
            if not _invert(corner, h, points, n, here, work):
                continue
            away = _outside(here)
            if away < out:
                best, out = h, away
                for c in range(3):
                    place[n, c] = here[c]
            if out == 0.0:
                break
        if best < 0:  # far from all, or next to one whose edges cross
            nearest = np.inf
            for h in range(len(boxes)):
                square = _square_to_middle(corner, h, points, n)
                if square < nearest:
                    best, nearest = h, square
            if _invert(corner, best, points, n, here, work):
                for c in range(3):
                    place[n, c] = here[c]
        found[n] = best


@device_inlined
def _square_to_middle(corner: Floats, h: int, points: Floats, n: int) -> float:
    square = 0.0
    for c in range(3):
        total = 0.0
        for k in range(8):
            total += corner[h, k, c]
        d = points[n, c] - 0.125 * total
        square += d * d
    return square
