"""The strength that the pieces themselves bring: mortar between bricks, fibres of wood."""

import numpy as np

from ..types import Cells, Strengths, Units


def bonded(cells: Cells, units: Units) -> Strengths:
    """The strength of each bond relative to the material's own, as the pattern says; 1 where it says nothing."""
    return Strengths(cells.bond_strength, units.strength, np.ones(len(cells.volume)), np.zeros(len(cells.bond_area)))
