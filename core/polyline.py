"""Lines through points that an artist types: "0 0, 0.5 1, 1 0"."""

from dataclasses import dataclass

import numpy as np

from .errors import InputError
from .types import Floats, Frozen


@dataclass(frozen=True, eq=False, slots=True)
class Polyline(Frozen):
    """A function that is straight between its points, and constant before the first and behind the last."""

    x: Floats  #: (n,) ascending
    y: Floats  #: (n,)

    def __call__(self, x: Floats) -> Floats:
        """Values (.,) at places x (.,)."""
        return np.asarray(np.interp(x, self.x, self.y))


def parsed(text: str, label: str) -> Polyline:
    """The polyline of a text with a pair "x y" for each point, pairs parted by commas, x ascending.

    Raises InputError that names the setting by its `label`.
    """
    try:
        points = np.array([[float(number) for number in pair.split()] for pair in text.split(",")])
        shaped = points.ndim == 2 and points.shape[1] == 2 and np.isfinite(points).all()
    except ValueError:
        shaped = False
    if not shaped:
        raise InputError(f'{label} cannot be read: "{text}"; give points like "0 0, 0.5 1, 1 0".')
    if (np.diff(points[:, 0]) < 0.0).any():
        raise InputError(f"{label} goes back: the first numbers of its points must rise from left to right.")
    return Polyline(points[:, 0].copy(), points[:, 1].copy())
