"""Vectors as three numbers, for kernels.

numba spends most of its time on single operations and array accesses, one by one; these few functions spare most.
"""

from typing import Any

from ...jit import lean_inner
from ...types import Floats

Vector = tuple[float, float, float]


@lean_inner
def vector(array: Any) -> Vector:
    """The first three numbers of an array."""
    return array[0], array[1], array[2]


@lean_inner
def store(array: Any, v: Vector) -> None:
    """Write the first three numbers of an array."""
    array[0], array[1], array[2] = v


@lean_inner
def dot(a: Vector, b: Vector) -> float:
    """The product a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@lean_inner
def cross(a: Vector, b: Vector) -> Vector:
    """The product a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@lean_inner
def plus(a: Vector, s: float, b: Vector) -> Vector:
    """The sum a + s b."""
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


@lean_inner
def turned(frame: Floats, v: Vector) -> Vector:
    """A direction, in the axes that a frame leads to: the first three rows are its turn."""
    return dot(vector(frame[0]), v), dot(vector(frame[1]), v), dot(vector(frame[2]), v)


@lean_inner
def unturned(frame: Floats, v: Vector) -> Vector:
    """A direction, in the axes that a frame comes from."""
    return plus(plus(plus((0.0, 0.0, 0.0), v[0], vector(frame[0])), v[1], vector(frame[1])), v[2], vector(frame[2]))


@lean_inner
def moved(frame: Floats, v: Vector) -> Vector:
    """A point, in the coordinates that a frame leads to: the last row is its shift."""
    return plus(turned(frame, v), 1.0, vector(frame[3]))
