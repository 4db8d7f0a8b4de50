"""The parts of one element along its cut edges, in coordinates, before it is cut."""

import numpy as np

from ....geometry.vectors import cross3, dot3, row_difference
from ....jit import device_no_refs
from ....types import Floats, Ints
from ..cut_rows import NodeRows
from .pair_table import HIGH, LOW, PairTable, find_pair
from .workspace import MOST_PARTS, Workspace

#: Edges of a tetrahedron, by its corners.
_EDGES = 6


@device_no_refs
def comes_first(pairs: PairTable, places: Ints, a: int, b: int) -> bool:
    """Whether edge a of the table is halved before edge b.

    The one with the higher place comes first, and of two with one higher place that with the higher second one. Two cut
    edges of a face share a node; so of their other ends the lower one gets the diagonal, in both elements at the face,
    also where a crack lies between them. Of edges at the same places the first of the table comes first.
    """
    p, q = places[pairs.row[a, LOW]], places[pairs.row[a, HIGH]]
    r, s = places[pairs.row[b, LOW]], places[pairs.row[b, HIGH]]
    if max(p, q) != max(r, s):
        return bool(max(p, q) > max(r, s))
    if min(p, q) != min(r, s):
        return bool(min(p, q) > min(r, s))
    return a < b


@device_no_refs
def make_parts(nodes: NodeRows, element_node: Ints, work: Workspace, element: int) -> int:
    """Write the parts of an element into `part_node` and `part_place`; returns their number.

    The node on edge r of the table is -1 - r.
    """
    for k in range(4):
        work.part_node[0, k] = element_node[element, k]
        for x in range(3):
            work.part_place[0, k, x] = nodes.material[element_node[element, k], x]
    count, last = 1, -1
    for _ in range(_EDGES):
        last = _next_edge(element_node, nodes.place, work.pairs, element, last)
        if last < 0:
            break
        for part in range(count):
            count = _halve(work, part, last, count)
    return count


@device_no_refs
def smallest_parts(place: Floats, count: int) -> tuple[float, float]:
    """The least volume [m^3] and the least altitude [m] among tetrahedra (count,4,3)."""
    volume = altitude = np.inf
    for part in range(count):
        six, most = 0.0, 0.0
        for k in range(4):
            a = (k + 1) % 4
            arm = row_difference(place[part], a, k)
            across = cross3(row_difference(place[part], a, (k + 2) % 4), row_difference(place[part], a, (k + 3) % 4))
            most, six = max(most, dot3(across, across)), abs(dot3(across, arm))
        volume, altitude = min(volume, six / 6.0), min(altitude, six / np.sqrt(most) if most > 0.0 else 0.0)
    return volume, altitude


@device_no_refs
def _next_edge(element_node: Ints, places: Ints, pairs: PairTable, element: int, last: int) -> int:
    """The cut edge of an element that is halved next after `last`, or first of all where that is -1; -1 for none."""
    best = -1
    for i in range(3):
        for j in range(i + 1, 4):
            row = find_pair(pairs, element_node[element, i], element_node[element, j])
            later = row >= 0 and row != last and (last < 0 or comes_first(pairs, places, last, row))
            if later and (best < 0 or comes_first(pairs, places, row, best)):
                best = row
    return best


@device_no_refs
def _halve(work: Workspace, part: int, edge: int, count: int) -> int:
    """Halve a part along an edge of the table, if it has that; the half at the higher node becomes the last part."""
    node, place = work.part_node, work.part_place
    low = high = -1
    for k in range(4):
        if node[part, k] == work.pairs.row[edge, LOW]:
            low = k
        if node[part, k] == work.pairs.row[edge, HIGH]:
            high = k
    if low < 0 or high < 0 or count == MOST_PARTS:
        return count
    for k in range(4):
        node[count, k] = node[part, k]
        for x in range(3):
            place[count, k, x] = place[part, k, x]
    node[part, high] = node[count, low] = -1 - edge
    for x in range(3):
        middle = place[part, low, x] + work.share[edge] * (place[part, high, x] - place[part, low, x])
        place[part, high, x] = place[count, low, x] = middle
    return count + 1
