"""Which objects an operator works on, and the panels show.

Polls and panels are asked at every redraw: they take `target` and `known_...`, which stay quick with many thousand
objects.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import chain

import bpy

from . import idnames
from .bridge import impacts, names
from .bridge.refusals import BREAKABLE, SELECT, poll_refusal
from .bridge.restore import collections_of, is_shattered, source_of_made, sources_by_piece
from .job import JobOperator
from .remembered import remembered


def owner_of(obj: bpy.types.Object) -> bpy.types.Object | None:
    """The object that an impact belongs to; None for anything else."""
    return impacts.owner(obj) if getattr(obj, idnames.IMPACT).is_impact else None


def first_blow(context: bpy.types.Context, obj: bpy.types.Object) -> bpy.types.PropertyGroup:
    """The settings of the first impact on an object, by name; those of the blow from the viewer without one.

    Impacts that belong to no object count for all.
    """
    empties = (
        item for item in context.scene.objects if item.type == "EMPTY" and getattr(item, idnames.IMPACT).is_impact
    )
    found = [item for item in empties if owner_of(item) in (obj, None)]
    if not found:
        return getattr(obj, idnames.OBJECT).blow
    return getattr(min(found, key=lambda item: item.name), idnames.IMPACT)


#: `first_blow` for panels.
known_first_blow = remembered(first_blow)


@remembered
def known_impacts(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The scene's impacts, for panels."""
    return [obj for obj in context.scene.objects if obj.type == "EMPTY" and getattr(obj, idnames.IMPACT).is_impact]


def report_of(obj: bpy.types.Object) -> str:
    """The account of the last Shatter of an object as JSON, "" where there is none."""
    return next((item[idnames.REPORT] for item in collections_of(obj) if idnames.REPORT in item), "")


def targets(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The objects to work on, all of a type that can break: the active object first, then the selected ones.

    A fragment stands for its source until it is broken itself, and an impact for the object that it hits.
    """
    candidates = [context.view_layer.objects.active, *context.view_layer.objects.selected]
    known = sources_by_piece()
    sources = (_standing_for(obj, known) for obj in candidates if obj is not None)
    return list(dict.fromkeys(obj for obj in sources if obj.type in BREAKABLE))


def _standing_for(obj: bpy.types.Object, sources: Mapping[bpy.types.Object, bpy.types.Object]) -> bpy.types.Object:
    return obj if names.BEFORE in obj else sources.get(obj) or owner_of(obj) or obj


def target(context: bpy.types.Context) -> bpy.types.Object | None:
    """The first of the `targets`; None where there is none. No more objects are looked at than it takes to find it."""
    layer = context.view_layer
    for obj in chain([layer.objects.active], layer.objects.selected):
        if obj is not None:
            found = obj if names.BEFORE in obj else source_of_made(obj) or owner_of(obj) or obj
            if found.type in BREAKABLE:
                return found
    return None


def breaking_objects(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The objects of the view layer that break on contact, by name; what an earlier run has hidden is one of them."""
    layer = context.view_layer
    marked = [obj for obj in context.scene.objects if _is_marked(obj)]
    if not marked:
        return []
    shown = set(_shown_collections(layer.layer_collection))
    found = [obj for obj in marked if obj.visible_get(view_layer=layer) or _hidden_by_us(obj, layer, shown)]
    return sorted(found, key=lambda obj: obj.name)


#: `breaking_objects` for panels and polls.
known_breaking_objects = remembered(breaking_objects)


def _is_marked(obj: bpy.types.Object) -> bool:
    return obj.type in BREAKABLE and getattr(obj, idnames.OBJECT).breakable.breaks and names.FRAGMENT not in obj


def _hidden_by_us(obj: bpy.types.Object, layer: bpy.types.ViewLayer, shown: Collection[bpy.types.Collection]) -> bool:
    there = any(item in shown for item in obj.users_collection)
    return there and is_shattered(obj) and not obj.hide_get(view_layer=layer)


def _shown_collections(layer: bpy.types.LayerCollection) -> Iterator[bpy.types.Collection]:
    if layer.is_visible:
        yield layer.collection
    for child in layer.children:
        yield from _shown_collections(child)


def select(context: bpy.types.Context, obj: bpy.types.Object) -> None:
    """Select an object and make it the active one, if the view layer shows it."""
    context.view_layer.update()
    if context.view_layer.objects.get(obj.name) == obj:
        obj.select_set(True)
        context.view_layer.objects.active = obj


def poll_object_mode(cls: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """Poll for operators that work in Object Mode only, and not beside a job; says what to do."""
    if JobOperator.shown is not None:
        cls.poll_message_set("Something is being broken: wait for it, or stop it with ESC")
        return False
    if context.mode == "OBJECT":
        return True
    active = context.view_layer.objects.active
    mode = active.bl_rna.properties["mode"].enum_items[active.mode].name if active is not None else "this mode"
    cls.poll_message_set(f"Leave {mode} first: Brittle works in Object Mode")
    return False


def poll_found(cls: type[bpy.types.Operator], context: bpy.types.Context, found: bool, otherwise: str) -> bool:
    """Poll for operators that need something that was looked for, in Object Mode; says what to do where it is not."""
    if not poll_object_mode(cls, context):
        return False
    if not found:
        cls.poll_message_set(otherwise)
    return found


def poll_targets(cls: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """Poll for operators that need something to break, in Object Mode; says what to do where there is none."""
    if not poll_object_mode(cls, context):
        return False
    if target(context) is None:
        active = context.view_layer.objects.active
        cls.poll_message_set(poll_refusal(active) if active else SELECT)
        return False
    return True
