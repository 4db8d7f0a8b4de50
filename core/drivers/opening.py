"""What the impacts break by themselves: the cracks that open, and what stays together.

It is what `impact.break_and_move` does in the frames of the impacts, with nothing that moves in between: of the first
impacts it is the whole truth, of later ones as far as they find the pieces where they were.
"""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from ..types import Bools, Clock, Frozen, Ground, Ints
from .anchors import Holding
from .crowd import Crowd
from .hits import Hits
from .matter import Thing
from .strike import Cracks


@dataclass(frozen=True, eq=False, slots=True)
class Opening(Frozen):
    """The cracks that impacts open in a thing that was cut, and its fragments after them."""

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


def opening_steps(thing: Thing, clock: Clock, ground: Ground | None) -> Generator[None, None, Opening]:
    """What the impacts of a thing open; yields where the rule takes long. Nothing of the thing changes."""
    crowd, cracks = Crowd([thing]), Cracks()
    holding = Holding(crowd, None if ground is None else ground.height)
    hits = Hits(crowd, [cracks], holding, clock)
    for frame in hits.frames:
        yield from hits.strike_steps(frame)
        holding.update()
    cracked = np.zeros(len(thing.matter.units.links), np.bool_)
    for hit in cracks.hits:
        cracked[hit.link] = True
    first = np.array([int(crowd.lives[int(number)].units.min()) for number in crowd.alive], np.int64)
    later = len(hits.frames) > 1
    return Opening(cracked, crowd.owners(0), first, cracks.utilisation, later, tuple(cracks.notes))
