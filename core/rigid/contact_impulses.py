"""What pressed on what in a frame, summed over the parts of each pair of bodies."""

from dataclasses import dataclass, field

import numpy as np

from ..arithmetic.elementary import hypot
from ..types import Floats, Frozen, Ints
from .contract import StepReport


@dataclass(frozen=True, eq=False, slots=True)
class BodyContactImpulses(Frozen):
    """P pairs of bodies that pressed on each other, in ascending order."""

    body: Ints  #: (P,2) rows as in `StepReport`, the smaller one first
    impulse: Floats  #: (P,3) on the first of them over the whole frame, world axes [N s]
    anchor: Floats  #: (P,2,3) where on each of the two, see `StepReport` [m]
    pace: Floats  #: (P,3) velocity of the point of what deforms, reversed where that comes first, else 0 [m/s]
    #: (P,) change of the relative speed by a unit impulse, of pairs of which neither can be moved, see
    #: `simulation.skin_contacts` [1/kg]. Empty: that is known of none.
    ease: Floats = field(default_factory=lambda: np.zeros(0))


def sum_contact_impulses(report: StepReport) -> BodyContactImpulses:
    """The touches of a frame by pairs of bodies: impulses are summed, points averaged.

    The points of the parts count by the sizes of their impulses, so that parts which press against each other, whose
    impulses cancel, still say where.
    """
    if len(report.touch_body) == 0:
        return BodyContactImpulses(np.zeros((0, 2), np.int64), np.zeros((0, 3)), np.zeros((0, 2, 3)), np.zeros((0, 3)))
    first, second = report.touch_body.T
    turned = first > second
    key = (np.minimum(first, second) << 32) + np.maximum(first, second)
    impulse = np.where(turned[:, None], -report.touch_impulse, report.touch_impulse)
    anchor = np.where(turned[:, None, None], report.touch_anchor[:, ::-1], report.touch_anchor)
    pace = np.where(turned[:, None], -report.touch_pace, report.touch_pace)
    pair, which = np.unique(key, return_inverse=True)
    weight = hypot(hypot(impulse[:, 0], impulse[:, 1]), impulse[:, 2])  # squares could vanish
    total = np.zeros((len(pair), 13))
    np.add.at(
        total,
        which,
        np.column_stack([impulse, weight, weight[:, None] * anchor.reshape(-1, 6), weight[:, None] * pace]),
    )
    return BodyContactImpulses(
        np.stack([pair >> 32, pair & 0xFFFFFFFF], axis=1),
        total[:, :3],
        (total[:, 4:10] / total[:, 3:4]).reshape(-1, 2, 3),
        total[:, 10:] / total[:, 3:4],
    )
