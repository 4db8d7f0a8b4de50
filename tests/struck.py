"""Fragments under blows, as breaking rules are told of them, of units without cells."""

import functools

import numpy as np

from core.breaking import ImpactContext
from core.config.material import Material
from core.cutting.whole import whole_cells
from core.types import Cells, Strengths
from tests import shapes


@functools.cache
def _one_cell() -> Cells:
    return whole_cells(shapes.box())


def struck(
    units, impacts, *, members=None, strength=None, seed=0, anchored=None, cells=None, material=None, strengths=None
):
    """All units, or some `members`, under one impact or several; rules that look at cells need these as well.

    `strength (L,)` is that of the bonds of each link; without it all have the one that their cells bring. Fields come
    in `strengths`.
    """
    count = len(units.volume)
    cells = _one_cell() if cells is None else cells
    link = units.strength if strength is None else np.asarray(strength, np.float64)
    bond = cells.bond_strength if strength is None else np.where(units.bond_link < 0, np.inf, link[units.bond_link])
    none = np.zeros(len(cells.bond_area))
    return ImpactContext(
        cells=cells,
        units=units,
        members=np.arange(count) if members is None else np.asarray(members, np.int64),
        impacts=impacts if isinstance(impacts, tuple) else (impacts,),
        strengths=strengths or Strengths(bond, link, np.ones(len(cells.volume)), none),
        material=material or Material(),
        anchored=np.zeros(count, np.bool_) if anchored is None else anchored,
        seed=seed,
    )
