"""Unit quaternions (w, x, y, z) in kernels: product, exponential map, rotation matrix."""

import math

from ..arithmetic.elementary import cos, sin
from ..jit import device
from ..types import Floats


@device
def rotate_quaternion(q: Floats, x: float, y: float, z: float) -> None:
    """Replace q (4,) by exp((x, y, z)*) q: turn it by a rotation vector [rad] given in world axes."""
    angle = math.sqrt(x * x + y * y + z * z)
    # sin(angle/2)/angle -> 1/2; below 1e-8 the next term of the series is under round-off.
    scale = 0.5 if angle < 1e-8 else sin(0.5 * angle) / angle
    multiply_quaternion(cos(0.5 * angle), scale * x, scale * y, scale * z, q)


@device
def multiply_quaternion(w: float, x: float, y: float, z: float, q: Floats) -> None:
    """Replace q (4,) by the product (w, x, y, z) q, normalised."""
    a, b, c, d = q[0], q[1], q[2], q[3]
    e = w * a - x * b - y * c - z * d
    f = w * b + x * a + y * d - z * c
    g = w * c - x * d + y * a + z * b
    h = w * d + x * c - y * b + z * a
    inverse = 1.0 / math.sqrt(e * e + f * f + g * g + h * h)
    q[0], q[1], q[2], q[3] = e * inverse, f * inverse, g * inverse, h * inverse


@device
def write_rotation_matrix(q: Floats, R: Floats) -> None:
    """Write the rotation matrix of the unit quaternion q (4,) into R (3,3)."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    R[0, 0] = 1.0 - 2.0 * (y * y + z * z)
    R[0, 1] = 2.0 * (x * y - w * z)
    R[0, 2] = 2.0 * (x * z + w * y)
    R[1, 0] = 2.0 * (x * y + w * z)
    R[1, 1] = 1.0 - 2.0 * (x * x + z * z)
    R[1, 2] = 2.0 * (y * z - w * x)
    R[2, 0] = 2.0 * (x * z - w * y)
    R[2, 1] = 2.0 * (y * z + w * x)
    R[2, 2] = 1.0 - 2.0 * (x * x + y * y)
