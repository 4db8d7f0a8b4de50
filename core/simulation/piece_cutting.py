"""Pieces that are cut anew, along cracks that their cells do not have."""

from dataclasses import replace

import numpy as np

from ..fragments.piece_body import piece_body
from ..types import Impact, Ints, Made
from .mass_moments import match_mass_moments
from .spec import CutBody, CutOrigin, FractureModel


def cut_anew(cut: CutBody, model: FractureModel, units: Ints | None, impacts: tuple[Impact, ...]) -> FractureModel:
    """Some units of a model cut anew around impacts; None: its whole body, as it is. Raises CutError."""
    body, seen, scar = model.body, None, model.scar
    if units is not None:
        body, bond, row = piece_body(model.cells, units, model.body)
        if model.rough is not None:
            seen, bond, row = piece_body(model.rough.cells, units, model.rough.body)
        scar = _scars(bond, row, model)
    made = cut(body, impacts, seen)
    if seen is not None and made.rough is None:  # where it broke before is not known one by one
        scar = np.where(body.made == Made.BROKEN, 0, -1)
    made = replace(made, scar=scar, origin=CutOrigin(impacts, model, units))
    return match_mass_moments(made, model, np.arange(len(model.units.volume)) if units is None else units)


def _scars(bond: Ints, row: Ints, model: FractureModel) -> Ints:
    """Where triangles of a piece lay before: on a scar of its matter, or on a bond, counted behind these scars."""
    before = model.scar[row] if len(model.scar) else np.full(len(row), -1)
    return np.where(bond < 0, before, bond + int(model.scar.max(initial=-1)) + 1)
