"""Rigid bodies for tests: sets of them joined, and turned."""

import numpy as np

from core.rigid.quaternion import rotate_quaternion
from core.rigid.shapes.convex_parts import concatenate_parts
from core.rigid.state import RigidBodies, RigidState
from core.types import Floats


def rotate_quaternions(rotation: Floats, angle: Floats) -> Floats:
    """Unit quaternions (K,4) after rotations by vectors `angle` (K,3) [rad] in world axes."""
    turned = np.array(rotation, np.float64)
    for q, a in zip(turned, angle, strict=True):
        rotate_quaternion(q, *a)
    return turned


def join_bodies(
    first: tuple[RigidBodies, RigidState], second: tuple[RigidBodies, RigidState]
) -> tuple[RigidBodies, RigidState]:
    """The bodies of `first` followed by those of `second`.

    Bodies of other shapes than those of `first` bring theirs along, and no contacts; kinematic bodies touch anew then,
    since their parts come after all others.
    """
    (a, s), (b, t) = first, second
    known = len(b.part) == 0 or a.shapes is b.shapes
    shapes = a.shapes if known else concatenate_parts([a.shapes, b.shapes])
    moved = b.part if known else b.part + len(a.shapes.parts)
    bodies = RigidBodies(
        mass=np.concatenate([a.mass, b.mass]),
        inertia=np.concatenate([a.inertia, b.inertia]),
        centre=np.concatenate([a.centre, b.centre]),
        part_start=np.concatenate([a.part_start, b.part_start[1:] + a.part_start[-1]]),
        part=np.concatenate([a.part, moved]),
        shapes=shapes,
        friction=np.append(a.friction, b.friction),
        restitution=np.append(a.restitution, b.restitution),
        pinned=np.append(a.pinned, b.pinned),
    )
    return bodies, RigidState(
        position=np.concatenate([s.position, t.position]),
        rotation=np.concatenate([s.rotation, t.rotation]),
        velocity=np.concatenate([s.velocity, t.velocity]),
        angular_momentum=np.concatenate([s.angular_momentum, t.angular_momentum]),
        asleep=np.concatenate([s.asleep, t.asleep]),
        quiet=np.concatenate([s.quiet, t.quiet]),
        since=np.concatenate([s.since, t.since]),
        pairs=s.pairs if known else s.pairs[(s.pairs.part < len(a.shapes.parts)).all(axis=1)],
        contacts=s.contacts,
    )
