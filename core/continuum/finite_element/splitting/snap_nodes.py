"""How far the nodes around a failing node are from its plane; those that are near count as on it."""

import numpy as np

from ....geometry.vectors import dot3, row_difference, vector
from ....jit import device_no_refs
from ....types import Floats
from ..cut_rows import CutRows, corner_of
from .workspace import MARKED, ON_OLD_CRACK, SNAP_DISTANCE, SNAP_SHARE, SNAP_SINE, TRACK_SINE, UNMARKED, Workspace


@device_no_refs
def measure_distances(rows: CutRows, work: Workspace, stars: int, node: int, normal: Floats) -> int:
    """Distances of the nodes around one from the plane through it across `normal` (3,); returns how many there are.

    A node is on the plane where its distance is below the least of `snap_distance` and `snap_share` of the mean edge,
    or its angle below `snap_angle`.
    """
    count, total = 0, 0.0
    for s in range(stars):
        for k in range(4):
            other = rows.elements.node[work.star[s], k]
            if other != node and work.mark[other] == UNMARKED:
                work.mark[other], work.near[count] = MARKED, other
                count += 1
                total += _measure(rows.nodes.position, work, node, other, normal)
    if work.limits[TRACK_SINE] > work.limits[SNAP_SINE]:
        _mark_old_cracks(rows, work, stars, node)
    work.offset[node] = work.distance[node] = 0.0
    least = min(work.limits[SNAP_DISTANCE], work.limits[SNAP_SHARE] * total / max(count, 1))
    for i in range(count):
        other = work.near[i]
        sine = work.limits[TRACK_SINE] if work.mark[other] == ON_OLD_CRACK else work.limits[SNAP_SINE]
        away = abs(work.offset[other])
        if away < least or away < sine * work.distance[other]:
            work.distance[other] = 0.0
        else:
            work.distance[other] = work.offset[other]
    return count


@device_no_refs
def _measure(position: Floats, work: Workspace, node: int, other: int, normal: Floats) -> float:
    """Note the distance of a node from the plane, and for now how far it is from the failing node; return that."""
    arm = row_difference(position, node, other)
    work.offset[other] = dot3(arm, vector(normal))
    work.distance[other] = np.sqrt(dot3(arm, arm))
    return float(work.distance[other])


@device_no_refs
def _mark_old_cracks(rows: CutRows, work: Workspace, stars: int, node: int) -> None:
    """Mark nodes of cracks that end at a node: those of which both sides are there."""
    crack, element_node = rows.elements.crack, rows.elements.node
    for s in range(stars):
        e = work.star[s]
        own = corner_of(element_node, e, node)
        for k in range(4):
            if k == own or crack[e, k] < 0 or not _has_other_side(rows, work, stars, node, s, k):
                continue
            for j in range(4):
                if j != k and j != own:
                    work.mark[element_node[e, j]] = ON_OLD_CRACK


@device_no_refs
def _has_other_side(rows: CutRows, work: Workspace, stars: int, node: int, s: int, k: int) -> bool:
    crack = rows.elements.crack
    wanted = crack[work.star[s], k]
    for t in range(stars):
        if t == s:
            continue
        other = work.star[t]
        for j in range(4):
            if crack[other, j] == wanted and rows.elements.node[other, j] != node:
                return True
    return False
