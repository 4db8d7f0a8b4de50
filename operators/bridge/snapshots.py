"""What an object is at one frame: its place, and its mesh as the viewport shows it."""

from dataclasses import dataclass, replace

import bpy
import numpy as np

from ...core.arithmetic.small_matrices import determinant
from ...core.geometry.mesh import map_vectors
from ...core.types import Mesh
from .attributes import read_integers
from .movement import ROUNDING, rotations, stretch_of, world_matrix
from .refusals import shows_instances
from .source import triangle_loops
from .undefined import ENDLESS

#: Roundings of 32 bits by which a scale may change that stays as it is. By eye.
SIZE = 10.0


@dataclass(frozen=True, eq=False, slots=True)
class Snapshot:
    """An object at one frame: where it is, and its mesh in its own axes and units."""

    matrix: np.ndarray  #: (4,4)
    points: np.ndarray  #: (V,3) float32; the same array as before where nothing has changed
    triangles: np.ndarray  #: (T,3); the same array as before where the faces are the same
    faces: tuple[np.ndarray, np.ndarray]  #: (N,) vertex of each corner, and (P,) the first corner of each face
    fault: str = ""  #: why it has no mesh


def take_snapshot(
    context: bpy.types.Context, obj: bpy.types.Object, before: Snapshot | None = None, deforms: bool = True
) -> Snapshot:
    """The object at the current frame; `before`: at the last one, with the mesh of which it is seen if it is rigid."""
    matrix = world_matrix(context, obj)
    if before is not None and not deforms:
        return replace(before, matrix=matrix)
    graph = context.evaluated_depsgraph_get()
    evaluated = obj.evaluated_get(graph)
    if shows_instances(evaluated):
        return Snapshot(matrix, *_NOTHING, "it shows instances of other objects: make them real first")
    mesh = evaluated.to_mesh(depsgraph=graph)
    try:
        if mesh is None or not mesh.polygons:
            return Snapshot(matrix, *_NOTHING, "it has no faces")
        points = np.empty((len(mesh.vertices), 3), np.float32)
        mesh.attributes["position"].data.foreach_get("vector", points.reshape(-1))
        corner, start = read_integers(mesh, ".corner_vert", len(mesh.loops)), np.empty(len(mesh.polygons), np.int32)
        mesh.polygons.foreach_get("loop_start", start)
        if before is not None and all(map(np.array_equal, before.faces, (corner, start))):
            # How Blender divides a face that is bent depends on its form: its triangles stay those of before.
            faces, triangles = before.faces, before.triangles
            points = before.points if np.array_equal(points, before.points) else points
        else:
            faces, triangles = (corner, start), corner[triangle_loops(mesh)[0]]
    finally:
        evaluated.to_mesh_clear()
    fault = "" if (np.abs(points) <= ENDLESS).all() else "some of its points have no place"
    return Snapshot(matrix, points, triangles, faces, fault)


#: A mesh with nothing in it: points, triangles, faces.
_NOTHING = (np.zeros((0, 3), np.float32), np.zeros((0, 3), np.int64), (np.zeros(0, np.int64), np.zeros(0, np.int32)))


def keeps_its_form(seen: list[Snapshot]) -> bool:
    """Whether an object has one mesh and one scale at all frames, as far as 32 bits can tell."""
    first = seen[0]
    if any(one.points is not first.points or one.triangles is not first.triangles for one in seen):
        return False
    linear = np.array([one.matrix[:3, :3] for one in seen])
    stretch = stretch_of(linear[0])
    led = np.array([map_vectors(stretch.T, turn) for turn in rotations(linear, stretch)]).transpose(0, 2, 1)
    return bool(np.abs(led - linear).max() <= ROUNDING * SIZE * np.abs(linear).max())


def body_meshes(name: str, seen: list[Snapshot], origin: np.ndarray, unit_scale: float) -> tuple[Mesh, ...]:
    """The mesh at each frame in body coordinates; where it has no faces a triangle without area stands for it.

    `origin (3,)` is where these are 0, in the world, in Blender's units of `unit_scale` metres.
    """
    result: list[Mesh] = []
    triangles, turned = None, None
    for one in seen:
        if not len(one.triangles):
            result.append(Mesh(name, np.zeros((3, 3)), np.array([[0, 1, 2]])))
            continue
        if one.triangles is not triangles:
            triangles, turned = one.triangles, outward_triangles(one)
        place = map_vectors(one.points.astype(np.float64), one.matrix[:3, :3]) + (one.matrix[:3, 3] - origin)
        result.append(Mesh(name, unit_scale * place, turned))
    return tuple(result)


def outward_triangles(seen: Snapshot) -> np.ndarray:
    """Its triangles (T,3) as they look in the world, where a mirrored object is inside out."""
    mirrored = determinant(seen.matrix[:3, :3]) < 0.0
    return seen.triangles[:, [0, 2, 1]] if mirrored else seen.triangles
