"""The settings that files store, generated from the params dataclasses of the core.

A number is declared once, in the core (see core/params.py): look there for defaults, limits and tooltips. Each entry
of the registries of pieces, breaking rules and motions gets a group of its own under its id, so a new method needs no
line here. A *table* below is plain data in the form of a preset file: {"pieces": {"method": ..., ...}, "breaking": ...,
"motion": ..., "material": ..., "surface": ..., "repair": ..., "breakable": ..., "fields": [{"kind": ..., ...}, ...]}; a
preset has neither repair nor breakable, which are the object's own.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ..core.breakable import Breakable
from ..core.breaking import RULES
from ..core.errors import InputError
from ..core.material import Material
from ..core.motion import MOTIONS
from ..core.params import Declared, declared, from_mapping, param
from ..core.pieces import PARTITIONS
from ..core.registry import Registry
from ..core.repair import Repair
from ..core.settings import Settings
from ..core.strength.choice import fields_from
from ..core.surface import Surface
from . import idnames

#: Blender's unit for an SI unit, and the power of the scene's unit scale by which Blender multiplies what it shows.
UNITS = {
    "m": ("LENGTH", 1),
    "m^2": ("AREA", 2),
    "m^3": ("VOLUME", 3),
    "m/s": ("VELOCITY", 1),
    "m/s^2": ("ACCELERATION", 1),
    "kg": ("MASS", 3),
    "rad": ("ROTATION", 0),
}

#: The registries by the name of their choice in `object.brittle` and of their table in a preset.
REGISTRIES: dict[str, Registry[Any]] = {"pieces": PARTITIONS, "breaking": RULES, "motion": MOTIONS}

#: Settings that are not a method's, by the name of their group and table.
PARAMS: dict[str, type[Any]] = {"material": Material, "surface": Surface, "repair": Repair, "breakable": Breakable}

#: Most frames that a simulation may store.
FRAMES_MAX = 100_000
#: Last frame that Blender knows.
FRAME_LAST = 1_048_574


#: What the faces of pieces are: identifier, label, tooltip, the number that files store.
FACES = [
    ("NGONS", "N-gons", "As few faces as possible, with as many corners as they need", 1),
    ("TRIANGLES", "Triangles", "Triangles only, for games and renderers that take nothing else", 2),
]

#: What is called when an artist or a script has changed any of the settings.
listeners: list[Callable[[], None]] = []


@dataclass(frozen=True, slots=True)
class ImpactSettings:
    """A hit, as the empty that stands for it stores it."""

    strength: float = param(
        1.0,
        "Strength",
        "Force of the hit; the material says how much it takes to break",
        unit="1",
        limits=(0.0, 1e9),
        soft=(0.0, 10.0),
    )
    speed: float = param(
        5.0,
        "Speed",
        "Speed that the blow hands to the matter at the point",
        unit="m/s",
        limits=(0.0, 1e4),
        soft=(0.0, 50.0),
    )
    radius: float = param(
        0.0,
        "Radius",
        "Reach of the blow; 0 takes a tenth of the object's size",
        unit="m",
        limits=(0.0, 1e6),
        soft=(0.0, 10.0),
    )
    frame: int = param(
        0, "Frame", "Frame of the hit; 0 is the frame at which Shatter is clicked", limits=(0, FRAME_LAST)
    )


@dataclass(frozen=True, slots=True)
class SceneSettings:
    """What lies around the objects, and for how long they move."""

    use_ground: bool = param(True, "Ground", "An endless floor on which the pieces land")
    ground_height: float = param(
        0.0,
        "Height",
        "Height of the floor above the world's origin",
        unit="m",
        limits=(-1e6, 1e6),
        needs=("use_ground", (True,)),
    )
    frames: int = param(120, "Frames", "Length of the movement from the hit on", limits=(1, FRAMES_MAX), soft=(2, 500))
    reduce_keys: bool = param(
        True, "Reduce Keys", "Leave out keys without which nothing changes visibly, as while a piece rests"
    )
    use_colliders: bool = param(
        True, "Use Colliders", "Pieces bounce off passive rigid bodies, objects with collision, and marked ones"
    )
    most_pieces: int = param(
        2000,
        "Most Pieces",
        "When a simulation has so many pieces, contacts break no more of them",
        limits=(1, 100_000),
        soft=(10, 10_000),
    )


def property_group(name: str, params: type[Any]) -> type[bpy.types.PropertyGroup]:
    """A PropertyGroup class with one property for each declared field of a params dataclass, its `params`."""
    annotations = {field.name: _property(field) for field in declared(params)}
    members = {"__annotations__": annotations, "__doc__": params.__doc__, "params": params}
    return type(name, (bpy.types.PropertyGroup,), members)


def values(group: bpy.types.PropertyGroup, params: type[Any], scale_length: float = 1.0) -> dict[str, Any]:
    """The values of a group as plain data in SI units, for `from_mapping`.

    Blender stores floats in 32 bits: 0.3 comes back as 0.30000001192. The shortest decimal that names the same
    32-bit number is what the artist typed, so that is what the core gets.
    """
    return {field.name: _value(getattr(group, field.name), field, scale_length) for field in declared(params)}


def shown(group: bpy.types.PropertyGroup) -> list[tuple[str, bool]]:
    """The name of each declared value of a group, in order, and whether it counts under the present choices."""
    rows = []
    for field in declared(type(group).params):
        name, useful = field.param.needs or ("", ())
        rows.append((field.name, not name or getattr(group, name) in useful))
    return rows


def tables(settings: bpy.types.PropertyGroup, scale_length: float = 1.0) -> dict[str, dict[str, Any]]:
    """The settings `object.brittle` of an object as tables."""
    result = {}
    for kind, registry in REGISTRIES.items():
        method = registry[getattr(settings, kind)]
        group = getattr(settings, method.id)
        result[kind] = {"method": method.id, **values(group, method.params, scale_length)}
    for name, params in PARAMS.items():
        result[name] = values(getattr(settings, name), params, scale_length)
    return result


def build(data: Mapping[str, Any], seed: int) -> Settings:
    """The core's settings from tables. Raises InputError for what does not exist or is out of its limits."""
    if seed < 0:
        raise InputError(f"Seed is {seed}; it must be at least 0.")
    pieces, breaking, motion = (_checked(data[kind], registry) for kind, registry in REGISTRIES.items())
    others = {name: from_mapping(params, data.get(name, {})) for name, params in PARAMS.items()}
    motion_id, motion_params = motion
    fields = fields_from(data.get("fields", ()))
    return Settings(seed, *pieces, *breaking, motion=motion_id, motion_params=motion_params, fields=fields, **others)


def method_group(settings: bpy.types.PropertyGroup, kind: str) -> bpy.types.PropertyGroup:
    """The settings of the method that `object.brittle` has chosen; `kind` is one of `REGISTRIES`."""
    return getattr(settings, getattr(settings, kind))


def settings_from(obj: bpy.types.Object, scale_length: float = 1.0) -> Settings:
    """The core's settings for an object, from `object.brittle`."""
    settings = getattr(obj, idnames.OBJECT)
    return build(tables(settings, scale_length), settings.seed)


def apply(settings: bpy.types.PropertyGroup, data: Mapping[str, Mapping[str, Any]], scale_length: float = 1.0) -> None:
    """Set `object.brittle` from tables: what a table does not name gets its default, a missing table stays as it is.

    Raises InputError before anything is set.
    """
    chosen = {}
    for kind, registry in REGISTRIES.items():
        if kind in data:
            chosen[kind] = _checked(data[kind], registry)
    others = {name: from_mapping(params, data[name]) for name, params in PARAMS.items() if name in data}
    for kind, (method_id, params) in chosen.items():
        setattr(settings, kind, method_id)
        _assign(getattr(settings, method_id), params, scale_length)
    for name, params in others.items():
        _assign(getattr(settings, name), params, scale_length)


def _checked(table: Mapping[str, Any], registry: Registry[Any]) -> tuple[str, Any]:
    """The method that a table names, and its checked params."""
    values = dict(table)
    method = registry[values.pop("method", "")]
    return method.id, from_mapping(method.params, values)


def _assign(group: bpy.types.PropertyGroup, params: Any, scale_length: float) -> None:
    for field in declared(params):
        value = getattr(params, field.name)
        factor = scale_length ** UNITS.get(field.param.unit, ("", 0))[1]
        if isinstance(value, float):
            value /= factor
        elif isinstance(value, tuple):
            value = tuple(item / factor for item in value)
        setattr(group, field.name, value)


def _value(stored: Any, field: Declared, scale_length: float) -> Any:
    factor = scale_length ** UNITS.get(field.param.unit, ("", 0))[1]
    if isinstance(field.default, tuple):
        return tuple(_shortest(item) * factor for item in stored)
    if isinstance(field.default, float):
        return _shortest(stored) * factor
    return stored


def _shortest(value: float) -> float:
    return float(str(np.float32(value)))


def _property(field: Declared) -> Any:
    declaration = field.param
    common = {
        "name": declaration.label,
        "description": declaration.doc,
        "default": field.default,
        "update": _tell,
    }
    if declaration.choices:
        items = [(choice.id, choice.label, choice.doc, choice.number) for choice in declaration.choices]
        return bpy.props.EnumProperty(items=items, **common)
    if isinstance(field.default, bool):
        return bpy.props.BoolProperty(**common)
    if isinstance(field.default, str):
        return bpy.props.StringProperty(**common)
    if isinstance(field.default, int):
        return bpy.props.IntProperty(**common, **_bounds(field))
    common["unit"] = UNITS.get(declaration.unit, ("NONE", 0))[0]
    if common["unit"] == "NONE" and declaration.unit not in ("", "1"):
        common["description"] += f" [{declaration.unit}]"
    if isinstance(field.default, tuple):
        return bpy.props.FloatVectorProperty(size=len(field.default), subtype="XYZ", **common, **_bounds(field))
    return bpy.props.FloatProperty(**common, **_bounds(field), **_digits(field))


def _tell(group: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
    for listener in listeners:
        listener()


def _bounds(field: Declared) -> dict[str, Any]:
    named = zip(("min", "max", "soft_min", "soft_max"), (*field.param.limits, *field.param.soft), strict=True)
    return {name: bound for name, bound in named if bound is not None}


def _digits(field: Declared) -> dict[str, Any]:
    """Enough decimals, and small enough steps, for the smallest value that is of use."""
    useful = [size for size in (abs(field.default), field.param.soft[0] or 0.0) if size > 0.0]
    digits = 1 - math.floor(math.log10(min(useful, default=1.0)))
    return {"precision": digits, "step": 10.0 ** (3 - digits)} if digits > 2 else {}


def _choice_of(kind: str, label: str) -> Any:
    items = [(method.id, method.label, method.doc, number) for number, method in REGISTRIES[kind].items()]
    doc = f"Choose the {REGISTRIES[kind].kind}"
    return bpy.props.EnumProperty(items=items, name=label, description=doc, update=_tell)


def _object_group(groups: Mapping[str, type[bpy.types.PropertyGroup]]) -> type[bpy.types.PropertyGroup]:
    annotations = {
        "pieces": _choice_of("pieces", "Pieces"),
        "breaking": _choice_of("breaking", "Breaking"),
        "motion": _choice_of("motion", "Motion"),
        "seed": bpy.props.IntProperty(name="Seed", description="Another seed, another break", min=0, update=_tell),
        "inner_material": bpy.props.PointerProperty(
            type=bpy.types.Material, name="Inside", description="Material of the broken faces; empty makes one"
        ),
        "faces": bpy.props.EnumProperty(items=FACES, name="Faces", description="Shape of the pieces' faces"),
        "preset": bpy.props.StringProperty(name="Preset", description="Preset that was applied last"),
        "collider": bpy.props.BoolProperty(name="Collider", description="Pieces of other objects bounce off this one"),
        **_influences(),
        **_own_pattern(),
    }
    for name, group in groups.items():
        if name in annotations:
            raise ValueError(f'a method cannot have the id "{name}": it is already a setting of objects')
        annotations[name] = bpy.props.PointerProperty(type=group)
    return type("BRITTLE_PG_object", (bpy.types.PropertyGroup,), {"__annotations__": annotations})


def _influences() -> dict[str, Any]:
    """Where and when an object breaks by contacts; fields that only an artist's own file can fill, so in no table."""
    return {
        "toughness_group": bpy.props.StringProperty(
            name="Toughness",
            description="Vertex group that scales the threshold: weight 0 breaks at a touch, 1 as given",
        ),
        "toughness_image": bpy.props.PointerProperty(
            type=bpy.types.Image,
            name="Toughness Image",
            description="Image whose red scales the threshold through the active UV map: 0 breaks at a touch",
        ),
        "held_group": bpy.props.StringProperty(
            name="Held",
            description="Vertex group of what is held fast: pieces with a face there stay until they break off",
        ),
        "breaks_from": bpy.props.IntProperty(
            name="From", description="Frame before which nothing breaks; 0 is no limit", min=0, max=FRAME_LAST
        ),
        "breaks_until": bpy.props.IntProperty(
            name="Until", description="Frame after which nothing breaks; 0 is no limit", min=0, max=FRAME_LAST
        ),
        "influence": bpy.props.BoolProperty(
            name="Influence", description="This empty is a sphere inside of which things may break", options={"HIDDEN"}
        ),
    }


def _own_pattern() -> dict[str, Any]:
    """The meshes of a pattern and their mark: they live in a file, so they are in no table."""
    return {
        "own_meshes": bpy.props.PointerProperty(
            type=bpy.types.Collection,
            name="Meshes",
            description="Collection of the closed meshes that cut the object: yours, or the pieces of an earlier break",
            update=_tell,
        ),
        "pattern_mark": bpy.props.BoolProperty(
            name="Pattern Centre", description="This empty marks centre and axis of a pattern", options={"HIDDEN"}
        ),
    }


def _method_groups() -> dict[str, type[bpy.types.PropertyGroup]]:
    groups = {name: property_group(f"BRITTLE_PG_{name}", params) for name, params in PARAMS.items()}
    for method in (method for registry in REGISTRIES.values() for method in registry):
        if method.id in groups:
            raise ValueError(
                f'two methods cannot share the id "{method.id}": each has a group of settings under its id'
            )
        groups[method.id] = property_group(f"BRITTLE_PG_{method.id}", method.params)
    return groups


_METHOD_GROUPS = _method_groups()
ObjectGroup = _object_group(_METHOD_GROUPS)
SceneGroup = property_group("BRITTLE_PG_scene", SceneSettings)
ImpactGroup = property_group("BRITTLE_PG_impact", ImpactSettings)
ImpactGroup.__annotations__["is_impact"] = bpy.props.BoolProperty(
    name="Impact", description="This empty stands for a hit", options={"HIDDEN"}
)
CLASSES = (*_METHOD_GROUPS.values(), ObjectGroup, SceneGroup, ImpactGroup)
PLACES = (
    (bpy.types.Object, idnames.OBJECT, ObjectGroup),
    (bpy.types.Object, idnames.IMPACT, ImpactGroup),
    (bpy.types.Scene, idnames.SCENE, SceneGroup),
)


def register() -> None:
    """Register the groups and hang them on objects and scenes."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    for owner, name, group in PLACES:
        setattr(owner, name, bpy.props.PointerProperty(type=group))


def unregister() -> None:
    """Take the groups away; files keep what was stored in them."""
    for owner, name, _ in reversed(PLACES):
        delattr(owner, name)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
