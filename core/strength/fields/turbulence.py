"""Weak creases between stronger lumps: the sum of sizes of octaves of noise (Perlin 1985, "An Image Synthesizer")."""

from dataclasses import dataclass

from ...config.params import param
from ...config.registry import Method
from ...types import Floats
from .contract import STRENGTH, Field, Sample, interpolate_clamped
from .perlin import Texture, turbulence

#: Names this module's stream of random numbers beside the seed.
STREAM = 702


@dataclass(frozen=True, slots=True)
class TurbulenceParams(Texture):
    """How large the lumps are, and how much weaker the creases are."""

    # Defaults are by eye.
    detail: int = param(
        3, "Detail", "Sizes of lumps, each half of the one before and half as strong", limits=(1, 6), soft=(1, 4)
    )
    low: float = param(
        0.3, "Creases", "Factor of the strength in the creases", unit="1", limits=(0.0, 1e6), soft=(0.0, 2.0)
    )
    high: float = param(
        1.8, "Lumps", "Factor of the strength in the middle of lumps", unit="1", limits=(0.0, 1e6), soft=(0.0, 5.0)
    )


def values(sample: Sample, params: TurbulenceParams) -> Floats:
    """(n,) factors of the strength, from `low` to `high`, with about their middle as the mean."""
    return interpolate_clamped(params.low, params.high, turbulence(sample.points, params, STREAM))


METHOD: Method[Field] = Method(
    id="turbulence",
    label="Turbulence",
    doc="Weak creases between stronger lumps",
    reference="Smith, Witkin, Baraff 2001, section 2.1; Perlin 1985",
    params=TurbulenceParams,
    run=Field(STRENGTH, values),
)
