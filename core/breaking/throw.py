"""The speed that a blow hands to the matter around it."""

import numpy as np

from ..arithmetic.elementary import exp
from ..arithmetic.products import dot, norm
from ..types import Floats, Impact

#: Share of the radius within which the outward part grows from zero. By eye.
_SMOOTH = 0.1


def speed_field(x: Floats, impact: Impact, spread: float) -> Floats:
    """Speed that the blow gives to matter at points `x` (n,3), in [m/s]: along the blow, and outwards from its line.

    Both fall off as exp(-r/R) with the distance r to the hit and the radius R of the blow. The outward part grows
    from zero on the line of the blow, so that the field is smooth there. Ours; the papers leave the throw open.
    """
    d = impact.direction
    r = x - impact.point
    across = r - dot(r, d)[:, None] * d
    outward = across / (norm(across) + _SMOOTH * impact.radius)[:, None]
    falloff = exp(-norm(r) / impact.radius)
    return np.asarray(impact.speed * falloff[:, None] * (d + spread * outward))
