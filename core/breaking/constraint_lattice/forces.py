"""The forces of impacts on the points of a lattice.

Source: Smith, Witkin, Baraff 2001, section 3; how the force spreads is ours (resolution 4.16 for its size). The force
of a blow is a field of deceleration: each point takes part by its mass, those near the hit most.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...arithmetic.elementary import exp
from ...arithmetic.products import dot, norm
from ...types import Floats, Impact
from ..throw import speed_field
from .structure import Structure


def impulses_of(impacts: Sequence[Impact], structure: Structure, spread: float, width: float) -> tuple[Floats, float]:
    """Impulse (N,6) by which impacts load each body [N s], and the share of it that they really give.

    The impulse of a contact is what was felt; that of an artist's impact is what its speed makes of the mass that it
    reaches. `width` scales the radius within which matter takes part, without changing the whole: a body that is
    dropped is stopped all over, not at the contact alone. `spread` is the outward part of the speed, see `speed_field`.
    The strength of an artist's impact scales its force alone, and one without speed loads as one of 1 m/s does: that is
    why it gives another share. A contact gives all: its force is known.
    """
    position, mass = structure.position, structure.mass
    total, forced, given = np.zeros((len(mass), 6)), 0.0, 0.0
    for impact in impacts:
        unit = replace(impact, speed=1.0)
        wide = mass[:, None] * speed_field(position, replace(unit, radius=width * impact.radius), spread)
        along = float(dot(wide, impact.direction).sum())
        forces = gives = impact.impulse
        if forces == 0.0:
            near = mass * exp(-norm(position - impact.point) / impact.radius)
            gives = abs(impact.speed) * float(near.sum())
            forces = impact.strength * (gives or float(near.sum()))
        if not along > 0.0:
            continue
        total[:, :3] += (forces / along) * wide
        forced, given = forced + forces, given + gives
    return total, given / forced if forced > 0.0 else 0.0
