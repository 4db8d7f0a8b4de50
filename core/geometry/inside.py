"""Which points lie inside a closed mesh: winding numbers by counting signed crossings along an axis, exactly.

A ray runs from each point along the shortest side of the mesh's bounding box. A ray through an edge or a vertex is
counted once: all predicates are exact (`predicates.py`), and the point is moved by the same infinitesimal
step (-d, +e), e << d, in the plane across the ray for every triangle (half-open edges; simulation of simplicity,
Edelsbrunner and Muecke 1990). So the count is the true winding number of every point that is not on the surface;
a point exactly on the surface is given to one of its two sides.

The points, not the triangles, are sorted into a grid on that plane: each triangle visits the grid cells that it covers
and corrects the counts of the points there. No tree, memory in proportion to the points; time in proportion to the
triangles plus the crossings.
"""

import numpy as np

from ..jit import njit
from ..types import Body, Bools, Floats, Ints
from .mesh import sealed_floats, sealed_ints
from .predicates import orient2d, orient3d

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
    low, high = positions.min(axis=0), positions.max(axis=0)
    queries = np.ascontiguousarray(points, dtype=np.float64)
    near = np.flatnonzero(((queries >= low) & (queries <= high)).all(axis=1))
    if len(near) == 0:
        return result
    w = int(np.argmin(high - low))
    axes = [(w + 1) % 3, (w + 2) % 3, w]  # cyclic, hence right-handed
    result[near] = _wind(sealed_floats(positions[:, axes]), corners, sealed_floats(queries[near][:, axes]))
    return result


@njit
def _grid(points: Floats) -> tuple[Floats, Floats, Floats, Ints]:
    """Corners (2,), (2,), cells per length (2,) and cell counts (2,) of a grid with about one cell per point."""
    low, high = points[0, :2].copy(), points[0, :2].copy()
    for i in range(len(points)):
        for k in range(2):
            low[k] = min(low[k], points[i, k])
            high[k] = max(high[k], points[i, k])
    size = high - low
    cells = float(min(len(points), CELLS_MAX))
    count = np.ones(2, dtype=np.int64)
    if size[0] > 0.0 and size[1] > 0.0:
        aspect = min(max(np.sqrt(size[0] / size[1]), 1.0 / np.sqrt(cells)), np.sqrt(cells))
        count[0] = max(1, int(np.sqrt(cells) * aspect))
        count[1] = max(1, int(np.sqrt(cells) / aspect))
    else:
        for k in range(2):
            if size[k] > 0.0:
                count[k] = int(cells)
    per_length = np.zeros(2)
    for k in range(2):
        if size[k] > 0.0:
            per_length[k] = count[k] / size[k]
    return low, high, per_length, count


@njit
def _cell(x: float, low: float, per_length: float, count: int) -> int:
    """Column or row of a coordinate, clamped to the grid. Monotone in x, which is all that correctness needs."""
    return int(min(max((x - low) * per_length, 0.0), count - 1.0))


@njit
def _sort_points(points: Floats, low: Floats, per_length: Floats, count: Ints) -> tuple[Ints, Ints]:
    """Points in the order of their cells, rows of columns: start (cells + 1,) and point (n,)."""
    cell = np.empty(len(points), dtype=np.int64)
    start = np.zeros(count[0] * count[1] + 1, dtype=np.int64)
    for i in range(len(points)):
        column = _cell(points[i, 0], low[0], per_length[0], count[0])
        cell[i] = _cell(points[i, 1], low[1], per_length[1], count[1]) * count[0] + column
        start[cell[i] + 1] += 1
    for c in range(len(start) - 1):
        start[c + 1] += start[c]
    fill = start[:-1].copy()
    order = np.empty(len(points), dtype=np.int64)
    for i in range(len(points)):
        order[fill[cell[i]]] = i
        fill[cell[i]] += 1
    return start, order


@njit
def _band_range(corner: Floats, v_low: float, v_high: float) -> tuple[float, float]:
    """Smallest and largest u of a triangle (3,3) within v_low <= v <= v_high, to rounding; inf, -inf if none."""
    left, right = np.inf, -np.inf
    for k in range(3):
        au, av = corner[k, 0], corner[k, 1]
        bu, bv = corner[(k + 1) % 3, 0], corner[(k + 1) % 3, 1]
        if v_low <= av <= v_high:
            left, right = min(left, au), max(right, au)
        for v in (v_low, v_high):
            if (av < v) != (bv < v):
                u = au + (v - av) / (bv - av) * (bu - au)
                left, right = min(left, u), max(right, u)
    return left, right


@njit
def _wind(vertices: Floats, triangles: Ints, points: Floats) -> Ints:
    """Winding number of each point; the ray runs along +w, the third coordinate."""
    low, high, per_length, count = _grid(points)
    start, order = _sort_points(points, low, per_length, count)
    packed = np.empty((len(points), 3))
    for i in range(len(points)):
        packed[i] = points[order[i]]
    wound = np.zeros(len(points), dtype=np.int64)
    corner = np.empty((3, 3))
    for t in range(len(triangles)):
        for k in range(3):
            for i in range(3):
                corner[k, i] = vertices[triangles[t, k], i]
        u_low, u_high = min(corner[0, 0], corner[1, 0], corner[2, 0]), max(corner[0, 0], corner[1, 0], corner[2, 0])
        v_low, v_high = min(corner[0, 1], corner[1, 1], corner[2, 1]), max(corner[0, 1], corner[1, 1], corner[2, 1])
        if u_high < low[0] or u_low > high[0] or v_high < low[1] or v_low > high[1]:
            continue
        first, last = _cell(u_low, low[0], per_length[0], count[0]), _cell(u_high, low[0], per_length[0], count[0])
        row, row_last = _cell(v_low, low[1], per_length[1], count[1]), _cell(v_high, low[1], per_length[1], count[1])
        narrow = row_last - row < 2 or last - first < 2
        while row <= row_last:
            begin, end = first, last
            if not narrow:  # clip a large triangle to the row, with a slack that covers the rounding
                height = 1.0 / per_length[1]
                v = low[1] + row * height
                left, right = _band_range(corner, v - 0.01 * height, v + 1.01 * height)
                slack = 0.01 / per_length[0]
                begin = max(first, _cell(left - slack, low[0], per_length[0], count[0]))
                end = min(last, _cell(right + slack, low[0], per_length[0], count[0]))
            if begin <= end:
                _count(corner, packed, wound, start[row * count[0] + begin], start[row * count[0] + end + 1])
            row += 1
    result = np.empty(len(points), dtype=np.int64)
    for i in range(len(points)):
        result[order[i]] = wound[i]
    return result


@njit
def _count(corner: Floats, points: Floats, wound: Ints, begin: int, end: int) -> None:
    """Add one triangle's crossings with the upward rays of points[begin:end]."""
    w_low, w_high = min(corner[0, 2], corner[1, 2], corner[2, 2]), max(corner[0, 2], corner[1, 2], corner[2, 2])
    for i in range(begin, end):
        if points[i, 2] > w_high:
            continue
        turn = _turn(corner, points[i, 0], points[i, 1])
        if turn != 0 and (points[i, 2] < w_low or turn * _height(corner, points[i]) > 0.0):
            wound[i] += turn


@njit
def _turn(corner: Floats, u: float, v: float) -> int:
    """Winding number (-1, 0, 1) of the projected triangle around (u, v), moved by the infinitesimal step."""
    turn = 0
    for k in range(3):
        a, b = k, (k + 1) % 3
        rises = corner[b, 1] > v
        if (corner[a, 1] > v) == rises:
            continue
        if not rises:
            a, b = b, a
        if orient2d(corner[a, 0], corner[a, 1], corner[b, 0], corner[b, 1], u, v) >= 0.0:
            turn += 1 if rises else -1
    return turn


@njit
def _height(c: Floats, p: Floats) -> float:
    """Positive where p lies below the plane of a triangle that runs counter-clockwise seen from above."""
    return orient3d(c[0, 0], c[0, 1], c[0, 2], c[1, 0], c[1, 1], c[1, 2], c[2, 0], c[2, 1], c[2, 2], p[0], p[1], p[2])
