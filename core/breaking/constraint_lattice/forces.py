"""The forces of impacts on the points of a lattice.

Source: Smith, Witkin, Baraff 2001, section 3; how the force spreads is ours (resolution 4.16 for its size). The force
of a blow is a field of deceleration: each point takes part by its mass, those near the hit most.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...types import Floats, Impact
from ..throw import speed_field
from .structure import Structure


def impulses_of(impacts: Sequence[Impact], structure: Structure, spread: float, width: float) -> tuple[Floats, float]:
    """Impulse (N,6) that impacts give to each body [N s], and by how much the forces are larger than these tell.

    The impulse of a contact is what was felt; that of an artist's impact is what its speed makes of the mass that it
    reaches. `width` scales the radius within which matter takes part, without changing the whole: a body that is
    dropped is stopped all over, not at the contact alone. `spread` is the outward part of the speed, see `speed_field`.
    The second value is the mean strength of the impacts, weighed by their impulses; a contact's is 1: it is known.
    """
    position, mass = structure.position, structure.mass
    total, forced, whole = np.zeros((len(mass), 6)), 0.0, 0.0
    for impact in impacts:
        unit = replace(impact, speed=1.0)
        wide = mass[:, None] * speed_field(position, replace(unit, radius=width * impact.radius), spread)
        along = float(np.sum(wide @ impact.direction))
        size, strength = impact.impulse, 1.0
        if size == 0.0:
            near = mass * np.exp(-np.linalg.norm(position - impact.point, axis=1) / impact.radius)
            size, strength = impact.speed * float(near.sum()), impact.strength
        if not along > 0.0:
            continue
        total[:, :3] += (size * strength / along) * wide
        forced, whole = forced + abs(size) * strength, whole + abs(size)
    return total, forced / whole if whole > 0.0 else 0.0
