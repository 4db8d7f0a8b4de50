"""How fast each point of a surface moves that deforms, as the viewport shows it around a frame."""

from collections.abc import Callable

import bpy
import numpy as np

from ...core.simulation.deforming_mesh import follow_surface
from ...core.types import Mesh
from .deforming import may_deform_in_time
from .movement import HALF, ROUNDING, same_place
from .snapshots import Snapshot, body_meshes, keeps_its_form, take_snapshot
from .source import SourceAttributes
from .undefined import refuse_undefined

#: [frames] from the frame of the break, at which an object that moves is looked at.
AROUND = (-2.0 * HALF, -HALF, 0.0, HALF, 2.0 * HALF)


def look_around(
    context: bpy.types.Context, obj: bpy.types.Object, start: int, lead: Callable[[float], None]
) -> list[Snapshot]:
    """What an object is at `AROUND` a frame, to which `lead` leads the scene.

    Where it stands half a frame away it is not looked at farther on that side: each frame that is looked at may set the
    physics of the scene going. Raises InputError where the object has no place.
    """
    deforms = may_deform_in_time(obj)

    def look(step: float, here: Snapshot | None) -> Snapshot:
        lead(start + step)
        seen = take_snapshot(context, obj, here, deforms)
        refuse_undefined(obj, seen.matrix)
        return seen

    here = look(0.0, None)
    ways = []
    for side in (-1.0, 1.0):
        near = look(side * HALF, here)
        ways.append((near, near if _stands(here, near) else look(2.0 * side * HALF, here)))
    (before, long_before), (after, long_after) = ways
    return [long_before, before, here, after, long_after]


def _stands(here: Snapshot, there: Snapshot) -> bool:
    same = there.points is here.points and there.triangles is here.triangles
    return same and same_place(there.matrix, here.matrix)


def flow_of(seen: list[Snapshot], source: SourceAttributes, fps: float) -> np.ndarray:
    """The velocity (V,3) of each vertex in world axes [m/s], from what `look_around` saw.

    (0,3) where the object keeps its form. Each vertex by the differences of `movement.momentum`: where it moves on one
    side only, its animation begins or ends at the break, and that side counts alone.
    """
    if any(one.fault for one in seen) or keeps_its_form(seen):
        return np.zeros((0, 3))
    meshes = body_meshes(source.name, seen, source.origin, source.unit_scale)
    here, h = meshes[2], HALF / fps
    rounding = ROUNDING * source.unit_scale * max(np.abs(one.matrix[:3, 3]).max() + _reach(one) for one in seen)
    before, moves_before = _way(here, meshes[1], meshes[0], rounding)
    after, moves_after = _way(here, meshes[3], meshes[4], rounding)
    both = 0.5 * (after[0] - before[0])
    one_way = 2.0 * (after[0] - before[0]) - 0.5 * (after[1] - before[1])  # of two ways one is 0
    velocity = np.where((moves_before & moves_after)[:, None], both, one_way) / h
    return np.where(np.isfinite(velocity), velocity, 0.0)


def _way(here: Mesh, near: Mesh, far: Mesh, rounding: float) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """How far each vertex is half a frame and a whole frame away (V,3), and whether it moves there; 0 where not."""
    half = follow_surface(here, near)
    whole = follow_surface(half, far)
    first, second = half.vertices - here.vertices, whole.vertices - half.vertices
    moves = (np.abs(first).max(axis=1) > rounding) & (np.abs(second).max(axis=1) > rounding)
    return (np.where(moves[:, None], first, 0.0), np.where(moves[:, None], first + second, 0.0)), moves


def _reach(seen: Snapshot) -> float:
    """How far a mesh reaches from the object's origin, at most, along an axis of the world."""
    return float((np.abs(seen.matrix[:3, :3]) * np.abs(seen.points).max(axis=0)).sum(axis=1).max())
