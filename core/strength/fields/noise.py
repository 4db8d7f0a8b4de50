"""Spots of weaker and of stronger matter: gradient noise (Smith, Witkin, Baraff 2001, section 2.1)."""

from dataclasses import dataclass

from ...config.params import param
from ...config.registry import Method
from ...types import Floats
from .contract import STRENGTH, Field, Sample, interpolate_clamped
from .perlin import Texture, perlin_noise

#: Names this module's stream of random numbers beside the seed.
STREAM = 701


@dataclass(frozen=True, slots=True)
class NoiseParams(Texture):
    """How large the spots are, and how much they differ."""

    # Defaults are by eye.
    low: float = param(
        0.4, "Weakest", "Factor of the strength where it is weakest", unit="1", limits=(0.0, 1e6), soft=(0.0, 2.0)
    )
    high: float = param(
        1.6, "Strongest", "Factor of the strength where it is strongest", unit="1", limits=(0.0, 1e6), soft=(0.0, 5.0)
    )


def values(sample: Sample, params: NoiseParams) -> Floats:
    """(n,) factors of the strength, from `low` to `high`, with their middle as the mean."""
    return interpolate_clamped(params.low, params.high, perlin_noise(sample.points, params, STREAM))


METHOD: Method[Field] = Method(
    id="noise",
    label="Noise",
    doc="Spots of weaker and of stronger matter, with soft borders",
    reference="Smith, Witkin, Baraff 2001, section 2.1; Perlin 2002",
    params=NoiseParams,
    run=Field(STRENGTH, values),
)
