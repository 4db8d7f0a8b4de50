"""Which edges around a failing node are cut, before anything is: no element may come out too small.

An edge across from the node is cut where its ends lie on different sides. Where a part of an element would be too
small, the nearer end of the edge that is cut nearest to its end counts as on the plane, and all is looked at again.
"""

from ....jit import device_no_refs
from ....types import Floats, Ints
from ..cut_rows import CutRows, corner_of, gather_star, node_at
from .pair_table import HIGH, LOW, add_pair, clear_pairs, find_pair
from .parts import make_parts, smallest_parts
from .workspace import LEAST_ALTITUDE, LEAST_VOLUME, Workspace


@device_no_refs
def plan_cuts(rows: CutRows, work: Workspace, stars: int, node: int) -> tuple[int, int]:
    """Note the edges that are cut and where, and the elements at them; returns these elements' number, and how often
    a node was put on the plane for want of room.
    """
    snapped = 0
    while True:
        _find_cut_edges(rows.elements.node, work, stars, node)
        _add_duplicate_edges(rows, work)
        count = _gather_cut_elements(rows, work)
        bad = _worst_cut(rows, work, count)
        if bad < 0:
            return count, snapped
        near = LOW if work.share[bad] < 0.5 else HIGH
        work.distance[work.pairs.row[bad, near]] = 0.0
        snapped += 1
        forget_plan(work, count)


@device_no_refs
def forget_plan(work: Workspace, count: int) -> None:
    """Clear the notes of `plan_cuts`."""
    clear_pairs(work.pairs)
    for i in range(count):
        work.chosen[work.cut[i]] = 0


@device_no_refs
def side_of(element_node: Ints, work: Workspace, element: int) -> int:
    """On which side of the plane an element at the failing node is, 1 or -1; 0 where it is on both.

    One with all its nodes on the plane is where its middle is.
    """
    above = below = False
    total = 0.0
    for k in range(4):
        other = element_node[element, k]
        above = above or work.distance[other] > 0.0
        below = below or work.distance[other] < 0.0
        total += work.offset[other]
    if above and below:
        return 0
    if above or below:
        return 1 if above else -1
    return 1 if total > 0.0 else -1


@device_no_refs
def _find_cut_edges(element_node: Ints, work: Workspace, stars: int, node: int) -> None:
    for s in range(stars):
        e = work.star[s]
        for i in range(3):
            for j in range(i + 1, 4):
                a, b = min(element_node[e, i], element_node[e, j]), max(element_node[e, i], element_node[e, j])
                p, q = work.distance[a], work.distance[b]
                if a == node or b == node or not ((p > 0.0 and q < 0.0) or (p < 0.0 and q > 0.0)):
                    continue
                if find_pair(work.pairs, a, b) < 0:
                    row = add_pair(work.pairs, a, b, 0)
                    work.share[row] = p / (p - q)


@device_no_refs
def _add_duplicate_edges(rows: CutRows, work: Workspace) -> None:
    """Edges that lie in the material where a cut one lies, on other sides of cracks, are cut at the same place."""
    nodes, elements, pairs = rows.nodes, rows.elements, work.pairs
    count = pairs.used[0]
    for row in range(count):
        work.leader[row] = row
    for row in range(count):
        if work.leader[row] != row:
            continue
        a, b = pairs.row[row, LOW], pairs.row[row, HIGH]
        near = nodes.place[a]
        while near >= 0:
            around = gather_star(nodes.first_corner, elements.next_corner, near, work.ring)
            for i in range(around):
                far = node_at(elements.node, nodes.place, work.ring[i], nodes.place[b])
                if far >= 0 and not (near == a and far == b):
                    _follow(work, near, far, row)
            near = nodes.next_duplicate[near]


@device_no_refs
def _follow(work: Workspace, near: int, far: int, row: int) -> None:
    duplicate = find_pair(work.pairs, near, far)
    if duplicate < 0:
        duplicate = add_pair(work.pairs, near, far, 0)
    work.leader[duplicate] = row
    work.share[duplicate] = work.share[row] if near < far else 1.0 - work.share[row]


@device_no_refs
def _gather_cut_elements(rows: CutRows, work: Workspace) -> int:
    """List the elements that have a cut edge, at the failing node or not."""
    elements = rows.elements
    count = 0
    for row in range(work.pairs.used[0]):
        around = gather_star(rows.nodes.first_corner, elements.next_corner, work.pairs.row[row, LOW], work.ring)
        for i in range(around):
            e = work.ring[i]
            if work.chosen[e] == 0 and corner_of(elements.node, e, work.pairs.row[row, HIGH]) >= 0:
                work.chosen[e], work.cut[count] = 1, e
                count += 1
    return count


@device_no_refs
def _worst_cut(rows: CutRows, work: Workspace, count: int) -> int:
    """Of the first element that would come out too small, the edge that is cut nearest to its end; -1 if none would."""
    for i in range(count):
        e = work.cut[i]
        parts = make_parts(rows.nodes, rows.elements.node, work, e)
        volume, altitude = smallest_parts(work.part_place, parts)
        if volume < work.limits[LEAST_VOLUME] or altitude < work.limits[LEAST_ALTITUDE]:
            return int(work.leader[_nearest_to_end(rows.elements.node, work.share, work, e)])
    return -1


@device_no_refs
def _nearest_to_end(element_node: Ints, share: Floats, work: Workspace, e: int) -> int:
    best = -1
    for i in range(3):
        for j in range(i + 1, 4):
            row = find_pair(work.pairs, element_node[e, i], element_node[e, j])
            if row >= 0 and (best < 0 or min(share[row], 1.0 - share[row]) < min(share[best], 1.0 - share[best])):
                best = row
    return best
