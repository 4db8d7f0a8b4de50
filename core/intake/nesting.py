"""What becomes of each of several closed solids, decided from outside in.

What surrounds a group of solids that hang together by touching is the same for all of them. So the groups are taken
from the outermost inwards: in empty space a solid is matter, however it was given; in matter it is a cavity where it
was given the other way round than what is around it, and else follows the rule for nested solids. Matter is where the
winding number of the given solids, those turned that lie in empty space, is at least 1.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..geometry.enclosure import Relations
from ..types import Bools, Floats

_AROUND = -1  # the owner of a cavity that belongs to what surrounds a group


@dataclass
class Piece:
    """The union of solids, each without its hollows, and all without what is taken away: of one part."""

    part: int
    solids: list[int]
    hollows: dict[int, list[int]] = field(default_factory=dict)  #: of a solid: those that have to be cut out of it
    minus: list[int] = field(default_factory=list)
    inward: bool = False  #: the walls of cavities, facing the other way


@dataclass
class NestingPlan:
    """What becomes of S solids. Part 0 is the common one; the others are numbered in any order."""

    sign: Floats  #: (S,) with which the volume of each counts: -1 for cavities
    pieces: list[Piece] = field(default_factory=list)
    parts: int = 1
    cavities: int = 0  #: given inside out within matter
    absorbed: int = 0  #: within matter, dropped
    hollowed: int = 0  #: within matter, made cavities
    own: int = 0  #: within matter, made parts of their own
    fused: int = 0  #: united with another
    overlapping: int = 0  #: kept as parts though they touch another


class _Around(NamedTuple):
    """What surrounds a group."""

    depth: int  #: how many times there is matter
    turned: bool  #: whether that was given inside out
    part: int


def plan(
    relation: Relations, inside_out: Bools, nested: str, fuse: bool, lies_in: Callable[[int, int], bool]
) -> NestingPlan:  # fmt: skip
    """Decide over the solids 0..S-1; `lies_in(s, t)` tells whether solid s lies within solid t, which it touches."""
    planner = _Planner(relation, inside_out, nested, fuse, lies_in)
    for group in planner.from_outside_in():
        planner.decide(group)
    return planner.plan


class _Planner:
    """The decisions so far."""

    def __init__(
        self,
        relation: Relations,
        inside_out: Bools,
        nested: str,
        fuse: bool,
        lies_in: Callable[[int, int], bool],
    ) -> None:
        count = len(inside_out)
        self.given = np.where(inside_out, -1, 1)
        self.group = relation.group
        self.nested, self.fuse, self.lies_in = nested, fuse, lies_in
        self.holders: list[list[int]] = [[] for _ in range(count)]
        for outer, inner in relation.hold.tolist():
            self.holders[inner].append(outer)
        self.touching: list[list[int]] = [[] for _ in range(count)]
        for a, b in relation.touch.tolist():
            self.touching[a].append(b)
            self.touching[b].append(a)
        self.adds = [0] * count  # to the depth of matter inside a solid
        self.part = [0] * count
        self.plan = NestingPlan(np.ones(count))

    def from_outside_in(self) -> list[list[int]]:
        """The groups, each after all that are around it."""
        members: list[list[int]] = [[] for _ in range(int(self.group.max(initial=-1)) + 1)]
        for solid, group in enumerate(self.group.tolist()):
            members[group].append(solid)
        return sorted(members, key=lambda group: len(self._outer_holders(group)))

    def decide(self, group: list[int]) -> None:
        """What becomes of one group."""
        around = self._around(group)
        against = [s for s in group if (self.given[s] < 0) != around.turned]
        if around.depth <= 0:
            self._in_the_open(group)
        elif against:
            self._cavity(group, against, around)
        else:
            self._nested(group, around)

    def _outer_holders(self, group: list[int]) -> list[int]:
        return [t for t in self.holders[group[0]] if self.group[t] != self.group[group[0]]]

    def _around(self, group: list[int]) -> _Around:
        holders = self._outer_holders(group)
        depth = sum(self.adds[t] for t in holders)
        return _Around(depth, sum(int(self.given[t]) for t in holders) < 0, self._part_of(holders))

    def _part_of(self, holders: list[int]) -> int:
        """The part of the innermost of the holders that is matter."""
        matter = [t for t in holders if self.plan.sign[t] > 0]
        return self.part[max(matter, key=lambda t: len(self.holders[t]))] if matter else 0

    def _new_part(self) -> int:
        self.plan.parts += 1
        return self.plan.parts - 1

    def _in_the_open(self, group: list[int]) -> None:
        """Solids in empty space: matter, but for those given inside out that lie in another one of the group."""
        owner: dict[int, int] = {}
        for s in group:
            if self.given[s] < 0:
                held = [t for t in self.holders[s] if self.group[t] == self.group[s] and self.given[t] > 0]
                held = held or [t for t in self.touching[s] if self.given[t] > 0 and self.lies_in(s, t)]
                if held:
                    owner[s] = self._owner(s, held, owner)
        matter = [s for s in group if s not in owner]
        for s in group:
            self.adds[s] = -1 if s in owner else 1
        self.plan.cavities += len(owner)
        self.plan.sign[list(owner)] = -1.0
        cut = {t: [s for s in owner if owner[s] == t and self._must_be_cut(s, t)] for t in matter}
        self._put(matter, owner, cut)

    def _owner(self, s: int, held: list[int], owner: dict[int, int]) -> int:
        """Whose cavity s is, of the solids around it: cavities of one solid should not meet, then the innermost one.

        While no two cavities of one solid meet, the union does not depend on the choice.
        """
        meeting = [owner[u] for u in self.touching[s] if u in owner]
        return min(held, key=lambda t: (meeting.count(t), -len(self.holders[t]), abs(t - s)))

    def _must_be_cut(self, s: int, t: int) -> bool:
        """Whether cavity s of solid t takes more than its own wall."""
        return self.fuse or t in self.touching[s] or any(self.plan.sign[u] < 0 for u in self.touching[s])

    def _put(self, matter: list[int], owner: dict[int, int], cut: dict[int, list[int]]) -> None:
        """The pieces of a group in empty space."""
        if self.fuse or len(matter) == 1:
            self.plan.fused += len(matter) if len(matter) > 1 else 0
            self.plan.pieces.append(Piece(0, matter, {t: some for t, some in cut.items() if some}))
            return
        for t in matter:
            self.part[t] = self._new_part()
            self.plan.pieces.append(Piece(self.part[t], [t], {t: cut[t]} if cut[t] else {}))
        for s, t in owner.items():
            if s not in cut[t]:
                self.plan.pieces.append(Piece(self.part[t], [s], inward=True))
        self.plan.overlapping += len(matter)

    def _cavity(self, group: list[int], against: list[int], around: _Around) -> None:
        """Solids in matter, of which some face against it: these are cavities, and the others fill them again."""
        for s in group:
            self.adds[s] = -1 if s in against else 1
            self.part[s] = around.part
        self.plan.sign[against] = -1.0
        if around.depth > 1:
            self.plan.absorbed += len(group)
            return
        filling = [s for s in group if s not in against]
        self.plan.cavities += len(against)
        if self.fuse or not filling:
            self.plan.fused += len(filling)
            self.plan.pieces.append(Piece(around.part, against, minus=filling, inward=True))
            return
        owner = self._owners_in_matter(against, filling)
        free = [s for s in against if owner[s] == _AROUND]
        if free:
            self.plan.pieces.append(Piece(around.part, free, inward=True))
        self.plan.overlapping += len(filling)
        for t in filling:
            self.part[t] = self._new_part()
            hollows = [s for s in against if owner[s] == t]
            self.plan.pieces.append(Piece(self.part[t], [t], {t: hollows} if hollows else {}))

    def _owners_in_matter(self, against: list[int], filling: list[int]) -> dict[int, int]:
        """Whose cavity each of `against` is: of a solid that fills and holds it, or of the matter around them."""
        owner: dict[int, int] = {}
        for s in against:
            meeting = [owner[u] for u in self.touching[s] if u in owner]
            held = [t for t in filling if t in self.holders[s]]
            owner[s] = min([*held, _AROUND], key=lambda t: (meeting.count(t), t == _AROUND, abs(t - s)))
        return owner

    def _nested(self, group: list[int], around: _Around) -> None:
        """Solids in matter that face as it does."""
        for s in group:
            self.part[s] = around.part
            self.adds[s] = {"absorb": 1, "hollow": -around.depth, "solid": 1 - around.depth}[self.nested]
        if self.nested == "absorb":
            self.plan.absorbed += len(group)
            return
        self.plan.pieces.append(Piece(around.part, group, inward=True))
        if self.nested == "hollow":
            self.plan.hollowed += len(group)
            self.plan.sign[group] = -1.0
            return
        self.plan.own += len(group)
        for some in [group] if self.fuse else [[s] for s in group]:
            part = self._new_part()
            self.plan.pieces.append(Piece(part, some))
            for s in some:
                self.part[s] = part
