"""Add > Mesh > Brittle Lattice: meshes whose cells follow their shape, for matter of springs (Norton et al. 1991)."""

import bpy
import numpy as np
from bpy_extras.object_utils import AddObjectHelper, object_data_add

from ...core.config.params import from_mapping
from ...core.continuum.lattice_shapes.recipes import make_recipe
from ...core.continuum.lattice_shapes.shapes import LATTICE_SHAPES, LatticeShape
from ...core.errors import BrittleError
from ...core.types import LatticeRecipe
from .. import generated, idnames
from ..bridge.lattice_mesh import write_lattice_mesh
from ..registering import registration_of
from ..targets import poll_object_mode


class _AddShape(AddObjectHelper):
    """What the operators share; each has the measures of its shape as properties."""

    bl_options = {"REGISTER", "UNDO", "PRESET"}
    shape: LatticeShape

    @classmethod
    def poll(cls, context):
        return poll_object_mode(cls, context)

    def execute(self, context):
        scale = generated.metres_per_unit(context)
        try:
            params = from_mapping(self.shape.params, generated.values(self, self.shape.params, scale))
            recipe = LatticeRecipe(self.shape.id, params, np.eye(3, 4))
            solid = make_recipe(recipe)
        except BrittleError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        object_data_add(context, write_lattice_mesh(self.shape.label, recipe, solid, scale), operator=self)
        return {"FINISHED"}


def _operator(shape: LatticeShape) -> type[bpy.types.Operator]:
    """The operator that adds a shape. Its measures are those of the core, so its text is, too."""
    members = {
        "__annotations__": generated.operator_annotations(shape.params),
        "__doc__": f"Add a mesh whose inside is known as cells of springs. {shape.doc}",
        "bl_idname": idnames.lattice_operator(shape.id),
        "bl_label": f"Add {shape.label} Lattice",
        "shape": shape,
    }
    return type(f"BRITTLE_OT_lattice_{shape.id}", (_AddShape, bpy.types.Operator), members)


#: In the order of the menu, with what it says.
OPERATORS = tuple((_operator(shape), shape.label) for shape in LATTICE_SHAPES)

register, unregister = registration_of(*(operator for operator, _ in OPERATORS))
