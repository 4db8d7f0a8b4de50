"""The impacts of the artist's on all objects, each at the stored frame of its time."""

from collections.abc import Generator, Sequence

import numpy as np

from ..types import Bools, Clock, Impact
from .anchoring import Anchoring
from .deformed_form import take_form
from .impact_fracture import CrackRecord, ImpactFracture
from .live_fragments import LiveFragments
from .spec import SimObject


class ScheduledImpacts:
    """Lets the impacts of each frame act; one later than the clock acts on its last frame."""

    def __init__(
        self,
        live: LiveFragments,
        cracks: Sequence[CrackRecord],
        anchoring: Anchoring,
        clock: Clock,
        pushes: bool = True,
    ) -> None:
        """`pushes`: whether what is struck is set in motion, too."""
        self.live, self.clock, self._pushes = live, clock, pushes
        self._cracks, self._holding = cracks, anchoring
        self.strikers = [
            self._striker(k) if obj.impacts and obj.deformed_at is None else None for k, obj in enumerate(live.objects)
        ]

    def watch_further(self) -> None:
        """One more object takes part, behind the others, which no impact hits."""
        self.strikers.append(None)

    @property
    def frames(self) -> list[int]:
        """The frames in which something is hit, ascending."""
        return sorted({self._frame(one) for obj in self.live.objects for one in obj.impacts})

    def strike_steps(self, frame: int) -> Generator[None, None, None]:
        """Let the impacts of a frame act; yields where a rule takes long, or something has to be cut in its form."""
        for k, obj in enumerate(self.live.objects):
            striker, now = self.strikers[k], self._now(obj, frame)
            if now and striker is not None:
                yield from striker.strike_steps(now, frame, frame / self.clock.fps)
            elif now and self._deforming_rows(k).any():
                yield from self._strike_in_form(k, frame)

    def _strike_in_form(self, obj: int, frame: int) -> Generator[None, None, None]:
        """Let impacts act on a whole that deforms, in the form of a frame: it breaks, or nothing has happened."""
        (row,) = np.flatnonzero(self._deforming_rows(obj))
        take_back = yield from take_form(self.live, int(row), frame, self._cracks[obj])
        if take_back is None:
            return
        self.strikers[obj] = striker = self._striker(obj)
        # Where objects are hit may have changed since the start.
        now = self._now(self.live.objects[obj], frame)
        yield from striker.strike_steps(now, frame, frame / self.clock.fps)
        if self._deforming_rows(obj).any():
            take_back()
            self.strikers[obj] = None

    def _striker(self, obj: int) -> ImpactFracture:
        return ImpactFracture(self.live, obj, self._cracks[obj], self._holding, self._pushes)

    def _deforming_rows(self, obj: int) -> Bools:
        return np.asarray(self.live.skins() & (self.live.object_of() == obj))

    def _now(self, obj: SimObject, frame: int) -> list[Impact]:
        """The impacts on an object that act at a stored frame."""
        return [one for one in obj.impacts if self._frame(one) == frame]

    def _frame(self, impact: Impact) -> int:
        return min(round(impact.time * self.clock.fps), self.clock.frames - 1)
