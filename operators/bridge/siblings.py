"""A piece among the other pieces of the same object: whether it is there, and what is around it."""

from collections.abc import Mapping

import bpy
import numpy as np

from ...core.errors import InputError
from . import names
from .restore import collections_of, is_shattered, sources_by_piece, with_their_own

#: Other pieces that stand in the way, at most: the nearest ones. Each is led through all frames. By time.
MOST = 200


def sources_of(
    obj: bpy.types.Object, known: Mapping[bpy.types.Object, bpy.types.Object] | None = None
) -> list[bpy.types.Object]:
    """What an object is a piece of, what that is a piece of, and so on; `known`: of `sources_by_piece`."""
    sources = sources_by_piece() if known is None else known
    found: list[bpy.types.Object] = []
    while (source := sources.get(found[-1] if found else obj)) is not None and source not in found:
        found.append(source)
    return found


def refuse_unseen(context: bpy.types.Context, obj: bpy.types.Object) -> None:
    """Raise InputError for a piece that does not exist yet, or no more, at the current frame."""
    if names.FRAGMENT not in obj or is_shattered(obj) or obj.visible_get(view_layer=context.view_layer):
        return
    frame = context.scene.frame_current
    raise InputError(f"'{obj.name}' is not there at frame {frame}: go to a frame at which it is seen.")


def other_pieces(
    context: bpy.types.Context, obj: bpy.types.Object, broken: list[bpy.types.Object]
) -> list[bpy.types.Object]:
    """The pieces beside `obj` of all that it is a piece of, as they are seen now, the nearest first.

    What breaks with it is not among them, nor are earlier pieces of that.
    """
    if not (sources := sources_of(obj)):
        return []
    pieces, _ = with_their_own(collections_of(sources[-1]))
    layer, gone = context.view_layer, {obj, *broken}
    found = [item for item in pieces if item not in gone and item.visible_get(view_layer=layer)]
    known = sources_by_piece()
    found = [item for item in found if gone.isdisjoint(sources_of(item, known))]
    here = np.array(obj.matrix_world.translation)
    away = {item: float(np.square(np.array(item.matrix_world.translation) - here).sum()) for item in found}
    return sorted(found, key=lambda item: (away[item], item.name_full))


def told_of_others(obj: bpy.types.Object, others: int, collide: bool) -> tuple[str, ...]:
    """What is said of so many other pieces, in a sentence."""
    if not others:
        return ()
    name = sources_of(obj)[-1].name
    if not collide:
        return (f"The other pieces of '{name}' are not in the way: switch Use Colliders on for that.",)
    which = f"The other pieces of '{name}'" if others <= MOST else f"The {MOST} nearest other pieces of '{name}'"
    return (f"{which} keep their ways: what breaks now bounces off them and moves none of them.",)
