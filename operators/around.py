"""What is around an object that is read: floor, colliders, and what an earlier Shatter has hidden of it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import bpy

from . import idnames, settings
from .bridge import actions, driven, sizes
from .bridge.colliders import colliders_for
from .bridge.restore import is_shattered
from .bridge.siblings import MOST
from .generated import metres_per_unit, values


def surroundings(context: bpy.types.Context) -> dict[str, Any]:
    """The values of `settings.SceneSettings` in SI units."""
    return values(getattr(context.scene, idnames.SCENE), settings.SceneSettings, metres_per_unit(context))


def ground_of(around: Mapping[str, Any]) -> float | None:
    """Height of the floor in the world [m], None for no floor."""
    return around["ground_height"] if around["use_ground"] else None


def in_the_way(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    together: Sequence[bpy.types.Object],
    others: Sequence[bpy.types.Object],
) -> list[bpy.types.Object]:
    """What pieces of `obj` bounce off, by name: colliders, and the nearest of `others`, its fellow pieces."""
    found = {*colliders_for(context, obj, together), *others[:MOST]}
    return sorted(found, key=lambda item: item.name_full)


@contextmanager
def seen(context: bpy.types.Context, obj: bpy.types.Object) -> Iterator[None]:
    """Show for a moment what an earlier Shatter has hidden: Blender does not evaluate what it does not show."""
    if not is_shattered(obj):
        yield
        return
    curves = [bag.fcurves.find(path) for path in actions.HIDE] if (bag := actions.followed_bag(obj)) else []
    muted = [curve for curve in (*curves, *driven.drivers_of(obj).values()) if curve is not None and not curve.mute]
    hidden = obj.hide_viewport
    try:
        for curve in muted:
            curve.mute = True
        obj.hide_viewport = False
        with sizes.full_size(obj):
            context.view_layer.update()
            yield
    finally:
        for curve in muted:
            curve.mute = False
        obj.hide_viewport = hidden
        context.view_layer.update()
