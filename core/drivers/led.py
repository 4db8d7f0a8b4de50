"""What its own animation leads: an object follows it until something breaks it, or until it comes to its end.

Within a frame it is a body like any other, with the velocity that takes it along its path: so what it meets, and it
itself, feel as much as they would. At the end of each frame it is where its path says again.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arithmetic.products import apply, multiply
from ..path import Path
from ..rigid.broad.boxes import no_boxes
from ..rigid.pose import rotation_matrices
from ..types import Floats, Ints
from .crowd import Crowd
from .matter import Thing


def follow(crowd: Crowd, frame: int, dt: float, gravity: Floats) -> bool:
    """Put what is led where its path is at a stored frame, on its way to the next one; returns whether anything is.

    Frames are `dt` [s] long; `gravity (3,)` [m/s^2] acts within them.
    """
    found = False
    for k, thing in enumerate(crowd.things):
        rows = _led_rows(crowd, k, frame)
        if thing.path is not None and len(rows):
            found = True
            _put(crowd, thing, thing.path, rows, frame, dt, gravity)
    return found


def _led_rows(crowd: Crowd, number: int, frame: int) -> Ints:
    """The rows of what is still unbroken of a thing, as long as its path leads it."""
    path = crowd.things[number].path
    if path is None or frame > path.last:
        return np.empty(0, np.int64)
    first = [row for row in crowd.rows_of(number).tolist() if crowd.lives[int(crowd.alive[row])].parent < 0]
    return np.array(first, np.int64)


def _put(crowd: Crowd, thing: Thing, path: Path, rows: Ints, frame: int, dt: float, gravity: Floats) -> None:
    """Give rows of a thing the place and the velocity of its path; at its end those with which it came there."""
    step = min(frame, path.last - 1)
    centre = crowd.rest.centre[rows]
    velocity = (_places(path, centre, step + 1) - _places(path, centre, step)) / dt
    if frame < path.last:  # gravity bends the way within the frame, and must lead to its end
        velocity = velocity - 0.5 * dt * gravity
    R = rotation_matrices(path.rotation[frame : frame + 1])[0]
    inertia = multiply(multiply(R, crowd.rest.inertia[rows]), R.T)
    state = crowd.state
    crowd.state = replace(
        state,
        position=_with(state.position, rows, thing.place + _places(path, centre, frame)),
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
