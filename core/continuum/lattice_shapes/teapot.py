"""The Utah teapot of six glued parts and a lid (Norton et al. 1991; docs/papers/norton1991.md, N9).

The parts: the body, a solid of revolution between two profiles; the rim upon its opening; the handle, two bent
cylinders end to end; the spout, two bent slabs that meet along their edges. Their ends are laid on cells of the body,
so that whole faces are glued. The lid is a part of its own, that lies on the rim.

Limitations: the wall of the body is closed behind the spout, as in the paper. The spout ends where its lip begins to
roll in, and the lid has a brim, which the published one has not.
"""

import math
from dataclasses import dataclass

import numpy as np

from ...types import Floats, Frozen, Ints
from ..spring_lattice.blocks import grid_complex
from ..spring_lattice.hexahedra import HexahedralComplex, check_hexahedra
from .gluing import beside, glue_shapes
from .teapot_parts import (
    HANDLE,
    SPOUT,
    WALL,
    bent_tube,
    body_part,
    halves_of_border,
    knob_part,
    lid_part,
    rim_part,
)

#: Cells for each step of fineness: around the body, up its wall, along the spout and each half of the handle. By eye:
#: about as long as wide.
_AROUND, _ROWS, _SPOUT, _HANDLE = 24, 7, 5, 4
#: Heights of the middles of the ends of spout and handle. Published, where their curves cross the body.
_SPOUT_END, _HANDLE_ENDS = 1.03, (2.12, 0.76)
#: Where the spout leaves the body, and where it ends, of its two curves. By eye: there its lip rolls in.
_SPOUT_SPAN = (0.08, 1.5)
#: The same of the two halves of the handle, of one curve each. By eye: where they cross the body, and a bit more.
_UPPER_SPAN, _LOWER_SPAN = (0.12, 1.0), (0.0, 0.95)
#: Glued nodes lie on each other, but for round-off. Chosen.
_ROUND_OFF = 1e-9


@dataclass(frozen=True, eq=False, slots=True)
class Teapot(Frozen):
    """The teapot, and of which part each of its cells is."""

    solid: HexahedralComplex
    part: Ints  #: (c,) row of TEAPOT_PARTS


#: The six glued parts, and the lid.
TEAPOT_PARTS = ("body", "rim", "upper handle", "lower handle", "right of spout", "left of spout", "lid")


def make_teapot(length: float, fineness: int, through: int) -> Teapot:
    """The teapot, so long from handle to spout [m], standing on z = 0 about the z axis, its spout along x.

    fineness: 2 and more, 24 cells around the body for each. through: cells through its walls.
    """
    body = body_part(_AROUND * fineness, _ROWS * fineness, through)
    place = body.solid.node_position[body.ring]
    rim = rim_part(place[:, -1], max(1, fineness // 2))
    spout = _spout(place, fineness)
    handle = _handle(place, fineness)
    pot, counts = body.solid, [len(body.solid.cell_node)]
    for part in (rim, *handle, *spout):
        pot = _glued(pot, part)
        counts.append(len(part.cell_node))
    lid = _lid(fineness, through)
    whole = beside([pot, lid])
    long = float(np.ptp(whole.node_position[:, 0]))
    scaled = HexahedralComplex(whole.node_position * (length / long), whole.cell_node, whole.cell_parity)
    check_hexahedra(scaled)
    return Teapot(scaled, np.repeat(np.arange(len(counts) + 1), [*counts, len(lid.cell_node)]))


def _glued(onto: HexahedralComplex, part: HexahedralComplex) -> HexahedralComplex:
    """A part glued at all nodes that lie on those of another one."""
    from_each = np.concatenate([onto.node_position, part.node_position])
    # Nodes of two parts that are to meet were computed alike or taken from each other: but for round-off they are one.
    _, number = np.unique(np.round(from_each / _ROUND_OFF).astype(np.int64), axis=0, return_inverse=True)
    number = number.ravel()
    nodes = np.flatnonzero(np.isin(number[len(onto.node_position) :], number[: len(onto.node_position)]))
    return glue_shapes(onto, part, nodes, _ROUND_OFF).solid


def _block(place: Floats, column: int, height: float, cells: int) -> Floats:
    """Places (cells+1,cells+1,3) of a block on the outer side of the wall, around a column, near a height.

    It begins at an even row: an even number of cells is on any way along the handle and back over the body, so that
    cells can alternate.
    """
    around, rows = place.shape[0], place.shape[1]
    middle = 2 * np.abs(place[column, cells // 2 : rows - cells // 2 : 2, -1, 2] - height).argmin()
    columns = np.arange(column - cells // 2, column - cells // 2 + cells + 1) % around
    return np.asarray(place[columns][:, middle : middle + cells + 1, -1])


def _spout(place: Floats, fineness: int) -> tuple[HexahedralComplex, HexahedralComplex]:
    tube = bent_tube(SPOUT, _SPOUT_SPAN, _SPOUT * fineness, fineness, WALL)
    # The first side of the bend is the upper one, and rows of the body go up.
    tube[0] = _block(place, 0, _SPOUT_END, 2 * fineness)[:, ::-1]
    return halves_of_border(tube)


def _handle(place: Floats, fineness: int) -> list[HexahedralComplex]:
    half, rings = place.shape[0] // 2, max(1, fineness // 3)
    upper = bent_tube(HANDLE[:4], _UPPER_SPAN, _HANDLE * fineness, rings)
    lower = bent_tube(HANDLE[3:], _LOWER_SPAN, _HANDLE * fineness, rings)
    # Columns of the body go to -y there, and the first side of the bend is that of the hole.
    upper[0] = _block(place, half, _HANDLE_ENDS[0], 2 * rings)[::-1]
    lower[-1] = _block(place, half, _HANDLE_ENDS[1], 2 * rings)[::-1, ::-1]
    lower[0] = upper[-1]
    return [grid_complex(upper), grid_complex(lower)]


def _lid(fineness: int, through: int) -> HexahedralComplex:
    solid, base, nodes = lid_part(3 * fineness, fineness, through)
    knob = knob_part(base, 2 * fineness)
    below = np.arange(nodes.size)  # the first level of the grid
    return glue_shapes(solid, knob, below, math.inf).solid
