"""Hiccup, Sneeze, Wobble and Steer: keys, a hidden pusher and a goal that make something soft move by itself.

After Norton et al. 1991, section 6: a hiccup is gravity that grows for a moment, a sneeze is matter that goes soft and
firm again, a wobble comes of a ball that nobody sees; forces toward a goal are named there as future work.
"""

from collections.abc import Iterable, Sequence

import bmesh
import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...core.config.params import declared
from ...core.continuum import CONTINUA
from .. import idnames
from ..bridge.actions import curves_of
from ..bridge.clock import frames_per_second
from ..bridge.courses import path_of
from ..bridge.viewer import heading_of
from ..registering import registration_of
from ..settings import is_continuum
from ..targets import poll_found, poll_targets, target, targets

HICCUP, SNEEZE, WOBBLE, STEER = "HICCUP", "SNEEZE", "WOBBLE", "STEER"
KINDS = (
    (HICCUP, "Hiccup", "Gravity grows for a moment and lets go again: what is soft is pressed down, and jumps"),
    (SNEEZE, "Sneeze", "It goes soft for a moment and firm again: it sags, and jumps"),
    (WOBBLE, "Wobble", "A ball that no render shows pushes it from the side where you look, near its top"),
    (STEER, "Steer", "It goes to where the 3D cursor is now, and stays there until Steering is 0 again"),
)
#: What is keyed for each kind: the value, what it is meanwhile, and for how long [s]. The paper's five times gravity,
#: and a hundredth of the stiffness; the times are those of the specification's scenes.
KEYED = {HICCUP: ("gravity_scale", 5.0, 0.1), SNEEZE: ("stiffness_scale", 0.01, 0.3)}
#: [s] after the first frame before which nothing begins: what falls has come to rest. By eye.
SETTLED = 0.5
#: The ball: its radius and how deep it goes in, in sizes of the object across its way; at which part of its height it
#: pushes; how long it takes in and out [s]. By eye, with a vase.
RADIUS, DEPTH, HEIGHT, PUSH = 0.4, 0.25, 0.8, 0.15
#: How fast it is steered [1/s]: it takes about a second. By eye.
STEERING = 4.0
#: Name of the ball.
PUSHER = "Brittle Push"


def begin_of(scene: bpy.types.Scene) -> int:
    """The frame at which it begins: the playhead's, once things have come to rest."""
    return max(scene.frame_current, scene.frame_start + round(SETTLED * frames_per_second(scene)))


def key_for_a_while(obj: bpy.types.Object, kind: str, begin: int) -> None:
    """Key what a kind changes of an object's settings, from a frame on for a while."""
    name, value, time = KEYED[kind]
    own = getattr(obj, idnames.OBJECT)
    usual = getattr(getattr(own, own.breaking), name)
    end = begin + max(1, round(time * frames_per_second(bpy.context.scene)))
    key_steps(obj, name, ((begin - 1, usual), (begin, value), (end, usual)))


def key_steps(obj: bpy.types.Object, name: str, steps: Iterable[tuple[int, float]]) -> None:
    """Key a value of the method that breaks an object: from each of these frames on it is so much, up to the next."""
    own = getattr(obj, idnames.OBJECT)
    group, path = getattr(own, own.breaking), path_of(own.breaking, name)
    for frame, value in steps:
        setattr(group, name, value)
        obj.keyframe_insert(path, frame=frame)
    for curve in curves_of(obj.animation_data):
        if curve.data_path == path:
            for key in curve.keyframe_points:
                key.interpolation = "CONSTANT"


def world_bounds(obj: bpy.types.Object) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest coordinates (3,) of an object's box in the world."""
    corners = np.array([obj.matrix_world @ Vector(corner) for corner in obj.bound_box])
    return corners.min(axis=0), corners.max(axis=0)


def add_pusher(context: bpy.types.Context, obj: bpy.types.Object, begin: int) -> bpy.types.Object:
    """A ball that pushes an object from the side of the viewer, and is in no render."""
    low, high = world_bounds(obj)
    heading = heading_of(context)
    across = float(((high - low) * np.abs(heading)).sum())
    radius = RADIUS * across
    middle = 0.5 * (low + high)
    middle[2] = low[2] + HEIGHT * (high[2] - low[2])
    touching = middle - (0.5 * across + radius) * heading
    mesh = bpy.data.meshes.new(PUSHER)
    ball = bmesh.new()
    bmesh.ops.create_icosphere(ball, subdivisions=3, radius=radius, matrix=Matrix())
    ball.to_mesh(mesh)
    ball.free()
    pusher = bpy.data.objects.new(PUSHER, mesh)
    context.collection.objects.link(pusher)
    pusher.display_type, pusher.hide_render = "WIRE", True
    getattr(pusher, idnames.OBJECT).collider = True
    step = max(1, round(PUSH * frames_per_second(context.scene)))
    away, deep = touching - radius * heading, touching + DEPTH * across * heading
    for frame, place in ((begin, away), (begin + step, deep), (begin + 2 * step, away)):
        pusher.location = place.tolist()
        pusher.keyframe_insert("location", frame=frame)
    return pusher


def steer(context: bpy.types.Context, obj: bpy.types.Object, begin: int) -> None:
    """Let an object be led to the 3D cursor from a frame on."""
    own = getattr(obj, idnames.OBJECT)
    low, high = world_bounds(obj)
    getattr(own, own.breaking).goal = (np.array(context.scene.cursor.location) - 0.5 * (low + high)).tolist()
    key_steps(obj, "steering", ((begin - 1, 0.0), (begin, STEERING)))


def may_be_keyed(own: bpy.types.PropertyGroup) -> bool:
    """Whether the method that `object.brittle` has chosen has the values that are keyed here."""
    if not is_continuum(own):
        return False
    fields = {field.name for field in declared(CONTINUA[own.breaking].params) if field.param.over_time}
    return fields.issuperset(name for name, _, _ in KEYED.values())


def _soft(context: bpy.types.Context) -> Sequence[bpy.types.Object]:
    """The objects to which it is done: those that a method moves whose values may be keyed."""
    return [obj for obj in targets(context) if may_be_keyed(getattr(obj, idnames.OBJECT))]


class BRITTLE_OT_control_add(bpy.types.Operator):
    """Let what is soft move by itself, from the playhead on. Then click Simulate"""

    bl_idname = idnames.Operator.CONTROL_ADD
    bl_label = "Add Soft Motion"
    bl_options = {"REGISTER", "UNDO"}

    kind: bpy.props.EnumProperty(name="Motion", items=KINDS)

    @classmethod
    def description(cls, context, properties):
        """What the kind does."""
        return next(doc for kind, _, doc in KINDS if kind == properties.kind)

    @classmethod
    def poll(cls, context):
        if not poll_targets(cls, context):
            return False
        soft = may_be_keyed(getattr(target(context), idnames.OBJECT))
        return poll_found(cls, context, soft, "Choose a material that is soft, such as Gelatine, for the object")

    def execute(self, context):
        begin = begin_of(context.scene)
        for obj in _soft(context):
            getattr(obj, idnames.OBJECT).breakable.breaks = True  # so that Simulate takes it along
            if self.kind == WOBBLE:
                add_pusher(context, obj, begin)
            elif self.kind == STEER:
                steer(context, obj, begin)
            else:
                key_for_a_while(obj, self.kind, begin)
        return {"FINISHED"}


register, unregister = registration_of(BRITTLE_OT_control_add)
