"""Whole arrays of unit quaternions w,x,y,z: rotation matrices, rotation vectors, sign continuity."""

import numpy as np

from ..arithmetic.products import dot
from ..types import Floats


def quaternions_of(turn: Floats) -> Floats:
    """Unit quaternions (K,4), w first, of rotation matrices (K,3,3) (Shepperd 1978)."""
    a = [[turn[:, i, j] for j in range(3)] for i in range(3)]
    trace = a[0][0] + a[1][1] + a[2][2]
    # 4 times the outer product of each quaternion with itself; dividing by its largest part loses no digits.
    w = [1.0 + trace, a[2][1] - a[1][2], a[0][2] - a[2][0], a[1][0] - a[0][1]]
    xy, xz, yz = a[0][1] + a[1][0], a[0][2] + a[2][0], a[1][2] + a[2][1]
    x, y, z = (1.0 - trace + 2.0 * a[k][k] for k in range(3))
    products = np.array([w, [w[1], x, xy, xz], [w[2], xy, y, yz], [w[3], xz, yz, z]])
    largest = np.argmax(np.stack([w[0], x, y, z]), axis=0)
    rows = products[largest, :, np.arange(len(turn))]
    return np.asarray(rows / np.sqrt(np.square(rows).sum(axis=1))[:, None])


def make_sign_continuous(rotation: Floats) -> Floats:
    """The same rotations (S,K,4) with signs chosen so that each is nearest to the one before it in time.

    q and -q are one rotation, but interpolation between keys of opposite sign would go the long way round.
    """
    step = dot(rotation[1:], rotation[:-1])
    sign = np.cumprod(np.where(step < 0.0, -1.0, 1.0), axis=0)
    sign = np.concatenate([np.ones((1, rotation.shape[1])), sign])
    return np.asarray(rotation * sign[:, :, None])
