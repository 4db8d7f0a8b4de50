"""The pieces of a run as they are to be seen: with the stairs of their cells, with smooth outlines, or rough ones."""

from dataclasses import replace

from ...config.surface import Surface
from ...errors import CutError
from ...pieces.layouts.shape import measure
from ...roughness.bend import Bend, halved
from ...roughness.grain import grain_of
from ...roughness.rough import Grain
from ...types import Cells, Ints
from ..contract import ContinuumObject
from ..lattice_embedding.embedding import Embedding
from ..lattice_embedding.outline import smooth_outline
from .params import ROUGH_BORDERS

#: Sizes of bumps where Rough is chosen and Detail is 0. By eye.
_DETAIL = 2
#: So often the roughness is halved where it would fold space. Chosen: an eighth of it is hardly seen.
_HALVINGS = 3
#: What the report says where rough faces cannot be.
_STAYED = "Broken faces stayed smooth: "


def draw_outlines(embedding: Embedding, obj: ContinuumObject, unit: Ints, borders: str) -> tuple[Cells, str]:
    """The body cut along the outlines of pieces, of which `unit (U,)` says that of each unit, and a note or none.

    Raises CutError where it cannot be.
    """
    if borders != ROUGH_BORDERS:
        return smooth_outline(embedding, obj.body, unit, obj.seed), ""
    if not all(box.fills_box for box in embedding.boxes):
        return smooth_outline(embedding, obj.body, unit, obj.seed), f"{_STAYED}the mesh was added as a lattice."
    bend = rough_bend(obj, int(unit.max()) + 1)
    for _ in range(_HALVINGS):
        try:
            return smooth_outline(embedding, obj.body, unit, obj.seed, bend), ""
        except CutError:
            bend = halved(bend[0]), bend[1]._replace(tolerance=0.5 * bend[1].tolerance)
    return smooth_outline(embedding, obj.body, unit, obj.seed), f"{_STAYED}roughness would have folded space."


def rough_bend(obj: ContinuumObject, pieces: int) -> tuple[Bend, Grain]:
    """How space is bent for broken faces as rough as was chosen, relative to the mean size of so many pieces."""
    surface: Surface = replace(obj.surface, octaves=obj.surface.octaves or _DETAIL)
    shape = measure(obj.body)
    wavelength = surface.wavelength * shape.spacing(pieces)
    return grain_of(surface, surface.amplitude * wavelength, wavelength, obj.seed, shape.centre)
