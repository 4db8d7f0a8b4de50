"""Things that deform: each is led by its skin, as colliders that deform are, until something breaks it.

What deforms has no form of its own that could be a rigid body, and goes where its animation leads it. So the others
meet its skin, in the form and with the velocity of each frame, and are not felt by it. What they did to it is then told
as if they had met the thing itself: a row of the living that is held, without parts. Where that is a blow, the thing
becomes what it is at that frame, and breaks.
"""

from dataclasses import replace

import numpy as np

from ..rigid.contact_impulses import BodyContactImpulses
from ..rigid.contract import StepReport
from ..rigid.state import World
from .crowd import NEVER, Crowd
from .matter import Move
from .meetings import met
from .stage import Stage


class Skins:
    """The skins of all things of a run that deform."""

    def __init__(self, crowd: Crowd, stage: Stage) -> None:
        self._crowd, self._stage = crowd, stage
        self._number = {thing: stage.colliders + k for k, thing in enumerate(crowd.until)}  # among all that is led
        self._gone: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return len(self._gone) < len(self._number)

    def world(self, frame: int) -> World:
        """The world on the way to a stored frame, with the skins of all that is whole."""
        until = self._crowd.until
        self._gone = frozenset(number for thing, number in self._number.items() if until[thing] != NEVER)
        return self._stage.world(frame, self._gone)

    def rows(self) -> dict[int, int]:
        """The row of each thing that is led by its skin."""
        rows = np.flatnonzero(self._crowd.skins())
        return dict(zip(self._crowd.thing_of()[rows].tolist(), rows.tolist(), strict=True))

    def met(self, move: Move, world: World, dt: float) -> BodyContactImpulses | None:
        """What the skins did to what cannot be moved either, see `meetings`."""
        rows = {self._number[thing]: row for thing, row in self.rows().items()}
        return met(self._crowd, rows, self._stage.colliders, move, world, dt)

    def as_rows(self, account: StepReport, world: World) -> StepReport:
        """What a frame did, with the things themselves in place of their skins; the ground follows on the colliders."""
        if not self._number:
            return account
        count, led = len(self._crowd.alive), world.colliders
        ground = 0 if led is None else int(led.number.max()) + 1
        row = count + np.arange(max(ground, self._stage.colliders) + 1)
        place = np.zeros((len(row), 3))
        for thing, at in self.rows().items():
            row[self._number[thing]], place[self._number[thing]] = at, self._crowd.things[thing].place
        row[ground] = count + self._stage.colliders
        number = account.touch_body - count
        met = np.maximum(number, 0)
        body = np.where(number < 0, account.touch_body, row[met])
        spot = account.touch_spot - np.where((number < 0)[:, :, None], 0.0, place[met])
        return replace(account, touch_body=body, touch_spot=spot)
