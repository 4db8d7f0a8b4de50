"""The impacts of the artist's on all things, each at the stored frame of its time."""

from collections.abc import Generator, Sequence

import numpy as np

from ..types import Bools, Clock, Impact
from .anchors import Holding
from .crowd import Crowd
from .forms import take_form
from .matter import Thing
from .strike import Cracks, Striker


class Hits:
    """Lets the impacts of each frame act; one later than the clock acts on its last frame."""

    def __init__(self, crowd: Crowd, cracks: Sequence[Cracks], holding: Holding, clock: Clock) -> None:
        self.crowd, self.clock = crowd, clock
        self._cracks, self._holding = cracks, holding
        self.strikers = [
            self._striker(k) if thing.impacts and thing.form_at is None else None
            for k, thing in enumerate(crowd.things)
        ]

    @property
    def frames(self) -> list[int]:
        """The frames in which something is hit, ascending."""
        return sorted({self._frame(one) for thing in self.crowd.things for one in thing.impacts})

    def strike_steps(self, frame: int) -> Generator[None, None, None]:
        """Let the impacts of a frame act; yields where a rule takes long, or something has to be cut in its form."""
        for k, thing in enumerate(self.crowd.things):
            striker, now = self.strikers[k], self._now(thing, frame)
            if now and striker is not None:
                yield from striker.strike_steps(now, frame, frame / self.clock.fps)
            elif now and self._led_by_skin(k).any():
                yield from self._strike_in_form(k, frame)

    def _strike_in_form(self, thing: int, frame: int) -> Generator[None, None, None]:
        """Let impacts act on a whole that deforms, in the form of a frame: it breaks, or nothing has happened."""
        (row,) = np.flatnonzero(self._led_by_skin(thing))
        take_back = yield from take_form(self.crowd, int(row), frame, self._cracks[thing])
        if take_back is None:
            return
        self.strikers[thing] = striker = self._striker(thing)
        # Where things are hit may have changed since the start.
        now = self._now(self.crowd.things[thing], frame)
        yield from striker.strike_steps(now, frame, frame / self.clock.fps)
        if self._led_by_skin(thing).any():
            take_back()
            self.strikers[thing] = None

    def _striker(self, thing: int) -> Striker:
        return Striker(self.crowd, thing, self._cracks[thing], self._holding)

    def _led_by_skin(self, thing: int) -> Bools:
        return np.asarray(self.crowd.skins() & (self.crowd.thing_of() == thing))

    def _now(self, thing: Thing, frame: int) -> list[Impact]:
        """The impacts on a thing that act at a stored frame."""
        return [one for one in thing.impacts if self._frame(one) == frame]

    def _frame(self, impact: Impact) -> int:
        return min(round(impact.time * self.clock.fps), self.clock.frames - 1)
