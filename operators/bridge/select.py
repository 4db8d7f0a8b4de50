"""Triangles that the core names, selected as faces in Edit Mode."""

from collections.abc import Sequence

import bpy
import numpy as np

from ...core.errors import InputError
from .read import evaluated_mesh
from .source import triangle_loops


def select_triangles(context: bpy.types.Context, obj: bpy.types.Object, rows: Sequence[int]) -> int:
    """Select the faces of some rows of the triangle table (see `read_mesh`) in Edit Mode; returns how many.

    Raises InputError where no faces stand out, or where modifiers make other faces than can be selected.
    """
    if not rows:
        raise InputError("No single faces are to blame.")
    if obj.type != "MESH":
        raise InputError("Convert the object to a mesh to see the faces (Object > Convert > Mesh).")
    with evaluated_mesh(obj, context.evaluated_depsgraph_get()) as (_, mesh):
        polygon = triangle_loops(mesh)[1]
        same = len(mesh.polygons) == len(obj.data.polygons) and len(mesh.loops) == len(obj.data.loops)
    if not same:
        raise InputError("Its modifiers make the faces: apply them to see which.")
    chosen = np.zeros(len(obj.data.polygons), bool)
    chosen[polygon[list(rows)]] = True
    context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_mode(type="FACE")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    obj.data.polygons.foreach_set("select", chosen)
    bpy.ops.object.mode_set(mode="EDIT")
    return int(chosen.sum())
