"""Strength as the artist has painted it: a vertex group, an image or an attribute."""

from dataclasses import dataclass

from ...config.params import Choice, param
from ...config.registry import Method
from ...errors import InputError
from ...types import Floats
from .contract import STRENGTH, Field, Sample, interpolate_clamped

GROUP, IMAGE, ATTRIBUTE = "group", "image", "attribute"
SOURCES = (
    Choice(1, GROUP, "Vertex Group", "Weights of a vertex group"),
    Choice(2, IMAGE, "Image", "Red of an image, laid by the active UV map"),
    Choice(3, ATTRIBUTE, "Attribute", "Values of an attribute of the mesh"),
)


@dataclass(frozen=True, slots=True)
class PaintedParams:
    """What is painted where, and what it means."""

    # Defaults are by eye.
    source: str = param(GROUP, "Source", "Where the paint is", choices=SOURCES)
    name: str = param("", "Name", "Name of the vertex group, image or attribute")
    low: float = param(
        1.0, "No Paint", "Factor of the strength where the paint is 0", unit="1", limits=(0.0, 1e6), soft=(0.0, 5.0)
    )
    high: float = param(
        0.1, "Full Paint", "Factor of the strength where the paint is 1", unit="1", limits=(0.0, 1e6), soft=(0.0, 5.0)
    )


def values(sample: Sample, params: PaintedParams) -> Floats:
    """(n,) factors of the strength by the paint of the nearest place of the artist's own skin.

    Raises InputError where the object does not have the paint.
    """
    key = params.source, params.name
    if key not in sample.painted:
        raise InputError(f'There is no paint "{params.name}"; choose another one.')
    return interpolate_clamped(params.low, params.high, sample.painted[key])


METHOD: Method[Field] = Method(
    id="painted",
    label="Painted",
    doc="Weak and strong places as you paint them on the object; what is inside takes after the nearest place outside",
    reference="ours; Smith, Witkin, Baraff 2001, section 2.1, a function of the user's",
    params=PaintedParams,
    run=Field(STRENGTH, values),
)
