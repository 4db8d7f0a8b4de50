"""Objects far from the world's origin, where Blender's 32-bit places are coarse beside them."""

import numpy as np

from ...core.errors import InputError
from ...core.wording import length, percent

#: Steps between neighbouring places, relative to the object: from here on motion is seen to be coarse. By eye.
SEEN = 1e-3
#: From here on pieces would not lie where the object lay, to a hundred-thousandth of its size: their points, told from
#: a place that is up to half a step off, have 24 bits.
LOST = 1e-5 * 2.0**24


def distance_notes(name: str, origin: np.ndarray, size: float, unit_scale: float) -> tuple[str, ...]:
    """A sentence where pieces of an object move in steps that can be seen, for the report.

    `origin (3,)` and `size` of the object in Blender's units. Raises InputError where there is no use in breaking it.
    """
    farthest = float(np.abs(origin).max())
    step = float(np.spacing(np.float32(farthest)))
    if not step > SEEN * size:
        return ()
    fact = (
        f"'{name}' lies {length(farthest * unit_scale)} from the world's origin, where Blender tells places only to "
        f"{length(step * unit_scale)}"
    )
    if step > LOST * size:
        raise InputError(f"{fact}, more than its own size: move the scene to the origin first.")
    return (f"{fact}, {percent(step / size)} of its size: its pieces move in such steps. Move the scene nearer.",)
