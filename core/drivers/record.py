"""Poses gathered frame by frame, with fragments that come and go."""

import numpy as np

from ..motion.pose import continuous
from ..motion.state import RigidState
from ..types import Bools, Floats, Ints, Motion


class Record:
    """The poses of the fragments alive at each stored frame."""

    def __init__(self) -> None:
        self._time: list[float] = []
        self._alive: list[Ints] = []
        self._state: list[RigidState] = []
        self._energy: list[Floats] = []

    def frame(self, time: float, alive: Ints, state: RigidState, energy: Floats) -> None:
        """Store one frame; row i of `state` is the pose of fragment `alive[i]`."""
        self._time.append(time)
        self._alive.append(alive)
        self._state.append(state)
        self._energy.append(energy)

    def motion(self, count: int, row_of: Ints) -> Motion:
        """Assemble the motion of `count` fragments; `row_of` gives the row of each recorded fragment, -1 for none.

        Before its birth and after its death a fragment keeps its first and last pose.
        """
        frames = len(self._time)
        position, rotation = np.zeros((frames, count, 3)), np.zeros((frames, count, 4))
        alive = np.zeros((frames, count), np.bool_)
        for s, (ids, state) in enumerate(zip(self._alive, self._state, strict=True)):
            rows = row_of[ids]
            position[s, rows], rotation[s, rows], alive[s, rows] = state.position, state.rotation, True
        held = _held_frame(alive)
        columns = np.arange(count)
        position, rotation = position[held, columns], rotation[held, columns]
        return Motion(np.array(self._time), position, continuous(rotation), alive, np.array(self._energy))


def _held_frame(alive: Bools) -> Ints:
    """For each frame and fragment (S,K) the frame whose pose is shown: itself while alive, else the nearest one."""
    frames = np.arange(len(alive))[:, None]
    first = np.argmax(alive, axis=0)
    last = len(alive) - 1 - np.argmax(alive[::-1], axis=0)
    return np.asarray(np.clip(frames, first, last), np.int64)
