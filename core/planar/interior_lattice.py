"""Points of a triangular lattice inside of a polygon, away from its border.

The border is drawn into the lattice: each edge marks the points that are near to it, and, in each row that it crosses,
the first point behind the crossing; an odd number of crossings lies before a point inside. So time grows with the
lattice and the length of the border, not with their product.
"""

import math

from ..jit import device_no_refs
from ..types import Floats, Ints

KEEP = 0.6  #: least distance of a point from the border, relative to the spacing. Above 1/sqrt(3) each point has a
#: hexagon of its own inside of the polygon, so there are no more points than hexagons in its area.
ROW_DISTANCE = math.sqrt(0.75)  #: distance of rows


CROSSED, _NEAR = 1, 2  #: marks of points: an odd number of crossings lies just before; the border is near


@device_no_refs
def lattice_points(
    at: Floats, loop: Ints, low: Floats, rows: int, columns: int, spacing: float, number: Ints, free: int
) -> int:
    """Write points inside into `at` from row `free` on, row by row and to and fro; returns the row after the last.

    `loop` bounds the polygon's loops, whose corners are the first rows of `at`, from loop[0] on. The lattice begins at
    `low`, odd rows are moved by half a spacing. `number` gets for each point its row of `at`, or 0: row by row, with a
    margin of one point around.
    """
    if rows <= 0 or columns <= 0:
        return free
    width = columns + 2
    for k in range((rows + 2) * width):
        number[k] = 0
    for k in range(len(loop) - 1):
        first, last = loop[k] - loop[0], loop[k + 1] - loop[0] - 1
        for i in range(first, last + 1):
            _draw(at, i, i + 1 if i < last else first, low, rows, columns, spacing, number)
    for j in range(rows):
        inside = 0
        for k in range((j + 1) * width + 1, (j + 2) * width - 1):
            inside ^= number[k] & CROSSED
            number[k] = inside if number[k] < _NEAR else 0
        for n in range(columns):
            i = n if j % 2 == 0 else columns - 1 - n
            k = (j + 1) * width + i + 1
            if number[k] > 0 and free < len(at):
                at[free, 0] = low[0] + (i + 0.5 * (j % 2)) * spacing
                at[free, 1] = low[1] + j * ROW_DISTANCE * spacing
                number[k] = free
                free += 1
            else:
                number[k] = 0
    return free


@device_no_refs
def _draw(at: Floats, a: int, b: int, low: Floats, rows: int, columns: int, spacing: float, number: Ints) -> None:
    """Mark the points behind the crossings of an edge with rows, and the points near to it."""
    ax, ay, bx, by = at[a, 0] - low[0], at[a, 1] - low[1], at[b, 0] - low[0], at[b, 1] - low[1]
    row, reach = ROW_DISTANCE * spacing, KEEP * spacing
    dx, dy = bx - ax, by - ay
    square = dx * dx + dy * dy
    lowest, highest = min(ay, by), max(ay, by)
    for j in range(max(0, math.ceil((lowest - reach) / row)), min(rows - 1, math.floor((highest + reach) / row)) + 1):
        y, shift, begin = j * row, 0.5 * (j % 2) * spacing, (j + 1) * (columns + 2) + 1
        if (ay > y) != (by > y):
            i = max(0, math.ceil((ax + (y - ay) / dy * dx - shift) / spacing))
            if i < columns:
                number[begin + i] ^= CROSSED
        left, right = min(ax, bx), max(ax, bx)
        if highest - lowest > 2.0 * reach:  # a steep edge: only a part of it is near to the row
            s = min(max((y - reach - ay) / dy, 0.0), 1.0)
            t = min(max((y + reach - ay) / dy, 0.0), 1.0)
            left, right = min(ax + s * dx, ax + t * dx), max(ax + s * dx, ax + t * dx)
        start = max(0, math.ceil((left - reach - shift) / spacing))
        for i in range(start, min(columns - 1, math.floor((right + reach - shift) / spacing)) + 1):
            x = i * spacing + shift
            along = 0.0
            if square > 0.0:
                along = min(max(((x - ax) * dx + (y - ay) * dy) / square, 0.0), 1.0)
            ex, ey = x - ax - along * dx, y - ay - along * dy
            if ex * ex + ey * ey < reach * reach:
                number[begin + i] |= _NEAR
