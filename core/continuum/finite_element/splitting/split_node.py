"""A node is split along a plane: what can be cut is cut, and the node and others on the crack fall apart.

Mass, volume and momentum stay what they were to round-off; kinetic energy never rises, and angular momentum changes,
unless it is given back as a small spin of the nodes around.

Reference: O'Brien, Hodgins 1999, section 4.3 (local remeshing); docs/papers/obrien1999.md.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from ....jit import device_no_refs, njit_no_refs
from ....types import Floats
from ..cut_mesh import CutMesh
from ..cut_rows import ELEMENTS, NODES, CutRows, gather_star, weigh_node
from .halve_edges import halve_edges
from .keep_spin import return_spin
from .part_nodes import label_crack_faces, part_node
from .plan_cuts import forget_plan, plan_cuts, side_of
from .snap_nodes import measure_distances
from .workspace import CUT_TOTALS, ENERGY, MARKED, MOST_PARTS, SPIN, UNMARKED, SplittingRules, Workspace, workspace_of


class SplitOutcome(IntEnum):
    """What became of a node that was to be split."""

    SPLIT = 0
    ALONG_FACES = 1  #: split without a cut, since elements would have come out too small
    WHOLE = 2  #: all elements at it lie on one side of the plane
    NO_ROOM = 3


class NodeSplit(NamedTuple):
    """What a split did; what is new has the last numbers."""

    outcome: SplitOutcome
    old_nodes: int  #: how many there were
    first_copy: int  #: nodes from here on are copies, those before are on edges
    old_elements: int
    node_copies: int  #: of the failing node: the first copies
    lost_energy: float  #: kinetic [J]; below 0 where spin is kept, at times


def split_node(mesh: CutMesh, node: int, normal: Floats, rules: SplittingRules) -> NodeSplit:
    """Split the mesh at a node along the plane across `normal` (3,) of any sign, in the world.

    Raises IndexError for a node that is not there, and ValueError for a normal that is none.
    """
    if not 0 <= node < mesh.node_count:
        raise IndexError(f"There is no node {node}.")
    square = float(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2])
    if not 0.0 < square < np.inf:
        raise ValueError("A plane needs a normal.")
    n = np.asarray(normal, np.float64) / np.sqrt(square)
    nodes, elements = mesh.node_count, mesh.element_count
    while True:
        work = workspace_of(mesh, rules)
        outcome, first_copy, copies, touched = _split(mesh.rows, work, node, n)
        if outcome != SplitOutcome.NO_ROOM:
            lost = float(work.totals[ENERGY])
            if rules.keep_spin and touched > 0:
                lost -= return_spin(mesh.rows.nodes, work.near[:touched], work.totals[SPIN : SPIN + 3])
            return NodeSplit(SplitOutcome(outcome), nodes, first_copy, elements, copies, lost)
        mesh.make_room()


@njit_no_refs
def _split(rows: CutRows, work: Workspace, node: int, normal: Floats) -> tuple[int, int, int, int]:
    """Returns the outcome, the first copy among the new nodes, how many copies of `node` there are, and the number of
    nodes around the cut, in `near`.
    """
    for i in range(CUT_TOTALS):
        work.totals[i] = 0.0
    stars = gather_star(rows.nodes.first_corner, rows.elements.next_corner, node, work.star)
    near = measure_distances(rows, work, stars, node, normal)
    cuts, snapped = plan_cuts(rows, work, stars, node)
    for i in range(near):
        work.mark[work.near[i]] = UNMARKED
    outcome = 0
    if snapped > 0 and not _has_both_sides(rows, work, stars):
        outcome = 1
        for i in range(near):
            work.distance[work.near[i]] = 0.0
    if not _has_both_sides(rows, work, stars):
        outcome = 2
    elif not _has_room(rows, work, stars, cuts):
        outcome = 3
    if outcome > 1:
        forget_plan(work, cuts)
        return outcome, rows.counts[NODES], 0, 0
    nodes, elements = rows.counts[NODES], rows.counts[ELEMENTS]
    halve_edges(rows, work)
    forget_plan(work, cuts)
    first_copy = rows.counts[NODES]
    stars, rim = label_crack_faces(rows, work, node)
    part_node(rows, work, node)
    copies = rows.counts[NODES] - first_copy
    for i in range(rim):
        part_node(rows, work, work.near[i])
    for s in range(stars):
        work.side[work.star[s]] = 0
    touched = _weigh_touched(rows, work, stars, cuts, nodes, elements)
    return outcome, first_copy, copies, touched


@device_no_refs
def _has_both_sides(rows: CutRows, work: Workspace, stars: int) -> bool:
    above = below = False
    for s in range(stars):
        side = side_of(rows.elements.node, work, work.star[s])
        above = above or side >= 0
        below = below or side <= 0
    return above and below


@device_no_refs
def _has_room(rows: CutRows, work: Workspace, stars: int, cuts: int) -> bool:
    """Whether there is room for all that can come: each copy of a node has a corner of a part of a star's element."""
    nodes = rows.counts[NODES] + work.pairs.used[0] + 4 * MOST_PARTS * stars
    elements = rows.counts[ELEMENTS] + MOST_PARTS * cuts
    return bool(nodes <= len(rows.nodes.mass) and elements <= len(rows.elements.volume))


@device_no_refs
def _weigh_touched(rows: CutRows, work: Workspace, stars: int, cuts: int, nodes: int, elements: int) -> int:
    """Weigh the nodes of all elements that are new or have other nodes; returns their number, in `near`."""
    count = 0
    for s in range(stars):
        count = _weigh_corners(rows, work, work.star[s], count)
    for i in range(cuts):
        count = _weigh_corners(rows, work, work.cut[i], count)
    for e in range(elements, rows.counts[ELEMENTS]):
        count = _weigh_corners(rows, work, e, count)
    for i in range(count):
        work.mark[work.near[i]] = UNMARKED
    return count


@device_no_refs
def _weigh_corners(rows: CutRows, work: Workspace, element: int, count: int) -> int:
    for k in range(4):
        node = rows.elements.node[element, k]
        if work.mark[node] == UNMARKED:
            work.mark[node], work.near[count] = MARKED, node
            rows.nodes.touched[node] = True
            weigh_node(rows, node)
            count += 1
    return count
