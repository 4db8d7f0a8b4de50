"""What broken faces are like: how they are cut, how rough and fine they are, whether a flat pattern follows a wall."""

from dataclasses import dataclass, replace
from typing import Literal

from .params import Choice, param

#: How finely broken faces can be made.
QUALITY = (
    Choice(1, "preview", "Preview", "Few triangles on broken faces: quick, for trying out"),
    Choice(2, "final", "Final", "Fine triangles on broken faces: slower, for rendering"),
)
#: Leaves it to where one works, see `decide_quality`.
AUTO_QUALITY = Choice(3, "auto", "Auto", "Preview in a window, for Make Final to finish; Final without a window")
WRAP = (
    Choice(1, "auto", "Auto", "Radial pieces follow the walls of vessels and of bent panes; all others stay straight"),
    Choice(2, "off", "Off", "Pieces stay straight, whatever the shape of the object"),
    Choice(3, "sphere", "Around the Hit", "The pattern is bent around the hit, as for bowls and windscreens"),
    Choice(4, "cylinder", "Around an Axis", "The pattern is rolled around the object, as for bottles and vases"),
)
CUTTERS = (
    Choice(1, "exact", "Exact", "Pieces fit without a gap, outside and volume are those of the object"),
    Choice(2, "level_set", "On a Grid", "Pieces from level sets, as in the paper: rounded and flat, never refused"),
)

#: The settings of Detail with which faces are rough.
ROUGH = (1, 2, 3, 4)


@dataclass(frozen=True, slots=True)
class Surface:
    """The field that bends space before the cut, relative to the pieces, so that it suits objects of every size.

    The coarsest octave has a wavelength of `wavelength` mean sizes of the pieces, each further one half of the one
    before and half of its height; `amplitude` is the rms of the whole displacement over the coarsest wavelength.
    """

    # Defaults: the roughness is below the .04 from which on space folds (docs/decisions.md, Looks); a third to a half
    # of a piece is what our look study has for the bumps; the resolution is by eye.
    octaves: int = param(
        0,
        "Detail",
        "Sizes of bumps on broken faces, each half of the one before; 0 leaves the faces flat, more takes longer",
        limits=(0, 4),
    )
    amplitude: float = param(
        0.03,
        "Roughness",
        "Height of the bumps relative to the Bump Size. Above 0.04 with a Detail of 3 or 4 space may fold, and the "
        "height is halved until it does not",
        unit="1",
        limits=(0.0, 0.06),
        needs=("octaves", ROUGH),
    )
    wavelength: float = param(
        0.4,
        "Bump Size",
        "Size of the largest bumps relative to the mean size of the pieces",
        unit="1",
        limits=(0.05, 2.0),
        soft=(0.1, 1.0),
        needs=("octaves", ROUGH),
    )
    quality: Literal["auto", "preview", "final"] = param(
        "auto", "Quality", "How finely broken faces are made", choices=(AUTO_QUALITY, *QUALITY)
    )
    wrap: Literal["auto", "off", "sphere", "cylinder"] = param(
        "auto", "Wrap", "Whether a flat pattern of pieces is bent onto the wall of the object", choices=WRAP
    )
    cutter: Literal["exact", "level_set"] = param(
        "exact", "Cut", "How the object is cut. On a Grid has neither Detail nor Wrap", choices=CUTTERS
    )
    resolution: int = param(
        64,
        "Resolution",
        "Cells of the grid along the longest side of the object: what is thinner than a cell is lost",
        limits=(8, 512),
        soft=(16, 128),
        needs=("cutter", ("level_set",)),
    )


def decide_quality(surface: Surface, in_window: bool = False) -> Surface:
    """A surface with the quality for which Auto stands: Preview in a window, Final without one."""
    if surface.quality != AUTO_QUALITY.id:
        return surface
    return replace(surface, quality="preview" if in_window else "final")
