"""Large bonds and large pieces hold better (Smith, Witkin, Baraff 2001, section 2.1; the exponents are ours).

In the paper the strength scales with the volume of the two tetrahedra and with the area of the face that they share,
without a formula; here s = (A / mean A)^a ((V_1 + V_2) / 2 / mean V)^b. Strengths are a stress times the bonded area
already, so a counts on top of that, and is 0 unless it is asked for.
"""

from dataclasses import dataclass

import numpy as np

from ...arithmetic.elementary import power
from ...config.params import param
from ...config.registry import Method
from ...types import Floats
from .contract import STRENGTH, Field, Sample

#: What is smaller than this share of the mean counts as of this share, so that no power of it is infinite. Chosen:
#: below it a power of any use would be infinite or 0.
_LEAST = 1e-6


@dataclass(frozen=True, slots=True)
class SizeParams:
    """How much the sizes of bonds and of pieces count."""

    # Defaults are ours: docs/papers/smith2001.md, 2.
    area: float = param(
        0.0,
        "Area",
        "Power of the area of a bond over the mean: above 0 large cracks open later. The area itself always counts",
        unit="1",
        limits=(-2.0, 2.0),
        soft=(0.0, 1.0),
    )
    volume: float = param(
        1.0 / 3.0,
        "Volume",
        "Power of the volume of the two pieces over the mean: above 0 large pieces hold together better",
        unit="1",
        limits=(-2.0, 2.0),
        soft=(0.0, 1.0),
    )


def values(sample: Sample, params: SizeParams) -> Floats:
    """(n,) factors of the strength; see the module."""
    area, volume = (np.maximum(measure, _LEAST) for measure in (sample.area, sample.volume))
    return np.asarray(power(area, params.area) * power(volume, params.volume))


METHOD: Method[Field] = Method(
    id="size",
    label="Size",
    doc="Large pieces hold together better than small ones",
    reference="Smith, Witkin, Baraff 2001, section 2.1; exponents ours",
    params=SizeParams,
    run=Field(STRENGTH, values),
)
