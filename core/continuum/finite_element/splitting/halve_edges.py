"""Cut edges are halved one after the other: each gets a node, and all elements around it become two.

The mesh fits together after each edge, so there are no cases: one against two, one against one, and what meets the star
of the failing node in a face or an edge only, all come out of the order of the edges (`comes_first`).
"""

from ....geometry.vectors import cross3, dot3, row_difference
from ....jit import device_no_refs
from ..cut_rows import (
    ELEMENTS,
    NODES,
    NONE,
    CutRows,
    NodeRows,
    corner_of,
    gather_star,
    join_place,
    link_corner,
    measure_element,
    move_corner,
)
from .pair_table import HIGH, LOW, VALUE
from .parts import comes_first
from .workspace import ENERGY, SPIN, Workspace


@device_no_refs
def halve_edges(rows: CutRows, work: Workspace) -> None:
    """Halve all edges of the table."""
    count = work.pairs.used[0]
    for i in range(count):  # the order of the rows, in their values
        k = i
        while k > 0 and comes_first(work.pairs, rows.nodes.place, i, work.pairs.row[k - 1, VALUE]):
            work.pairs.row[k, VALUE] = work.pairs.row[k - 1, VALUE]
            k -= 1
        work.pairs.row[k, VALUE] = i
    for i in range(count):
        edge = work.pairs.row[i, VALUE]
        _halve_edge(rows, work, edge)


@device_no_refs
def _halve_edge(rows: CutRows, work: Workspace, edge: int) -> None:
    low, high, share = work.pairs.row[edge, LOW], work.pairs.row[edge, HIGH], work.share[edge]
    middle = _add_node_between(rows, work, low, high, share)
    work.middle[edge] = middle
    _give_place(rows.nodes, middle, low, high, middle if work.leader[edge] == edge else work.middle[work.leader[edge]])
    around = gather_star(rows.nodes.first_corner, rows.elements.next_corner, low, work.ring)
    matter = 0.0
    for i in range(around):
        e = work.ring[i]
        corner = corner_of(rows.elements.node, e, high)
        if corner >= 0:
            matter += rows.origins.density[rows.elements.origin[e]] * rows.elements.volume[e]
            _halve_element(rows, e, corner_of(rows.elements.node, e, low), corner, middle)
    _note_losses(rows, work, low, high, 0.25 * matter * share * (1.0 - share))


@device_no_refs
def _add_node_between(rows: CutRows, work: Workspace, low: int, high: int, share: float) -> int:
    nodes = rows.nodes
    new = int(rows.counts[NODES])
    rows.counts[NODES] = new + 1
    for x in range(3):
        for field in (nodes.material, nodes.position, nodes.velocity):
            field[new, x] = field[low, x] + share * (field[high, x] - field[low, x])
    nodes.anchored[new] = nodes.anchored[low] and nodes.anchored[high]
    nodes.first_corner[new] = NONE
    work.offset[new] = work.distance[new] = 0.0
    return new


@device_no_refs
def _give_place(nodes: NodeRows, node: int, low: int, high: int, place: int) -> None:
    """A node on an edge is where the one is on the edge that this follows, to the bit."""
    join_place(nodes, node, place)
    if node == place:
        nodes.between[node, 0], nodes.between[node, 1] = nodes.place[low], nodes.place[high]
        return
    for x in range(3):
        nodes.material[node, x] = nodes.material[place, x]


@device_no_refs
def _halve_element(rows: CutRows, e: int, low: int, high: int, middle: int) -> None:
    """Element e keeps its corner `low`; a new one gets the corner `high`, and all that e is."""
    elements, first_corner = rows.elements, rows.nodes.first_corner
    new = rows.counts[ELEMENTS]
    rows.counts[ELEMENTS] = new + 1
    elements.origin[new], elements.piece[new] = elements.origin[e], elements.piece[e]
    for i in range(3):
        for j in range(3):
            elements.deformation[new, i, j] = elements.deformation[e, i, j]
            elements.tension[new, i, j] = elements.tension[e, i, j]
            elements.compression[new, i, j] = elements.compression[e, i, j]
    for k in range(4):
        elements.law[new, k] = elements.law[e, k]
        elements.node[new, k] = middle if k == low else elements.node[e, k]
        elements.crack[new, k] = NONE if k == high else elements.crack[e, k]
        link_corner(first_corner, elements, 4 * new + k)
    elements.crack[e, low] = NONE
    move_corner(first_corner, elements, 4 * e + high, middle)
    measure_element(rows.nodes.material, elements, e)
    measure_element(rows.nodes.material, elements, new)


@device_no_refs
def _note_losses(rows: CutRows, work: Workspace, low: int, high: int, mass: float) -> None:
    """Lumped masses carry less spin and energy between two nodes than at them, by their relative motion.

    A quarter of each element's mass m moves from its ends to a node at the share t: (m/4) t (1 - t) times the product
    of the differences of places and velocities is lost.
    """
    x, v = rows.nodes.position, rows.nodes.velocity
    dx, dv = row_difference(x, low, high), row_difference(v, low, high)
    spin = cross3(dx, dv)
    for i in range(3):
        work.totals[SPIN + i] += mass * spin[i]
    work.totals[ENERGY] += 0.5 * mass * dot3(dv, dv)
