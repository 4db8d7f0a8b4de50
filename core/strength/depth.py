"""How deep a place lies in the wall around it."""

import numpy as np

from ..geometry.bvh import Tree
from ..geometry.mesh import cross_rows
from ..geometry.nearest import nearest_in
from ..types import Floats

#: Steps towards the other side at the most, and how near to it, relative to the way so far, is there. Chosen by time:
#: each step goes as far as is sure.
_STEPS, _THERE = 32, 1e-3
#: A place this near to the skin, relative to its size, lies on it. Chosen, well above the round-off of a nearest place,
#: 1e-15.
ON_SKIN = 1e-9


def wall_depth(skin: Tree, points: Floats) -> tuple[Floats, Floats]:
    """Depth (n,) of points (n,3) within a closed skin, and the unit direction (n,3) inwards.

    The depth is 0 on the skin and 1 in the middle of the wall: the distance to the nearest place of the skin over half
    of the way from there straight through to the other side. The way is walked in steps as long as the distance to the
    skin allows (Hart 1996, sphere tracing): exact to 1e-3, less where it meets the other side at a small angle.
    """
    at, _, near = nearest_in(skin, points)
    inward = _inward(skin, points, at, near)
    far = near.copy()
    walking = np.arange(len(points))
    for _ in range(_STEPS):
        room = nearest_in(skin, points[walking] + far[walking, None] * inward[walking])[2]
        far[walking] += room
        walking = walking[room > _THERE * (near + far)[walking]]
        if len(walking) == 0:
            break
    half = 0.5 * (near + far)
    return np.clip(near / np.where(half > 0.0, half, 1.0), 0.0, 1.0), inward


def _inward(skin: Tree, points: Floats, at: Floats, near: Floats) -> Floats:
    """Away from the nearest places; on the skin itself, against the normal of a triangle there."""
    arm = points - at
    on = np.flatnonzero(near <= ON_SKIN * float(np.ptp(skin.corners.reshape(-1, 3), axis=0).max()))
    if len(on):
        row = np.empty(len(skin.order), np.int64)
        row[skin.order] = np.arange(len(skin.order))
        corner = skin.corners[row[nearest_in(skin, points[on])[1]]]
        arm[on] = cross_rows(corner[:, 2] - corner[:, 0], corner[:, 1] - corner[:, 0])
    length = np.sqrt(np.square(arm).sum(axis=1))
    return np.asarray(arm / np.where(length > 0.0, length, 1.0)[:, None])
