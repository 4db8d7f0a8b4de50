"""What its own animation leads: an object follows it until something breaks it, or until it comes to its end.

Within a frame it is a body like any other, with the velocity that takes it along its path: so what it meets, and it
itself, feel as much as they would. At the end of each frame it is where its path says again.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arithmetic.products import apply, multiply
from ..arithmetic.small_matrices import rotation_matrices
from ..path import Path
from ..rigid.broad.boxes import no_boxes
from ..types import Floats, Ints
from .live_fragments import LiveFragments
from .spec import SimObject


def follow_paths(live: LiveFragments, frame: int, dt: float, gravity: Floats) -> bool:
    """Put kinematic objects where their paths are at a stored frame, on the way to the next; whether there are any.

    Frames are `dt` [s] long; `gravity (3,)` [m/s^2] acts within them.
    """
    found = False
    for k, obj in enumerate(live.objects):
        rows = _kinematic_rows(live, k, frame)
        if obj.path is not None and len(rows):
            found = True
            _put(live, obj, obj.path, rows, frame, dt, gravity)
    return found


def _kinematic_rows(live: LiveFragments, number: int, frame: int) -> Ints:
    """The rows of what is still unbroken of an object, as long as its path leads it."""
    path = live.objects[number].path
    if path is None or frame > path.last:
        return np.empty(0, np.int64)
    first = [row for row in live.rows_of(number).tolist() if live.tree[int(live.alive[row])].parent < 0]
    return np.array(first, np.int64)


def _put(live: LiveFragments, obj: SimObject, path: Path, rows: Ints, frame: int, dt: float, gravity: Floats) -> None:
    """Give rows of an object the place and the velocity of its path; at its end those with which it came there."""
    step = min(frame, path.last - 1)
    centre = live.rest.centre[rows]
    velocity = (_places(path, centre, step + 1) - _places(path, centre, step)) / dt
    if frame < path.last:  # gravity bends the way within the frame, and must lead to its end
        velocity = velocity - 0.5 * dt * gravity
    R = rotation_matrices(path.rotation[frame : frame + 1])[0]
    inertia = multiply(multiply(R, live.rest.inertia[rows]), R.T)
    state = live.state
    live.state = replace(
        state,
        position=_with(state.position, rows, obj.place + _places(path, centre, frame)),
        rotation=_with(state.rotation, rows, path.rotation[frame]),
        velocity=_with(state.velocity, rows, velocity),
        angular_momentum=_with(state.angular_momentum, rows, apply(inertia, path.turn[step] / dt)),
        asleep=_with(state.asleep, rows, False),
        quiet=_with(state.quiet, rows, 0.0),
        boxes=no_boxes(),
    )


def _places(path: Path, centre: Floats, frame: int) -> Floats:
    """Where centres of mass (n,3) of the first frame are at another one."""
    R = rotation_matrices(path.rotation[frame : frame + 1])[0]
    return np.asarray(path.position[frame] + apply(R, centre - path.position[0]))


def _with(values: NDArray[Any], rows: Ints, new: Floats | float) -> NDArray[Any]:
    """A copy with other values in some rows."""
    result = values.copy()
    result[rows] = new
    return result
