"""What is built of planks, boxes and panels."""

from itertools import pairwise

import numpy as np

from .parts import box, joined, moved, tube

THICK = 0.02
GAP = 0.005


def crate_boxes(overlap):
    """A closed crate of 1 m: six sides of four planks each that touch, or run through each other at the corners."""
    boxes = []
    edge = np.linspace(0.0, 1.0, 5)
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        # Butt joints: sides across x reach over everything, sides across y between them, sides across z inside.
        ends = {0: ((0.0, 1.0), (0.0, 1.0)), 1: ((0.0, 1.0), (THICK, 1.0 - THICK))}.get(axis)
        if ends is None:
            ends = ((THICK, 1.0 - THICK), (THICK, 1.0 - THICK))
        if overlap:
            ends = ((0.0, 1.0), (0.0, 1.0))
        planks = edge * (ends[0][1] - ends[0][0]) + ends[0][0]
        for side in ((0.0, THICK), (1.0 - THICK, 1.0)):
            for a, b in pairwise(planks):
                low, high = np.empty(3), np.empty(3)
                low[axis], high[axis] = side
                low[u], high[u] = a, b
                low[v], high[v] = ends[1]
                boxes.append((low, high))
    return [(np.float32(low).astype(float), np.float32(high).astype(float)) for low, high in boxes]


def crate(overlap=False):
    return joined(*(box(*b) for b in crate_boxes(overlap)))


def slatted_boxes():
    """A crate of 1 m: four posts, slats nailed on (a little into them), a floor, a lid, and two inner walls."""
    post, sunk, thick = (0.0, 0.06), 0.008, 0.02
    boxes = [((x, y, 0.0), (x + post[1], y + post[1], 1.0)) for x in (0.0, 0.94) for y in (0.0, 0.94)]
    rows = [(0.2 * k + 0.015, 0.2 * k + 0.185) for k in range(5)]
    out, end = thick - sunk, 1.0 + thick - sunk
    for low, high in rows:
        boxes += [((-out, y, low), (end, y + thick, high)) for y in (-out, 1.0 - sunk)]
        boxes += [((x, -0.5 * out, low), (x + thick, 1.0 + 0.5 * out, high)) for x in (-out, 1.0 - sunk)]
        boxes += [((-0.5 * out, low, z), (1.0 + 0.5 * out, high, z + thick)) for z in (0.005, 1.0 - sunk)]
    boxes += [((0.49, 0.0, 0.01), (0.51, 1.0, 0.8)), ((0.0, 0.485, 0.015), (1.0, 0.51, 0.75))]
    return [(np.float32(low).astype(float), np.float32(high).astype(float)) for low, high in boxes]


def slatted_crate():
    return joined(*(box(*b) for b in slatted_boxes()))


def tubes_across(xs, length, radius):
    return [tube(np.array([[x, -0.5 * length, 0.0], [x, 0.5 * length, 0.0]]), radius, 10, closed=False) for x in xs]


def ladder():
    """Two rails, eight rungs stuck into them, and a rung that has come loose and lies beside."""
    rails = [box((0.0, y - 0.03, -0.02), (2.7, y + 0.03, 0.02)) for y in (-0.25, 0.25)]
    rungs = tubes_across(np.arange(8) * 0.3 + 0.3, 0.52, 0.015)
    return joined(*rails, *rungs, *(moved(r, (0.0, 0.9, 0.0)) for r in tubes_across([1.0], 0.5, 0.015)))


def _rectangle(origin, u, v):
    corner = np.array([origin, np.add(origin, u), np.add(np.add(origin, u), v), np.add(origin, v)], float)
    return corner, np.array([[0, 1, 2], [0, 2, 3]])


def house():
    """A house of a kit: 4 m of panels on each side, a window in every second, floor, roof and posts. All faces are
    open shells (one-sided boxes or bare rectangles), with gaps of 5 mm between the panels."""
    shells = []
    for side in range(4):
        for k in range(4):
            shells += [_onto(side, panel) for panel in _wall_panel(k + GAP, k + 1 - GAP, window=k % 2 == 1)]
    for z in (0.0, 2.6):
        for i in range(2):
            for j in range(2):
                at = (2.0 * i + GAP - 2.0, 2.0 * j + GAP - 2.0, z)
                shells.append(_rectangle(at, (2.0 - 2 * GAP, 0.0, 0.0), (0.0, 2.0 - 2 * GAP, 0.0)))
    for y, turn in ((-2.0, 1.0), (2.0, -1.0)):
        shells.append(_rectangle((-2.0, y, 2.6 + GAP), (4.0, 0.0, 0.0), (0.0, turn * (2.0 - GAP), 1.0)))
    return joined(*shells)


def _wall_panel(begin, end, window):
    """Rectangles in the plane y = 0: a panel, or four around a window with a sill."""
    low, high = GAP, 2.6 - GAP
    if not window:
        return [_rectangle((begin, 0.0, low), (end - begin, 0.0, 0.0), (0.0, 0.0, high - low))]
    bars = [(begin, end, low, 0.9), (begin, end, 1.9 + GAP, high)]
    bars += [(begin, begin + 0.2, 0.9 + GAP, 1.9), (end - 0.2, end, 0.9 + GAP, 1.9)]
    found = [_rectangle((a, 0.0, c), (b - a, 0.0, 0.0), (0.0, 0.0, d - c)) for a, b, c, d in bars]
    sill = _rectangle((begin + 0.2 + GAP, -0.1, 0.9 + GAP), (end - begin - 0.4 - 2 * GAP, 0.0, 0.0), (0.0, 0.2, 0.0))
    return [*found, sill]


def _onto(side, panel):
    """A panel of the plane y = 0 as a part of one of the four walls."""
    x, y, z = panel[0].T
    x, y = x - 2.0, y - 2.0 + (GAP if side % 2 else 0.0)
    for _ in range(side):
        x, y = -y, x
    return np.stack([x, y, z], axis=1), panel[1]


WALL = (6.0, 0.3, 3.0)
WINDOWS = [(0.8, 1.0, 1.9, 2.2), (2.5, 0.9, 3.5, 2.3), (4.3, 1.1, 5.2, 2.2)]  # x, z to x, z


def wall_with_windows():
    """A wall with three windows as one closed surface: cells of a grid, walls only between full and empty ones."""
    x = np.unique([0.0, WALL[0], *(w[k] for w in WINDOWS for k in (0, 2))])
    z = np.unique([0.0, WALL[2], *(w[k] for w in WINDOWS for k in (1, 3))])
    full = np.ones((len(x) + 1, len(z) + 1), bool)
    full[[0, -1]] = full[:, [0, -1]] = False
    for a, b, c, d in WINDOWS:
        inside = np.multiply.outer((x[:-1] >= a) & (x[1:] <= c), (z[:-1] >= b) & (z[1:] <= d))
        full[1:-1, 1:-1] &= ~inside
    points = np.array([[a, y, b] for y in (0.0, WALL[1]) for a in x for b in z])
    number = np.arange(len(points)).reshape(2, len(x), len(z))
    quads = []
    for i, j in np.argwhere(full[1:-1, 1:-1]):
        a, b, c, d = ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))
        near, far = [number[0][p] for p in (a, b, c, d)], [number[1][p] for p in (a, b, c, d)]
        quads += [near, far[::-1]]
        beside = (full[i + 1, j], full[i + 2, j + 1], full[i + 1, j + 2], full[i, j + 1])
        for k, neighbour in enumerate(beside):
            if not neighbour:
                m = (k + 1) % 4
                quads.append([near[m], near[k], far[k], far[m]])
    four = np.array(quads)
    return points, np.concatenate([four[:, [0, 1, 2]], four[:, [0, 2, 3]]])


def wall_volume():
    return WALL[1] * (WALL[0] * WALL[2] - sum((c - a) * (d - b) for a, b, c, d in WINDOWS))
