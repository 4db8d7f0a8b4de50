"""What the cutter checks about its own work, as numbers that must all be zero; and what no cutter may hand out."""

from dataclasses import dataclass, fields

import numpy as np

from ..errors import CutError
from ..geometry.shells import LEAST
from ..types import Bools, Cells, Fragments
from ..wording import count

#: Of the sum of cell volumes, relative to the body's volume; measured: 2e-15 as a rule (docs/decisions.md, Cutting), so
#: this leaves room for large meshes.
VOLUME_TOLERANCE = 1e-9
#: A bond of less area, relative to the squared diagonal, has no reliable centroid. A thousand roundings.
SLIVER = 1e-13

_SENTENCES = {
    "open_edges": "the mesh is not closed ({} edges)",
    "hollow": "the mesh has no volume; its faces may point inwards",
    "outside": "the mesh reaches out of the pattern ({} points)",
    "doubts": "{} signs are within round-off",
    "keys": "{} cut points contradict each other",
    "alternation": "{} edges of the pattern enter the mesh twice without leaving it",
    "votes": "inside and outside contradict each other {} times",
    "open_ends": "{} inner faces do not close",
    "conflicts": "inner faces branch {} times",
    "twins": "{} cut lines differ between the two pieces that share them",
    "negative": "{} pieces have no positive volume",
    "volume": "the volumes of the pieces do not sum to that of the mesh",
}


@dataclass(frozen=True, slots=True)
class CutChecks:
    """How often each check fired. The cut stops at the first stage that fails, so later counts may be missing."""

    open_edges: int = 0  #: mesh edges that are not used equally often in both directions
    hollow: int = 0  #: 1 where the body's volume is not positive
    outside: int = 0  #: vertices, or sides of cut triangles, beyond the outermost regions
    doubts: int = 0  #: signs that round-off could have decided
    keys: int = 0  #: polygons or vertices whose signs contradict each other
    alternation: int = 0  #: partition edges whose crossings do not alternate between entering and leaving
    votes: int = 0  #: contradicting votes on whether a partition vertex is inside
    open_ends: int = 0  #: loops that do not close
    conflicts: int = 0  #: vertices of a facet with two ways on
    twins: int = 0  #: cut segments that only one of the two regions has
    negative: int = 0  #: cells whose volume is not positive
    volume: int = 0  #: 1 where the volumes do not sum to the body's
    volume_error: float = 0.0  #: relative error of that sum

    def faults(self) -> list[str]:
        """One phrase for each check that fired."""
        return [_SENTENCES[f.name].format(getattr(self, f.name)) for f in fields(self) if self._fired(f.name)]

    def _fired(self, name: str) -> bool:
        return name in _SENTENCES and getattr(self, name) != 0


def check_units(cells: Cells, least: float) -> None:
    """Raise CutError unless what may become a piece by itself has a volume above `least` [m^3], and at all.

    Crumbs have joined a neighbour before; what is left has none, or the cut has gone wrong.
    """
    volume = np.bincount(cells.unit, cells.volume)
    bad = int(np.count_nonzero(~((volume > 0.0) & (volume >= least))))
    if bad or not np.isfinite(volume).all():
        raise CutError(
            f"{count(bad, 'piece')} of the pattern would have next to no volume: make fewer pieces, or "
            "leave out what is tiny beside the rest of the mesh."
        )


def check_fragments(fragments: Fragments, last: Bools) -> None:
    """Raise CutError where a fragment has no volume, or a mass that is round-off of the object's.

    `last` (K,) are the fragments that are there at the end: together they are the object.
    """
    least = LEAST * float(fragments.mass[last].sum())
    bad = int(np.count_nonzero(~((fragments.volume > 0.0) & (fragments.mass > least))))
    if bad:
        raise CutError(f"{count(bad, 'piece')} would have next to no mass: make fewer pieces, or try another seed.")
