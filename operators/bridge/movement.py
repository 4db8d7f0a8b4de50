"""What moves by itself in the scene: whether an object may, where it is at other frames, and its momentum."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise

import bpy
import numpy as np

from ...core.arithmetic.elementary import arctan2
from ...core.arithmetic.products import apply, dot, multiply, norm
from ...core.arithmetic.small_matrices import determinant, principal_directions
from ...core.geometry.mesh import map_vectors
from ...core.path import Path
from ...core.rigid.pose import make_sign_continuous, quaternions_of
from . import actions, sizes
from .selected import remember_selection

#: [frames] on each side of the start frame at which the object is looked at. Half a frame, so that both together are
#: one: its velocity is per frame.
HALF = 0.5
#: Change of a world matrix, relative to its largest entry, that is the rounding of 32 bits. Some three roundings.
ROUNDING = 4e-7
#: What is less long, relative to the longest, has no direction. A hundred roundings of 64 bits.
FLAT = 1e-14
#: Types of parenting that hang on points of a mesh, which move with whatever deforms it.
TO_POINTS = ("VERTEX", "VERTEX_3")

Look = Callable[[float], np.ndarray]  #: frame -> world matrix (4,4)


@dataclass(frozen=True, eq=False, slots=True)
class Momentum:
    """How an object moves."""

    velocity: np.ndarray  #: (3,) of its origin [m/s]
    spin: np.ndarray  #: (3,) world axes [rad/s]
    pivot: np.ndarray  #: (3,) its origin, in the world, in Blender's units


def may_move(obj: bpy.types.Object) -> bool:
    """Whether the place of an object may depend on the frame: by its own doing or by that of a parent.

    It is better to say yes too often: then the scene is led through its frames for nothing.
    """
    if is_animated(obj) or any(not item.mute for item in obj.constraints):
        return True
    if obj.rigid_body is not None and obj.rigid_body.type == "ACTIVE" and obj.rigid_body.enabled:
        return True
    if obj.parent is None:
        return False
    return obj.parent_type in TO_POINTS or leads(obj.parent) or may_move(obj.parent)


def may_deform(obj: bpy.types.Object) -> bool:
    """Whether the mesh of an object may depend on the frame."""
    data = obj.data
    keys = getattr(data, "shape_keys", None)
    return bool(obj.modifiers) or keys is not None or (data is not None and data.animation_data is not None)


def is_animated(block: bpy.types.ID) -> bool:
    """Whether curves or drivers change something else than when it is seen; keys that make it tiny then are ours."""
    animation = block.animation_data
    if animation is None:
        return False
    if animation.nla_tracks or any(curve.data_path not in actions.HIDE for curve in animation.drivers):
        return True
    followed = (curve for curve in actions.curves_of(animation) if curve.data_path not in actions.HIDE)
    return any(not curve.mute and not sizes.shrinks(curve) for curve in followed)


def leads(parent: bpy.types.Object) -> bool:
    """Whether a parent may move its children while it stays where it is: bones with constraints, paths."""
    if parent.type == "ARMATURE":
        bones = parent.pose.bones if parent.pose is not None else ()
        return any(not item.mute for bone in bones for item in bone.constraints)
    return parent.type == "CURVE" and parent.data.animation_data is not None


@contextmanager
def borrow_playhead(scene: bpy.types.Scene) -> Iterator[Callable[[float], None]]:
    """A function that leads the scene to a frame, with fraction; afterwards the scene is where it was.

    Blender takes what is hidden at a frame out of the selection: it is selected again.
    What was changed by hand at the current frame without a key is lost where there are keys, as it is whenever the
    frame is changed.
    """
    frame, subframe = scene.frame_current, scene.frame_subframe
    select_again = remember_selection(scene)

    def lead(to: float) -> None:
        whole = int(np.floor(to))
        scene.frame_set(whole, subframe=to - whole)

    try:
        yield lead
    finally:
        scene.frame_set(frame, subframe=subframe)
        select_again()


def world_matrix(context: bpy.types.Context, obj: bpy.types.Object) -> np.ndarray:
    """The evaluated matrix (4,4) of an object in the world, in Blender's units."""
    evaluated = obj.evaluated_get(context.evaluated_depsgraph_get())
    return np.array(evaluated.matrix_world, np.float64)


def stretch_of(linear: np.ndarray) -> np.ndarray:
    """All of a matrix (3,3) but its rotation: (3,3), symmetric; scale, shear, and the mirror where it has one."""
    sizes, axes = principal_directions(linear)
    stretch = multiply(axes.T * sizes, axes)
    return -stretch if determinant(linear) < 0.0 else stretch


def rotations(linear: np.ndarray, stretch: np.ndarray) -> np.ndarray:
    """Rotations (n,3,3) that come nearest to matrices (n,3,3) when applied after `stretch (3,3)` (Kabsch 1976).

    Exact for `rotation @ stretch`, also where the scale has changed in the meantime or one direction is flat.
    """
    both = multiply(linear, stretch.T)
    _, axes = principal_directions(both)
    moved = (apply(both, axes[:, k]) for k in range(2))
    return multiply(np.swapaxes(_frames(*moved), 1, 2), _frames(axes[:, 0], axes[:, 1]))


def _frames(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Right-handed frames (n,3,3) of rows: a direction (n,3), what of a second one is across it, and their product.

    Directions of length 0 are replaced by any others.
    """
    length = norm(first)[:, None]
    u = np.where(length > 0.0, first / np.where(length > 0.0, length, 1.0), (1.0, 0.0, 0.0))
    across = second - dot(u, second)[:, None] * u
    any_across = np.cross(u, np.eye(3)[np.abs(u).argmin(axis=1)])
    across = np.where((norm(across) > FLAT * length[:, 0])[:, None], across, any_across)
    v = across / norm(across)[:, None]
    return np.stack([u, v, np.cross(u, v)], axis=1)


def quaternions(turn: np.ndarray) -> np.ndarray:
    """Unit quaternions (n,4), w first and sign-continuous, of rotation matrices (n,3,3)."""
    return np.ascontiguousarray(make_sign_continuous(quaternions_of(turn)[:, None])[:, 0])


def momentum(look: Look, start: int, fps: float, unit_scale: float) -> Momentum:
    """Velocity and spin of an object at frame `start`, from its world matrices around that frame.

    The central difference over one frame: at a key the motion may have a corner, and the difference to one side would
    know only what comes after it, or only what went before. The half frames on both sides weigh them alike, do not
    reach past neighbouring keys on whole frames, and give the exact speed of a motion with constant acceleration.

    Where the object moves on one side only, its animation begins or ends there, at the very frame of the break. Then
    that side counts alone, with the three-point formula of the same order: otherwise an object that is led to the place
    where it breaks would lose half of its speed there. A jump, by a key without interpolation, is no movement.
    """
    here, h = look(start), HALF / fps
    ways = {side: way for side in (-1.0, 1.0) if (way := _way(look, here, start, side)) is not None}
    if len(ways) == 2:
        return _weighed(here, [(near, side * 0.5 / h) for side, (near, _) in ways.items()], unit_scale)
    for side, (near, far) in ways.items():
        return _weighed(here, ((near, side * 2.0 / h), (far, -side * 0.5 / h)), unit_scale)
    return Momentum(np.zeros(3), np.zeros(3), here[:3, 3])


def may_be_kinematic(obj: bpy.types.Object) -> bool:
    """Whether an object may be led by animation, its own or that of what it hangs on, and not by rigid bodies."""
    body = obj.rigid_body
    simulated = body is not None and body.type == "ACTIVE" and body.enabled and not body.kinematic
    return may_move(obj) and not simulated


def path_of(matrices: np.ndarray, origin: np.ndarray, unit_scale: float) -> Path | None:
    """The path along world matrices (S,4,4), seen from `origin (3,)` in Blender's units; None where nothing moves.

    A scale that changes is none of it: the object breaks in the size that it has at the first of them.
    """
    linear = matrices[:, :3, :3]
    turn = rotations(linear, stretch_of(linear[0]))
    pose = np.concatenate([turn, matrices[:, :3, 3:]], axis=2)
    moved = [s for s in range(1, len(pose)) if not same_place(pose[s], pose[s - 1])]
    if not moved:
        return None
    since = np.array([map_vectors(one, turn[0]) for one in turn])  # turn_s turn_0^T
    steps = np.array([_rotation_vector(map_vectors(b, a)) for a, b in pairwise(turn)])
    return Path(unit_scale * (matrices[:, :3, 3] - origin), quaternions(since), steps, moved[-1])


def _way(look: Look, here: np.ndarray, start: int, side: float) -> tuple[np.ndarray, np.ndarray] | None:
    """Where the object is half a frame and a whole frame away on one side; None where it stands or jumps there."""
    near = look(start + side * HALF)
    if same_place(near, here):
        return None
    far = look(start + 2.0 * side * HALF)
    return None if same_place(far, near) else (near, far)


def _weighed(here: np.ndarray, weights: Sequence[tuple[np.ndarray, float]], unit_scale: float) -> Momentum:
    """A difference formula: weights [1/s] of the ways from the matrix `here` to others."""
    stretch = stretch_of(here[:3, :3])
    turn = rotations(np.array([here[:3, :3], *(matrix[:3, :3] for matrix, _ in weights)]), stretch)
    velocity, spin = np.zeros(3), np.zeros(3)
    for other, (matrix, weight) in zip(turn[1:], weights, strict=True):
        velocity += weight * unit_scale * (matrix[:3, 3] - here[:3, 3])
        spin += weight * _rotation_vector(multiply(other, turn[0].T))
    return Momentum(velocity, spin, here[:3, 3])


def _rotation_vector(turn: np.ndarray) -> np.ndarray:
    """Axis times angle (3,) of a rotation matrix (3,3)."""
    q = quaternions(turn[None])[0]
    q = -q if q[0] < 0.0 else q
    sine = float(norm(q[1:]))
    return 2.0 * q[1:] if sine == 0.0 else 2.0 * arctan2(sine, q[0]) / sine * q[1:]


def same_place(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two world matrices are equal but for the rounding of 32 bits."""
    return bool(np.abs(a - b).max() <= ROUNDING * max(1.0, float(np.abs(b).max())))
