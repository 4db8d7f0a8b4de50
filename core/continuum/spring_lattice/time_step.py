"""How long a substep may be.

With natural frequency w and damping rate g of the stiffest and the most damped mode, symplectic Euler is stable while
(w h)^2 + 2 g h < 4. By Gershgorin w^2 <= max_i (2/m_i) sum_j k_ij, and g <= max_i (2/m_i) sum_j d_ij.
"""

import math

from ...errors import InputError
from ...types import Bools, Floats
from ...wording import number
from .lattice import SpringLattice, sums_at

SAFETY = 0.5  #: of the largest stable step
FRAME_SUBSTEPS_MOST = 1_000_000  #: in a frame


def stable_step(
    lattice: SpringLattice, stiffness_scale: float, contact_stiffness: Floats, contact_damping: Floats, anchored: Bools
) -> float:
    """The largest stable step of symplectic Euler [s]; infinite for nodes without springs.

    stiffness_scale: what springs are multiplied by. contact_stiffness, contact_damping: (n,) what contacts add at each
    node [N/m], [N s/m]. `anchored` (n,) nodes stay.
    """
    rate = [
        _largest_row(lattice, of_bond, of_node, anchored)
        for of_bond, of_node in (
            (lattice.stiffness * stiffness_scale, contact_stiffness),
            (lattice.damping, contact_damping),
        )
    ]
    low = rate[1] + math.sqrt(rate[1] * rate[1] + 4.0 * rate[0])
    return 4.0 / low if low > 0.0 else math.inf


def steady_paper_step(lattice: SpringLattice) -> float:
    """The step up to which the paper's Euler gains no energy: d/k of the least damped spring [s]."""
    return float((lattice.damping / lattice.stiffness).min(initial=math.inf))


def substep_count(frame_time: float, step: float, safety: float = SAFETY) -> int:
    """Substeps of a frame [s] of which none is longer than the safe part of a stable step.

    Raises InputError where that would be a million.
    """
    count = frame_time / (safety * step) if math.isfinite(step) else 1.0
    if not count < FRAME_SUBSTEPS_MOST:
        raise InputError(
            f"This lattice needs {number(count)} substeps a frame: choose a softer or heavier material, larger cells, "
            "or less damping."
        )
    return max(1, math.ceil(count))


def _largest_row(lattice: SpringLattice, of_bond: Floats, of_node: Floats, anchored: Bools) -> float:
    total = of_node.copy()
    for end in lattice.bond_node.T:
        total += sums_at(end, of_bond, len(total))
    free = ~anchored
    return float((2.0 * total[free] / lattice.mass[free]).max(initial=0.0))
