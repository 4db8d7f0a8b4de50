"""Shapes that are lattices as meshes: what is seen of them, and from what they can be made again."""

import hashlib
import json
from dataclasses import asdict
from typing import Any

import bpy
import numpy as np

from ...core.config.params import from_mapping
from ...core.continuum.lattice_shapes.shapes import LatticeShape, shape_named
from ...core.continuum.spring_lattice.hexahedra import HexahedralComplex, exposed_faces
from ...core.errors import InputError
from . import names

#: Faces that meet at more than this are seen apart [rad]. By eye: rims and edges, and no cells around a bend.
SHARP = 0.75
#: Corners of a face in its picture: each has the whole of it.
CORNERS = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)], np.float32)


def write_lattice_mesh(shape: LatticeShape, params: Any, solid: HexahedralComplex, unit_scale: float) -> bpy.types.Mesh:
    """A new mesh of the outer faces of a shape, which remembers the shape and its measures."""
    faces = exposed_faces(solid.cell_node)
    used, corner = np.unique(faces, return_inverse=True)
    mesh = bpy.data.meshes.new(shape.label)
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
    told = {"shape": shape.id, "params": asdict(params), "scale": unit_scale, "mesh": _fingerprint(mesh)}
    mesh[names.SHAPE] = json.dumps(told)
    return mesh


def read_lattice_shape(mesh: bpy.types.Mesh) -> tuple[LatticeShape, Any] | None:
    """The shape and measures of which a mesh was made; None where it was not, or was edited since."""
    try:
        told = json.loads(mesh.get(names.SHAPE, ""))
        if told["mesh"] != _fingerprint(mesh):
            return None
        shape = shape_named(told["shape"])
        return shape, from_mapping(shape.params, told["params"])
    except (KeyError, TypeError, ValueError, InputError):  # of another version, or somebody's own
        return None


def _fingerprint(mesh: bpy.types.Mesh) -> str:
    """Says whether vertices have moved, or faces have changed."""
    place = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", place)
    corner = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corner)
    return hashlib.sha256(place.tobytes() + corner.tobytes()).hexdigest()[:16]
