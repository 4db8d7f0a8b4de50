"""Weak veins through strong matter: turbulence with a threshold (Smith, Witkin, Baraff 2001, section 4.1, Fig. 11)."""

from dataclasses import dataclass

from ...config.params import param
from ...config.registry import Method
from ...types import Floats
from .contract import STRENGTH, Field, Sample, interpolate_clamped, step
from .perlin import Texture, turbulence

#: Names this module's stream of random numbers beside the seed.
STREAM = 703


@dataclass(frozen=True, slots=True)
class VeinsParams(Texture):
    """How wide the veins are, and how much weaker than the rest."""

    # Defaults are by eye.
    threshold: float = param(
        0.35,
        "Amount",
        "How much of the matter is vein: 0 has none, 0.35 about a quarter, 1 nearly all",
        unit="1",
        limits=(0.0, 1.0),
    )
    edge: float = param(
        0.0,
        "Edge",
        "How soft the borders of the veins are: 0 is sharp",
        unit="1",
        limits=(0.0, 2.0),
        soft=(0.0, 0.5),
    )
    detail: int = param(
        2, "Detail", "Sizes of veins, each half of the one before and half as strong", limits=(1, 6), soft=(1, 4)
    )
    low: float = param(
        0.15, "In Veins", "Factor of the strength in veins", unit="1", limits=(0.0, 1e6), soft=(0.0, 2.0)
    )
    high: float = param(
        1.5, "Between", "Factor of the strength between the veins", unit="1", limits=(0.0, 1e6), soft=(0.0, 5.0)
    )


def values(sample: Sample, params: VeinsParams) -> Floats:
    """(n,) factors of the strength: `low` where the turbulence is below the threshold, `high` above."""
    above = turbulence(sample.points, params, STREAM) - params.threshold
    return interpolate_clamped(params.low, params.high, step(above, params.edge))


METHOD: Method[Field] = Method(
    id="veins",
    label="Veins",
    doc="Weak veins that run through strong matter, where cracks gather: large and small shards side by side",
    reference="Smith, Witkin, Baraff 2001, section 4.1",
    params=VeinsParams,
    run=Field(STRENGTH, values),
)
