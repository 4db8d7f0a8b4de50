"""Which points lie inside a closed mesh: winding numbers by counting signed crossings along an axis, exactly.

A ray runs from each point along the shortest side of the mesh's bounding box. A ray through an edge or a vertex is
counted once: all predicates are exact (`predicates.py`), and the point is moved by the same infinitesimal
step (-d, +e), e << d, in the plane across the ray for every triangle (half-open edges; simulation of simplicity,
Edelsbrunner and Muecke 1990). So the count is the true winding number of every point that is not on the surface;
a point exactly on the surface is given to one of its two sides.

The points, not the triangles, are sorted into a grid on that plane: each triangle visits the grid cells that it covers
and corrects the counts of the points there. No tree, memory in proportion to the points; time in proportion to the
triangles plus the crossings.

Closed meshes only. `winding.winding_at` gives the generalised winding number of any mesh, a fraction where it is open,
to a tolerance and several times slower.
"""

from typing import NamedTuple

import numpy as np

from ..jit import device, njit, sealed_floats, sealed_ints
from ..types import Body, Bools, Floats, Ints
from .mesh import bounds
from .predicates import orient2d, orient3d

#: Of the grid at most: some megabytes.
CELLS_MAX = 1 << 20


def inside(body: Body, points: Floats) -> Bools:
    """Whether each of the points (n,3) lies in the matter of a closed body (n,): winding number >= 1."""
    return winding_number(body.vertices, body.triangles, points) >= 1


def winding_number(vertices: Floats, triangles: Ints, points: Floats) -> Ints:
    """How often a closed mesh wraps around each of the points (n,3): (n,), 0 outside, 1 inside, -1 inside out.

    Meaningless for an open mesh (the answer then depends on the axis).
    """
    result = np.zeros(len(points), dtype=np.int64)
    if len(points) == 0 or len(triangles) == 0:
        return result
    positions, corners = sealed_floats(vertices), sealed_ints(triangles)
    low, high = bounds(positions)
    queries = np.ascontiguousarray(points, dtype=np.float64)
    near = np.flatnonzero(((queries >= low) & (queries <= high)).all(axis=1))
    if len(near) == 0:
        return result
    w = int(np.argmin(high - low))
    axes = [(w + 1) % 3, (w + 2) % 3, w]  # cyclic, hence right-handed
    result[near] = _wound(positions[:, axes], corners, queries[near][:, axes])
    return result


class _Grid(NamedTuple):
    """A grid over the plane across the rays, with about one cell per point."""

    low: tuple[float, float]
    high: tuple[float, float]
    per_length: tuple[float, float]  #: cells per length
    cells: tuple[int, int]  #: columns, rows


def _grid(points: Floats) -> _Grid:
    low, high = (corner[:2] for corner in bounds(points))
    size = high - low
    cells = float(min(len(points), CELLS_MAX))
    count = [1, 1]
    if size[0] > 0.0 and size[1] > 0.0:
        aspect = min(max(np.sqrt(size[0] / size[1]), 1.0 / np.sqrt(cells)), np.sqrt(cells))
        count = [max(1, int(np.sqrt(cells) * aspect)), max(1, int(np.sqrt(cells) / aspect))]
    elif size.max() > 0.0:
        count[int(np.argmax(size))] = int(cells)
    per_length = [count[k] / float(size[k]) if size[k] > 0.0 else 0.0 for k in range(2)]
    return _Grid(
        (float(low[0]), float(low[1])),
        (float(high[0]), float(high[1])),
        (per_length[0], per_length[1]),
        (count[0], count[1]),
    )


@device
def _cell(x: float, low: float, per_length: float, count: int) -> int:
    """Column or row of a coordinate, clamped to the grid. Monotone in x, which is all that correctness needs."""
    return int(min(max((x - low) * per_length, 0.0), count - 1.0))


def _wound(vertices: Floats, triangles: Ints, points: Floats) -> Ints:
    """Winding number of each point; the ray runs along +w, the third coordinate."""
    grid = _grid(points)
    column, row = (
        np.clip((points[:, k] - grid.low[k]) * grid.per_length[k], 0.0, grid.cells[k] - 1.0).astype(np.int64)
        for k in range(2)
    )
    cell = row * grid.cells[0] + column
    start = np.zeros(grid.cells[0] * grid.cells[1] + 1, np.int64)
    np.cumsum(np.bincount(cell, minlength=len(start) - 1), out=start[1:])
    order = np.argsort(cell, kind="stable")
    wound = np.zeros(len(points), np.int64)
    _wind(
        sealed_floats(vertices),
        sealed_ints(triangles),
        sealed_floats(points[order]),
        grid,
        start,
        np.empty((1, 3, 3)),
        wound,
    )
    result = np.empty(len(points), np.int64)
    result[order] = wound
    return result


@device
def _band_range(corners: Floats, t: int, v_low: float, v_high: float) -> tuple[float, float]:
    """Smallest and largest u of triangle t within v_low <= v <= v_high, to rounding; inf, -inf if none."""
    left, right = np.inf, -np.inf
    for k in range(3):
        m = (k + 1) % 3
        au, av = corners[t, k, 0], corners[t, k, 1]
        bu, bv = corners[t, m, 0], corners[t, m, 1]
        if v_low <= av <= v_high:
            left, right = min(left, au), max(right, au)
        for side in range(2):
            v = v_low if side == 0 else v_high
            if (av < v) != (bv < v):
                u = au + (v - av) / (bv - av) * (bu - au)
                left, right = min(left, u), max(right, u)
    return left, right


@njit
def _wind(
    vertices: Floats,
    triangles: Ints,
    points: Floats,
    grid: _Grid,
    start: Ints,
    corners: Floats,
    wound: Ints,
) -> None:
    """Add up `wound (n,)` for points (n,3) that are sorted by the cells of the grid; `start` bounds the cells.

    `corners (1,3,3)` is scratch: those of one triangle after the other.
    """
    low, high, per_length, count = grid
    t = 0
    for n in range(len(triangles)):
        for k in range(3):
            for i in range(3):
                corners[t, k, i] = vertices[triangles[n, k], i]
        u_low, u_high = _extent(corners[t, 0, 0], corners[t, 1, 0], corners[t, 2, 0])
        v_low, v_high = _extent(corners[t, 0, 1], corners[t, 1, 1], corners[t, 2, 1])
        if u_high < low[0] or u_low > high[0] or v_high < low[1] or v_low > high[1]:
            continue
        first, last = _cell(u_low, low[0], per_length[0], count[0]), _cell(u_high, low[0], per_length[0], count[0])
        row, row_last = _cell(v_low, low[1], per_length[1], count[1]), _cell(v_high, low[1], per_length[1], count[1])
        large = row_last - row > 1 and last - first > 1
        while row <= row_last:
            begin, end = first, last
            if large:  # clip the triangle to the row, with a slack that covers the rounding
                height, slack = 1.0 / per_length[1], 0.01 / per_length[0]
                v = low[1] + row * height
                left, right = _band_range(corners, t, v - 0.01 * height, v + 1.01 * height)
                begin = max(first, _cell(left - slack, low[0], per_length[0], count[0]))
                end = min(last, _cell(right + slack, low[0], per_length[0], count[0]))
            if begin <= end and start[row * count[0] + begin] < start[row * count[0] + end + 1]:
                _count(corners, t, points, wound, start[row * count[0] + begin], start[row * count[0] + end + 1])
            row += 1


@device
def _extent(a: float, b: float, c: float) -> tuple[float, float]:
    """Smallest and largest coordinate of a triangle's corners along an axis."""
    return min(a, b, c), max(a, b, c)


@device
def _count(corners: Floats, t: int, points: Floats, wound: Ints, begin: int, end: int) -> None:
    """Add one triangle's crossings with the upward rays of points[begin:end]."""
    u_low, u_high = _extent(corners[t, 0, 0], corners[t, 1, 0], corners[t, 2, 0])
    w_low, w_high = _extent(corners[t, 0, 2], corners[t, 1, 2], corners[t, 2, 2])
    for i in range(begin, end):
        if points[i, 0] < u_low or points[i, 0] > u_high or points[i, 2] > w_high:
            continue
        turn = _turn(corners, t, points[i, 0], points[i, 1])
        if turn != 0 and (points[i, 2] < w_low or turn * _height(corners, t, points, i) > 0.0):
            wound[i] += turn


@device
def _turn(corners: Floats, t: int, u: float, v: float) -> int:
    """Winding number (-1, 0, 1) of the projected triangle around (u, v), moved by the infinitesimal step."""
    turn = 0
    for k in range(3):
        a, b = k, (k + 1) % 3
        rises = corners[t, b, 1] > v
        if (corners[t, a, 1] > v) == rises:
            continue
        if not rises:
            a, b = b, a
        if orient2d(corners[t, a, 0], corners[t, a, 1], corners[t, b, 0], corners[t, b, 1], u, v) >= 0.0:
            turn += 1 if rises else -1
    return turn


@device
def _height(c: Floats, t: int, p: Floats, i: int) -> float:
    """Positive where point i lies below the plane of triangle t, which runs counter-clockwise seen from above."""
    return orient3d(
        c[t, 0, 0], c[t, 0, 1], c[t, 0, 2], c[t, 1, 0], c[t, 1, 1], c[t, 1, 2], c[t, 2, 0], c[t, 2, 1], c[t, 2, 2],
        p[i, 0], p[i, 1], p[i, 2],
    )  # fmt: skip
