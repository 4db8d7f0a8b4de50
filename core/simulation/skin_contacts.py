"""What objects that deform do to what cannot be moved either: colliders, the ground, and each other.

All of these are kinematic, so no impulse between them has a size. As with what is static (see `static_loads`), it is
found as if one of two could be pushed: it meets the skin of the other for one frame, with its own velocity, in the
air and without weight. Nothing comes of that but where the two met, and how much that changed their relative speed.

Limitation: of two that deform, one has a rigid motion within the frame, that which fits it best.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..arithmetic.products import apply, dot, norm
from ..arithmetic.small_matrices import rotation_matrices
from ..geometry.mesh import cross_rows, invert_3x3
from ..rigid.contact_impulses import BodyContactImpulses, sum_contact_impulses
from ..rigid.kinematic_bodies import block_below, isolate_collider, release_collider, sweep_colliders
from ..rigid.state import RigidBodies, RigidState, World
from ..stepwise import result_of
from ..types import Floats
from .live_fragments import LiveFragments
from .spec import AdvanceFrame

#: Boxes farther apart than this share of their sizes do not meet. By eye.
_NEAR = 1e-3


class _Meeting(NamedTuple):
    """Two that met: a skin, and what was pushed by it."""

    row: int  #: of the object with the skin
    other: int  #: row of the other one, or what is kinematic, behind the last row
    speed: float  #: change of the relative speed [m/s]
    push: Floats  #: (3,) unit, on the other one, in the world
    anchor: Floats  #: (2,3) on the object in its coordinates, and on the other one as in `StepReport` [m]
    pace: Floats  #: (3,) by which the point of the object is faster than that of the other, as far as that one deforms


def find_skin_contacts(
    live: LiveFragments, rows: dict[int, int], colliders: int, move: AdvanceFrame, world: World, dt: float
) -> BodyContactImpulses | None:
    """What skins did to what is kinematic in a frame of `dt` [s]; None where there was nothing.

    `rows` are those of the objects by the numbers of their skins in the `world`, in which the first `colliders` are no
    objects. Impulses are such as would change the speed of the objects, were they free, by as much.
    """
    if not rows:
        return None
    found = [meeting for pair in _pairs(live, rows, colliders, world, dt) if (meeting := _meet(pair, move, dt))]
    if not found:
        return None
    ease = np.array([_ease(live, one) for one in found])
    push = np.array([one.push for one in found]) * np.array([one.speed for one in found])[:, None] / ease[:, None]
    body = np.array([(one.row, one.other) for one in found])
    turned = body[:, 0] > body[:, 1]
    anchor, pace = np.array([one.anchor for one in found]), np.array([one.pace for one in found])
    return BodyContactImpulses(
        np.where(turned[:, None], body[:, ::-1], body),
        np.where(turned[:, None], push, -push),
        np.where(turned[:, None, None], anchor[:, ::-1], anchor),
        np.where(turned[:, None], pace, -pace),
        ease,
    )


def _ease(live: LiveFragments, one: _Meeting) -> float:
    mass = live.rest.mass
    return float(1.0 / mass[one.row] + (1.0 / mass[one.other] if one.other < len(mass) else 0.0))


class _Pair(NamedTuple):
    row: int  #: of the object with the skin
    place: Floats  #: (3,) of that object
    skin: World  #: nothing but it
    other: int  #: see `_Meeting`
    bodies: RigidBodies
    state: RigidState
    shift: Floats  #: (3,) from the coordinates of the body to those in which the point of the other is told
    deforms: bool  #: the other one has no velocity of its own


def _pairs(live: LiveFragments, rows: dict[int, int], colliders: int, world: World, dt: float) -> Iterator[_Pair]:
    """The pairs whose boxes meet, of which one moves."""
    boxes = sweep_colliders(world)
    place, obj = np.array([one.place for one in live.objects]), live.object_of()
    count, number = len(live.alive), boxes.number
    for i in np.flatnonzero(np.isin(number, list(rows))).tolist():
        row = rows[int(number[i])]
        bounce, skin = float(np.asarray(live.bodies.restitution)[row]), isolate_collider(world, int(number[i]))
        near = _NEAR * float(norm(boxes.high[i] - boxes.low[i]))
        meets = (boxes.low <= boxes.high[i] + near).all(axis=1) & (boxes.high >= boxes.low[i] - near).all(axis=1)
        for k in np.flatnonzero(meets & (boxes.moves | boxes.moves[i])).tolist():
            n = int(number[k])
            if n in rows and n <= int(number[i]):  # of two that deform one is pushed
                continue
            other = rows.get(n, count + n)
            mass = float(live.rest.mass[other]) if n in rows else 1.0
            bodies, state = release_collider(world, n, dt, mass, bounce)
            shift = -place[obj[other]] if n in rows else np.zeros(3)
            deforms = int(np.count_nonzero(world.colliders.number == n)) > 1 or n in rows  # type: ignore[union-attr]
            yield _Pair(row, place[obj[row]], skin, other, bodies, state, shift, deforms)
        if world.ground is not None and boxes.moves[i] and boxes.low[i, 2] <= world.ground.height + near:
            bodies, state = block_below(boxes.low[i], boxes.high[i], world.ground.height, bounce)
            yield _Pair(row, place[obj[row]], skin, count + colliders, bodies, state, np.zeros(3), False)


def _meet(pair: _Pair, move: AdvanceFrame, dt: float) -> _Meeting | None:
    """What happens where the other one could be pushed; None where the two do not meet."""
    bodies, state = pair.bodies, pair.state
    found = sum_contact_impulses(result_of(move(bodies, state, pair.skin, dt))[1])
    if len(found.body) == 0:
        return None
    impulse = found.impulse[0]
    size = float(norm(impulse))
    if size == 0.0:
        return None
    R = rotation_matrices(state.rotation)[0]
    arm = apply(R, found.anchor[0, 0] - bodies.centre[0])
    lever = cross_rows(arm[None], impulse[None] / size)[0]
    # Its inertia is that of a ball.
    ease = 1.0 / float(bodies.mass[0]) + float(dot(lever, lever)) / float(bodies.inertia[0, 0, 0])
    own = found.pace[0]
    if pair.deforms:
        spin = apply(invert_3x3(bodies.inertia[0]), state.angular_momentum[0])
        own = own - state.velocity[0] - np.cross(spin, arm)
    anchor = np.stack([found.anchor[0, 1] - pair.place, found.anchor[0, 0] + pair.shift])
    return _Meeting(pair.row, pair.other, size * ease, impulse / size, anchor, own)
