"""Where a pattern goes: its centre to the hit, its axis to the blow, scaled until it encloses the body.

Reference: Su, Schroeder, Fedkiw 2009, section 4.1 (B3 and B6 of docs/papers/su2009.md).
Deviations: the scale holds for every twist, so that the same hit gives the same size however the pattern is turned.
On the grid the axis goes to the nearest axis of the grid, where the paper leaves it as it is.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...arithmetic.elementary import arctan2, cos, hypot, sin
from ...arithmetic.products import dot, multiply, outer
from ...geometry.mesh import map_vectors
from ...types import Floats, Frozen
from .pattern import Pattern

#: Patterns are made this much larger than they need to be, so that no corner of the body touches their rim. Chosen: not
#: seen.
COVER_ROOM = 1.01
#: A blow this near to upright has no level direction of its own. Chosen, well above the rounding of directions to
#: float32.
UPRIGHT = 1e-6


@dataclass(frozen=True, eq=False, slots=True)
class Placement(Frozen):
    """A similarity: x -> scale * turn x + centre."""

    centre: Floats  #: (3,) [m]
    turn: Floats  #: (3,3) rotation; its last column is where the axis points
    scale: float  #: metres per unit of the pattern


class PatternExtent(NamedTuple):
    """How far a pattern reaches in its own frame."""

    half: Floats  #: (3,) half its box
    normal: Floats  #: (n,3) of its outer facets
    distance: Floats  #: (n,) of their planes from its centre


def turn_about(axis: Floats, angle: float) -> Floats:
    """The rotation (3,3) about a unit vector (3,) by an angle [rad], after Rodrigues."""
    cross = np.array(((0.0, -axis[2], axis[1]), (axis[2], 0.0, -axis[0]), (-axis[1], axis[0], 0.0)))
    square = outer(axis, axis) - np.eye(3)
    return np.asarray(np.eye(3) + sin(angle) * cross + (1.0 - cos(angle)) * square)


def turn_to(direction: Floats) -> Floats:
    """The rotation (3,3) that takes the axis +z to a unit vector, by the smallest turn from hanging down.

    Hung from the x axis the pattern looks down, as most blows do, and blows that differ little turn it alike. The one
    direction without a smallest turn is straight up, where the pattern stays as it was made.
    """
    hung = np.diag((1.0, -1.0, -1.0))
    down = np.array((0.0, 0.0, -1.0))
    axis = np.array((direction[1], -direction[0], 0.0))  # down x direction
    sine = float(hypot(axis[0], axis[1]))
    if sine < 1e-15:
        return hung if direction[2] < 0.0 else np.eye(3)
    return multiply(turn_about(axis / sine, float(arctan2(sine, dot(down, direction)))), hung)


def level_turn(direction: Floats) -> Floats:
    """The rotation (3,3) that takes +z to a unit vector and leaves the first axis level and the second one upwards."""
    level = np.array((-direction[1], direction[0], 0.0))  # up x direction
    length = float(hypot(level[0], level[1]))
    if length < UPRIGHT:
        return turn_to(direction)
    level /= length
    return np.stack((level, np.cross(direction, level), direction), axis=1)


def grid_turn(direction: Floats, quarter: int) -> Floats:
    """The rotation (3,3) that takes axes to axes and +z to that nearest to a unit vector, with quarter turns about it.

    All 24 rotations of the grid can come out.
    """
    size = np.round(np.abs(direction), 6)  # ties must not be decided by round-off
    axis = int(size.argmax())
    to = np.zeros(3)
    to[axis] = 1.0 if direction[axis] > 0.0 else -1.0
    first = np.eye(3)[(axis + 1) % 3]
    turn = np.stack((first, np.cross(to, first), to), axis=1)
    spin = np.array(((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    for _ in range(quarter % 4):
        turn = multiply(turn, spin)
    return np.asarray(np.round(turn))


def box_corners(low: Floats, high: Floats) -> Floats:
    """The corners (8,3) of a box."""
    return np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])


def enclosing(half: Floats, corners: Floats) -> float:
    """The scale at which the box of a pattern encloses points (n,3) [m] in the pattern's frame, however it is twisted.

    At least the largest of |corner| / half over all corners and axes (docs/papers/su2009.md, section 2.5).
    """
    across, along = _around(corners)
    return COVER_ROOM * max(across / float(half[:2].min()), along / float(half[2]))


def extent_of(pattern: Pattern) -> PatternExtent:
    """How far a partition of a pattern reaches."""
    partition = pattern.partition
    rim = partition.facet_regions[:, 1] < 0
    normal = partition.facet_normal[rim]
    return PatternExtent(pattern.half, normal, dot(normal, partition.facet_point[rim]))


def covering_scale(extent: PatternExtent, corners: Floats) -> float:
    """The least scale at which a whole pattern holds points (n,3) [m] in its frame, however it is twisted.

    The points lie in a cylinder about the axis; no outer facet meets it while each one's plane passes outside of it.
    """
    across, along = _around(corners)
    normal = np.abs(extent.normal)
    support = across * hypot(normal[:, 0], normal[:, 1]) + along * normal[:, 2]
    return COVER_ROOM * float((support / extent.distance).max())


def _around(corners: Floats) -> tuple[float, float]:
    """How far points (n,3) lie from the axis, and along it, at most."""
    return float(hypot(corners[:, 0], corners[:, 1]).max()), float(np.abs(corners[:, 2]).max())


def place_pattern(
    extent: PatternExtent, centre: Floats, turn: Floats, low: Floats, high: Floats, size: float
) -> Placement:
    """The place of a pattern at `centre (3,)` [m], turned by `turn (3,3)`, around a body with the box low..high (3,).

    size [m] is how far the pattern's box reaches from its axis; 0 makes the box just
    enclose the body. Whatever the size, the pattern itself encloses it: smaller ones than that are made larger.
    """
    corners = map_vectors(box_corners(low, high) - centre, turn.T)
    wanted = size / float(extent.half[:2].min()) if size > 0.0 else enclosing(extent.half, corners)
    return Placement(centre, turn, max(wanted, covering_scale(extent, corners)))
