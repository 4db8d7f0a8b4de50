"""Object > Brittle > Glue Lattices: shapes that were added as lattices become one (Norton et al. 1991, section 4)."""

import bpy
import numpy as np

from ...core.continuum.lattice_shapes.recipes import glued_recipe, make_recipe
from ...core.errors import BrittleError, InputError
from ...core.types import LatticeRecipe
from .. import idnames
from ..bridge.lattice_mesh import read_recipe, write_lattice_mesh
from ..generated import metres_per_unit
from ..registering import registration_of
from ..targets import poll_object_mode


def lattice_parts(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The selected meshes, the active one first, the others by name."""
    active = context.view_layer.objects.active
    chosen = [obj for obj in context.selected_objects if obj.type == "MESH"]
    return sorted(chosen, key=lambda obj: (obj != active, obj.name))


def recipe_within(obj: bpy.types.Object, onto: bpy.types.Object, unit_scale: float) -> LatticeRecipe:
    """What a mesh remembers, in the axes of another object [m]. Raises InputError where it remembers nothing."""
    try:
        back = obj.matrix_world.inverted() @ onto.matrix_world
        stretch = np.array(back.inverted().to_3x3(), np.float64)
    except ValueError:
        raise InputError(f"'{obj.name}' is flat: its scale is zero along an axis.") from None
    recipe = read_recipe(obj.data, obj.data, unit_scale * stretch, np.array(back.translation, np.float64))
    if recipe is None:
        raise InputError(
            f"'{obj.name}' is no lattice, or was edited since it was added: only meshes of Add > Mesh > Brittle Lattice"
            " can be glued."
        )
    return recipe


def glue_onto(objects: list[bpy.types.Object], within: float, unit_scale: float) -> None:
    """Make the mesh of the first object that of all, and remove the others.

    within: of nodes that are glued [m]. Raises InputError where they cannot be glued; nothing is changed then.
    """
    onto = objects[0]
    recipe = glued_recipe([recipe_within(obj, onto, unit_scale) for obj in objects], within)
    mesh = write_lattice_mesh(onto.data.name, recipe, make_recipe(recipe), unit_scale)
    for material in onto.data.materials:
        mesh.materials.append(material)
    onto.data = mesh
    for obj in objects[1:]:
        bpy.data.objects.remove(obj)


class BRITTLE_OT_glue_lattices(bpy.types.Operator):
    """Glue the selected Brittle Lattices to the active one, where sides of their cells lie close to each other"""

    bl_idname = idnames.Operator.GLUE_LATTICES
    bl_label = "Glue Lattices"
    bl_options = {"REGISTER", "UNDO"}

    within: bpy.props.FloatProperty(
        name="Within",
        description="How far a node may be from the nearest one of another shape to be glued to it",
        default=0.005,
        min=0.0,
        soft_max=0.1,
        subtype="DISTANCE",
    )

    @classmethod
    def poll(cls, context):
        if not poll_object_mode(cls, context):
            return False
        if len(lattice_parts(context)) < 2:
            cls.poll_message_set("Select two or more meshes of Add > Mesh > Brittle Lattice")
            return False
        return True

    def execute(self, context):
        objects, scale = lattice_parts(context), metres_per_unit(context)
        context.view_layer.update()
        try:
            glue_onto(objects, scale * self.within, scale)
        except BrittleError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        context.view_layer.objects.active = objects[0]
        return {"FINISHED"}


register, unregister = registration_of(BRITTLE_OT_glue_lattices)
