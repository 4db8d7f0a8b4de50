"""The rigid part of a motion that deforms: how points have turned as a whole.

The rotation nearest to where points went is found by turning towards it step by step (Mueller, Bender, Chentanez,
Macklin 2016, "A robust method to extract the rotational part of deformations"): it exists for what is flat or inside
out, and starts from the frame before, so that it has no jumps in time.
"""

import numpy as np

from ..arithmetic.products import norm
from ..arithmetic.small_matrices import rotation_matrices
from ..geometry.mesh import cross_rows
from ..rigid.quaternion import rotate_quaternion
from ..types import Floats

#: Steps at most, and the turn below which there is none left [rad]. By eye: from frame to frame a body turns little.
_STEPS, _SMALL = 40, 1e-9


def follow_rotation(rest: Floats, places: Floats, rotation: Floats) -> Floats:
    """The unit quaternion (4,) that turns points `rest` (n,3) nearest to `places` (n,3), both seen from their centre.

    rotation: (4,) that of the frame before, from which the search starts.
    """
    moment = (places[:, :, None] * rest[:, None, :]).sum(axis=0)  # A = sum x r^T
    size = float(np.abs(moment).max())
    if size == 0.0:
        return rotation
    q = rotation.copy()
    for _ in range(_STEPS):
        R = rotation_matrices(q[None])[0]
        turning = cross_rows(R.T, moment.T / size).sum(axis=0)  # sum of R_k x a_k over the columns
        along = float((R * moment).sum()) / size
        angle = turning / max(abs(along), 1e-9)
        left = float(norm(angle))
        rotate_quaternion(q, *angle)
        if left < _SMALL:
            break
    return q
