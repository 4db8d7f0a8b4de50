"""Frames that turn with elements: the rotation nearest to F of each, found from that of the step before.

A rotation R with columns r_k is turned by sum r_k x f_k/|sum r_k.f_k| over the columns f_k of F until that is nothing,
half as far again as published: then it is exact to the first order where an element is hardly stretched. It is one
for elements that are inside out, too: that with the largest trace of R^T F.

Reference: Mueller, Bender, Chentanez, Macklin: A robust method to extract the rotational part of deformations, 2016.
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from ...jit import device_no_refs
from ...types import Floats
from .element_blocks import ELEMENT_BLOCK, VOLUME_ENERGY, BlockInts
from .element_steps import INVERTED, LEAST_SHARE, PRESSED, SMALLEST_SHARE

_TURNS = 60  # most of a rotation: 5 to 8 at strains of 0.1 %, 11 to 14 at 5 %, up to 46 at 30 % (measured)
_TURN_LEFT = 1e-24  # square of the last turn [rad^2]
_TURN_LENGTH = 1.5  # of the published turn: exact to the first order where an element is hardly stretched
#: Square of the distance of F from R up to which K takes F: a stretch of 3/4, with a square above 1/2.
_MOST_STRETCH = 0.0625
_NO_STRETCH = 1e-9  # sum of stretches below which no way to turn is told from another
#: A row of F.
_Row: TypeAlias = tuple[float, float, float]


class TurningElements(NamedTuple):
    """Elements in b blocks of 32, see `element_blocks`, and their frames, which are written, in such blocks as well."""

    node: BlockInts  #: (b,128)
    row: Floats  #: (b,448)
    quaternion: Floats  #: (b,128) of the frame of each element, w, x, y, z
    frame: Floats  #: (b,288) the same as a matrix
    tangent: Floats  #: (b,288) F at the start of the step, or the frame where F is far from it
    edges: Floats  #: (288,) room for those of a block, and
    corner_force: Floats  #: (288,) for forces on the second to fourth node of each


@device_no_refs
def turn_elements(now: Floats, elements: TurningElements, totals: Floats) -> None:
    """Bring the frame of each element to the rotation nearest to F; count what is pressed flat or inside out."""
    pressed = inverted = 0
    for b in range(len(elements.row)):
        q, r, row = elements.quaternion[b], elements.frame[b], elements.row[b]
        for p in range(ELEMENT_BLOCK):
            if row[VOLUME_ENERGY * ELEMENT_BLOCK + p] == 0.0:
                continue
            f = (
                _deformation(now, elements.node[b], row, p, 0),
                _deformation(now, elements.node[b], row, p, 1),
                _deformation(now, elements.node[b], row, p, 2),
            )
            for _ in range(_TURNS):
                _write_matrix(q, r, p)
                if _turn_towards(q, r, p, f) < _TURN_LEFT:
                    break
            _write_matrix(q, r, p)
            _choose_tangent(elements.tangent[b], r, p, f)
            share = f[0][0] * (f[1][1] * f[2][2] - f[1][2] * f[2][1]) + f[0][1] * (
                f[1][2] * f[2][0] - f[1][0] * f[2][2]
            )
            share += f[0][2] * (f[1][0] * f[2][1] - f[1][1] * f[2][0])
            if share < LEAST_SHARE:
                pressed += 1
                inverted += share <= 0.0
                totals[SMALLEST_SHARE] = min(totals[SMALLEST_SHARE], share)
    totals[PRESSED], totals[INVERTED] = max(totals[PRESSED], pressed), max(totals[INVERTED], inverted)


@device_no_refs
def _deformation(now: Floats, node: BlockInts, row: Floats, p: int, axis: int) -> _Row:
    """A row of F of the element at place p of a block."""
    x = y = z = 0.0
    start = now[node[p], axis]
    for k in range(3):
        a = now[node[(k + 1) * ELEMENT_BLOCK + p], axis] - start
        x += a * row[3 * k * ELEMENT_BLOCK + p]
        y += a * row[(3 * k + 1) * ELEMENT_BLOCK + p]
        z += a * row[(3 * k + 2) * ELEMENT_BLOCK + p]
    return x, y, z


@device_no_refs
def _write_matrix(q: Floats, r: Floats, p: int) -> None:
    """The rotation matrix of a unit quaternion."""
    w, x, y, z = q[p], q[ELEMENT_BLOCK + p], q[2 * ELEMENT_BLOCK + p], q[3 * ELEMENT_BLOCK + p]
    rows = (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )
    for axis in range(3):
        for k in range(3):
            r[(3 * axis + k) * ELEMENT_BLOCK + p] = rows[axis][k]


@device_no_refs
def _turn_towards(q: Floats, r: Floats, p: int, f: tuple[_Row, _Row, _Row]) -> float:
    """Turn a quaternion by sum r_k x f_k/|sum r_k.f_k| over columns; the square of the turn [rad^2]."""
    x = y = z = along = 0.0
    for k in range(3):
        r0, r1, r2 = r[k * ELEMENT_BLOCK + p], r[(3 + k) * ELEMENT_BLOCK + p], r[(6 + k) * ELEMENT_BLOCK + p]
        x += r1 * f[2][k] - r2 * f[1][k]
        y += r2 * f[0][k] - r0 * f[2][k]
        z += r0 * f[1][k] - r1 * f[0][k]
        along += r0 * f[0][k] + r1 * f[1][k] + r2 * f[2][k]
    half = 0.5 * _TURN_LENGTH / max(abs(along), _NO_STRETCH)
    x, y, z = half * x, half * y, half * z
    w0, x0, y0, z0 = q[p], q[ELEMENT_BLOCK + p], q[2 * ELEMENT_BLOCK + p], q[3 * ELEMENT_BLOCK + p]
    w1, x1 = w0 - x * x0 - y * y0 - z * z0, x0 + x * w0 + y * z0 - z * y0
    y1, z1 = y0 + y * w0 + z * x0 - x * z0, z0 + z * w0 + x * y0 - y * x0
    length = np.sqrt(w1 * w1 + x1 * x1 + y1 * y1 + z1 * z1)
    q[p], q[ELEMENT_BLOCK + p] = w1 / length, x1 / length
    q[2 * ELEMENT_BLOCK + p], q[3 * ELEMENT_BLOCK + p] = y1 / length, z1 / length
    return 4.0 * (x * x + y * y + z * z)


@device_no_refs
def _choose_tangent(tangent: Floats, r: Floats, p: int, f: tuple[_Row, _Row, _Row]) -> None:
    """F, with which what resists turns nothing; or the frame."""
    apart = 0.0
    for axis in range(3):
        for k in range(3):
            a = f[axis][k] - r[(3 * axis + k) * ELEMENT_BLOCK + p]
            apart += a * a
    for axis in range(3):
        for k in range(3):
            place = (3 * axis + k) * ELEMENT_BLOCK + p
            tangent[place] = f[axis][k] if apart < _MOST_STRETCH else r[place]
