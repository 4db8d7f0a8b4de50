"""What panels and buttons ask at every redraw, found once: it holds until Blender tells of a change in the file.

Of ten thousand objects each such question takes up to a third of a second, and one redraw asks a dozen of them.
Without a window nothing is redrawn, and a script looks at what it has just changed: there nothing is kept.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import bpy
from bpy.app.handlers import persistent

from . import generated

Found = TypeVar("Found")
About = ParamSpec("About")

#: Whether anything is kept.
keeps = not bpy.app.background
_kept: dict[Any, Any] = {}


def remembered(
    find: Callable[Concatenate[bpy.types.Context, About], Found],
) -> Callable[Concatenate[bpy.types.Context, About], Found]:
    """A `find(context, ...)` whose answer is kept while nothing changes; for drawing and polls, never within a job."""

    @wraps(find)
    def known(context: bpy.types.Context, *about: About.args, **named: About.kwargs) -> Found:
        if not keeps:
            return find(context, *about, **named)
        asked = find, context.scene.session_uid, context.view_layer.name, about, tuple(named.items())
        if asked not in _kept:
            _kept[asked] = find(context, *about, **named)
        return _kept[asked]

    return known


@persistent
def forget(*_: object) -> None:
    """Let all that was kept go."""
    _kept.clear()


HANDLERS = ("depsgraph_update_post", "undo_pre", "undo_post", "redo_pre", "redo_post", "load_pre", "load_post")


def register() -> None:
    """Listen to changes."""
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).append(forget)
    generated.listeners.append(forget)


def unregister() -> None:
    """Listen no more."""
    generated.listeners.remove(forget)
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).remove(forget)
    forget()
