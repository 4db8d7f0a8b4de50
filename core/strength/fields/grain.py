"""Matter with a grain: weak along the fibres, strong across them (Hankinson 1921)."""

from dataclasses import dataclass

import numpy as np

from ...arithmetic.products import dot
from ...config.params import param
from ...config.registry import Method
from ...types import Floats
from .contract import STRENGTH, Field, Sample, direction_along


@dataclass(frozen=True, slots=True)
class GrainParams:
    """How the fibres run, and how well they hold together."""

    # Defaults are by eye.
    direction: tuple[float, float, float] = param(
        (0.0, 0.0, 0.0),
        "Direction",
        "Direction of the fibres in the object's own axes; Auto takes its longest side",
        zero="Auto",
        instead=(0.0, 0.0, 1.0),
        limits=(-1e6, 1e6),
        soft=(-1.0, 1.0),
    )
    split: float = param(
        0.1,
        "Along",
        "Factor of the strength of cracks that run along the fibres; wood has 0.04 to 0.1",
        unit="1",
        limits=(1e-6, 1e6),
        soft=(0.01, 1.0),
    )
    cut: float = param(
        1.0,
        "Across",
        "Factor of the strength of cracks straight across the fibres",
        unit="1",
        limits=(1e-6, 1e6),
        soft=(0.01, 5.0),
    )


def values(sample: Sample, params: GrainParams) -> Floats:
    """(n,) factors of the strength, N = P Q / (P sin^2 + Q cos^2) of the angle between fibres and normal."""
    P, Q = params.cut, params.split
    cos2 = np.minimum(np.square(dot(sample.normal, direction_along(params.direction, sample.extent))), 1.0)
    return np.asarray(P * Q / (P * (1.0 - cos2) + Q * cos2))


METHOD: Method[Field] = Method(
    id="grain",
    label="Grain",
    doc="Cracks run easily along the fibres and hardly across them, as in wood",
    reference="Hankinson 1921",
    params=GrainParams,
    run=Field(STRENGTH, values),
)
