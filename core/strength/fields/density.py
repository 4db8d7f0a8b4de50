"""Matter that is heavier here than there (Smith, Witkin, Baraff 2001, section 2.1, density of the tetrahedra)."""

from dataclasses import dataclass

from ...config.params import param
from ...config.registry import Method
from ...types import Floats
from .contract import DENSITY, Field, Sample, interpolate_clamped
from .perlin import Texture, perlin_noise

#: Names this module's stream of random numbers beside the seed.
STREAM = 705


@dataclass(frozen=True, slots=True)
class DensityParams(Texture):
    """How large light and heavy spots are, and how much they differ."""

    # Defaults are by eye.
    low: float = param(
        0.7, "Lightest", "Factor of the density where it is lightest", unit="1", limits=(0.01, 100.0), soft=(0.1, 2.0)
    )
    high: float = param(
        1.3, "Heaviest", "Factor of the density where it is heaviest", unit="1", limits=(0.01, 100.0), soft=(0.1, 5.0)
    )


def values(sample: Sample, params: DensityParams) -> Floats:
    """(n,) factors of the density, from `low` to `high`, with their middle as the mean."""
    return interpolate_clamped(params.low, params.high, perlin_noise(sample.points, params, STREAM))


METHOD: Method[Field] = Method(
    id="density",
    label="Density",
    doc="Spots of lighter and of heavier matter, so that pieces tumble unevenly",
    reference="Smith, Witkin, Baraff 2001, section 2.1; Perlin 2002",
    params=DensityParams,
    run=Field(DENSITY, values),
)
