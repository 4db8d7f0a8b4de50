"""Objects that deform: the skin of each is a kinematic body, as colliders that deform are, until something breaks it.

What deforms has no form of its own that could be a rigid body, and goes where its animation takes it. So the others
meet its skin, in the form and with the velocity of each frame, and are not felt by it. What they did to it is then told
as if they had met the object itself: a row of the living that is static, without parts. Where that is enough to break
it, it becomes what it is at that frame, and breaks.
"""

from dataclasses import replace

import numpy as np

from ..rigid.contact_impulses import BodyContactImpulses
from ..rigid.contract import StepReport
from ..rigid.state import World
from .environment import Environment
from .live_fragments import NEVER, LiveFragments
from .skin_contacts import find_skin_contacts
from .spec import AdvanceFrame


class DeformingObjects:
    """The skins of all objects of a run that deform."""

    def __init__(self, live: LiveFragments, environment: Environment) -> None:
        self._live, self._environment = live, environment
        self._number = {
            obj: environment.colliders + k for k, obj in enumerate(live.until)
        }  # among all that is kinematic
        self._gone: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return len(self._gone) < len(self._number)

    def world(self, frame: int) -> World:
        """The world on the way to a stored frame, with the skins of all that is whole."""
        until = self._live.until
        self._gone = frozenset(number for obj, number in self._number.items() if until[obj] != NEVER)
        return self._environment.world(frame, self._gone)

    def rows(self) -> dict[int, int]:
        """The row of each object that moves with its skin."""
        rows = np.flatnonzero(self._live.skins())
        return dict(zip(self._live.object_of()[rows].tolist(), rows.tolist(), strict=True))

    def find_contacts(self, move: AdvanceFrame, world: World, dt: float) -> BodyContactImpulses | None:
        """What the skins did to what cannot be moved either, see `skin_contacts`."""
        rows = {self._number[obj]: row for obj, row in self.rows().items()}
        return find_skin_contacts(self._live, rows, self._environment.colliders, move, world, dt)

    def as_rows(self, report: StepReport, world: World) -> StepReport:
        """What a frame did, with the objects in place of their skins; the ground follows on the colliders."""
        if not self._number:
            return report
        count, kinematic = len(self._live.alive), world.colliders
        ground = 0 if kinematic is None else int(kinematic.number.max()) + 1
        row = count + np.arange(max(ground, self._environment.colliders) + 1)
        place = np.zeros((len(row), 3))
        for obj, at in self.rows().items():
            row[self._number[obj]], place[self._number[obj]] = at, self._live.objects[obj].place
        row[ground] = count + self._environment.colliders
        number = report.touch_body - count
        collider = np.maximum(number, 0)
        body = np.where(number < 0, report.touch_body, row[collider])
        anchor = report.touch_anchor - np.where((number < 0)[:, :, None], 0.0, place[collider])
        return replace(report, touch_body=body, touch_anchor=anchor)
