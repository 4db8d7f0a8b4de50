"""A polygon's border and the lattice points inside of it, joined at once: the start for most facets.

Neighbours in the lattice make triangles that are Delaunay already. Between them and the border is a band, which is
closed like a zip: around both, always with the triangle of the next border edge or of the next lattice edge, whichever
takes the shorter way across. Each triangle turns counter-clockwise, so they cover each place as often as the border
winds around it, which is once; where that cannot be, as in bays that the lattice does not see, the attempt fails.
"""

from ..jit import device_inlined, device_no_refs
from ..types import Floats, Ints
from .delaunay import NO_TRIANGLE, ZERO, turns

LATTICE_DIRECTIONS = 6  #: of edges of the lattice, counter-clockwise from that along the row


@device_no_refs
def triangulate_lattice(number: Ints, edge: Ints, rows: int, columns: int, tip: Ints, twin: Ints) -> int:
    """Triangles between lattice points; returns the number of half-edges, or -1 where the points do not hang together.

    `number` is that of `lattice_points`; `edge` gets a half-edge in each of the `LATTICE_DIRECTIONS` from each point.
    There is no hole among the points: since they keep away from the border, which is one loop, it passes between no
    neighbours.
    """
    width = columns + 2
    for k in range((rows + 2) * width):
        if number[k] > 0:
            for d in range(LATTICE_DIRECTIONS):
                edge[k, d] = -1
    halves = pieces = ZERO
    for j in range(1, rows + 1):
        up = width + (j - 1) % 2
        for k in range(j * width + 1, (j + 1) * width - 1):
            if number[k] == 0:
                continue
            pieces += 1 - (number[k + 1] > 0) - (number[k + up] > 0) - (number[k + up - 1] > 0)  # Euler's formula
            for kind in range(2):  # with a side along the row, and with a corner there
                m, n = (k + 1, k + up) if kind == 0 else (k + up, k + up - 1)
                if number[m] > 0 and number[n] > 0:
                    tip[halves], tip[halves + 1], tip[halves + 2] = number[k], number[m], number[n]
                    _link(edge, twin, halves, k, kind, m)
                    _link(edge, twin, halves + 1, m, kind + 2, n)
                    _link(edge, twin, halves + 2, n, kind + 4, k)
                    halves, pieces = halves + 3, pieces + 1
    return halves if pieces == 1 else NO_TRIANGLE


@device_no_refs
def close_band(
    at: Floats, corners: int, number: Ints, edge: Ints, columns: int, tip: Ints, twin: Ints, begin: int, flat: float
) -> int:
    """Triangles between the border and the lattice; returns the number of half-edges, or -1 where it does not work.

    The border are the first rows of `at`, the lattice has the half-edges before `begin`.
    """
    width = columns + 2
    first = ZERO
    while number[first] == 0:
        first += 1
    k, p, odd = first, number[first], (first // width - 1) % 2
    d = start = _next_direction(number, k, width, odd, ZERO)
    b, outer, inner = _nearest(at, corners, p), corners, start >= 0
    halves, front = begin, NO_TRIANGLE
    while outer > 0 or inner:
        b2 = b + 1 if b < corners - 1 else ZERO
        k2 = k + _step(d, width, odd) if inner else k
        p2 = number[k2]
        outwards = outer > 0 and turns(at, b, b2, p, flat) > 0
        inwards = inner and turns(at, b, p2, p, flat) > 0
        if outwards and inwards:
            outwards = _distance(at, b2, p) <= _distance(at, b, p2)
        elif not outwards and not inwards:
            return NO_TRIANGLE
        tip[halves], tip[halves + 1], tip[halves + 2] = b, b2 if outwards else p2, p
        twin[halves], twin[halves + 1], twin[halves + 2] = -1, -1, front
        if front >= 0:
            twin[front] = halves + 2
        if outwards:
            front, b, outer = halves + 1, b2, outer - 1
        else:
            _link(edge, twin, halves + 1, k2, (d + 3) % LATTICE_DIRECTIONS, k)
            front, k, p = halves, k2, p2
            odd ^= d % 3 != 0
            d = _next_direction(number, k, width, odd, d + 4)  # the lattice stays to the left
            inner = k != first or d != start
        halves += 3
    twin[front], twin[begin + 2] = begin + 2, front
    return halves


@device_no_refs
def _link(edge: Ints, twin: Ints, e: int, k: int, d: int, end: int) -> None:
    """Half-edge e runs in direction d from lattice point k to `end`: pair it with that on the other side."""
    other = edge[end, d - 3 if d >= 3 else d + 3]
    edge[k, d], twin[e] = e, other
    if other >= 0:
        twin[other] = e


@device_inlined
def _step(d: int, width: int, odd: int) -> int:
    """How many places later the neighbour in direction d is, of a lattice point in an odd or an even row."""
    if d % 3 == 0:
        return 1 - 2 * (d == 3)
    return (width if d < 3 else -width) + odd - (d == 2 or d == 4)


@device_no_refs
def _next_direction(number: Ints, k: int, width: int, odd: int, d: int) -> int:
    """The first direction from d on, counter-clockwise, where a lattice point has a neighbour; -1 if nowhere."""
    for turn in range(LATTICE_DIRECTIONS):
        ahead = (d + turn) % LATTICE_DIRECTIONS
        if number[k + _step(ahead, width, odd)] > 0:
            return ahead
    return -1


@device_no_refs
def _nearest(at: Floats, corners: int, p: int) -> int:
    """The border's corner nearest to a point."""
    best = ZERO
    for b in range(corners):
        if _distance(at, b, p) < _distance(at, best, p):
            best = b
    return best


@device_inlined
def _distance(at: Floats, a: int, b: int) -> float:
    """Squared distance of two points."""
    x, y = at[a, 0] - at[b, 0], at[a, 1] - at[b, 1]
    square: float = x * x + y * y
    return square
