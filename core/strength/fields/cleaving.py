"""Planes along which the object cleaves (Smith, Witkin, Baraff 2001, section 2.1): one, or a pack of parallel ones."""

from dataclasses import dataclass

import numpy as np

from ...arithmetic.products import dot
from ...config.params import param
from ...config.registry import Method
from ...types import Bools, Floats
from .contract import STRENGTH, Field, Sample, direction_along


@dataclass(frozen=True, slots=True)
class CleavingParams:
    """Where the planes lie, and how weak the object is there."""

    # Defaults are by eye.
    direction: tuple[float, float, float] = param(
        (0.0, 0.0, 1.0),
        "Direction",
        "Across the planes, in the object's own axes; Auto cuts across its longest side",
        zero="Auto",
        instead=(0.0, 0.0, 1.0),
        limits=(-1e6, 1e6),
        soft=(-1.0, 1.0),
    )
    offset: float = param(
        0.0,
        "Shift",
        "Distance of the middle plane from the middle of the object, relative to its diagonal",
        unit="1",
        limits=(-1.0, 1.0),
        soft=(-0.5, 0.5),
    )
    count: int = param(1, "Planes", "How many parallel planes there are", limits=(1, 1000), soft=(1, 50))
    spacing: float = param(
        0.1,
        "Spacing",
        "Distance of neighbouring planes relative to the object's diagonal",
        unit="1",
        limits=(0.001, 1.0),
        soft=(0.01, 0.5),
        needs=("count", tuple(range(2, 1001))),
    )
    width: float = param(
        0.0,
        "Width",
        "Thickness of the weak layer around each plane, relative to the object's diagonal; 0 weakens only what the "
        "plane itself passes through",
        unit="1",
        limits=(0.0, 1.0),
        soft=(0.0, 0.2),
    )
    factor: float = param(
        0.2, "At Planes", "Factor of the strength at the planes", unit="1", limits=(0.0, 1e6), soft=(0.0, 2.0)
    )


def values(sample: Sample, params: CleavingParams) -> Floats:
    """(n,) factors of the strength: of bonds whose cells lie on two sides of a plane, or that lie in its layer."""
    return np.where(_cleaves(sample, params), params.factor, 1.0)


def _cleaves(sample: Sample, params: CleavingParams) -> Bools:
    normal = direction_along(params.direction, sample.extent)
    first = params.offset - 0.5 * (params.count - 1) * params.spacing
    ends = (dot(sample.ends, normal) - first) / params.spacing
    below = np.clip(np.floor(ends) + 1.0, 0.0, params.count)  # how many planes lie below each end
    at = (dot(sample.points, normal) - first) / params.spacing
    away = np.abs(at - np.clip(np.round(at), 0.0, params.count - 1.0)) * params.spacing
    return np.asarray((below[:, 0] != below[:, 1]) | (away < 0.5 * params.width))


METHOD: Method[Field] = Method(
    id="cleaving",
    label="Cleaving Planes",
    doc="Planes along which the object splits: one, or many parallel ones as in slate and crystals",
    reference="Smith, Witkin, Baraff 2001, section 2.1",
    params=CleavingParams,
    run=Field(STRENGTH, values),
)
