"""Nodes of flat elements are moved at random and all are joined anew, as long as that leaves fewer flat ones.

A sliver has four nodes near a circle: any small move takes one of them off it (Li 2000, "Generating well-shaped
d-dimensional Delaunay meshes"). What such a move makes worse is taken back; after some
moves in vain the best mesh is shaken once more.
"""

from collections.abc import Generator

import numpy as np

from ...types import Bools, Floats
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
#: Rounds at most, and how many in which nothing becomes better. Measured: of 8 bodies with 3 seeds each, 11 kept some
#: flat elements after 12 rounds, 5 after these.
_SHAKES, _PATIENCE = 30, 8
#: Turns in which elements without thickness of which no node may move, as between four corners of a rectangle, get one
#: inside; below which angle [degrees], and how far it must be from others, in sizes [1]. By eye: the flat ones among
#: them that get one as well leave others that are.
_WEDGED, _WEDGED_ANGLE, _ROOM = (1, 4, 7), 3.0, 0.1


def shake_steps(
    meshed: MeshedBody, joined: JoinedNodes, rng: np.random.Generator
) -> Generator[float, None, JoinedNodes]:
    """The best of some rounds, the first of which is what is given; yields the share that is done."""
    best, least, at_best = joined, np.inf, 0
    before, lowest_before, moved = joined.nodes, np.empty(0), np.zeros(0, np.bool_)
    for turn in range(_SHAKES + 1):
        yield turn / (_SHAKES + 1)
        lowest, badness = _lowest_angles(joined)
        if badness < least:
            best, least, at_best = joined, badness, turn
        if badness == 0.0 or turn == min(at_best + _PATIENCE, _SHAKES):
            break
        if turn == 0 or turn == at_best + _PATIENCE // 2:  # from the best once more
            joined = best
            lowest, _ = _lowest_angles(joined)
            before, lowest_before, moved = joined.nodes, lowest, np.zeros(len(lowest), np.bool_)
        worse = moved & (lowest < lowest_before)
        before, lowest_before = _taken_back(joined.nodes, before, worse), np.where(worse, lowest_before, lowest)
        if turn in _WEDGED:
            before = _with_nodes_inside(meshed, before, joined)
            lowest_before = np.append(lowest_before, np.full(len(before.place) - len(lowest_before), np.inf))
        moved = lowest_before < FLAT_ANGLE
        moved[: before.fixed] = False
        joined = join_nodes(meshed, _shaken(meshed, before, moved, _MOST[turn % len(_MOST)], rng), rng)
    return best


def _lowest_angles(joined: JoinedNodes) -> tuple[Floats, float]:
    """The smallest angle (n,) of the elements around each node [degrees], 0 at pinches; and how bad the mesh is.

    A pinch counts as much as an element without thickness, and an angle that is half of FLAT_ANGLE half as much.
    """
    angle = measure_angles(joined.nodes.place[joined.elements])
    pinched = find_pinches(joined)
    lowest = np.full(len(pinched), np.inf)
    np.minimum.at(lowest, joined.elements, angle[:, None])
    lowest[pinched] = 0.0
    missed = np.cumsum(np.maximum(1.0 - angle / FLAT_ANGLE, 0.0))
    return lowest, float(np.append(0.0, missed)[-1]) + float(np.count_nonzero(pinched))


def _with_nodes_inside(meshed: MeshedBody, nodes: MeshNodes, joined: JoinedNodes) -> MeshNodes:
    """The nodes, with one in the middle of each element that nothing else would move, if it has room for it."""
    fixed = joined.elements[(joined.elements < nodes.fixed).all(axis=1)]
    stuck = fixed[measure_angles(nodes.place[fixed]) < _WEDGED_ANGLE]
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
