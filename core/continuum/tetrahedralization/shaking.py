"""Nodes of flat elements are moved at random and all are joined anew, as long as that leaves fewer flat ones.

A sliver has four nodes near a circle: any small move takes one of them off it (Li 2000, "Generating well-shaped
d-dimensional Delaunay meshes"). What such a move makes worse is taken back.
"""

from collections.abc import Generator

import numpy as np

from ...types import Bools, Floats, Ints
from .joining import JoinedNodes, join_nodes
from .mesh_nodes import MeshNodes
from .meshed_body import MeshedBody
from .pinches import find_pinches
from .quality import measure_angles
from .thinning import thin_points

#: Elements with a smaller angle than this are flat [degrees]. Measured: on balls, boxes, plates and tori none is left
#: after some rounds; with 20 hundreds stay.
FLAT_ANGLE = 15.0
#: How far nodes are moved at most along each axis, in sizes, turn by turn [1]. Tried: 0.15 all the time leaves more,
#: 0.3 makes ever more; some that 0.08 does not cure, 0.16 does.
_MOST = (0.08, 0.08, 0.16)
#: Rounds at most. Measured: a glass has 219 flat ones before, 46 after 4, 22 after 8, 17 after 12.
SHAKES = 12
#: Turns in which elements without thickness of which no node may move, as between four corners of a rectangle, get one
#: inside; below which angle [degrees], and how far it must be from others, in sizes [1]. By eye: the flat ones among
#: them that get one as well leave others that are.
_WEDGED, _WEDGED_ANGLE, _ROOM = (1, 4, 7), 3.0, 0.1


def shake_steps(
    meshed: MeshedBody, joined: JoinedNodes, rng: np.random.Generator
) -> Generator[float, None, JoinedNodes]:
    """The best of some rounds, the first of which is what is given; yields the share that is done."""
    best, least = joined, len(joined.corners)
    before, lowest_before = joined.nodes, np.full(len(joined.nodes.place), np.inf)
    moved = np.zeros(len(joined.nodes.place), np.bool_)
    for turn in range(SHAKES + 1):
        yield turn / (SHAKES + 1)
        angle = measure_angles(joined.nodes.place[joined.elements])
        pinched = find_pinches(joined)
        flat = int(np.count_nonzero(angle < FLAT_ANGLE)) + int(np.count_nonzero(pinched))
        if flat < least:
            best, least = joined, flat
        if flat == 0 or turn == SHAKES:
            break
        lowest = np.full(len(moved), np.inf)
        np.minimum.at(lowest, joined.elements, angle[:, None])
        lowest[pinched] = 0.0
        worse = moved & (lowest < lowest_before)
        before, lowest_before = _taken_back(joined.nodes, before, worse), np.where(worse, lowest_before, lowest)
        moved = lowest_before < FLAT_ANGLE
        moved[: before.fixed] = False
        if turn in _WEDGED:
            stuck = joined.elements[(angle < _WEDGED_ANGLE) & (joined.elements < before.fixed).all(axis=1)]
            before = _with_nodes_inside(meshed, before, stuck)
            new = len(before.place) - len(moved)
            lowest_before, moved = (
                np.append(lowest_before, np.full(new, np.inf)),
                np.append(moved, np.zeros(new, np.bool_)),
            )
        joined = join_nodes(meshed, _shaken(meshed, before, moved, _MOST[turn % len(_MOST)], rng), rng)
    return best


def _with_nodes_inside(meshed: MeshedBody, nodes: MeshNodes, stuck: Ints) -> MeshNodes:
    """The nodes, with one in the middle of each of the elements (e,4) that has room for it."""
    place = np.concatenate([nodes.place, nodes.place[stuck].sum(axis=1) / 4.0])
    normal = np.concatenate([nodes.normal, np.zeros((len(stuck), 3))])
    stays = thin_points(place, normal, _ROOM * meshed.sizes.at(place), 1.0, len(nodes.place))
    return MeshNodes(place[stays], normal[stays], nodes.fixed, nodes.surface)


def _taken_back(nodes: MeshNodes, before: MeshNodes, which: Bools) -> MeshNodes:
    place = np.where(which[:, None], before.place, nodes.place)
    return MeshNodes(place, np.where(which[:, None], before.normal, nodes.normal), nodes.fixed, nodes.surface)


def _shaken(meshed: MeshedBody, nodes: MeshNodes, which: Bools, most: float, rng: np.random.Generator) -> MeshNodes:
    place, normal = nodes.place.copy(), nodes.normal.copy()
    rows = np.flatnonzero(which)
    way: Floats = most * meshed.sizes.at(place[rows])[:, None] * rng.uniform(-1.0, 1.0, (len(rows), 3))
    goal = place[rows] + way
    on = rows < nodes.surface
    place[rows[~on]] = goal[~on]
    place[rows[on]], normal[rows[on]] = meshed.on_surface(place[rows[on]], normal[rows[on]], goal[on])
    return MeshNodes(place, normal, nodes.fixed, nodes.surface)
