"""What stands in the way of the pieces: which objects take part, and how they are read."""

from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ...core.geometry.mesh import map_vectors
from ...core.rigid.shapes.rigid_regions import find_rigid_regions
from ...core.types import Collider, Mesh, Progress
from . import names
from .deforming import may_deform_in_time
from .movement import borrow_playhead, may_deform, may_move, quaternions, rotations, stretch_of
from .restore import collections_of
from .snapshots import Snapshot, body_meshes, keeps_its_form, outward_triangles, take_snapshot

#: Triangles of a mesh that deforms, and points of it in all frames together, up to which it is followed. By time and
#: memory: the points take 240 MB.
MOST_TRIANGLES, MOST_POINTS = 20_000, 10_000_000


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

    Meshes are those that the modifiers show in the viewport: of what may deform or change its size at each stored
    frame, of all others at the first one. Where any of the objects may move or deform, the scene is led through all
    stored frames and back, also where this is closed on the way. One that keys hide for a while stands still meanwhile:
    Blender does not move what it does not show.
    """
    scene = context.scene
    deforming = {obj for obj in objects if may_deform_in_time(obj)}
    moving = [obj for obj in objects if obj in deforming or may_move(obj)]
    at_start = (scene.frame_current, scene.frame_subframe) == (around.start_frame, 0.0)
    if not moving and (at_start or not any(may_deform(obj) for obj in objects)):
        seen = {obj: [take_snapshot(context, obj)] for obj in objects}
        return _assembled(objects, seen, around)
    with borrow_playhead(scene) as lead:
        lead(around.start_frame)
        seen = {obj: [take_snapshot(context, obj)] for obj in objects}
        for count in range(1, around.frames if moving else 1):
            # Whoever draws or plays meanwhile may change the frame: it is set and read without a pause between.
            yield Progress(count / around.frames, "Following moving colliders")
            lead(around.start_frame + count)
            for obj in moving:
                seen[obj].append(take_snapshot(context, obj, seen[obj][-1], obj in deforming))
    return _assembled(objects, seen, around)


def _has_area(corner: np.ndarray) -> bool:
    """Whether any of the triangles (T,3,3) is more than a line, as far as 32 bits can tell."""
    u, v = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
    longest = max(float(np.abs(u).max()), float(np.abs(v).max()))
    return bool(np.abs(np.cross(u, v)).max() > 1e-6 * longest * longest)


def _assembled(
    objects: Sequence[bpy.types.Object], seen: dict[bpy.types.Object, list[Snapshot]], around: Around
) -> tuple[tuple[Collider, ...], tuple[str, ...]]:
    colliders, warnings = [], []
    for obj in objects:
        fault = _fault(seen[obj], around.unit_scale)
        if fault:
            warnings.append(f"'{obj.name}' is left out of the collisions: {fault}.")
            continue
        collider, told = _collider(obj.name, seen[obj], around)
        colliders.append(collider)
        warnings += [told] if told else []
    return tuple(colliders), tuple(warnings)


def _fault(seen: list[Snapshot], unit_scale: float) -> str:
    """Why an object cannot be a collider, "" if it can."""
    first = seen[0]
    if not np.isfinite(first.matrix).all():
        return "its place or scale is not a finite number"
    if first.fault:
        return first.fault
    if not _has_area(map_vectors(first.points.astype(np.float64), unit_scale * first.matrix[:3, :3])[first.triangles]):
        return "its faces have no area"
    if not all(np.isfinite(one.matrix).all() for one in seen):
        return "its place or scale is not a finite number at some frame"
    later = next((one.fault for one in seen if one.fault and one.fault != "it has no faces"), "")
    return f"{later} at some frame" if later else ""


def _collider(name: str, seen: list[Snapshot], around: Around) -> tuple[Collider, str]:
    """A collider on its way, and a sentence about what of it does not count."""
    rigid = _rigid(name, seen, around)
    if keeps_its_form(seen):
        return rigid, ""
    meshes = body_meshes(name, seen, around.origin, around.unit_scale)
    told = too_fine(name, meshes, around.start_frame)
    if told:
        return rigid, f"{told} Let a simpler mesh collide in its place."
    return replace(rigid, deformed=meshes), ""


def too_fine(name: str, meshes: Sequence[Mesh], start_frame: int) -> str:
    """Why what deforms cannot be followed, in a sentence; "" where it can, or where all of it keeps its form."""
    count = max(len(one.triangles) for one in meshes)
    points = sum(len(one.vertices) for one in meshes)
    if (count <= MOST_TRIANGLES and points <= MOST_POINTS) or not find_rigid_regions(tuple(meshes))[1]:
        return ""
    return (
        f"'{name}' deforms, but counts as it is at frame {start_frame}: it has {count} triangles in {len(meshes)} "
        "frames, more than can be followed."
    )


def _rigid(name: str, seen: list[Snapshot], around: Around) -> Collider:
    """With the mesh and the stretch of the first frame."""
    first, path = seen[0], np.array([one.matrix for one in seen])
    path = path if np.any(path != path[0]) else path[:1]
    stretch = stretch_of(first.matrix[:3, :3])
    mesh = Mesh(
        name, map_vectors(first.points.astype(np.float64), around.unit_scale * stretch), outward_triangles(first)
    )
    position = around.unit_scale * (path[:, :3, 3] - around.origin)
    return Collider(mesh, position, quaternions(rotations(path[:, :3, :3], stretch)))
