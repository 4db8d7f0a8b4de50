"""Frames of bodies, for kernels: three rows that turn a vector, and a fourth that shifts a point."""

from ...geometry.vectors import Vector, dot3, plus, vector
from ...jit import device_inlined
from ...types import Floats


@device_inlined
def rotate_vector(frame: Floats, v: Vector) -> Vector:
    """A direction, in the axes that a frame leads to: the first three rows are its turn."""
    return dot3(vector(frame[0]), v), dot3(vector(frame[1]), v), dot3(vector(frame[2]), v)


@device_inlined
def unrotate_vector(frame: Floats, v: Vector) -> Vector:
    """A direction, in the axes that a frame comes from."""
    return plus(plus(plus((0.0, 0.0, 0.0), v[0], vector(frame[0])), v[1], vector(frame[1])), v[2], vector(frame[2]))


@device_inlined
def transform_point(frame: Floats, v: Vector) -> Vector:
    """A point, in the coordinates that a frame leads to: the last row is its shift."""
    return plus(rotate_vector(frame, v), 1.0, vector(frame[3]))
