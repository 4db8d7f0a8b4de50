"""While a break is played nothing lies over the pieces that is not theirs; it comes back as soon as the play stops.

After a break all pieces are selected and hang on an empty: outlines, origins and lines to the empty would hide it.
"""

from typing import Any

import bpy
from bpy.app.handlers import persistent

#: Overlays of a view that the selection of pieces fills it with.
OVERLAYS = ("show_outline_selected", "show_object_origins", "show_relationship_lines")

#: Views that are cleared, by their addresses, which are compared and never followed; and what was shown in each.
_cleared: dict[int, list[str]] = {}


def clear(screen: bpy.types.Screen) -> None:
    """Hide these overlays in the 3D views of a screen, until the play stops."""
    for space in _views(screen):
        shown = [name for name in OVERLAYS if getattr(space.overlay, name)]
        for name in shown:
            setattr(space.overlay, name, False)
        _cleared.setdefault(space.as_pointer(), shown)


@persistent
def put_back(*_: object) -> None:
    """Show again what was hidden, where the view is still there."""
    for screen in bpy.data.screens if _cleared else ():
        for space in _views(screen):
            for name in _cleared.get(space.as_pointer(), ()):
                setattr(space.overlay, name, True)
    _cleared.clear()


def _views(screen: bpy.types.Screen) -> list[Any]:
    return [space for area in screen.areas for space in area.spaces if space.type == "VIEW_3D"]


def _handlers() -> tuple[list[Any], ...]:
    """What ends a play, and what takes down what is shown."""
    found = bpy.app.handlers
    return found.animation_playback_post, found.save_pre, found.load_pre


def register() -> None:
    """Listen to the end of a play."""
    for handlers in _handlers():
        handlers.append(put_back)


def unregister() -> None:
    """Show all again, and listen no more."""
    put_back()
    for handlers in _handlers():
        handlers.remove(put_back)
