"""What a Shatter will make of a cut, and how long that will take: from what others were measured to take.

Fitted to the seconds of one busy processor that eleven breaks took until all rested: six materials on a cube of 2 m,
three on a bottle and two on Suzanne, foretold within a factor of 0.55 to 1.3. `MachinePace` learns another machine.
"""

from collections import deque
from dataclasses import dataclass

import numpy as np

from .arithmetic.elementary import power
from .diagram import ShatterDiagram
from .fragments.build import build_fragments
from .rigid.shapes.cell_parts import concave_faces
from .simulation.opening import Opening
from .types import Body, Ints

#: [s] of all that is written whatever comes off, of a face that is built and written, and of a fragment in a frame.
#: Fitted, as all that follow: see above.
BASE_SECONDS, FACE_SECONDS, _KEY = 0.2, 5.5e-6, 3e-5
#: [s] before anything moves, and of a face of a concave cell, which has to be divided before it can move. Fitted.
LINK, _CONCAVE = 0.05, 1.1e-3
#: [s] of motion in so many frames, of one convex part in it, and how it grows with the number of parts.
RUN, _MOTION, _FRAMES, _GROWTH = 0.8, 0.0044, 120.0, 1.25
#: The share of it that goes into the first frames, in which all parts are still near each other. Fitted.
BURST, BURST_FRAMES = 0.4, 25.0
#: One more part for so many faces of concave cells, and for so many cells of a unit beyond the first two. Fitted.
FACES_PER_PART, CELLS_PER_PART = 40.0, 5.0
#: What counts of the largest fragment, which mostly stays. By eye.
_LARGEST = 0.2


@dataclass(frozen=True, slots=True)
class Expected:
    """What will come of a cut."""

    faces: int  #: of all fragments, exactly
    moving: float  #: [s] of work after the cut until all is known that will be written
    writing: float  #: [s] of work after that

    @property
    def seconds(self) -> float:
        """Seconds of work after the cut."""
        return self.moving + self.writing


def concave_in(diagram: ShatterDiagram) -> int:
    """Number of outer faces of concave cells, as they move."""
    return concave_faces(diagram.cells)


def estimate_job(
    body: Body, diagram: ShatterDiagram, opening: Opening, frames: int, *, triangles: bool, concave: int
) -> Expected:
    """What will come of a cut body as its impacts open it, over stored frames; of `triangles` or as large faces.

    concave: as of `concave_in`.
    """
    cells = diagram.cells
    members = [np.unique(cells.unit[opening.fragment == k]) for k in range(opening.count)]
    made = build_fragments(diagram.visible, members, 1.0, body)
    faces = len(made.corner_vertex) - 2 * len(made.face_triangle) if triangles else len(made.face_triangle)
    moving = moving_seconds(_parts(diagram, opening.fragment, concave), concave, frames)
    return Expected(faces, moving, writing_seconds(faces, opening.count, frames))


def moving_seconds(parts: float, concave: int, frames: int) -> float:
    """Seconds from the cut to the end of the motion: of moving parts, faces of concave cells, and frames."""
    if frames <= 1:
        return LINK
    share = BURST * min(frames / BURST_FRAMES, 1.0) + (1.0 - BURST) * frames / _FRAMES
    return LINK + _CONCAVE * concave + share * (RUN + _MOTION * float(power(parts, _GROWTH)))


def writing_seconds(faces: int, fragments: int, frames: int) -> float:
    """Seconds from the motion to objects with keys: of faces, fragments and frames."""
    return BASE_SECONDS + FACE_SECONDS * faces + _KEY * fragments * frames


def _parts(diagram: ShatterDiagram, fragment: Ints, concave: int) -> float:
    """About how many convex parts move: cells of one unit may share one, concave cells have several."""
    cells = diagram.cells
    count, units = len(cells.volume), int(cells.unit.max()) + 1
    largest = float(np.bincount(fragment[fragment >= 0]).max()) / count
    convex = units + max(count - 2 * units, 0) / CELLS_PER_PART
    return convex * (1.0 - (1.0 - _LARGEST) * largest) + concave / FACES_PER_PART


class MachinePace:
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
