"""Bands along an axis: a pot of coils, or layers (Smith, Witkin, Baraff 2001, sections 2.1 and 4.2, Fig. 1)."""

from dataclasses import dataclass

import numpy as np

from ...config.params import Choice, param
from ...config.registry import Method
from ...types import Floats
from .contract import STRENGTH, Field, Sample, interpolate_clamped, smooth, step

_LONGEST = "longest"
_AXES = (
    Choice(1, "x", "X", "Along the object's own X axis"),
    Choice(2, "y", "Y", "Along the object's own Y axis"),
    Choice(3, "z", "Z", "Along the object's own Z axis: level bands, as the coils of a pot"),
    Choice(4, _LONGEST, "Longest", "Along the longest side of the object"),
)
SEAMS, LAYERS = "seams", "layers"
STYLES = (
    Choice(1, SEAMS, "Seams", "Coils: weak where two bands meet, strong within each"),
    Choice(2, LAYERS, "Layers", "Every second band is weak"),
)
#: A face is a seam where its normal lies at least this close to the axis, as a cosine: within 60 degrees. By eye:
#: half-way for a random direction, whose cosine is even from 0 to 1.
FACING = 0.5


@dataclass(frozen=True, slots=True)
class BandsParams:
    """How many bands, along which axis, and what is weak of them."""

    # Defaults are by eye.
    axis: str = param("z", "Axis", "Along which axis the bands follow each other", choices=_AXES)
    count: int = param(8, "Bands", "How many bands of equal height there are", limits=(1, 1000), soft=(2, 50))
    style: str = param(SEAMS, "Style", "What is weak", choices=STYLES)
    edge: float = param(
        0.0,
        "Edge",
        "How softly weak and strong blend, in bands: 0 is sharp, 1 is as soft as can be",
        unit="1",
        limits=(0.0, 1.0),
    )
    low: float = param(
        0.2, "Weakest", "Factor of the strength where it is weakest", unit="1", limits=(0.0, 1e6), soft=(0.0, 2.0)
    )
    high: float = param(
        1.0, "Strongest", "Factor of the strength where it is strongest", unit="1", limits=(0.0, 1e6), soft=(0.0, 5.0)
    )


def values(sample: Sample, params: BandsParams) -> Floats:
    """(n,) factors of the strength.

    Seams: `low` where the cells of a bond lie in different bands and their face looks along the axis, whatever the
    edge; with an edge, bonds within half of it from a seam are weaker, too. Layers: by the band in which the bond
    itself lies.
    """
    k = np.round(sample.extent, 6).argmax() if params.axis == _LONGEST else "xyz".index(params.axis)
    height = sample.extent[k] / params.count
    at = sample.points[:, k] / height + 0.5 * params.count  # 0 at the foot, 1 higher after each band
    border = np.clip(np.round(at), 1, params.count - 1)  # foot and top are none
    away = np.abs(at - border) if params.count > 1 else np.full(len(at), np.inf)  # in bands
    if params.style == LAYERS:
        band = np.clip(np.floor(at), 0, params.count - 1)
        away = np.minimum(away, 0.5)
        return interpolate_clamped(params.low, params.high, step(np.where(band % 2 == 0, away, -away), params.edge))
    ends = np.clip(np.floor(sample.ends[:, :, k] / height + 0.5 * params.count), 0, params.count - 1)
    # Cells of one course differ in height, too, where a sloping wall cuts them: the face between them is no seam.
    seam = (ends[:, 0] != ends[:, 1]) & (np.abs(sample.normal[:, k]) >= FACING)
    within = smooth(away / (0.5 * params.edge)) if params.edge > 0.0 else np.ones(len(at))
    return interpolate_clamped(params.low, params.high, np.where(seam, 0.0, within))


METHOD: Method[Field] = Method(
    id="bands",
    label="Bands",
    doc="Bands along an axis with weak seams between them, as in a pot built from coils, or weak and strong layers",
    reference="Smith, Witkin, Baraff 2001, section 4.2",
    params=BandsParams,
    run=Field(STRENGTH, values),
)
