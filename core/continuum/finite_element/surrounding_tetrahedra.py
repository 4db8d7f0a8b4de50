"""What fills the space around elements, divided as their outer faces are: then the body can be cut along all of it.

Nothing of it moves. Elements are cut at edges, of which each new place in the material knows the ends; tetrahedra
around them that share such an edge are halved there, in the same order, and so along the same diagonals.
"""

import numpy as np

from ...arithmetic.products import dot
from ...types import Floats, Ints
from .cut_mesh import CutMesh


def halve_tetrahedra(corners: Ints, ends: Ints, first: int) -> tuple[Ints, Ints]:
    """Tetrahedra (M,4) halved along edges one after the other: place `first` + k lies between the places ends[k].

    Rows of `ends` (k,2) below 0 are no edges. Of the two halves one takes the row of the whole. Returns the tetrahedra
    (m,4), and the row (m,) of the one of which each is a part.
    """
    rows, whole = corners.tolist(), list(range(len(corners)))
    around: dict[int, list[int]] = {}
    for number, row in enumerate(rows):
        for place in row:
            around.setdefault(place, []).append(number)
    for k, (a, b) in enumerate(ends.tolist()):
        if a < 0 or b < 0 or a not in around or b not in around:
            continue
        for number in [one for one in around[a] if b in rows[one]]:
            half = [first + k if place == a else place for place in rows[number]]
            rows[number] = [first + k if place == b else place for place in rows[number]]
            around[b].remove(number)
            for place in half:
                around.setdefault(place, []).append(len(rows))
            around[first + k].append(number)
            rows.append(half)
            whole.append(whole[number])
    return np.array(rows, np.int64).reshape(-1, 4), np.array(whole, np.int64)


def places_of_cut(cut: CutMesh, nodes: Floats) -> Floats:
    """Where the places (n,3) of a mesh that was cut are, if its nodes at first are at `nodes` (k,3) [m].

    They are those of its nodes, by number; nodes on the other side of a crack have places that are not asked for.
    """
    material, between, first = cut.rows.nodes.material, cut.rows.nodes.between, cut.rows.nodes.place
    result = np.empty((cut.node_count, 3))
    result[: len(nodes)] = nodes
    for place in range(len(nodes), cut.node_count):
        a, b = between[place]
        if a < 0:
            result[place] = result[first[place]]
            continue
        edge = material[b] - material[a]
        share = float(dot(material[place] - material[a], edge) / dot(edge, edge))
        result[place] = result[a] + share * (result[b] - result[a])
    return result
