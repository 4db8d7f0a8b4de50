"""Blows on an object: the impact empties that are meant for it, or else its own, which comes from the viewer."""

from dataclasses import dataclass

import bpy
import numpy as np

from ...core.arithmetic.products import norm
from ...core.geometry.mesh import bounds, rotated
from ...core.types import Impact, Mesh
from . import names
from .refusals import BREAKABLE
from .surface import Placement, depth_behind, extent
from .undefined import refuse_undefined
from .viewer import aim_from_viewer

#: An impact without an owner hits the objects whose bounding box is nearer than this part of their diagonal. By eye:
#: what is put beside an object means it.
REACH = 0.1
#: Automatic speed of a blow, over that of a fall through the object's diagonal without the 2: on a pane, and what is
#: added for each diagonal of matter behind the point, which stops what is pushed into it. By eye, with panes, and with
#: cubes, balls and cones of all materials on a floor: they have half a diagonal of matter behind the point, 1 moves a
#: single piece of them, 5 the side that is hit, and 10 all.
SPEED, BEHIND = 5.0, 10.0
STANDARD_GRAVITY = 9.80665  #: [m/s^2]. By definition (CGPM 1901).


def impact_empties(context: bpy.types.Context, obj: bpy.types.Object, mesh: Mesh, placed: Placement) -> list:
    """The scene's impact empties that are meant for `obj`, by name.

    An empty belongs to the breakable object it is parented to (directly or further up), and hits nothing else. Without
    one it hits every object within its radius, or within a tenth of the object's diagonal.
    """
    low, high = bounds(rotated(mesh.vertices, mesh.turn))
    found = []
    for empty in context.scene.objects:
        if empty.type != "EMPTY" or not getattr(getattr(empty, names.IMPACT, None), "is_impact", False):
            continue
        found_owner = owner(empty)
        if found_owner is None:
            point = _point(empty, placed)
            distance = float(norm(point - np.clip(point, low, high)))
            radius = getattr(empty, names.IMPACT).radius * placed.unit_scale
            # One without a place counts as near: it is refused by name.
            if not distance > max(radius, REACH * float(norm(high - low))):
                found.append(empty)
        elif found_owner == obj:
            found.append(empty)
    return sorted(found, key=lambda empty: empty.name)


@dataclass(frozen=True, eq=False, slots=True)
class Blows:
    """The blows on an object, first hit first."""

    hits: tuple[Impact, ...]  #: in body coordinates
    empties: tuple[bpy.types.Object | None, ...]  #: the one that stands for each hit; None for that from the viewer
    start: int  #: the frame of time 0


def blows_on(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    mesh: Mesh,
    placed: Placement,
    fps: float,
    now: int,
    heading: np.ndarray,
    begin: int | None = None,
    passed: bool = True,
) -> Blows:
    """Blows on the object, of which the first one is at time 0.

    Where no impact is meant for the object it is hit from the side of the viewer, who looks along `heading` (3,), by
    its own settings.

    A hit keeps its frame, wherever the playhead is; one without a frame (0) happens at the frame `now`. With a frame
    `begin` that one is time 0: hits without a frame, and those that have passed by then, happen there, unless these do
    not count (`passed` is False), and there may be no hit at all.
    """
    now = now if begin is None else begin
    empties = impact_empties(context, obj, mesh, placed)
    if begin is not None and not passed:
        empties = [empty for empty in empties if getattr(empty, names.IMPACT).frame >= begin]
    if not empties and begin is not None:
        return Blows((), (), now)
    groups = [getattr(empty, names.IMPACT) for empty in empties] or [getattr(obj, names.OBJECT).blow]
    frames = [int(group.frame) or now for group in groups]
    start = min(frames) if begin is None else begin
    times = [(max(frame, start) - start) / fps for frame in frames]
    aims = [_aimed(empty, placed) for empty in empties] or [aim_from_viewer(context, mesh, placed, heading)]
    hits = [_impact(*aim, group, mesh, placed, time) for aim, group, time in zip(aims, groups, times, strict=True)]
    order = sorted(range(len(hits)), key=lambda k: hits[k].time)
    return Blows(tuple(hits[k] for k in order), tuple((empties or [None])[k] for k in order), start)


def _impact(
    point: np.ndarray, direction: np.ndarray, group: bpy.types.PropertyGroup, mesh: Mesh, placed: Placement, time: float
) -> Impact:
    """A hit with the numbers of its settings."""
    speed = _decimal(group.speed) * placed.unit_scale
    return Impact(
        point,
        direction,
        strength=_decimal(group.strength),
        speed=speed or automatic_speed(mesh, point, direction),
        radius=_decimal(group.radius) * placed.unit_scale,
        time=time,
        automatic=speed == 0.0,
    )


def automatic_speed(mesh: Mesh, point: np.ndarray, direction: np.ndarray) -> float:
    """Speed [m/s] of a blow on an object at a point (3,) along a unit direction (3,).

    What is thrown by it crosses some sizes of the object until it lands, be it a cup or a house.
    """
    size = extent(mesh)
    if size == 0.0:
        return 0.0
    behind = min(depth_behind(mesh, point, direction) / size, 1.0)
    return float((SPEED + BEHIND * behind) * np.sqrt(STANDARD_GRAVITY * size))


def _aimed(empty: bpy.types.Object, placed: Placement) -> tuple[np.ndarray, np.ndarray]:
    """Point and unit direction (3,) of an impact, in body coordinates; one without a direction goes down."""
    refuse_undefined(empty, np.array(empty.matrix_world, np.float64))
    direction = np.array(empty.matrix_world.col[2], np.float64)[:3]
    length = norm(direction)
    return _point(empty, placed), direction / length if length > 0.0 else np.array([0.0, 0.0, -1.0])


def owner(empty: bpy.types.Object) -> bpy.types.Object | None:
    """The breakable object that an impact is parented to, directly or further up; None without one."""
    parent = empty.parent
    while parent is not None and parent.type not in BREAKABLE:
        parent = parent.parent
    return parent


def _point(empty: bpy.types.Object, placed: Placement) -> np.ndarray:
    return (np.array(empty.matrix_world.translation, np.float64) - placed.origin) * placed.unit_scale


def _decimal(value: float) -> float:
    """The shortest decimal that names a 32-bit number: what the artist typed (0.3, not 0.30000001192)."""
    return float(str(np.float32(value)))
