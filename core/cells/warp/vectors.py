"""Vectors of three numbers, for kernels: what is written out once compiles once."""

import numpy as np

from ...jit import lean_inner
from ...types import Floats

Vector = tuple[float, float, float]


@lean_inner
def row(place: Floats, i: int) -> Vector:
    """Row i of an array (n,3)."""
    return place[i, 0], place[i, 1], place[i, 2]


@lean_inner
def minus(a: Vector, b: Vector) -> Vector:
    """The vector from b to a."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@lean_inner
def dot(a: Vector, b: Vector) -> float:
    """The scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@lean_inner
def cross(a: Vector, b: Vector) -> Vector:
    """The vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@lean_inner
def unit(a: Vector) -> Vector:
    """The unit vector; a zero vector stays zero."""
    # Added in the order in which einsum, and so `corners.normalized`, adds three squares.
    length = np.sqrt(a[0] * a[0] + a[2] * a[2] + a[1] * a[1])
    if not length > 0.0:
        length = 1.0
    return a[0] / length, a[1] / length, a[2] / length
