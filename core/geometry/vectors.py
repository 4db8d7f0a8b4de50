"""Vectors as three numbers, for kernels: what is written out once compiles once.

numba spends most of its time on single operations and array accesses, one by one; these few functions spare most.
"""

from typing import Any

import numpy as np

from ..jit import device_inlined
from ..types import Floats

Vector = tuple[float, float, float]


@device_inlined
def vector(array: Any) -> Vector:
    """The first three numbers of an array."""
    return array[0], array[1], array[2]


@device_inlined
def row(place: Floats, i: int) -> Vector:
    """Row i of an array (n,3)."""
    return place[i, 0], place[i, 1], place[i, 2]


@device_inlined
def store(array: Any, v: Vector) -> None:
    """Write the first three numbers of an array."""
    array[0], array[1], array[2] = v


@device_inlined
def dot3(a: Vector | Floats, b: Vector | Floats) -> float:
    """The product a . b, also of arrays (3,)."""
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


@device_inlined
def cross3(a: Vector, b: Vector) -> Vector:
    """The product a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@device_inlined
def plus(a: Vector, s: float, b: Vector) -> Vector:
    """The sum a + s b."""
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


@device_inlined
def minus(a: Vector, b: Vector) -> Vector:
    """The vector from b to a."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@device_inlined
def unit(a: Vector) -> Vector:
    """The unit vector; a zero vector stays zero."""
    length = np.sqrt(dot3(a, a))
    if not length > 0.0:
        length = 1.0
    return a[0] / length, a[1] / length, a[2] / length


@device_inlined
def row_difference(place: Floats, a: int, b: int) -> Vector:
    """The vector from row a of an array (n,3) to row b."""
    return place[b, 0] - place[a, 0], place[b, 1] - place[a, 1], place[b, 2] - place[a, 2]


@device_inlined
def triangle_side(corner: Floats, n: int, k: int) -> Vector:
    """The vector from corner 0 of triangle n of an array (n,3,3) to corner k."""
    return corner[n, k, 0] - corner[n, 0, 0], corner[n, k, 1] - corner[n, 0, 1], corner[n, k, 2] - corner[n, 0, 2]
