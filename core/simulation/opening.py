"""What the impacts break by themselves: the cracks that open, and what stays together.

It is what `frame_loop` does in the frames of the impacts, with nothing that moves in between: of the first impacts it
is the whole truth, of later ones as far as they find the pieces where they were.
"""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from ..types import Bools, Clock, Frozen, Ground, Ints
from .anchoring import Anchoring
from .impact_fracture import CrackRecord
from .live_fragments import LiveFragments
from .scheduled_impacts import ScheduledImpacts
from .spec import SimObject


@dataclass(frozen=True, eq=False, slots=True)
class Opening(Frozen):
    """The cracks that impacts open in an object that was cut, and its fragments after them."""

    cracked: Bools  #: (L,) links of its units that fail; one between two units that others hold together parts nothing
    fragment: Ints  #: (C,) fragment of each cell, -1 where the rule leaves the cell out as dust
    first_unit: Ints  #: (K,) lowest unit of each fragment: a name that it keeps while others fall apart
    utilisation: float  #: largest load over what bears it
    later: bool  #: whether impacts follow after the first ones, which may find the pieces elsewhere
    notes: tuple[str, ...]  #: what the rule says of it, a sentence each

    @property
    def count(self) -> int:
        """Number K of fragments."""
        return len(self.first_unit)


def opening_steps(obj: SimObject, clock: Clock, ground: Ground | None) -> Generator[None, None, Opening]:
    """What the impacts of an object open; yields where the rule takes long. Nothing of the object changes."""
    live, cracks = LiveFragments([obj]), CrackRecord()
    anchoring = Anchoring(live, None if ground is None else ground.height)
    hits = ScheduledImpacts(live, [cracks], anchoring, clock, pushes=False)
    for frame in hits.frames:
        yield from hits.strike_steps(frame)
        anchoring.update()
    cracked = np.zeros(len(obj.model.units.links), np.bool_)
    for hit in cracks.hits:
        cracked[hit.link] = True
    first = np.array([int(live.tree[int(number)].units.min()) for number in live.alive], np.int64)
    later = len(hits.frames) > 1
    return Opening(cracked, live.owners(0), first, cracks.utilisation, later, tuple(cracks.notes))
