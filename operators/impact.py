"""Impacts: empties whose arrow, their local Z axis, is the blow."""

from dataclasses import dataclass

import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Matrix, Vector

from ..core.errors import BrittleError
from . import idnames
from .bridge import sizes
from .bridge.read import read_shape
from .bridge.refusals import BREAKABLE
from .bridge.restore import source_of
from .bridge.surface import nearest_surface
from .registering import registration_of
from .targets import poll_object_mode, targets

#: Size of the arrow relative to the object that is hit. By eye.
ARROW = 0.3


@dataclass(frozen=True, slots=True)
class Aim:
    """Where a blow lands, where it goes, how large to draw it, and which object it hits (None: what is near)."""

    point: Vector
    direction: Vector
    size: float
    owner: bpy.types.Object | None = None


def view_under(area: bpy.types.Area, x: float, y: float) -> bpy.types.Region | None:
    """The view at a place of the window; None beside it and on the sidebar or a header that lies over it."""
    found = None
    for region in area.regions:
        if 0 <= x - region.x < region.width and 0 <= y - region.y < region.height:
            if region.type == "WINDOW":
                found = region
            elif min(region.width, region.height) > 1:  # what is folded in has a single pixel
                return None
    return found


def aim_at_click(context: bpy.types.Context, region: bpy.types.Region, x: float, y: float) -> Aim | None:
    """The surface under a point of a 3D view's region, hit along its inward normal; None beside all objects."""
    view = region.data if hasattr(region, "data") else context.space_data.region_3d
    origin = view3d_utils.region_2d_to_origin_3d(region, view, (x, y))
    direction = view3d_utils.region_2d_to_vector_3d(region, view, (x, y))
    return aim_along(context, origin, direction)


def aim_along(context: bpy.types.Context, origin: Vector, direction: Vector) -> Aim | None:
    """The first surface along a ray, hit along its inward normal; None where the ray meets nothing."""
    graph = context.evaluated_depsgraph_get()
    hit, point, normal, _, obj, _ = context.scene.ray_cast(graph, origin, direction)
    if not hit:
        return None
    inward = -normal if normal.dot(direction) < 0.0 else normal
    return Aim(point, inward.normalized(), ARROW * max(obj.dimensions), source_of(obj.original) or obj.original)


def aim_at_nearest(context: bpy.types.Context, point: Vector) -> Aim:
    """From a point toward the nearest surface of the selected objects, or of all visible ones without a selection.

    A point on a surface or inside of it is hit along the inward normal; with no surface at all the blow goes down.
    """
    candidates = targets(context) or [obj for obj in context.visible_objects if obj.type in BREAKABLE]
    found = [(*place, obj) for obj in candidates if (place := _nearest(context, obj, point))]
    if not found:
        return Aim(point, Vector((0.0, 0.0, -1.0)), 1.0)
    surface, normal, obj = min(found, key=lambda place: (place[0] - point).length)
    toward = surface - point
    size = max(sizes.dimensions(obj))
    on_or_in = toward.length < 1e-4 * size or toward.dot(normal) > 0.0
    return Aim(point, -normal if on_or_in else toward.normalized(), ARROW * size, obj)


def add_impact(context: bpy.types.Context, aim: Aim) -> bpy.types.Object:
    """Make the empty for a blow; its settings are `empty.brittle_impact`. It hits its parent, and moves with it."""
    empty = bpy.data.objects.new("Impact", None)
    empty.empty_display_type = "SINGLE_ARROW"
    empty.empty_display_size = aim.size
    empty.show_in_front = True
    empty.rotation_mode = "QUATERNION"
    place_impact(empty, aim.point, aim.direction)
    getattr(empty, idnames.IMPACT).is_impact = True
    if aim.owner is not None:
        sizes.grow(aim.owner)  # it would shrink what is parented to it
        context.view_layer.update()
        empty.parent = aim.owner
        empty.matrix_parent_inverse = aim.owner.matrix_world.inverted_safe()
    context.collection.objects.link(empty)
    return empty


def place_impact(empty: bpy.types.Object, point: Vector, direction: Vector) -> None:
    """Put an impact to a place of the world, with its blow in a direction."""
    turn = direction.to_track_quat("Z", "Y")
    empty.matrix_world = Matrix.LocRotScale(point, turn, empty.matrix_world.to_scale())


def _nearest(context: bpy.types.Context, obj: bpy.types.Object, point: Vector) -> tuple[Vector, Vector] | None:
    try:
        shape = read_shape(context, obj)
    except BrittleError:  # nothing that could be hit
        return None
    target = (np.array(point, np.float64) - shape.origin) * shape.unit_scale
    place, normal = nearest_surface(shape.mesh, target)
    return Vector(place / shape.unit_scale + shape.origin), Vector(normal)


class BRITTLE_OT_impact_add(bpy.types.Operator):
    """Add a hit: click on the surface of an object. From a script: at the 3D cursor, toward the nearest object"""

    bl_idname = idnames.Operator.IMPACT_ADD
    bl_label = "Add Impact"
    bl_options = {"REGISTER", "UNDO"}

    location: bpy.props.FloatVectorProperty(name="Location", subtype="TRANSLATION", options={"SKIP_SAVE"})
    direction: bpy.props.FloatVectorProperty(
        name="Direction", default=(0.0, 0.0, -1.0), subtype="XYZ", options={"SKIP_SAVE"}
    )
    size: bpy.props.FloatProperty(default=1.0, min=0.0, options={"HIDDEN", "SKIP_SAVE"})
    owner: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return poll_object_mode(cls, context)

    def invoke(self, context, event):
        if context.area is None or context.area.type != "VIEW_3D":
            return self.execute(context)
        context.workspace.status_text_set("Click where the blow lands   (ESC stops)")
        context.window.cursor_modal_set("CROSSHAIR")
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type in {"ESC", "RIGHTMOUSE"}:
            self.cancel(context)
            return {"CANCELLED"}
        if event.type != "LEFTMOUSE" or event.value != "PRESS":
            return {"PASS_THROUGH"}
        self.cancel(context)
        region = view_under(context.area, event.mouse_x, event.mouse_y)
        if region is None:
            return {"CANCELLED", "PASS_THROUGH"}
        aim = aim_at_click(context, region, event.mouse_x - region.x, event.mouse_y - region.y)
        if aim is None:
            self.report({"WARNING"}, "There is no surface under the mouse; click on an object.")
            return {"CANCELLED"}
        self._take(aim)
        return self.execute(context)

    def execute(self, context):
        if not self.properties.is_property_set("location"):
            self._take(aim_at_nearest(context, context.scene.cursor.location))
        direction = Vector(self.direction)
        if direction.length == 0.0:
            self.report({"ERROR"}, "The blow has no direction; give it one.")
            return {"CANCELLED"}
        owner = bpy.data.objects.get(self.owner)
        empty = add_impact(context, Aim(Vector(self.location), direction.normalized(), self.size, owner))
        # Moving now moves the impact alone; the object to break stays active, so that the panel stays with it.
        for obj in context.selected_objects:
            obj.select_set(False)
        empty.select_set(True)
        return {"FINISHED"}

    def cancel(self, context):
        """Give cursor and status bar back; Blender calls this when a window closes."""
        context.workspace.status_text_set(None)
        context.window.cursor_modal_restore()

    def _take(self, aim):
        self.location, self.direction, self.size = aim.point, aim.direction, aim.size
        self.owner = aim.owner.name if aim.owner is not None else ""


register, unregister = registration_of(BRITTLE_OT_impact_add)
