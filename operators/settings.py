"""The settings that files store, generated from the params dataclasses of the core.

A number is declared once, in the core (see core/config): look there for defaults, limits and tooltips. Each entry of
the registries of pieces, breaking rules and motions gets a group of its own under its id, so a new method needs no
line here. A *table* below is plain data in the form of a preset file: {"pieces": {"method": ..., ...}, "breaking": ...,
"motion": ..., "material": ..., "surface": ..., "repair": ..., "breakable": ..., "fields": [{"kind": ..., ...}, ...]}; a
preset has neither repair nor breakable, which are the object's own.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import bpy

from ..core.config.breakable import STRONGEST, Breakable
from ..core.config.material import Material
from ..core.config.params import from_mapping, param
from ..core.config.registry import Registry
from ..core.config.repair import Repair
from ..core.config.surface import Surface, decide_quality
from ..core.continuum import CONTINUA
from ..core.errors import InputError
from ..core.methods import BREAKINGS
from ..core.pieces import PARTITIONS
from ..core.rigid import MOTIONS
from ..core.settings import Settings
from ..core.simulation.run_progress import USUAL
from ..core.strength.choice import fields_from
from . import field_groups, idnames, shard_size, zeros
from .bridge.clock import LONGEST
from .bridge.vertex_tracks import AUTO, CACHE_FILE, SHAPE_KEYS
from .generated import assign, property_group, telling, tooltip_of, values
from .registering import register_classes, unregister_classes

#: The registries by the name of their choice in `object.brittle` and of their table in a preset.
REGISTRIES: dict[str, Registry[Any]] = {"pieces": PARTITIONS, "breaking": BREAKINGS, "motion": MOTIONS}

#: The pieces that come as a pattern of cracks, and the rule that opens these.
PATTERN, PLACED_PATTERN = "pattern", "placed_pattern"

#: Settings that are not a method's, by the name of their group and table.
PARAMS: dict[str, type[Any]] = {"material": Material, "surface": Surface, "repair": Repair, "breakable": Breakable}

#: The table of the stack of fields: a list of tables.
FIELDS = "fields"

#: What 0 is called as a frame that limits something.
ALWAYS = "Always"
#: Last frame that Blender knows, its MAXFRAME.
FRAME_LAST = 1_048_574


#: What the faces of pieces are: identifier, label, tooltip, the number that files store.
FACES = [
    ("NGONS", "N-gons", "As few faces as possible, with as many corners as they need", 1),
    ("TRIANGLES", "Triangles", "Triangles only, for games and renderers that take nothing else", 2),
]


#: Where it is kept how pieces deform, as above.
DEFORMATION = [
    (AUTO, "Auto", "Cache files where the file is saved, shape keys where it is not", 1),
    (CACHE_FILE, "Cache Files", "A file for each piece, in a folder beside the .blend: it stays small", 2),
    (SHAPE_KEYS, "Shape Keys", "All in the .blend: nothing to take along, but a larger file", 3),
]


@dataclass(frozen=True, slots=True)
class ImpactSettings:
    """A hit, as the empty that stands for it stores it."""

    strength: float = param(
        1.0,
        "Force",
        "Force of the hit; the material says how much it takes to break",
        unit="1",
        limits=(0.0, STRONGEST),
        soft=(0.0, 10.0),
    )
    speed: float = param(
        0.0,
        "Speed",
        "Speed that the blow hands to the matter at the point; Auto fits it to the size of the object",
        zero="Auto",
        instead=lambda size: round(5.0 * math.sqrt(9.8 * size), 1),  # as on a pane, see bridge/impacts.py
        unit="m/s",
        limits=(0.0, 1e4),
        soft=(0.0, 50.0),
    )
    radius: float = param(
        0.0,
        "Radius",
        "Reach of the blow; Auto takes a tenth of the object's size",
        zero="Auto",
        instead=lambda size: 0.1 * size,
        unit="m",
        limits=(0.0, 1e6),
        soft=(0.0, 10.0),
    )
    frame: int = param(
        0,
        "Frame",
        "Frame of the hit, wherever the playhead is; Now is the frame at which Shatter is clicked",
        zero="Now",
        instead=lambda _: max(bpy.context.scene.frame_current, 1),
        limits=(0, FRAME_LAST),
    )


@dataclass(frozen=True, slots=True)
class SceneSettings:
    """What lies around the objects, and for how long they move."""

    # Defaults are by eye.
    use_ground: bool = param(True, "Ground", "An endless floor on which the pieces land")
    ground_height: float = param(
        0.0,
        "Height",
        "Height of the floor above the world's origin",
        unit="m",
        limits=(-1e6, 1e6),
        needs=("use_ground", (True,)),
    )
    frames: int = param(
        0,
        "Frames",
        "Length of the movement from the hit on; Auto goes on until everything rests, beyond the end of the scene if "
        "need be, but no further than 250 frames",
        zero="Auto",
        instead=USUAL,
        limits=(0, LONGEST),
        soft=(0, 500),
    )
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


def tables(settings: bpy.types.PropertyGroup, scale_length: float = 1.0) -> dict[str, Any]:
    """The settings `object.brittle` of an object as tables."""
    result = {}
    for kind, registry in REGISTRIES.items():
        method = registry[getattr(settings, kind)]
        group = getattr(settings, method.id)
        result[kind] = {"method": method.id, **values(group, method.params, scale_length)}
    for name, params in PARAMS.items():
        result[name] = values(getattr(settings, name), params, scale_length)
    result[FIELDS] = field_groups.tables(settings, scale_length)
    return result


def build(data: Mapping[str, Any], seed: int) -> Settings:
    """The core's settings from tables; *Auto* of the quality is decided here, and nowhere else.

    Raises InputError for what does not exist or is out of its limits.
    """
    if seed < 0:
        raise InputError(f"Seed is {seed}; it must be at least 0.")
    pieces, breaking, motion = (_checked(data[kind], registry) for kind, registry in REGISTRIES.items())
    others = {name: from_mapping(params, data.get(name, {})) for name, params in PARAMS.items()}
    others["surface"] = decide_quality(others["surface"], in_window())
    motion_id, motion_params = motion
    fields = fields_from(data.get(FIELDS, ()))
    return Settings(seed, *pieces, *breaking, motion=motion_id, motion_params=motion_params, fields=fields, **others)


def in_window() -> bool:
    """Whether somebody looks at what is made while it is made."""
    return not bpy.app.background


def method_group(settings: bpy.types.PropertyGroup, kind: str) -> bpy.types.PropertyGroup:
    """The settings of the method that `object.brittle` has chosen; `kind` is one of `REGISTRIES`."""
    return getattr(settings, getattr(settings, kind))


def is_continuum(settings: bpy.types.PropertyGroup) -> bool:
    """Whether a continuum method breaks the object: it divides the matter itself, so pieces and broken faces of a cut
    do not count.
    """
    return settings.breaking in CONTINUA


def settings_from(obj: bpy.types.Object, scale_length: float = 1.0) -> Settings:
    """The core's settings for an object, from `object.brittle`."""
    settings = getattr(obj, idnames.OBJECT)
    return build(tables(settings, scale_length), settings.seed)


def apply(settings: bpy.types.PropertyGroup, data: Mapping[str, Any], scale_length: float = 1.0) -> None:
    """Set `object.brittle` from tables: what a table does not name gets its default, a missing table stays as it is.

    Raises InputError before anything is set.
    """
    chosen = {}
    for kind, registry in REGISTRIES.items():
        if kind in data:
            chosen[kind] = _checked(data[kind], registry)
    others = {name: from_mapping(params, data[name]) for name, params in PARAMS.items() if name in data}
    stack = fields_from(data[FIELDS]) if FIELDS in data else None
    for kind, (method_id, params) in chosen.items():
        setattr(settings, kind, method_id)
        assign(getattr(settings, method_id), params, scale_length)
    for name, params in others.items():
        assign(getattr(settings, name), params, scale_length)
    if stack is not None:
        field_groups.assign_stack(settings, stack, scale_length)


def _checked(table: Mapping[str, Any], registry: Registry[Any]) -> tuple[str, Any]:
    """The method that a table names, and its checked params."""
    values = dict(table)
    method = registry[values.pop("method", "")]
    return method.id, from_mapping(method.params, values)


def _bring_rule(group: bpy.types.PropertyGroup) -> None:
    """A pattern has the cracks that open, so it brings the rule that opens them in place of the usual one."""
    if group.pieces == PATTERN and group.breaking == group.bl_rna.properties["breaking"].default:
        group.breaking = PLACED_PATTERN


def _choice_of(kind: str, label: str, first: Any = None) -> Any:
    items = [(method.id, method.label, tooltip_of(method), number) for number, method in REGISTRIES[kind].items()]
    doc = f"Choose the {REGISTRIES[kind].kind}"
    return bpy.props.EnumProperty(items=items, name=label, description=doc, update=telling(kind, first))


def _object_group(groups: Mapping[str, type[bpy.types.PropertyGroup]]) -> type[bpy.types.PropertyGroup]:
    annotations = {
        "pieces": _choice_of("pieces", "Pieces", _bring_rule),
        "breaking": _choice_of("breaking", "Breaking"),
        "motion": _choice_of("motion", "Motion"),
        "seed": bpy.props.IntProperty(
            name="Seed", description="Another seed, another break", min=0, update=telling("seed")
        ),
        "shard_size": shard_size.setting(lambda own: method_group(own, "pieces"), telling("shard_size")),
        "inner_material": bpy.props.PointerProperty(
            type=bpy.types.Material,
            name="Inner Faces",
            description="Material of the broken faces; empty makes one",
            update=telling("inner_material"),
        ),
        "faces": bpy.props.EnumProperty(
            items=FACES, name="Faces", description="Shape of the pieces' faces", update=telling("faces")
        ),
        "deformation": bpy.props.EnumProperty(
            items=DEFORMATION,
            name="Deformation",
            description="Where it is kept how pieces deform",
            update=telling("deformation"),
        ),
        "preset": bpy.props.StringProperty(name="Preset", description="Preset that was applied last"),
        "collider": bpy.props.BoolProperty(name="Collider", description="Pieces of other objects bounce off this one"),
        "blow": bpy.props.PointerProperty(type=ImpactGroup, name="Blow", description="Hit where no impact is placed"),
        "heading": bpy.props.FloatVectorProperty(
            name="Heading", description="Where one looked when the object was broken; 0 is not yet", options={"HIDDEN"}
        ),
        **_influences(),
        **_own_pattern(),
        **field_groups.properties(),
    }
    for name, group in groups.items():
        if name in annotations:
            raise ValueError(f'a method cannot have the id "{name}": it is already a setting of objects')
        annotations[name] = bpy.props.PointerProperty(type=group)
    return type("BRITTLE_PG_object", (bpy.types.PropertyGroup,), {"__annotations__": annotations})


def _influences() -> dict[str, Any]:
    """Where and when an object breaks by contacts; fields that only an artist's own file can fill, so in no table."""
    return {
        "weak_group": bpy.props.StringProperty(
            name="Weak",
            description="Vertex group of what is weak: weight 1 breaks at a touch, the rest at the threshold",
            update=telling("weak_group"),
        ),
        "weak_image": bpy.props.PointerProperty(
            type=bpy.types.Image,
            name="Weak Image",
            description="Image whose red says what is weak, through the active UV map: 1 breaks at a touch",
            update=telling("weak_image"),
        ),
        # Files of version 0.1 may have these; they are shown where they are set.
        "toughness_group": bpy.props.StringProperty(
            name="Toughness",
            description="Vertex group that scales the threshold: weight 0 breaks at a touch, 1 as given",
        ),
        "toughness_image": bpy.props.PointerProperty(
            type=bpy.types.Image,
            name="Toughness Image",
            description="Image whose red scales the threshold through the active UV map: 0 breaks at a touch",
            update=telling("toughness_image"),
        ),
        "anchored_group": bpy.props.StringProperty(
            name="Anchored",
            description="Vertex group of what is anchored: pieces with a face there stay until they break off",
            options={"SKIP_SAVE"},
            get=lambda own: own.held_group,
            set=lambda own, name: setattr(own, "held_group", name),
        ),
        # The name of the above in files, and in scripts that are older than the word.
        "held_group": bpy.props.StringProperty(options={"HIDDEN"}),
        **_limit("breaks_from", "From", "Frame before which nothing breaks", lambda scene: scene.frame_start),
        **_limit("breaks_until", "Until", "Frame after which nothing breaks", lambda scene: scene.frame_end),
        "influence": bpy.props.BoolProperty(
            name="Influence", description="This empty is a sphere inside of which things may break", options={"HIDDEN"}
        ),
    }


def _limit(name: str, label: str, doc: str, usual: Callable[[bpy.types.Scene], int]) -> dict[str, Any]:
    """A frame that limits something, and the switch that takes the limit away; `usual` is one to begin with."""
    told = telling(name)
    frame = bpy.props.IntProperty(name=label, description=doc, min=0, max=FRAME_LAST, update=told)
    off = zeros.switch(name, ALWAYS, f"{doc}; {ALWAYS} is no limit", lambda _: max(usual(bpy.context.scene), 1), told)
    return {name: frame, zeros.switch_of(name): off}


def _own_pattern() -> dict[str, Any]:
    """The meshes of a pattern and their mark: they live in a file, so they are in no table."""
    return {
        "own_meshes": bpy.props.PointerProperty(
            type=bpy.types.Collection,
            name="Meshes",
            description="Collection of the closed meshes that cut the object: yours, or the pieces of an earlier break",
            update=telling("own_meshes"),
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
SceneGroup = property_group("BRITTLE_PG_scene", SceneSettings)
ImpactGroup = property_group("BRITTLE_PG_impact", ImpactSettings)
ImpactGroup.__annotations__["is_impact"] = bpy.props.BoolProperty(
    name="Impact", description="This empty stands for a hit", options={"HIDDEN"}
)
ObjectGroup = _object_group(_METHOD_GROUPS)
CLASSES = (*_METHOD_GROUPS.values(), *field_groups.CLASSES, ImpactGroup, ObjectGroup, SceneGroup)
PLACES = (
    (bpy.types.Object, idnames.OBJECT, ObjectGroup),
    (bpy.types.Object, idnames.IMPACT, ImpactGroup),
    (bpy.types.Scene, idnames.SCENE, SceneGroup),
)


def register() -> None:
    """Register the groups and hang them on objects and scenes."""
    register_classes(CLASSES)
    for owner, name, group in PLACES:
        setattr(owner, name, bpy.props.PointerProperty(type=group))


def unregister() -> None:
    """Take the groups away; files keep what was stored in them."""
    for owner, name, _ in reversed(PLACES):
        delattr(owner, name)
    unregister_classes(CLASSES)
