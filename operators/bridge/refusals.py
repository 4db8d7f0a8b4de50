"""What can be broken, and the sentences for what cannot."""

import bpy

from ...core.errors import InputError
from . import driven

#: Types of objects that have a surface, as they are or as Blender makes it.
BREAKABLE = ("MESH", "CURVE", "SURFACE", "FONT", "META")
#: What to select where nothing is.
SELECT = "Select a mesh, curve, surface, text or metaball"

_CONVERT = "convert it to a mesh first (Object > Convert > Mesh)"
_REMEDIES = {
    "CURVES": f"is hair without a surface: {_CONVERT} and give it one",
    "POINTCLOUD": f"is a cloud of points without a surface: {_CONVERT} and give it one",
    "GREASEPENCIL": f"is a drawing without a surface: {_CONVERT} and give it one",
    "VOLUME": "is a volume without a surface: show it through a Volume to Mesh modifier of a mesh object",
}
_BARE = {
    "CURVE": "is a line without a surface: give it an Extrude or a Bevel (Data > Geometry)",
    "FONT": "is empty: type some text",
    "META": f"has no surface: show it, or {_CONVERT}",
}
_INSTANCES = (
    "shows instances of other objects: make them real first (Object > Apply > Make Instances Real, or a Realize "
    "Instances node at the end of its Geometry Nodes)"
)

#: Bytes of a poll message that Blender tells a script; it cuts off the rest, and long ones are hard to read anyway.
POLL_MESSAGE = 200
#: What stands for the rest of a name.
MORE = "…"

#: What to do where Blender lets nobody give an object another Action.
LEAVE_TWEAK_MODE = "leave the tweak mode of the NLA editor (Tab) first"


def refusal(obj: bpy.types.Object | None) -> str:
    """Why an object cannot be shattered, in a sentence that says what to do; empty where it can."""
    if obj is None:
        return f"Nothing is selected. {SELECT}."
    why = _unsuited(obj)
    return f"'{obj.name}' {why}." if why else ""


def poll_refusal(obj: bpy.types.Object) -> str:
    """`refusal` as a poll message: with as much of the name as leaves room for the rest, and without a full stop."""
    why = _unsuited(obj)
    name = obj.name.encode()
    room = POLL_MESSAGE - len(f"'' {why}".encode())
    if len(name) > room:
        name = name[: room - len(MORE.encode())].decode(errors="ignore").encode() + MORE.encode()
    return f"'{name.decode()}' {why}".removesuffix(".") if why else ""


def refuse(obj: bpy.types.Object | None) -> None:
    """Raise InputError where `refusal` has a sentence. What the core checks (open, non-finite, no volume) is left."""
    sentence = refusal(obj)
    if sentence:
        raise InputError(sentence)


def refuse_instances(evaluated: bpy.types.Object) -> None:
    """Raise InputError where an evaluated object is made of instances: they are no part of its mesh."""
    if shows_instances(evaluated):
        raise InputError(f"'{evaluated.name}' {_INSTANCES}.")


def shows_instances(evaluated: bpy.types.Object) -> bool:
    """Whether an evaluated object is made of instances."""
    try:
        geometry = evaluated.evaluated_geometry()
    except TypeError:  # keys hide it, so that Blender has not made anything
        return False
    points = geometry.instances_pointcloud()  # lives as long as the geometry
    return points is not None and len(points.points) > 0


def refuse_bare(obj: bpy.types.Object) -> None:
    """Raise InputError for an object whose mesh has no faces."""
    base = _base(obj) if obj.type == "META" else obj
    if base != obj:
        raise InputError(f"'{obj.name}' flows together with '{base.name}', which has the surface of both: select that.")
    raise InputError(f"'{obj.name}' {_BARE.get(obj.type, 'has no faces: add some, or select another object')}.")


def is_tweaked(obj: bpy.types.Object) -> bool:
    """Whether a strip of an object is being edited in the NLA: its Action stands in for the object's own."""
    return obj.animation_data is not None and obj.animation_data.use_tweak_mode


def _unsuited(obj: bpy.types.Object) -> str:
    if obj.instance_type != "NONE":
        return _INSTANCES
    if obj.type not in BREAKABLE:
        return _REMEDIES.get(obj.type, f"has nothing that could break. {SELECT}")
    if obj.library is not None:
        return "is linked from a library: make a library override of it, or make it local, first"
    if obj.override_library is not None and any(not curve.mute for curve in driven.drivers_of(obj).values()):
        return "is an override of a linked object whose visibility is driven, for good: make it local first"
    if obj.mode == "EDIT":
        return "is in edit mode: leave edit mode first"
    if is_tweaked(obj):
        return f"has a strip that is being edited: {LEAVE_TWEAK_MODE}"
    if obj.type == "MESH" and not obj.data.polygons and not obj.modifiers:
        return "has no faces: add some, or select another object"
    return ""


def _base(obj: bpy.types.Object) -> bpy.types.Object:
    """The one of a family of metaballs, equal in their names up to a number, that has the surface of all."""
    stem, _ = _numbered(obj.name)
    family = [other for other in bpy.data.objects if other.type == "META" and _numbered(other.name)[0] == stem]
    return min(family, key=lambda other: _numbered(other.name)[1])


def _numbered(name: str) -> tuple[str, int]:
    stem, dot, number = name.rpartition(".")
    return (stem, int(number)) if dot and number.isdecimal() else (name, 0)
