"""Handles on the blows that are drawn: where a blow lands, where it comes from, its strength and its radius.

What they change is what the panels show: an impact's empty and settings, or the settings of the blow from the viewer,
which becomes an impact as soon as it is moved or turned.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Matrix, Quaternion, Vector

from ..core.wording import number
from . import blow_view, idnames
from .blow_view import LENGTH, Blow
from .bridge import sizes
from .drags import Ray, direction_from, distance_along, distance_in_plane
from .impact import ARROW, Aim, add_impact, aim_along, place_impact
from .job import JobOperator
from .registering import registration_of

#: Blows that have handles; more of them are drawn only. By eye: more cover each other.
MOST = 16
#: Size of a handle [px], and how far the one of strength stands off the tail, in its sizes. By eye; at 3 sizes, tried
#: before, the handles covered each other.
SIZE, OFF = 0.1, 6.0
#: Part of the mouse's way that counts while Shift is held. As Blender has it.
PRECISE = 0.1
#: The third direction of the world.
UP = Vector((0.0, 0.0, 1.0))
#: By eye: that of the blow, and under the mouse.
COLOUR, HIGHLIGHT = (1.0, 0.35, 0.28), (1.0, 0.9, 0.4)


class Grip(StrEnum):
    """What a handle changes, as it is told."""

    PLACE = "Place"
    DIRECTION = "Direction"
    STRENGTH = "Force"
    RADIUS = "Radius"


@dataclass(slots=True)
class Drag:
    """One pull at a handle, from the press of the button to its release."""

    grip: Grip
    blow: Blow  #: as it was at the start
    undo: Callable[[], None]  #: puts all back
    offset: float = 0.0  #: of the handle from the mouse
    turn: Quaternion | None = None  #: from the surface's inward normal at the start to the blow, in its frame


def begin(context: bpy.types.Context, grip: Grip, blow: Blow, ray: Ray) -> Drag:
    """Take hold of a handle; the blow from the viewer becomes an impact where it is moved or turned."""
    obj = bpy.data.objects[blow.obj]
    if not blow.impact and grip in (Grip.PLACE, Grip.DIRECTION):
        empty = _placed(context, obj, blow)
        blow = replace(blow, impact=empty.name)
        drag = Drag(grip, blow, lambda: bpy.data.objects.remove(empty))
    else:
        drag = Drag(grip, blow, _memory(obj, blow))
    if grip is Grip.PLACE:
        aim = _surface_under(context, blow, ray)
        drag.turn = None if aim is None else _angle_to(aim.direction, blow)
    elif grip is Grip.STRENGTH:
        along = distance_along(ray, blow.place, -blow.direction)
        drag.offset = 0.0 if along is None else blow.length() - along
    elif grip is Grip.RADIUS:
        drag.offset = blow.reach - distance_in_plane(ray, blow.place, blow.direction)
    return drag


def pull(context: bpy.types.Context, drag: Drag, ray: Ray, share: float = 1.0) -> str:
    """Follow the mouse with what is held, by a share of its way; says what it is now."""
    blow = drag.blow
    if drag.grip in (Grip.PLACE, Grip.DIRECTION):
        empty = bpy.data.objects[blow.impact]
        aim = _slid(context, drag, ray) if drag.grip is Grip.PLACE else _turned(blow, ray)
        if aim is not None:
            place_impact(empty, *aim)
        return str(drag.grip)
    group: Any = _group(blow)
    if drag.grip is Grip.STRENGTH:
        along = distance_along(ray, blow.place, -blow.direction)
        if along is not None:
            group.strength = strength_at(blow, blow.length() + share * (along + drag.offset - blow.length()))
        return f"Force {number(group.strength)}"
    reach = distance_in_plane(ray, blow.place, blow.direction) + drag.offset
    # Not to nothing: a radius of 0 is Automatic.
    group.radius = max(blow.reach + share * (reach - blow.reach), 1e-3 * blow.size)
    units = context.scene.unit_settings
    return f"Radius {bpy.utils.units.to_string(units.system, 'LENGTH', group.radius)}"


def strength_at(blow: Blow, length: float) -> float:
    """The strength for which an arrow has a length; beyond the longest one that is drawn, in proportion to it."""
    begun = blow.length()
    drawn_freely = LENGTH * np.sqrt(blow.strength) * blow.size <= begun
    base = LENGTH * blow.size if drawn_freely or begun == 0.0 else begun / np.sqrt(blow.strength)
    return float((max(length, 0.0) / base) ** 2)


def _slid(context: bpy.types.Context, drag: Drag, ray: Ray) -> tuple[Vector, Vector] | None:
    """Place and direction on the surface of the object that is hit, at the angle to it that the blow had."""
    aim = _surface_under(context, drag.blow, ray)
    if aim is None:
        return None
    drag.turn = drag.turn or _angle_to(aim.direction, drag.blow)
    return aim.point, (_frame(aim.direction) @ drag.turn) @ UP


def _angle_to(normal: Vector, blow: Blow) -> Quaternion:
    """The turn from a surface's inward normal to a blow, in the frame of the surface."""
    return UP.rotation_difference(_frame(normal).inverted() @ Vector(blow.direction))


def _frame(normal: Vector) -> Quaternion:
    """The shortest turn of the Z axis to a normal."""
    return UP.rotation_difference(normal)


def _surface_under(context: bpy.types.Context, blow: Blow, ray: Ray) -> Aim | None:
    """Where a ray meets the object that is hit, whatever is before it."""
    origin, direction = Vector(ray.origin), Vector(ray.direction)
    for _ in range(MOST):
        aim = aim_along(context, origin, direction)
        if aim is None or aim.owner is None or aim.owner.name == blow.obj:
            return aim
        origin = aim.point + 1e-4 * blow.size * direction
    return None


def _turned(blow: Blow, ray: Ray) -> tuple[Vector, Vector]:
    """The place, and the direction from where a ray meets the sphere on which the arrow can begin."""
    tail = blow.tail() - blow.place
    behind = float(np.vdot(tail, ray.direction)) > 0.0
    return Vector(blow.place), -Vector(direction_from(ray, blow.place, max(blow.length(), 1e-6 * blow.size), behind))


def _group(blow: Blow) -> bpy.types.PropertyGroup:
    """The settings of a blow."""
    if blow.impact:
        return getattr(bpy.data.objects[blow.impact], idnames.IMPACT)
    return getattr(bpy.data.objects[blow.obj], idnames.OBJECT).blow


def _placed(context: bpy.types.Context, obj: bpy.types.Object, blow: Blow) -> bpy.types.Object:
    """A new impact in place of the blow from the viewer, with its settings."""
    empty = add_impact(
        context, Aim(Vector(blow.place), Vector(blow.direction), ARROW * max(sizes.dimensions(obj)), obj)
    )
    old, new = _group(blow), getattr(empty, idnames.IMPACT)
    new.strength, new.speed, new.radius, new.frame = old.strength, old.speed, old.radius, old.frame
    context.view_layer.update()
    return empty


def _memory(obj: bpy.types.Object, blow: Blow) -> Callable[[], None]:
    """A call that puts a blow back as it is now."""
    group: Any = _group(blow)
    strength, radius = group.strength, group.radius
    empty = bpy.data.objects.get(blow.impact)
    matrix = empty.matrix_world.copy() if empty is not None else None

    def put_back() -> None:
        group.strength, group.radius = strength, radius
        if empty is not None:
            empty.matrix_world = matrix

    return put_back


class BRITTLE_GT_handle(bpy.types.Gizmo):
    """A handle on a blow."""

    bl_idname = idnames.HANDLE
    __slots__ = ("blow", "drag", "drawn", "grip")

    def setup(self):
        if not hasattr(self, "drawn"):
            self.blow = self.drag = None
            self.grip = Grip.PLACE
            self.drawn = self.new_custom_shape("TRIS", _corners())

    def draw(self, context):
        self.draw_custom_shape(self.drawn)

    def draw_select(self, context, select_id):
        self.draw_custom_shape(self.drawn, select_id=select_id)

    def invoke(self, context, event):
        self.drag = begin(context, self.grip, self.blow, _ray(context, event))
        return {"RUNNING_MODAL"}

    def modal(self, context, event, tweak):
        text = pull(context, self.drag, _ray(context, event), PRECISE if "PRECISE" in tweak else 1.0)
        context.area.header_text_set(text)
        return {"RUNNING_MODAL"}

    def exit(self, context, cancel):
        context.area.header_text_set(None)
        drag, self.drag = self.drag, None
        if drag is None:
            return
        if cancel:
            drag.undo()
        else:
            bpy.ops.ed.undo_push(message=f"Impact {drag.grip}")


class BRITTLE_GGT_blows(bpy.types.GizmoGroup):
    """The handles on the blows that are drawn."""

    bl_idname = idnames.HANDLES
    bl_label = "Impacts of Brittle"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT" and JobOperator.shown is None and bool(blow_view.drawn())

    def setup(self, context):
        # All that there may be, made once: which are seen changes while one of them is held.
        for _ in range(MOST):
            for grip in Grip:
                handle = self.gizmos.new(idnames.HANDLE)
                handle.grip, handle.hide = grip, True
                handle.color, handle.alpha, handle.color_highlight = COLOUR, 0.8, HIGHLIGHT
                handle.alpha_highlight, handle.scale_basis = 1.0, SIZE
                handle.use_draw_modal = handle.use_draw_offset_scale = True

    def draw_prepare(self, context):
        shown = blow_view.drawn()[:MOST]
        for k, handle in enumerate(self.gizmos):
            blow = shown[k // len(Grip)] if k < len(shown) * len(Grip) else None
            handle.hide = blow is None
            if blow is not None:
                handle.blow = blow
                handle.matrix_basis = placing(handle.grip, blow)
                handle.matrix_offset = _standing_off(handle.grip)


def placing(grip: Grip, blow: Blow) -> Matrix:
    """Where a handle is drawn; its Z axis is that against the blow."""
    at = {Grip.PLACE: blow.place, Grip.RADIUS: blow.rim()}.get(grip, blow.tail())
    return Matrix.LocRotScale(Vector(at), Vector(-blow.direction).to_track_quat("Z", "Y"), None)


def _standing_off(grip: Grip) -> Matrix:
    """The handle of the strength is a needle beyond the tail, which the direction has."""
    if grip is not Grip.STRENGTH:
        return Matrix()
    return Matrix.LocRotScale(Vector((0.0, 0.0, OFF)), None, Vector((0.7, 0.7, 1.6)))


def _corners() -> list[tuple[float, float, float]]:
    """Corners of the triangles of a ball of radius 1, as an octahedron whose faces are divided twice."""
    faces = [
        [Vector((x, 0.0, 0.0)), Vector((0.0, y, 0.0)), Vector((0.0, 0.0, z))]
        for x in (-1, 1)
        for y in (-1, 1)
        for z in (-1, 1)
    ]
    for _ in range(2):
        faces = [part for face in faces for part in _divided(*face)]
    return [tuple(corner.normalized()) for face in faces for corner in face]


def _divided(a: Vector, b: Vector, c: Vector) -> list[list[Vector]]:
    """A triangle, in four."""
    ab, bc, ca = (a + b) / 2.0, (b + c) / 2.0, (c + a) / 2.0
    return [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]


def _ray(context: bpy.types.Context, event: bpy.types.Event) -> Ray:
    """What lies under the mouse."""
    mouse = (event.mouse_region_x, event.mouse_region_y)
    region, view = context.region, context.region_data
    origin = view3d_utils.region_2d_to_origin_3d(region, view, mouse)
    direction = view3d_utils.region_2d_to_vector_3d(region, view, mouse)
    return Ray(np.array(origin, np.float64), np.array(direction, np.float64))


register, unregister = registration_of(BRITTLE_GT_handle, BRITTLE_GGT_blows)
