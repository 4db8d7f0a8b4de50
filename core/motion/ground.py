"""Detection of contacts between bodies and a horizontal floor."""

import math

import numpy as np

from ..jit import inner
from ..types import Floats, Ints
from .contact import Contacts
from .moving import Moving

SLOP = 0.005  # distance at which a contact is kept although nothing moves, in radii
MOST = 40  # points of a body that are all kept; of more the lowest ones, and the extreme ones in a few directions
DEEPEST = 23  # of these lowest points: a rounded body rolls over several of its corners in one substep


def _directions() -> Floats:
    """Unit vectors that lean out from straight down by 15 and 65 degrees, in 8 directions each, and straight down."""
    lean = np.radians([15.0] * 8 + [65.0] * 8)
    turn = np.radians(45.0 * np.arange(16) + 22.5 * (np.arange(16) // 8))
    ring = np.stack([np.sin(lean) * np.cos(turn), np.sin(lean) * np.sin(turn), -np.cos(lean)], axis=1)
    return np.vstack([[0.0, 0.0, -1.0], ring])


LOWEST = _directions()


@inner
def ground_contacts(moving: Moving, which: Ints, h: float) -> Contacts:
    """Hull corners of the bodies `which` that may touch the floor within h [s]."""
    fall = moving.weight * h * h
    position, radius, start = moving.position, moving.radius, moving.point_start
    most = max(MOST, len(LOWEST) + DEEPEST)
    body = np.empty((len(which) * most, 2), np.int64)
    feature = np.empty(len(which) * most, np.int64)
    anchor = np.empty((len(which) * most, 2, 3))
    largest = 1
    for k in which:
        largest = max(largest, start[k + 1] - start[k])
    near = np.empty(largest, np.int64)
    offset = np.empty((largest, 3))
    count = 0
    for k in which:
        # an impact can turn all of a body's motion towards the floor, hence the full speed and a margin of a half
        v = moving.velocity[k]
        speed = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        spin = math.sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5])
        margin = SLOP * radius[k] + fall + 1.5 * h * (speed + spin * radius[k])
        if position[k, 2] - radius[k] > moving.floor + margin:
            continue
        points = moving.points[start[k] : start[k + 1]]
        found = points_below(position[k], moving.rotation[k], points, moving.floor + margin, near, offset)
        if found > MOST:
            found = keep_lowest(found, near, offset, LOWEST)
        for i in range(found):
            body[count, 0], body[count, 1] = k, -1
            feature[count] = near[i]
            for x in range(3):
                anchor[count, 0, x] = points[near[i], x]
                anchor[count, 1, x] = position[k, x] + offset[i, x]
            anchor[count, 1, 2] = moving.floor
            count += 1
    normal = np.zeros((count, 3))
    normal[:, 2] = 1.0
    return Contacts(body[:count].copy(), feature[:count].copy(), anchor[:count].copy(), normal)


@inner
def points_below(centre: Floats, q: Floats, points: Floats, height: float, near: Ints, offset: Floats) -> int:
    """Number of the points (n,3) below a height; their rows go into `near`, turned into world axes into `offset`."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    found = 0
    for i in range(len(points)):
        a, b, c = points[i, 0], points[i, 1], points[i, 2]
        e, f, g = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
        up = c + w * g + x * f - y * e
        if centre[2] + up < height:
            near[found] = i
            offset[found, 0] = a + w * e + y * g - z * f
            offset[found, 1] = b + w * f + z * e - x * g
            offset[found, 2] = up
            found += 1
    return found


@inner
def keep_lowest(found: int, near: Ints, offset: Floats, lowest: Floats) -> int:
    """Keep the deepest points and the extreme ones in the directions `lowest`, in place and in order; how many."""
    keep = np.zeros(found, np.bool_)
    keep[np.argsort(offset[:found, 2])[:DEEPEST]] = True
    for d in range(len(lowest)):
        best, extreme = 0, -np.inf
        for i in range(found):
            along = lowest[d, 0] * offset[i, 0] + lowest[d, 1] * offset[i, 1] + lowest[d, 2] * offset[i, 2]
            if along > extreme:
                best, extreme = i, along
        keep[best] = True
    kept = 0
    for i in range(found):
        if keep[i]:
            near[kept] = near[i]
            for x in range(3):
                offset[kept, x] = offset[i, x]
            kept += 1
    return kept
