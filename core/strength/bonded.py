"""The strength that the pieces themselves bring: mortar between bricks, fibres of wood."""

from ..types import Floats, Units


def bonded(units: Units) -> Floats:
    """Strength (L,) of each link relative to the material's own, as the pattern says; 1 where it says nothing."""
    return units.strength
