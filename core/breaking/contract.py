"""What every breaking rule takes and gives."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ..config.material import Material
from ..config.params import DeclaredParams
from ..types import Bools, Cells, Floats, Frozen, Impact, Ints, Strengths, Units


@dataclass(frozen=True, eq=False, slots=True)
class ImpactContext(Frozen):
    """A fragment under one blow, or under several at once."""

    cells: Cells
    units: Units  #: of the cells
    members: Ints  #: (M,) units of the struck fragment
    impacts: tuple[
        Impact, ...
    ]  #: one at least; in material coordinates, inside of the fragment, with a resolved radius
    strengths: Strengths
    material: Material
    anchored: Bools  #: (U,) units that cannot move
    seed: int


@dataclass(frozen=True, eq=False, slots=True)
class UnitImpulses(Frozen):
    """What impacts and the forces between the units gave to each unit, in material axes."""

    momentum: Floats  #: (U,3) [N s]
    spin: Floats  #: (U,3) angular momentum about the unit's centroid [N m s]


@dataclass(frozen=True, eq=False, slots=True)
class Verdict(Frozen):
    """What a rule says of each link."""

    load: Floats  #: (L,) largest that acted, in the rule's own measure; 0 on links that no impact reaches
    limit: Floats  #: (L,) what the link could bear, same measure; infinite where nothing can crack it
    cracked: Bools  #: (L,)
    unit_impulses: UnitImpulses | None = (
        None  #: of the impacts, where the rule knows the forces; None: pieces fly as thrown
    )
    dust: Bools | None = None  #: (U,) units that vanish where they come off alone; None: none
    notes: tuple[str, ...] = ()  #: for the report, a sentence each


def by_limit(load: Floats, limit: Floats) -> Verdict:
    """The verdict of a rule by which a link cracks where load > limit."""
    return Verdict(load, limit, load > limit)


def struck_units(struck: ImpactContext) -> Bools:
    """(U,) units of the struck fragment."""
    inside = np.zeros(len(struck.units.volume), dtype=np.bool_)
    inside[struck.members] = True
    return inside


def struck_links(struck: ImpactContext) -> Bools:
    """(L,) links with both ends in the struck fragment: the others are no concern of a rule."""
    return np.asarray(struck_units(struck)[struck.units.links].all(axis=1))


#: A rule that takes long, at work: it yields every now and then, so that others may go on meanwhile, or stop it.
VerdictSteps: TypeAlias = Generator[None, None, Verdict]

#: (struck, params) -> Verdict, or the steps to it. Links that leave the fragment get load 0.
Rule: TypeAlias = Callable[[ImpactContext, Any], Verdict | VerdictSteps]


def verdict_steps(rule: Rule, struck: ImpactContext, params: DeclaredParams) -> VerdictSteps:
    """What a rule says of a struck fragment, in as many steps as it takes."""
    found = rule(struck, params)
    return found if isinstance(found, Verdict) else (yield from found)
