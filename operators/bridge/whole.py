"""The object as it was, in place of the fragment that is all of it: until its break nothing of it changes.

A fragment is made of cut faces, in axes of its own about its centre of mass. A picture shows that: shading differs by
rounding, textures by coordinates. So what is still whole is the evaluated mesh itself, in the object's own axes, with
the object's scale, and all that the object says about how it is seen. Only what names the object tells them apart:
the Random output of the Object Info node, and Cryptomatte.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np

from ...core.arithmetic.products import apply, multiply, norm
from ...core.arithmetic.small_matrices import determinant, rotation_matrices
from ...core.geometry.mesh import bounds
from ...core.types import Floats, Fracture, Motion
from . import names
from .attributes import TYPES
from .meshes import PackedMeshes, write_slots
from .movement import borrow_playhead, may_deform, may_move, quaternions
from .read import SHEAR
from .source import SourceAttributes, find_material

#: Between two frames keys are put closer where the mass would sway by more than this part of the object's size. By eye.
SWAY = 1e-3
#: Keys for each frame, at most. By eye.
CLOSEST = 32


@dataclass(frozen=True, eq=False, slots=True)
class Pose:
    """Where an object stands: its points are at `location + turn @ (scale * (baked @ point))`."""

    location: Floats  #: (3,) in the world, in Blender's units
    turn: Floats  #: (4,) unit quaternion, w first
    scale: Floats  #: (3,)
    baked: Floats | None  #: (3,3) what neither turn nor scale can say: it goes into the mesh. None: nothing


@dataclass(frozen=True, eq=False, slots=True)
class Whole:
    """The untouched mesh of an object, and where it stands at the start."""

    row: int  #: of the fragment that it stands for
    mesh: bpy.types.Mesh
    pose: Pose
    size: float  #: diagonal of its box in the world, in Blender's units


def first_fragment(fracture: Fracture) -> int:
    """The row of the one fragment that is all of the object at the start; -1 where it begins in several parts."""
    first = np.flatnonzero((fracture.parent < 0) & (fracture.birth == 0))
    return int(first[0]) if len(first) == 1 else -1


def read_whole(
    context: bpy.types.Context, obj: bpy.types.Object, source: SourceAttributes, fracture: Fracture, start_frame: int
) -> Whole | None:
    """The object at `start_frame` as a mesh of its own; None where it begins in parts, or is no longer what was read.

    The mesh is that of the viewport, as all that is read: modifiers with other levels for renders show these no more.
    """
    row = first_fragment(fracture)
    if row < 0:
        return None
    with _at(context, obj, start_frame):
        depsgraph = context.evaluated_depsgraph_get()
        evaluated = obj.evaluated_get(depsgraph)
        if not evaluated.is_evaluated:
            return None
        mesh = bpy.data.meshes.new_from_object(evaluated, preserve_all_data_layers=True, depsgraph=depsgraph)
        matrix = np.array(evaluated.matrix_world, np.float64)
    if len(mesh.loops) != len(source.normal):
        bpy.data.meshes.remove(mesh)
        return None
    low, high = bounds(apply(matrix[:3, :3], _points(mesh)))
    return Whole(row, mesh, pose_of(matrix), float(norm(high - low)))


@contextmanager
def _at(context: bpy.types.Context, obj: bpy.types.Object, frame: int) -> Iterator[None]:
    """The scene at a frame, where that makes a difference to the object."""
    scene = context.scene
    context.view_layer.update()
    if (scene.frame_current, scene.frame_subframe) == (frame, 0.0) or not (may_move(obj) or may_deform(obj)):
        yield
        return
    with borrow_playhead(scene) as lead:
        lead(frame)
        yield


def pose_of(matrix: Floats) -> Pose:
    """A world matrix (4,4) as location, rotation and scale along the object's own axes.

    A mirrored object has a negative scale. What is sheared, or flat by a scale of 0, has no rotation: all of it goes
    into the mesh, but for the mirror, which stays with the object, so that no face changes sides.
    """
    linear, location = matrix[:3, :3], matrix[:3, 3]
    mirror = -1.0 if determinant(linear) < 0.0 else 1.0
    scale = np.sqrt(np.square(linear).sum(axis=0))
    scale[0] *= mirror
    turn = linear / np.where(scale == 0.0, 1.0, scale)
    if np.abs(multiply(turn.T, turn) - np.eye(3)).max() > SHEAR:
        return Pose(location, np.array([1.0, 0.0, 0.0, 0.0]), np.full(3, mirror), mirror * linear)
    return Pose(location, quaternions(turn[None])[0], scale, None)


def whole_object(whole: Whole, data: PackedMeshes, title: str) -> bpy.types.Object:
    """A new object with the mesh and materials of the untouched one; it is not placed yet."""
    mesh, source = whole.mesh, data.source
    mesh.name = title
    result = bpy.data.objects.new(title, mesh)
    at_rest = whole.pose.baked is not None or source.rest.points is not None
    if at_rest:
        _remember_coordinates(mesh, data)
    if whole.pose.baked is not None:
        _bake(mesh, whole.pose, source)
    _wear(result, data, at_rest)
    result.scale = whole.pose.scale
    return result


def _remember_coordinates(mesh: bpy.types.Mesh, data: PackedMeshes) -> None:
    """Give the points the object and generated coordinates that a baked mesh, or one without modifiers, has no more."""
    rest, points = data.source.rest, _points(mesh)
    found = {names.REST: points}
    if any(column.name == names.GENERATED for column in data.columns):
        low, size = np.array(mesh.texspace_location), np.array(mesh.texspace_size)
        found[names.GENERATED] = (points - low) / (2.0 * size) + 0.5 if rest.points is None else rest.points
    for name, values in found.items():
        if name not in mesh.attributes:
            attribute = mesh.attributes.new(name, "FLOAT_VECTOR", "POINT")
            attribute.data.foreach_set("vector", values.astype(np.float32).reshape(-1))


def _bake(mesh: bpy.types.Mesh, pose: Pose, source: SourceAttributes) -> None:
    points = apply(pose.baked, _points(mesh))
    mesh.attributes["position"].data.foreach_set("vector", points.astype(np.float32).reshape(-1))
    if source.shaded:
        if "custom_normal" in mesh.attributes:
            mesh.attributes.remove(mesh.attributes["custom_normal"])
        prop = TYPES["FLOAT_VECTOR"][0]
        # What is turned inside out in the world by the scale -1 looks the other way in the mesh.
        normal = (pose.scale[0] * source.normal).astype(np.float32)
        mesh.attributes.new("custom_normal", "FLOAT_VECTOR", "CORNER").data.foreach_set(prop, normal.reshape(-1))
    mesh.update()


def _wear(result: bpy.types.Object, data: PackedMeshes, at_rest: bool) -> None:
    """The source's materials in its slots; the copies that fragments have where coordinates come from attributes."""
    mesh = result.data
    for i, slot in enumerate(data.source.slots):
        material = data.materials[i] if at_rest else find_material(slot.data)
        if i < len(mesh.materials):
            mesh.materials[i] = material
        else:
            mesh.materials.append(material)
    if at_rest:
        write_slots(result, data)
        return
    for i, slot in enumerate(data.source.slots):
        if slot.link == "OBJECT":
            result.material_slots[i].link = "OBJECT"
            result.material_slots[i].material = find_material(slot.own)


def close_poses(whole: Whole, centre: Floats, motion: Motion, stop: int) -> tuple[int, Floats, Floats]:
    """How many steps there are to a frame, and locations (n,3) and rotations (n,4) after each, before frame `stop`.

    Blender moves the object's origin straight from key to key, but it is the centre of mass that moves so: an object
    that turns about a far origin would sway.
    """
    rotation = motion.rotation[:stop, whole.row]
    arm = float(norm(whole.pose.location - centre[0]))
    angle = 2.0 * norm(np.diff(rotation, axis=0)).max(initial=0.0)
    # The height of an arc over its chord.
    sway = arm * angle * angle / 8.0
    steps = int(np.clip(np.ceil(np.sqrt(sway / (SWAY * whole.size))), 1, CLOSEST)) if whole.size > 0.0 else 1
    at = np.arange((stop - 1) * steps + 1) / steps
    before = np.minimum(at.astype(np.int64), max(stop - 2, 0))
    share, after = (at - before)[:, None], np.minimum(before + 1, stop - 1)
    between = [(1.0 - share) * values[before] + share * values[after] for values in (centre[:stop], rotation)]
    between[1] /= norm(between[1])[:, None]
    return steps, *_pose_along(whole, between[0], between[1], centre[0])


def _pose_along(whole: Whole, centre: Floats, rotation: Floats, rest: Floats) -> tuple[Floats, Floats]:
    """The pose at the start, led by centres of mass (n,3) and rotations (n,4) since; `rest (3,)` is the first centre.

    At the start nothing has moved yet: the pose comes back to the bit.
    """
    arm = whole.pose.location - rest
    moved = centre - rest + apply(rotation_matrices(rotation) - np.eye(3), arm)
    w, x, y, z = whole.pose.turn
    before = np.array([[w, -x, -y, -z], [x, w, z, -y], [y, -z, w, x], [z, y, -x, w]])  # q -> q times the turn
    return whole.pose.location + moved, np.ascontiguousarray(apply(before, rotation))


def _points(mesh: bpy.types.Mesh) -> Floats:
    values = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", values)
    return values.reshape(-1, 3).astype(np.float64)
