"""Spheres of influence: empties inside of which things may break, and nowhere else."""

import bpy

from . import idnames
from .bridge import influence, sizes
from .registering import registration_of
from .remembered import remembered
from .targets import poll_object_mode, target

#: Radius relative to the longest side of the object, and without one [Blender units]. By eye.
SHARE, ALONE = 0.5, 1.0


@remembered
def listed(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The scene's spheres of influence, by name."""
    return influence.spheres(context)


class BRITTLE_OT_influence_add(bpy.types.Operator):
    """Add a sphere at the 3D cursor: the object breaks only where it is hit inside of its spheres"""

    bl_idname = idnames.Operator.INFLUENCE_ADD
    bl_label = "Add Sphere"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return poll_object_mode(cls, context)

    def execute(self, context):
        add_sphere(context, target(context))
        return {"FINISHED"}


def add_sphere(context: bpy.types.Context, owner: bpy.types.Object | None) -> bpy.types.Object:
    """Make the empty at the 3D cursor; it counts for its parent, or for all objects where it has none."""
    empty = bpy.data.objects.new("Influence", None)
    empty.empty_display_type = "SPHERE"
    empty.empty_display_size = ALONE if owner is None else SHARE * max(sizes.dimensions(owner))
    empty.location = context.scene.cursor.location
    getattr(empty, idnames.OBJECT).influence = True
    if owner is not None:
        sizes.grow(owner)  # it would shrink what is parented to it
        context.view_layer.update()
        empty.parent = owner
        empty.matrix_parent_inverse = owner.matrix_world.inverted_safe()
    context.collection.objects.link(empty)
    for obj in context.selected_objects:
        obj.select_set(False)
    empty.select_set(True)
    return empty


register, unregister = registration_of(BRITTLE_OT_influence_add)
