"""What stands in the way of the pieces: which objects take part, and how they are read."""

from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ...core.geometry.mesh import mapped
from ...core.types import Collider, Mesh, Progress
from . import names
from .attributes import read_integers
from .movement import led, may_deform, may_move, quaternions, rotations, stretch_of, world_matrix
from .refusals import shows_instances
from .restore import collections_of
from .source import triangle_loops
from .undefined import ENDLESS


@dataclass(frozen=True, eq=False, slots=True)
class Around:
    """Where and when a body breaks: what colliders are told relative to it."""

    origin: np.ndarray  #: (3,) where body coordinates are 0, in the world, in Blender's units
    unit_scale: float  #: metres per Blender unit
    start_frame: int  #: frame of stored frame 0
    frames: int  #: number of stored frames


def why_collider(obj: bpy.types.Object) -> str:
    """Why an object stands in the way of pieces, in words for a list; empty where it does not."""
    if obj.type != "MESH":
        return ""
    if is_marked(obj):
        return "Marked"
    if obj.rigid_body is not None and obj.rigid_body.type == "PASSIVE":
        return "Passive Rigid Body"
    collides = obj.collision is not None and obj.collision.use
    return "Collision Modifier" if collides and any(item.type == "COLLISION" for item in obj.modifiers) else ""


def is_marked(obj: bpy.types.Object) -> bool:
    """Whether the artist has made an object a collider by Brittle's own button."""
    return bool(getattr(getattr(obj, names.OBJECT, None), "collider", False))


def shown_colliders(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The visible objects that stand in the way of pieces, by name; nothing is evaluated."""
    layer = context.view_layer
    found = [obj for obj in context.scene.objects if why_collider(obj) and obj.visible_get(view_layer=layer)]
    return sorted(found, key=lambda obj: obj.name)


def colliders_for(
    context: bpy.types.Context, obj: bpy.types.Object, also_broken: Collection[bpy.types.Object] = ()
) -> list[bpy.types.Object]:
    """What stands in the way of the pieces of `obj`: not itself, its earlier pieces, or what breaks with it."""
    own = {item for collection in collections_of(obj) for item in collection.all_objects if names.FRAGMENT in item}
    own.update((obj, *also_broken))
    context.view_layer.update()  # a script may just have hidden something
    return [item for item in shown_colliders(context) if item not in own]


def read_colliders(
    context: bpy.types.Context, objects: Sequence[bpy.types.Object], around: Around
) -> Generator[Progress, None, tuple[tuple[Collider, ...], tuple[str, ...]]]:
    """Read objects as colliders, frame by frame; what cannot be one is left out, with a sentence.

    Meshes are those of the first stored frame, as the modifiers show them in the viewport. Where any of the objects may
    move, the scene is led through all stored frames and back, also where this is closed on the way. One that keys hide
    for a while stands still meanwhile: Blender does not move what it does not show.
    """
    scene = context.scene
    moving = [obj for obj in objects if may_move(obj)]
    at_start = (scene.frame_current, scene.frame_subframe) == (around.start_frame, 0.0)
    if not moving and (at_start or not any(may_deform(obj) for obj in objects)):
        poses = {obj: world_matrix(context, obj)[None] for obj in objects}
        return _assembled(objects, _read_meshes(context, objects, poses, around), poses, around)
    with led(scene) as lead:
        lead(around.start_frame)
        first = {obj: world_matrix(context, obj)[None] for obj in objects}
        meshes = _read_meshes(context, objects, first, around)
        rest: list[list[np.ndarray]] = []
        for count in range(1, around.frames if moving else 1):
            # Whoever draws or plays meanwhile may change the frame: it is set and read without a pause between.
            yield Progress(count / around.frames, "Following moving colliders")
            lead(around.start_frame + count)
            rest.append([world_matrix(context, obj) for obj in moving])
    poses = dict(first)
    for obj, *later in zip(moving, *rest, strict=True):
        path = np.concatenate([first[obj], np.array(later).reshape(-1, 4, 4)])
        poses[obj] = path if np.any(path != path[0]) else path[:1]
    return _assembled(objects, meshes, poses, around)


def _read_meshes(
    context: bpy.types.Context,
    objects: Sequence[bpy.types.Object],
    poses: dict[bpy.types.Object, np.ndarray],
    around: Around,
) -> dict[bpy.types.Object, Mesh | str]:
    """The mesh of each object, or why it has none."""
    graph = context.evaluated_depsgraph_get()
    return {obj: _read_mesh(obj, graph, poses[obj][0], around.unit_scale) for obj in objects}


def _read_mesh(obj: bpy.types.Object, graph: bpy.types.Depsgraph, matrix: np.ndarray, unit_scale: float) -> Mesh | str:
    if not np.all(np.isfinite(matrix)):
        return "its place or scale is not a finite number"
    evaluated = obj.evaluated_get(graph)
    if shows_instances(evaluated):
        return "it shows instances of other objects: make them real first"
    mesh = evaluated.to_mesh(depsgraph=graph)
    try:
        if mesh is None or not mesh.polygons:
            return "it has no faces"
        points = np.empty((len(mesh.vertices), 3), np.float32)
        mesh.attributes["position"].data.foreach_get("vector", points.reshape(-1))
        triangles = read_integers(mesh, ".corner_vert", len(mesh.loops))[triangle_loops(mesh)[0]]
    finally:
        evaluated.to_mesh_clear()
    if not np.all(np.abs(points) <= ENDLESS):
        return "some of its points have no place"
    linear = matrix[:3, :3]
    if np.linalg.det(linear) < 0.0:  # a mirrored object is inside out in the world
        triangles = triangles[:, [0, 2, 1]]
    vertices = mapped(points.astype(np.float64), unit_scale * stretch_of(linear))
    if not _has_area(vertices[triangles]):
        return "its faces have no area"
    return Mesh(obj.name, vertices, triangles)


def _has_area(corner: np.ndarray) -> bool:
    """Whether any of the triangles (T,3,3) is more than a line, as far as 32 bits can tell."""
    u, v = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
    longest = max(float(np.abs(u).max()), float(np.abs(v).max()))
    return bool(np.abs(np.cross(u, v)).max() > 1e-6 * longest**2)


def _assembled(
    objects: Sequence[bpy.types.Object],
    meshes: dict[bpy.types.Object, Mesh | str],
    poses: dict[bpy.types.Object, np.ndarray],
    around: Around,
) -> tuple[tuple[Collider, ...], tuple[str, ...]]:
    colliders, warnings = [], []
    for obj in objects:
        mesh, path = meshes[obj], poses[obj]
        if isinstance(mesh, Mesh) and not np.all(np.isfinite(path)):
            mesh = "its place or scale is not a finite number at some frame"
        if isinstance(mesh, Mesh):
            colliders.append(_collider(mesh, path, around))
        else:
            warnings.append(f"'{obj.name}' is left out of the collisions: {mesh}.")
    return tuple(colliders), tuple(warnings)


def _collider(mesh: Mesh, path: np.ndarray, around: Around) -> Collider:
    """A collider on its way `path (S,4,4)`, with the stretch of its first pose in the mesh."""
    position = around.unit_scale * (path[:, :3, 3] - around.origin)
    turn = rotations(path[:, :3, :3], stretch_of(path[0, :3, :3]))
    return Collider(mesh, position, quaternions(turn))
