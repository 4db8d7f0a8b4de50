"""What goes into a driver and what comes out."""

from dataclasses import dataclass
from typing import Any

from ..breaking import Rule
from ..material import Material
from ..types import Body, Cells, Floats, Fracture, Fragments, Frozen, Motion, Units


@dataclass(frozen=True, eq=False, slots=True)
class Matter(Frozen):
    """What is broken: the body, its cells and units, the strength of each link, the material, the rule."""

    body: Body
    cells: Cells
    units: Units
    strength: Floats  #: (L,) relative, 1 is nominal
    material: Material
    rule: Rule
    params: Any  #: the rule's params
    seed: int


@dataclass(frozen=True, eq=False, slots=True)
class Broken:
    """What came of it."""

    fracture: Fracture
    fragments: Fragments
    motion: Motion
    utilisation: float  #: largest load / limit that any hit reached; above 1 something cracked
