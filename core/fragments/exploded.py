"""A cut to look at: its cracks, open or closed, and its fragments in colours, moved apart from the middle.

In all of it `fragment (C,)` is that of each cell, -1 where a cell is none, and `shift (C,3)` moves each cell [m].
"""

from dataclasses import dataclass, replace

import numpy as np

from ..arithmetic.products import dot
from ..geometry.mesh import unit_normals
from ..geometry.sums import summed
from ..types import Cells, Floats, Frozen, Ints
from .face_triangles import face_triangles

#: Names the random numbers of the colours beside the seed.
STREAM = 701
#: Share of a turn from one hue to the next: neighbours in number are far from each other in colour. It is the golden
#: ratio less 1.
_GOLDEN = 0.6180339887498949
#: Saturation of the colours, and their brightness, even and odd. By eye.
SATURATION, BRIGHT = 0.6, (1.0, 0.8)
#: Where the light comes from, how bright a face is that looks away from it, and how bright broken faces are. By eye:
#: from above, in front and right; a unit vector.
LIGHT, AMBIENT, _BROKEN = np.array([0.36, -0.48, 0.8]), 0.45, 0.8


@dataclass(frozen=True, eq=False, slots=True)
class CellFaces(Frozen):
    """All faces of cells as triangles, in body coordinates [m]."""

    corners: Floats  #: (m,3,3) of the skin, and behind them of the faces between cells, once for each side
    cell: Ints  #: (m,) cell that each belongs to
    beyond: Ints  #: (m,) cell on the other side, -1 on the skin
    normal: Floats  #: (m,3) unit, zero without an area
    shade: Floats  #: (m,) how bright the light makes each, 0..1

    def lifted(self, lift: float) -> "CellFaces":
        """The same with the skin lifted by `lift` [m], so that it can be drawn in front of itself."""
        off = np.where(self.beyond < 0, lift, 0.0)
        return replace(self, corners=self.corners + off[:, None, None] * self.normal[:, None])

    @property
    def skin(self) -> Floats:
        """(n,3,3) those of the skin."""
        return self.corners[self.beyond < 0]


def faces_of_cells(cells: Cells) -> CellFaces:
    """The faces of cells."""
    skin, face = face_triangles(cells, np.arange(len(cells.outer_cell)), inner=False)
    wall, inner = face_triangles(cells, np.arange(len(cells.inner_bond)), inner=True)
    lo, hi = cells.bond_cells[cells.inner_bond[inner]].T
    corners = cells.vertices[np.concatenate([skin, wall, wall[:, ::-1]])]  # a face looks away from its lo cell
    normal = unit_normals(corners)
    shade = AMBIENT + (1.0 - AMBIENT) * 0.5 * (1.0 + dot(normal, LIGHT))
    shade[len(skin) :] *= _BROKEN
    return CellFaces(
        corners,
        cell=np.concatenate([cells.outer_cell[face], lo, hi]),
        beyond=np.concatenate([np.full(len(skin), -1), hi, lo]),
        normal=normal,
        shade=shade,
    )


def shifts(cells: Cells, fragment: Ints, amount: float) -> Floats:
    """(C,3) how far each cell moves with its fragment: by `amount` times its way from the middle of the object [m]."""
    known = fragment >= 0
    count = int(fragment.max(initial=-1)) + 1
    weighted = np.concatenate([cells.volume[:, None] * cells.centroid, cells.volume[:, None]], axis=1)
    total = summed(weighted[known], fragment[known], count)
    middle = weighted[:, :3].sum(axis=0) / weighted[:, 3].sum()
    moved = np.zeros((count + 1, 3))  # the last row is that of -1
    moved[:count] = amount * (total[:, :3] / total[:, 3:] - middle)
    return moved[fragment]


def cracks_apart(lines: Floats, sides: Ints, fragment: Ints, shift: Floats) -> tuple[Floats, Floats]:
    """The open ones of cracks (n,2,3) between cells `sides (n,2)`, and the closed ones, moved with their fragments.

    A crack is open between two fragments; where these are moved apart it is there on both sides.
    """
    one, other = sides.T
    opens = (fragment[one] != fragment[other]) | (fragment[one] < 0)
    if not shift.any():
        return lines[opens], lines[~opens]
    rows = [(side, np.flatnonzero(opens & (fragment[side] >= 0))) for side in (one, other)]
    both = [lines[some] + shift[side[some], None] for side, some in rows]
    return np.concatenate(both), lines[~opens] + shift[one[~opens], None]


def faces_apart(faces: CellFaces, fragment: Ints, shift: Floats) -> tuple[Floats, Ints, Floats]:
    """Triangles (n,3,3) of the fragments, the fragment (n,) and the shade (n,) of each.

    Where fragments are moved apart the broken faces between them are there as well.
    """
    here = fragment[faces.cell]
    seen = (faces.beyond < 0) | (here != fragment[faces.beyond] if shift.any() else False)
    rows = np.flatnonzero(seen & (here >= 0))
    corners = faces.corners[rows]
    return corners + shift[faces.cell[rows], None] if shift.any() else corners, here[rows], faces.shade[rows]


def fragment_colours(first_unit: Ints, seed: int) -> Floats:
    """(K,3) red, green, blue of each fragment by its lowest unit (K,): it keeps them while others fall apart."""
    begin = np.random.default_rng([seed, STREAM]).random()
    hue = (begin + _GOLDEN * first_unit) % 1.0
    # Three ramps, a third of a turn from each other.
    ramp = np.abs((hue[:, None] + np.array([0.0, 2.0, 1.0]) / 3.0) % 1.0 * 6.0 - 3.0) - 1.0
    value = np.where(first_unit % 2 == 0, *BRIGHT)
    return np.asarray(value[:, None] * (1.0 - SATURATION * (1.0 - np.clip(ramp, 0.0, 1.0))))
