"""What a cut needs besides the mesh: rules, and arrays to write notes into."""

from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np

from ....arithmetic.elementary import sin
from ....types import Floats, Ints
from ..cut_mesh import CutMesh
from .pair_table import PairTable

#: The limits as kernels get them: distances [m], one relative to the mean edge [1], sines of angles [1], volume [m^3],
#: altitude [m].
SNAP_DISTANCE, SNAP_SHARE, SNAP_SINE, TRACK_SINE, LEAST_VOLUME, LEAST_ALTITUDE = range(6)
LIMITS = 6  # of them

#: Numbers that a cut leaves: angular momentum [kg m^2/s] and kinetic energy [J] that nodes have lost.
SPIN, ENERGY = 0, 3
CUT_TOTALS = 4  # of them

#: What a node near the plane is: none of it, near, on an old crack that ends at the node which is split.
UNMARKED, MARKED, ON_OLD_CRACK = range(3)

#: Most that a tetrahedron is cut into: four cut edges between two nodes on either side of a plane make six.
MOST_PARTS = 8


@dataclass(frozen=True, slots=True)
class SplittingRules:
    """How a mesh is cut at a failing node."""

    #: A node counts as on the plane that is nearer than this [m], and than this share of the mean edge at the failing
    #: node; the paper's 5 mm is half an element on small things.
    snap_distance: float = 0.005
    snap_share: float = 0.1  #: [1]
    snap_angle: float = 0.1  #: or whose direction is nearer to the plane than this [rad]
    #: The same for nodes of an old crack that ends at the failing node: above `snap_angle` the new crack goes on from
    #: the old one, where else it would start a second branch backwards [rad].
    tracking_angle: float = 0.0
    least_volume: float = 1e-6  #: of an element, relative to the mean as the mesh was made [1]
    #: Least altitude of an element, relative to the median as the mesh was made: the time step goes with the least.
    #: Measured on 10,000 elements: 300 splits at random bring that to a seventh with 0, and leave it what it was with
    #: 0.1, where 4 of them cannot be cut any more, as with 0.2, where 6 cannot.
    least_altitude: float = 0.1
    keep_spin: bool = False  #: turn the nodes around a cut so that angular momentum stays what it was
    planes: int = 1  #: that one node may be split along within a step
    touched_too: bool = False  #: split nodes whose elements were cut in the same step already


class Workspace(NamedTuple):
    """Notes of one cut; N, E rows as the mesh has room for."""

    pairs: PairTable
    share: Floats  # (P,) where an edge is cut, from the lower node [1]
    leader: Ints  # (P,) the edge of the table with which one is cut at the same place; itself for most
    middle: Ints  # (P,) node on an edge, once that is halved
    offset: Floats  # (N,) distance from the plane [m]
    distance: Floats  # (N,) the same, 0 where snapped
    mark: Ints  # (N,) UNMARKED, MARKED, ON_OLD_CRACK
    near: Ints  # (N,) nodes that are marked
    star: Ints  # (E,) elements of the node that is split
    ring: Ints  # (E,) elements around something else
    cut: Ints  # (E,) elements with a cut edge
    chosen: Ints  # (E,) 1 for those that are listed
    side: Ints  # (E,) of the plane: -1, 1; 0 for elements not at the node
    parent: Ints  # (E,) of sets of elements
    group: Ints  # (E,) node that each set gets
    part_node: Ints  # (8,4) of the parts of one element
    part_place: Floats  # (8,4,3)
    limits: Floats  # (6,)
    totals: Floats  # (4,)


def workspace_of(mesh: CutMesh, rules: SplittingRules) -> Workspace:
    """Notes for a mesh, kept with it as long as its room stays."""
    if rules not in mesh.scratch:
        nodes, elements = len(mesh.rows.nodes.mass), len(mesh.rows.elements.volume)
        mesh.scratch[rules] = _make_workspace(nodes, elements, _limits(mesh, rules))
    return cast(Workspace, mesh.scratch[rules])


def _make_workspace(n: int, e: int, limits: Floats) -> Workspace:
    def whole(count: int) -> Ints:
        return np.zeros(count, np.int64)

    return Workspace(
        pairs=PairTable(np.full(n, -1), np.zeros((3 * e, 4), np.int64), whole(1)),
        share=np.zeros(3 * e),
        leader=whole(3 * e),
        middle=whole(3 * e),
        offset=np.zeros(n),
        distance=np.zeros(n),
        mark=whole(n),
        near=whole(n),
        star=whole(e),
        ring=whole(e),
        cut=whole(e),
        chosen=whole(e),
        side=whole(e),
        parent=whole(e),
        group=whole(e),
        part_node=np.zeros((MOST_PARTS, 4), np.int64),
        part_place=np.zeros((MOST_PARTS, 4, 3)),
        limits=limits,
        totals=np.zeros(CUT_TOTALS),
    )


def _limits(mesh: CutMesh, rules: SplittingRules) -> Floats:
    limits = np.zeros(LIMITS)
    limits[SNAP_DISTANCE], limits[SNAP_SHARE] = rules.snap_distance, rules.snap_share
    limits[SNAP_SINE] = sin(rules.snap_angle)
    limits[TRACK_SINE] = sin(max(rules.tracking_angle, rules.snap_angle))
    limits[LEAST_VOLUME] = rules.least_volume * mesh.mean_volume
    limits[LEAST_ALTITUDE] = rules.least_altitude * mesh.median_altitude
    return limits
