"""What a Shatter will make of a cut, and how long that will take: from what others were measured to take.

Measured on one machine, as seconds of one processor: the default cube, walls of bricks, panes, Suzanne of 16,000
triangles in 55 to 1,000 pieces, and a cube of each material: within a factor of about two. `Pace` learns another
machine.
"""

from collections import deque
from dataclasses import dataclass

import numpy as np

from .arithmetic.elementary import power
from .cells.fragments import build_fragments
from .diagram import ShatterDiagram
from .rigid.shapes.cell_parts import concave_faces
from .simulation.opening import Opening
from .types import Body, Ints

#: [s] of all that takes its time whatever comes off, of a face that is built and written, and of one of a concave cell,
#: which has to be divided before it can move.
BASE, FACE, CONCAVE = 0.2, 5.5e-6, 2.3e-4
#: [s] of motion of one convex part in so many frames, and how it grows with the number of parts.
MOTION, FRAMES, GROWTH = 0.0038, 120.0, 1.25
#: One more part for so many faces of concave cells, and for so many cells of a unit beyond the first two.
FACES_PER_PART, CELLS_PER_PART = 40.0, 5.0
#: What counts of the largest fragment, which mostly stays.
LARGEST = 0.2


@dataclass(frozen=True, slots=True)
class Expected:
    """What will come of a cut."""

    faces: int  #: of all fragments, exactly
    seconds: float  #: of work after the cut


def concave_in(diagram: ShatterDiagram) -> int:
    """Number of outer faces of concave cells, as they move."""
    return concave_faces(diagram.cells if diagram.contact is None else diagram.contact.cells)


def expected(
    body: Body, diagram: ShatterDiagram, opening: Opening, frames: int, *, triangles: bool, concave: int
) -> Expected:
    """What will come of a cut body as its impacts open it, over stored frames; of `triangles` or as large faces.

    concave: as of `concave_in`.
    """
    cells = diagram.cells
    members = [np.unique(cells.unit[opening.fragment == k]) for k in range(opening.count)]
    made = build_fragments(cells, members, 1.0, body)
    faces = len(made.corner_vertex) - 2 * len(made.face_triangle) if triangles else len(made.face_triangle)
    return Expected(faces, seconds(_parts(diagram, opening.fragment, concave), concave, faces, frames))


def seconds(parts: float, concave: int, faces: int, frames: int) -> float:
    """Seconds of work after a cut: for so many moving parts, faces of concave cells, faces of fragments, and frames."""
    motion = MOTION * float(power(parts, GROWTH)) * (frames - 1) / FRAMES
    return BASE + FACE * faces + (CONCAVE * concave + motion if frames > 1 else 0.0)


def _parts(diagram: ShatterDiagram, fragment: Ints, concave: int) -> float:
    """About how many convex parts move: cells of one unit may share one, concave cells have several."""
    cells = diagram.cells
    count, units = len(cells.volume), int(cells.unit.max()) + 1
    largest = float(np.bincount(fragment[fragment >= 0]).max()) / count
    convex = units + max(count - 2 * units, 0) / CELLS_PER_PART
    return convex * (1.0 - (1.0 - LARGEST) * largest) + concave / FACES_PER_PART


class Pace:
    """How much longer this machine takes than the one that was measured, from what was seen on it."""

    def __init__(self) -> None:
        self._seen: deque[float] = deque(maxlen=5)

    def learn(self, took: float, foretold: float) -> None:
        """Something took so long [s] for which so much was foretold."""
        self._seen.append(took / foretold)

    @property
    def factor(self) -> float:
        """The median of what was seen; 1 before."""
        return float(np.median(self._seen)) if self._seen else 1.0
