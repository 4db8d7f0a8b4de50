"""From Blender to the core: mesh, what its fragments inherit, blows, gravity, floor and clock."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np

from ...core.errors import InputError
from ...core.types import Clock, Ground, Mesh, Scene
from .attributes import read_integers
from .impacts import Blow, impacts_on
from .source import SourceAttributes, read_source, triangle_loops, world_point


@dataclass(frozen=True, eq=False, slots=True)
class Reading:
    """All that the work needs of a Blender scene."""

    scene: Scene
    source: SourceAttributes
    start_frame: int  #: frame of the first hit: stored frame 0


def refusal(obj: bpy.types.Object | None) -> str:
    """Why an object cannot be shattered, in a sentence that says what to do; empty where it can."""
    if obj is None:
        return "Nothing is selected: select a mesh object."
    if obj.type != "MESH":
        return f"'{obj.name}' is no mesh: select a mesh object, or convert it to a mesh first."
    if obj.library is not None:
        return f"'{obj.name}' is linked from a library: make a library override of it, or make it local, first."
    if obj.mode == "EDIT":
        return f"'{obj.name}' is in edit mode: leave edit mode first."
    if not obj.data.polygons and not obj.modifiers:
        return f"'{obj.name}' has no faces: add some, or select another object."
    return ""


def refuse(obj: bpy.types.Object | None) -> None:
    """Raise InputError where `refusal` has a sentence. What the core checks (open, non-finite, no volume) is left."""
    sentence = refusal(obj)
    if sentence:
        raise InputError(sentence)


def read_scene(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    *,
    frames: int,
    ground: float | None,
    blow: Blow | None = None,
) -> Reading:
    """Read what is needed to shatter `obj`, changing nothing.

    Args:
        context: its scene gives gravity, unit scale, frame rate, current frame and 3D cursor.
        obj: the object to break, as its modifiers and shape keys show it at the current frame.
        frames: number of stored frames, the break frame included.
        ground: height of the floor in the world [m], None for no floor.
        blow: strength, speed and radius of the hit that is made where the scene has no impact for the object.

    Raises:
        InputError: `refusal`, a hidden object, a mesh without faces.

    """
    refuse(obj)
    scene = context.scene
    unit_scale = float(scene.unit_settings.scale_length)
    depsgraph = context.evaluated_depsgraph_get()
    mesh, source = read_mesh(obj, depsgraph, unit_scale)
    fps = scene.render.fps / scene.render.fps_base
    impacts, start_frame = impacts_on(context, obj, mesh, source, fps, blow or Blow())
    # Blender's gravity is in its own units per second squared, like every acceleration that it shows.
    gravity = unit_scale * np.array(scene.gravity, np.float64) if scene.use_gravity else np.zeros(3)
    height = None if ground is None else Ground(ground - unit_scale * float(source.origin[2]))
    return Reading(Scene(mesh, impacts, gravity, height, Clock(fps, frames)), source, start_frame)


def read_mesh(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, unit_scale: float
) -> tuple[Mesh, SourceAttributes]:
    """The evaluated mesh in body coordinates - world axes, metres, from the middle of its box - and the rest.

    An object may be modelled far from its own origin; numbers around the middle have the most digits.
    Row t of the mesh's triangles is row t of the tables of `SourceAttributes`, corner by corner; a mirrored object
    (negative scale) has its triangles turned, so that they look outward in the world.

    Raises:
        InputError: the object is hidden or not in the view layer, or its mesh has no faces.

    """
    with _evaluated_mesh(obj, depsgraph) as (evaluated, mesh):
        matrix = np.array(evaluated.matrix_world, np.float64)
        vertices, middle = _vertices(mesh, matrix, unit_scale)
        source = read_source(evaluated, mesh, matrix, middle, unit_scale, vertices)
        return Mesh(obj.name, vertices, source.triangle_vertex), source


@dataclass(frozen=True, eq=False, slots=True)
class Shape:
    """The shape of an object alone, for a preview: as of `read_mesh`, without what fragments inherit."""

    mesh: Mesh
    origin: np.ndarray  #: (3,) where body coordinates are 0, in the world, in Blender's units
    unit_scale: float  #: metres per Blender unit


def read_shape(context: bpy.types.Context, obj: bpy.types.Object) -> Shape:
    """The evaluated mesh in body coordinates, in the fewest steps. Raises InputError as `read_scene` does."""
    refuse(obj)
    unit_scale = float(context.scene.unit_settings.scale_length)
    depsgraph = context.evaluated_depsgraph_get()
    with _evaluated_mesh(obj, depsgraph) as (evaluated, mesh):
        matrix = np.array(evaluated.matrix_world, np.float64)
        triangles = read_integers(mesh, ".corner_vert", len(mesh.loops))[triangle_loops(mesh)[0]]
        if np.linalg.det(matrix[:3, :3]) < 0.0:  # see read_source: a mirrored object is inside out in world axes
            triangles = triangles[:, [0, 2, 1]]
        vertices, middle = _vertices(mesh, matrix, unit_scale)
        return Shape(Mesh(obj.name, vertices, triangles), world_point(matrix, middle), unit_scale)


@contextmanager
def _evaluated_mesh(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> Iterator[tuple[bpy.types.Object, bpy.types.Mesh]]:
    """The object as its modifiers make it, and its mesh; refuses what is hidden or has no faces."""
    evaluated = obj.evaluated_get(depsgraph)
    if not evaluated.is_evaluated:
        raise InputError(f"'{obj.name}' is hidden: show it in the viewport first, so that its modifiers can be seen.")
    mesh = evaluated.to_mesh(preserve_all_data_layers=True, depsgraph=depsgraph)
    try:
        if mesh is None or not mesh.polygons:
            raise InputError(f"'{obj.name}' has no faces: add some, or select another object.")
        yield evaluated, mesh
    finally:
        evaluated.to_mesh_clear()


def _vertices(mesh: bpy.types.Mesh, matrix: np.ndarray, unit_scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Points (V,3) in world axes, metres, from the middle of the mesh's box; and that middle (3,) in the object."""
    local = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", local)
    points = local.reshape(-1, 3).astype(np.float64)
    middle = 0.5 * (np.nanmin(points, axis=0) + np.nanmax(points, axis=0))
    middle[~np.isfinite(middle)] = 0.0  # the core refuses such a mesh, with a sentence
    return unit_scale * np.einsum("ij,nj->ni", matrix[:3, :3], points - middle), middle
