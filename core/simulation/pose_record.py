"""Poses gathered frame by frame, with fragments that come and go."""

import numpy as np

from ..rigid.contract import StepReport
from ..rigid.pose import make_sign_continuous
from ..rigid.state import RigidState
from ..types import Bools, Floats, Ints, Motion


class PoseRecord:
    """The poses of the fragments alive at each stored frame."""

    def __init__(self, touches: bool = False) -> None:
        """`touches`: whether to keep what pressed on what."""
        self._touches = touches
        self._work = [0.0]
        self._touch: list[tuple[Ints, Ints, Floats, Floats]] = []
        self._time: list[float] = []
        self._alive: list[Ints] = []
        self._pose: list[tuple[Floats, Floats]] = []
        self._energy: list[Floats] = []

    def frame(self, time: float, alive: Ints, state: RigidState, energy: Floats) -> None:
        """Store one frame; row i of `state` is the pose of fragment `alive[i]`."""
        self._time.append(time)
        self._alive.append(alive)
        self._pose.append((state.position, state.rotation))  # not its contacts, which are much larger
        self._energy.append(energy)

    def break_up(self, gone: Ints, alive: Ints, state: RigidState, rows: Ints) -> None:
        """In the frame stored last, put the living in some `rows` of a state in the place of the numbers `gone`."""
        stays = ~np.isin(self._alive[-1], gone)
        self._alive[-1] = np.concatenate([self._alive[-1][stays], alive[rows]])
        position, rotation = self._pose[-1]
        self._pose[-1] = (
            np.concatenate([position[stays], state.position[rows]]),
            np.concatenate([rotation[stays], state.rotation[rows]]),
        )

    def way(self, alive: Ints, report: StepReport) -> None:
        """Store what happened on the way to the next frame; row i of the report is fragment `alive[i]`."""
        self._work.append(report.work)
        if self._touches and len(report.touch_body):
            count = len(alive)
            kinematic = count - 1 - report.touch_body  # -1, -2, ... for the colliders and the ground
            pair = np.where(kinematic < 0, kinematic, alive[np.minimum(report.touch_body, count - 1)])
            frame = np.full(len(pair), len(self._time))
            self._touch.append((frame, pair, report.touch_impulse, report.touch_point))

    def work(self, more: float) -> None:
        """Add work that was done on the fragments on the way to the frame that comes [J]."""
        self._work[-1] += more

    def energies(self) -> tuple[Floats, Floats, Floats]:
        """Times (S,) [s], energies (S,3) and work (S,) [J], as a `Motion` has them."""
        return np.array(self._time), np.array(self._energy), np.array(self._work)

    def motion(self, count: int, row_of: Ints, place: Floats) -> Motion:
        """Assemble the motion of `count` fragments; `row_of` gives the row of each recorded fragment, -1 for none.

        Positions are seen from a `place` (3,) of the world [m]. Before its birth and after its death a fragment keeps
        its first and last pose. Touches of other fragments than these are left out.
        """
        frames = len(self._time)
        position, rotation = np.zeros((frames, count, 3)), np.zeros((frames, count, 4))
        alive = np.zeros((frames, count), np.bool_)
        for s, (ids, (at, turned)) in enumerate(zip(self._alive, self._pose, strict=True)):
            rows = row_of[ids]
            mine = rows >= 0
            position[s, rows[mine]], rotation[s, rows[mine]] = at[mine] - place, turned[mine]
            alive[s, rows[mine]] = True
        held = _held_frame(alive)
        columns = np.arange(count)
        position, rotation = position[held, columns], rotation[held, columns]
        frame, pair, impulse, point = self._touched()
        mine = ((pair < 0) | (row_of[np.maximum(pair, 0)] >= 0)).all(axis=1)
        pair = np.where(pair >= 0, row_of[np.maximum(pair, 0)], pair)
        time, energy, work = self.energies()
        return Motion(
            time=time,
            position=position,
            rotation=make_sign_continuous(rotation),
            alive=alive,
            energy=energy,
            work=work,
            touch_frame=frame[mine],
            touch_pair=pair[mine],
            touch_impulse=impulse[mine],
            touch_point=point[mine] - place,
        )

    def _touched(self) -> tuple[Ints, Ints, Floats, Floats]:
        none = np.empty(0, np.int64), np.empty((0, 2), np.int64), np.empty((0, 3)), np.empty((0, 3))
        frame, pair, impulse, point = (np.concatenate(rows) for rows in zip(none, *self._touch, strict=True))
        return frame, pair, impulse, point


def _held_frame(alive: Bools) -> Ints:
    """For each frame and fragment (S,K) the frame whose pose is shown: itself while alive, else the nearest one."""
    frames = np.arange(len(alive))[:, None]
    first = np.argmax(alive, axis=0)
    last = len(alive) - 1 - np.argmax(alive[::-1], axis=0)
    return np.asarray(np.clip(frames, first, last), np.int64)
