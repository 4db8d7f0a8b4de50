"""Crack faces, and the nodes that fall apart along them.

The elements at the failing node lie on one side of the plane each. Faces between the two sides are crack faces. A node
of such a face becomes several where the elements around it, joined through their common faces but not through crack
faces, form several groups: so cracks end inside of matter, run out at surfaces, and meet older cracks, by one rule.
"""

from ....geometry.graph import join, root
from ....jit import device_no_refs
from ....types import Ints
from ..cut_rows import CRACK_FACES, NODES, NONE, CutRows, corner_of, gather_star, join_place, move_corner, weigh_node
from .pair_table import VALUE, add_pair, clear_pairs, find_pair
from .plan_cuts import side_of
from .workspace import Workspace


@device_no_refs
def label_crack_faces(rows: CutRows, work: Workspace, node: int) -> tuple[int, int]:
    """Note the side of each element at a node, and number the faces between both sides.

    Returns the number of these elements, in `star`, and of the other nodes of crack faces, in `near`, ascending.
    """
    elements = rows.elements
    stars = gather_star(rows.nodes.first_corner, elements.next_corner, node, work.star)
    nodes = 0
    for s in range(stars):
        e = work.star[s]
        work.side[e] = side_of(elements.node, work, e)
        for k in range(4):
            a, b = _other_two(elements.node, e, k, node)
            if a < 0:
                continue
            row = find_pair(work.pairs, a, b)
            if row < 0:
                add_pair(work.pairs, a, b, 4 * e + k)
                continue
            other = work.pairs.row[row, VALUE]
            if work.side[other // 4] == work.side[e]:
                continue
            elements.crack[e, k] = elements.crack[other // 4, other % 4] = rows.counts[CRACK_FACES]
            rows.counts[CRACK_FACES] += 1
            nodes = _list_node(work, _list_node(work, nodes, a), b)
    clear_pairs(work.pairs)
    return stars, nodes


@device_no_refs
def part_node(rows: CutRows, work: Workspace, node: int) -> None:
    """Make a node of each group of elements at a node.

    The group with the first element keeps the node; so do those away from the failing node, if there are any.
    """
    elements = rows.elements
    count = gather_star(rows.nodes.first_corner, elements.next_corner, node, work.ring)
    _group_elements(rows, work, node, count)
    for i in range(count):
        work.group[i] = NONE
    for i in range(count):
        if work.side[work.ring[i]] != 0:
            work.group[root(work.parent, i)] = node
    for i in range(count):
        first = root(work.parent, i)
        if first == 0 or work.group[first] == NONE:
            continue
        if work.group[first] == node:
            work.group[first] = _add_copy(rows, node)
        e = work.ring[i]
        move_corner(rows.nodes.first_corner, elements, 4 * e + corner_of(elements.node, e, node), work.group[first])
    weigh_node(rows, node)
    rows.nodes.touched[node] = True


@device_no_refs
def _group_elements(rows: CutRows, work: Workspace, node: int, count: int) -> None:
    """Join the elements around a node through faces between them that are no crack faces."""
    for i in range(count):
        work.parent[i] = i
    for i in range(count):
        e = work.ring[i]
        for k in range(4):
            a, b = _other_two(rows.elements.node, e, k, node)
            if a < 0:
                continue
            row = find_pair(work.pairs, a, b)
            if row < 0:
                add_pair(work.pairs, a, b, i)
            elif work.side[e] * work.side[work.ring[work.pairs.row[row, VALUE]]] >= 0:
                join(work.parent, i, work.pairs.row[row, VALUE])
    clear_pairs(work.pairs)


@device_no_refs
def _other_two(element_node: Ints, e: int, k: int, node: int) -> tuple[int, int]:
    """The other nodes of the face of e across from its corner k, or twice NONE where that face has not the node."""
    a = b = NONE
    if element_node[e, k] == node:
        return a, b
    for j in range(4):
        other = element_node[e, j]
        if j != k and other != node:
            a, b = b, other
    return a, b


@device_no_refs
def _list_node(work: Workspace, count: int, node: int) -> int:
    """Put a node into the ascending list `near`, once; returns how many there are."""
    k = count
    while k > 0 and work.near[k - 1] > node:
        k -= 1
    if k > 0 and work.near[k - 1] == node:
        return count
    for i in range(count, k, -1):
        work.near[i] = work.near[i - 1]
    work.near[k] = node
    return count + 1


@device_no_refs
def _add_copy(rows: CutRows, node: int) -> int:
    """A new node where a node is, without elements; returns it."""
    nodes = rows.nodes
    new = int(rows.counts[NODES])
    rows.counts[NODES] = new + 1
    for x in range(3):
        for field in (nodes.material, nodes.position, nodes.velocity):
            field[new, x] = field[node, x]
    nodes.anchored[new] = nodes.anchored[node]
    nodes.first_corner[new] = NONE
    join_place(nodes, new, nodes.place[node])
    return new
