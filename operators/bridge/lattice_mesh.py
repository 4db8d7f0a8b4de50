"""Shapes that are lattices as meshes: what is seen of them, and from what they can be made again."""

import hashlib
import json
from typing import Any

import bpy
import numpy as np

from ...core.arithmetic.products import apply, multiply
from ...core.continuum.lattice_shapes.recipes import recipe_from_mapping, recipe_to_mapping
from ...core.continuum.spring_lattice.hexahedra import HexahedralComplex, exposed_faces
from ...core.continuum.spring_lattice.lattice import joined_nodes
from ...core.continuum.spring_lattice.microgeometry import Microgeometry
from ...core.errors import InputError
from ...core.types import LatticeRecipe
from . import names

#: Faces that meet at more than this are seen apart [rad]. By eye: rims and edges, and no cells around a bend.
SHARP = 0.75
#: Corners of a face in its picture: each has the whole of it.
CORNERS = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)], np.float32)


def write_lattice_mesh(name: str, recipe: LatticeRecipe, solid: HexahedralComplex, unit_scale: float) -> bpy.types.Mesh:
    """A new mesh of the outer faces of what a recipe makes, which remembers the recipe."""
    faces = _from_their_diagonals(solid)
    used, corner = np.unique(faces, return_inverse=True)
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(used))
    mesh.vertices.foreach_set("co", (solid.node_position[used] / unit_scale).astype(np.float32).ravel())
    mesh.loops.add(faces.size)
    mesh.loops.foreach_set("vertex_index", corner.astype(np.int32).ravel())
    mesh.polygons.add(len(faces))
    mesh.polygons.foreach_set("loop_start", np.arange(0, faces.size, 4, dtype=np.int32))
    mesh.update(calc_edges=True)
    mesh.uv_layers.new(name="UVMap").uv.foreach_set("vector", np.tile(CORNERS, (len(faces), 1)).ravel())
    mesh.shade_smooth()
    mesh.set_sharp_from_angle(angle=SHARP)
    told = {"scale": unit_scale, "mesh": _fingerprint(mesh)}
    mesh[names.SHAPE] = json.dumps(recipe_to_mapping(recipe) | told)
    return mesh


def _from_their_diagonals(solid: HexahedralComplex) -> np.ndarray:
    """The outer faces (q,4), from an end of their springs on: Blender cuts a quad from its first corner."""
    faces = exposed_faces(solid.cell_node)
    pairs, _ = joined_nodes(solid, Microgeometry.ALTERNATING_FACE_DIAGONALS)
    count = len(solid.node_position)
    key = np.sort(faces[:, [0, 2]], axis=1)
    along = np.isin(key[:, 0] * count + key[:, 1], pairs[:, 0] * count + pairs[:, 1])
    return np.where(along[:, None], faces, faces[:, [1, 2, 3, 0]])


def read_recipe(data: bpy.types.ID, mesh: bpy.types.Mesh, stretch: np.ndarray, middle: np.ndarray) -> Any:
    """The `LatticeRecipe` of a mesh that was added as a lattice, None where it was not, or was changed since.

    data: what an object is made of, which remembers. mesh: what its modifiers make of that. stretch: (3,3) metres of
    the core for Blender's units along the object's own axes, from the point `middle` (3,).
    """
    try:
        told = json.loads(data.get(names.SHAPE, ""))
        if told["mesh"] != _fingerprint(mesh):
            return None
        recipe = recipe_from_mapping(told)
        scale = float(told["scale"])
    except (KeyError, TypeError, ValueError, InputError):  # of another version, or somebody's own
        return None
    place = multiply(stretch / scale, recipe.place)
    place[:, 3] -= apply(stretch, middle)
    return LatticeRecipe(recipe.shape, recipe.params, place)


def _fingerprint(mesh: bpy.types.Mesh) -> str:
    """Says whether vertices have moved, or faces have changed."""
    place = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", place)
    corner = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corner)
    return hashlib.sha256(place.tobytes() + corner.tobytes()).hexdigest()[:16]
