"""Which loop of a facet lies in which: loops around matter become bonds, clockwise loops are holes in one of them."""

from typing import NamedTuple

import numpy as np

from ..arithmetic.products import apply, norm
from ..errors import CutError
from ..geometry import packed
from ..geometry.facet_planes import triangulate_facets
from ..geometry.mesh import plane_axes
from ..planar.half_edges import contains
from ..types import Floats, Ints
from .loops import FacetLoops

#: A loop with a smaller area relative to its squared extent has no reliable sense of rotation; a hundred roundings.
_FLAT = 1e-14


class Bonded(NamedTuple):
    """Loops grouped to bonds."""

    bond: Ints  #: (L,) bond of each loop; several loops share one where it has holes
    facet: Ints  #: (B,)
    outline: Ints  #: (B,) loop around the bond


def group_loops(loops: FacetLoops, signed: Floats, position: Floats, normal: Floats) -> Bonded:
    """Give each loop its bond. `signed (L,)` is each loop's area along its facet's normal `normal (F,3)`.

    Raises CutError where a hole has no loop around it.
    """
    outline = signed >= 0.0
    around = np.arange(len(loops.facet))
    for hole in np.flatnonzero(~outline):
        parent = _enclosing(loops, signed, position, normal[loops.facet[hole]], int(hole))
        if parent >= 0:
            around[hole] = parent
        elif _is_flat(loops, signed, position, int(hole)):
            outline[hole] = True
        else:
            raise CutError("A hole in an inner face has no face around it; the mesh may overlap itself.")
    number = np.cumsum(outline) - 1
    return Bonded(number[around], loops.facet[outline], np.flatnonzero(outline))


def _points(loops: FacetLoops, position: Floats, loop: int) -> Floats:
    points: Floats = position[loops.vertex[loops.start[loop] : loops.start[loop + 1]]]
    return points


def _is_flat(loops: FacetLoops, signed: Floats, position: Floats, loop: int) -> bool:
    extent = float(norm(np.ptp(_points(loops, position, loop), axis=0)))
    return abs(float(signed[loop])) <= _FLAT * max(extent, float(np.abs(position).max())) * extent


def _enclosing(loops: FacetLoops, signed: Floats, position: Floats, normal: Floats, hole: int) -> int:
    """The smallest loop around matter on the same facet that contains the hole, or -1."""
    facet = loops.facet[hole]
    first = int(np.searchsorted(loops.facet, facet, "left"))  # loops are made facet by facet
    last = int(np.searchsorted(loops.facet, facet, "right"))
    axes = plane_axes(normal[None])[0]
    inner = apply(axes, _points(loops, position, hole))
    best = -1
    for loop in range(first, last):
        smaller = best < 0 or signed[loop] < signed[best]
        if signed[loop] > -signed[hole] and smaller and contains(apply(axes, _points(loops, position, loop)), inner[0]):
            best = loop
    return best


def bond_faces(loops: FacetLoops, bonded: Bonded, position: Floats, normal: Floats) -> tuple[Ints, Ints, Ints]:
    """Simple polygons of all bonds: start (Fi+1,), vertices, bond (Fi,). Bonds with holes are cut into triangles."""
    if len(bonded.facet) == len(loops.facet):
        return loops.start, loops.vertex, bonded.bond
    size = np.diff(loops.start)
    holed = np.bincount(bonded.bond, minlength=len(bonded.facet)) > 1
    plain = ~holed[bonded.bond]
    hole = np.ones(len(size), np.bool_)
    hole[bonded.outline] = False
    members = np.flatnonzero(~plain)
    members = members[np.lexsort((hole[members], bonded.bond[members]))]  # outlines first
    bonds = np.flatnonzero(holed)
    corner = loops.vertex[packed.ranges(loops.start[members], size[members])]
    triangles, owner = triangulate_facets(
        np.searchsorted(bonded.bond[members], np.append(bonds, len(holed))), packed.packed_starts(size[members]),
        corner, position, normal[bonded.facet[bonds]],
    )  # fmt: skip
    return (
        packed.packed_starts(np.concatenate([size[plain], np.full(len(triangles), 3)])),
        np.concatenate([loops.vertex[np.repeat(plain, size)], corner[triangles].ravel()]),
        np.concatenate([bonded.bond[plain], bonds[owner]]),
    )
