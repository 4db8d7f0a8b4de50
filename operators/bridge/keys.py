"""Which frames of a baked motion need keys, so that linear interpolation gives the others back."""

import numpy as np

from ...core.types import Bools, Floats, Ints

#: A key may be left out where that moves a piece by no more than this part of the object's size, or changes a part of
#: its unit quaternion by no more than this. Chosen: not to be seen, some ten roundings of 32 bits.
TOLERANCE = 1e-6
#: Roundings of the largest value to 32 bits that Blender's interpolation may add up to: those of the difference of two
#: keys, of its product with the time and of the quotient, each of up to twice that value, and of the sum.
ROUNDINGS = 4.0


def channels(location: Floats, rotation: Floats) -> np.ndarray:
    """(K,7,S) float32: the values of each curve, from locations (K,S,3) and unit quaternions (S,K,4)."""
    parts = np.concatenate([location.transpose(0, 2, 1), rotation.transpose(1, 2, 0)], axis=1)
    return np.ascontiguousarray(parts, dtype=np.float32)


def lifetimes(birth: Ints, death: Ints, frames: int) -> Bools:
    """(K,S) frames at which each piece is there: from `birth (K,)` to before `death (K,)`."""
    result: Bools = (np.arange(frames) >= birth[:, None]) & (np.arange(frames) < death[:, None])
    return result


def needed(values: np.ndarray, birth: Ints, death: Ints, size: float) -> Bools:
    """(K,7,S) frames at which each curve needs a key; none outside of a piece's lifetime.

    The first and last frame of a piece have keys, and so has each frame where a rest begins or ends: between those two
    nothing moves by a bit. Elsewhere each segment is as long as the values within it lie near enough to the line
    between its ends (a swinging door, Bristol 1990, with both ends on the curve). All curves advance together.

    Args:
        values: (K,7,S) float32, see `channels`.
        birth: (K,) first frame of each piece.
        death: (K,) frame after its last one, at most S.
        size: of the object, in the unit of the locations.

    """
    count, parts, frames = values.shape
    alive = lifetimes(birth, death, frames)
    corners = _rest_ends(values) & alive
    corners[np.arange(count), birth] = corners[np.arange(count), death - 1] = True
    by_frame = np.ascontiguousarray(values.transpose(2, 0, 1))
    keys = np.repeat(corners.T[:, :, None], parts, axis=2)
    near = _tolerances(values, size)
    last = by_frame[0].astype(np.float64)
    anchor, start = last.copy(), np.zeros((count, parts))
    low, high = np.full((count, parts), -np.inf), np.full((count, parts), np.inf)
    for s in range(1, frames):
        now = by_frame[s].astype(np.float64)
        slope = (now - anchor) / (s - start)
        keys[s - 1] |= ((slope < low) | (slope > high)) & alive[:, s - 1, None]
        fresh = keys[s - 1]  # here a segment ends and the next one begins
        for part, value in ((anchor, last), (start, s - 1), (low, -np.inf), (high, np.inf)):
            np.copyto(part, value, where=fresh)
        rise, run = now - anchor, s - start
        np.maximum(low, (rise - near) / run, out=low)
        np.minimum(high, (rise + near) / run, out=high)
        last = now
    return np.ascontiguousarray(keys.transpose(1, 2, 0))


def _rest_ends(values: np.ndarray) -> Bools:
    """(K,S) first and last frames of each rest."""
    same = np.zeros((len(values), values.shape[2] + 1), bool)
    same[:, 1:-1] = np.all(values[:, :, 1:] == values[:, :, :-1], axis=1)
    result: Bools = same[:, 1:] != same[:, :-1]
    return result


def _tolerances(values: np.ndarray, size: float) -> np.ndarray:
    """(K,7) how far interpolated values may lie from those that were stored, less what interpolating itself rounds."""
    allowed = np.full(values.shape[:2], TOLERANCE)
    allowed[:, :3] *= size
    rounding = ROUNDINGS * np.spacing(np.abs(values).max(axis=2)).astype(np.float64)
    return np.maximum(allowed - rounding, 0.0)
