"""The substeps of one stored frame for a set of bodies, whatever the scheme of a substep."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ..jit import sealed_floats, sealed_ints
from ..record_arrays import RecordArray, Records, plain_view, take_records
from ..types import Bools, Ints
from .broad.boxes import EnlargedBoxes
from .broad.sweep_and_prune import update_broad_phase
from .narrow.manifold_update import Substep, update_contacts
from .narrow.owned_parts import OwnedParts
from .records import CONTACT, CONTACT_CONSTRAINT, CONTACT_ROW
from .sleep.sleeping import wake_islands
from .solver_state import SolverState

#: (frame, awake, active): moves the bodies `awake` and all that is kinematic by `frame.h` with the `active` contacts,
#: and yields now and then.
Scheme: TypeAlias = Callable[["SubstepRun", Ints, Ints], Generator[None, None, None]]


@dataclass(frozen=True, slots=True)
class FrameScene:
    """What the frames of all sets of bodies share."""

    solver: SolverState
    label: Ints  #: (K,) number of the set of bodies that may meet, for each body
    asleep: Bools  #: (K,) at the start
    dt: float  #: [s]
    scheme: "Scheme"


class SubstepRun:
    """The substeps of a frame for some of the bodies: pairs and sleepers change from one to the next."""

    def __init__(self, scene: FrameScene, members: Bools, pairs: Records, contacts: Records, count: int) -> None:
        """`members` (N,) includes all that is kinematic; `contacts` are those that the pairs name, and others."""
        self.scene, self.solver = scene, scene.solver
        solver = scene.solver
        self.members, self.asleep = members[: solver.free], scene.asleep
        self.count, self.h, self.done = count, scene.dt / max(count, 1), 0
        self.pairs = pairs
        self.pairs.fresh, self.pairs.clear = 0, 0.0
        had = np.flatnonzero(self.pairs.contact >= 0)
        self.contacts = take_records(contacts, self.pairs.contact[had])
        self.contacts.body = self.pairs.body[had]
        self.contacts.carried, self.contacts.total, self.contacts.work = 0, 0.0, 0.0
        self.contacts.normal_impulse, self.contacts.impulse_moment = 0.0, 0.0
        self.pairs.contact[had] = np.arange(len(had))
        self.used = self.known = len(had)
        self.gravity = sealed_floats(solver.gravity)
        self.scratch = solver.static_geometry.scratch
        self.kinematic = sealed_ints(np.arange(solver.free, len(solver.bodies)))
        everything, present = bool(members.all()), np.append(members, False)
        self.owner = solver.owner if everything else sealed_ints(np.where(present[solver.owner], solver.owner, -1))
        touchable = solver.touchable_owner
        self.touchable_owner = touchable if everything else sealed_ints(np.where(present[touchable], touchable, -1))
        self.driven = bool(solver.bodies.velocity[solver.free :].any())  #: whether something that is kinematic moves
        self.awake = self._awake()
        self._blocks, self._rows = np.empty(0, CONTACT_CONSTRAINT), np.empty(0, CONTACT_ROW)

    def run(self, boxes: EnlargedBoxes) -> Generator[float, None, EnlargedBoxes]:
        """All substeps, yielding the share that is done. What is kinematic goes its way for each frame anew.

        Returns the boxes at the end.
        """
        self.boxes = boxes
        kinematic = self.solver.bodies[self.solver.free :]
        start = kinematic.copy()
        for _ in range(self.count):
            for _ in self.step():
                yield self.done / self.count
        self.contacts = self.contacts[: self.used]
        kinematic[:] = start
        return self.boxes

    def step(self) -> Generator[None, None, None]:
        """One substep; sleepers that something moves against wake before it."""
        solver = self.solver
        left = self.scene.dt - self.done * self.h
        self.boxes, self.pairs = update_broad_phase(
            solver, self.boxes, self.pairs, self.awake, self.touchable_owner, self.h, left
        )
        yield
        active = self.detect(solver.bodies, self.h)
        while self.wakes:
            yield
            self.asleep = wake_islands(solver, self.pairs, self.contacts, self.asleep)
            self.awake = self._awake()
            active = self.detect(solver.bodies, self.h)
        yield
        yield from self.scene.scheme(self, self.awake, active)
        self.done += 1

    def room(self, blocks: int, rows: int) -> tuple[Records, Records]:
        """Contacts and their rows for a substep, with whatever was in them: kernels fill all that they read."""
        if len(self._blocks) < blocks:
            self._blocks = np.empty(2 * blocks, CONTACT_CONSTRAINT)
        if len(self._rows) < rows:
            self._rows = np.empty(2 * rows, CONTACT_ROW)
        return self._blocks[:blocks], self._rows[:rows]

    def _awake(self) -> Ints:
        return sealed_ints(np.flatnonzero(self.members & ~self.asleep))

    def detect(self, bodies: Records, h: float) -> Ints:
        """The contacts that can act within h [s] on bodies at the positions of `bodies`."""
        solver, room = self.solver, self.used + len(self.pairs)
        if len(self.contacts) < room:
            more = np.empty(2 * room, CONTACT).view(RecordArray)
            more[: self.used] = self.contacts[: self.used]
            self.contacts = more
        active = np.empty(len(self.pairs), np.int64)
        count, self.used, self.wakes = update_contacts(
            plain_view(self.pairs),
            plain_view(self.contacts),
            self.used,
            plain_view(bodies),
            OwnedParts(solver.static_geometry.geometry, self.owner),
            active,
            Substep(solver.free, h, self.gravity),
            self.scratch,
        )
        return sealed_ints(active[:count])
