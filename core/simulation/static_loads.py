"""What colliders do to objects that are static: neither can move, so that no impulse between the two has a size.

It is found as if the static fragments were free for one frame, in the air and without weight, with nothing but the
colliders that are driven through them. Nothing comes of that frame but the impulses.
"""

from dataclasses import replace

import numpy as np

from ..rigid.advance import has_moving_collider
from ..rigid.contact_impulses import BodyContactImpulses
from ..rigid.contract import StepReport
from ..rigid.state import World, select_bodies
from ..stepwise import result_of
from .live_fragments import LiveFragments
from .spec import AdvanceFrame


def find_static_loads(live: LiveFragments, move: AdvanceFrame, world: World, dt: float) -> StepReport | None:
    """What colliders that move did to static fragments in a frame of `dt` [s]; None where there are none of both.

    Rows are those of the live fragments.
    """
    static = np.flatnonzero(live.pinned & ~live.skins())
    if len(static) == 0 or not has_moving_collider(world):
        return None
    bodies, state = select_bodies(live.bodies, live.state, static)
    free = replace(bodies, pinned=np.zeros(len(static), np.bool_))
    _, report = result_of(move(free, state, World(np.zeros(3), None, world.colliders, world.lead), dt))
    body = report.touch_body
    kinematic = body - len(static) + len(live.alive)
    return replace(
        report, touch_body=np.where(body < len(static), static[np.minimum(body, len(static) - 1)], kinematic)
    )


def join_impulses(a: BodyContactImpulses, b: BodyContactImpulses) -> BodyContactImpulses:
    """What two accounts have found, of different pairs."""
    ease = [some.ease if len(some.ease) else np.zeros(len(some.body)) for some in (a, b)]
    of_both = (np.concatenate([getattr(a, name), getattr(b, name)]) for name in ("body", "impulse", "anchor", "pace"))
    return BodyContactImpulses(*of_both, *[np.concatenate(ease)])
