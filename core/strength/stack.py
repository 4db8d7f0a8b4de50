"""The stack of fields: factors of strength multiply, factors of density multiply, prestress adds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..geometry.sums import summed
from ..types import Cells, Floats, Frozen, Painted, Strengths, Units
from .bonded import bonded
from .choice import FieldChoice, titled
from .fields import FIELDS, Sample
from .fields.contract import DENSITY, PRESTRESS, STRENGTH
from .fields.painted import SOURCES, PaintedParams
from .origin import Origin


@dataclass(frozen=True, eq=False, slots=True)
class Preview(Frozen):
    """What to show of a field on each bond."""

    acts: str  #: STRENGTH [1], DENSITY [1] or PRESTRESS [Pa]
    field: Floats  #: (B,) of the field alone, be it on or off
    stack: Floats  #: (B,) of all fields together that act on the same, with what the pieces themselves bring


def strengths_of(origin: Origin, cells: Cells, units: Units, fields: Sequence[FieldChoice]) -> Strengths:
    """How strong, heavy and strained some cells of an object are by its fields; without any as the pieces say.

    A link is as strong as the mean of its bonds over the bonded area; infinite strengths stay infinite. Raises
    InputError where a field wants paint that the object does not have, or is not finite.
    """
    if not any(one.on for one in fields):
        return bonded(cells, units)
    bonds, by_cell = _samples(origin, cells, [one for one in fields if one.on])
    strength, density = np.ones(len(cells.bond_area)), np.ones(len(cells.volume))
    prestress = np.zeros(len(cells.bond_area))
    changed = False
    for number, one in enumerate(fields, 1):
        if not one.on:
            continue
        acts, values = FIELDS[one.kind].run.acts, _values(one, number, bonds, by_cell)
        if acts == STRENGTH:
            strength *= values
            changed = True
        elif acts == DENSITY:
            density *= values
        else:
            prestress += values
    if not changed:
        return Strengths(cells.bond_strength, units.strength, density, prestress)
    bond = _bearing(cells, strength)
    return Strengths(bond, _link_means(bond, cells.bond_area, units), density, prestress)


def link_strengths(origin: Origin, ends: Floats, fields: Sequence[FieldChoice]) -> Floats:
    """Factors (n,) of the strength of links between points (n,2,3), each as a bond across its own direction.

    All links count as equally large. Raises InputError as `strengths_of`.
    """
    chosen = {n: one for n, one in enumerate(fields, 1) if one.on and FIELDS[one.kind].run.acts == STRENGTH}
    factor = np.ones(len(ends))
    if not chosen:
        return factor
    sample = origin.of_links(ends, *_asked(list(chosen.values())))
    for number, one in chosen.items():
        factor *= _values(one, number, sample, sample)
    return factor


def density_factors(origin: Origin, cells: Cells, fields: Sequence[FieldChoice]) -> Floats:
    """Factors (C,) of the density of cells. Raises InputError as `strengths_of`."""
    factor = np.ones(len(cells.volume))
    for number, one in enumerate(fields, 1):
        if one.on and FIELDS[one.kind].run.acts == DENSITY:
            sample = origin.of_cells(cells)
            factor *= _values(one, number, sample, sample)
    return factor


def preview(origin: Origin, cells: Cells, fields: Sequence[FieldChoice], index: int) -> Preview:
    """The values of the field `index` (from 0) and of the stack on each bond; densities are means of both cells.

    Raises InputError as `strengths_of`.
    """
    acts = FIELDS[fields[index].kind].run.acts
    adds = acts == PRESTRESS
    together = [k for k, one in enumerate(fields) if one.on and FIELDS[one.kind].run.acts == acts]
    asked = sorted({*together, index})
    bonds, by_cell = _samples(origin, cells, [fields[k] for k in asked])
    values = {k: _values(fields[k], k + 1, bonds, by_cell) for k in asked}
    if acts == DENSITY:
        values = {k: each[cells.bond_cells].mean(axis=1) for k, each in values.items()}
    stack = np.zeros(len(cells.bond_area)) if adds else np.ones(len(cells.bond_area))
    for k in together:
        stack = stack + values[k] if adds else stack * values[k]
    return Preview(acts, values[index], _bearing(cells, stack) if acts == STRENGTH else stack)


def check_paint(fields: Sequence[FieldChoice], painted: Sequence[Painted], name: str) -> None:
    """Look whether an object of that name has all the paint that its fields want.

    Raises InputError for paint that is missing, or that is not finite.
    """
    known = {(one.source, one.name): one.values for one in painted}
    for number, one in enumerate(fields, 1):
        if not one.on or not isinstance(one.params, PaintedParams):
            continue
        source, paint = one.params.source, one.params.name
        label = next(choice.label for choice in SOURCES if choice.id == source).lower()
        if not paint:
            raise InputError(f"{titled(number, one.kind)} names no {label}; choose one.")
        if (source, paint) not in known:
            raise InputError(
                f'The {label} "{paint}" of field {number} is not on "{name}"; choose another one or paint it.'
            )
        if not np.isfinite(known[source, paint]).all():
            raise InputError(
                f'The {label} "{paint}" of field {number} is not finite everywhere on "{name}"; paint it anew.'
            )


def _samples(origin: Origin, cells: Cells, fields: Sequence[FieldChoice]) -> tuple[Sample, Sample]:
    """The bonds and the cells, with what the fields ask for."""
    return origin.of_bonds(cells, *_asked(fields)), origin.of_cells(cells)


def _asked(fields: Sequence[FieldChoice]) -> tuple[list[tuple[str, str]], bool]:
    """The paints that fields ask for, and whether they ask for depths."""
    wanted = [one.params for one in fields if isinstance(one.params, PaintedParams)]
    return [(params.source, params.name) for params in wanted], any(FIELDS[one.kind].run.of_skin for one in fields)


def _values(one: FieldChoice, number: int, bonds: Sample, by_cell: Sample) -> Floats:
    """The values of a field for bonds, or for cells where it acts on these."""
    kind = FIELDS[one.kind].run
    try:
        values = kind.values(by_cell if kind.acts == DENSITY else bonds, one.params)
    except InputError as error:
        raise InputError(f"{titled(number, one.kind)}: {error}") from error
    if not np.isfinite(values).all():
        raise InputError(f"{titled(number, one.kind)} is not finite everywhere; change its settings.")
    return values


def _bearing(cells: Cells, factor: Floats) -> Floats:
    """(B,) strengths with a factor; what never breaks stays so, as 0 times infinity would be no number."""
    endless = np.isinf(cells.bond_strength)
    return np.where(endless, np.inf, np.where(endless, 1.0, cells.bond_strength) * factor)


def _link_means(bond: Floats, area: Floats, units: Units) -> Floats:
    """(L,) means of the bonds of each link over the bonded area, the plain mean where there is no area."""
    outer = np.flatnonzero(units.bond_link >= 0)
    link, count = units.bond_link[outer], len(units.links)
    weight = np.where(units.area[link] > 0.0, area[outer], 1.0)
    endless = np.isinf(bond[outer])
    finite = np.where(endless, 0.0, bond[outer])
    total = summed(np.stack((weight * finite, weight), axis=1), link, count)
    mean = total[:, 0] / np.maximum(total[:, 1], 1e-300)
    mean[link[endless & (weight > 0.0)]] = np.inf
    return np.asarray(mean)
