"""Cache files of pieces that deform follow what is saved and loaded, see `bridge/cache_folders`."""

import bpy
from bpy.app.handlers import persistent

from .bridge.cache_folders import note_loaded, note_saved


@persistent
def saved(file: str, *_: object) -> None:
    """A file was saved."""
    if file:  # the startup file has no name
        note_saved(file)


@persistent
def loaded(*_: object) -> None:
    """Another file is open."""
    note_loaded(bpy.data.filepath)


HANDLERS = (("save_post", saved), ("load_post", loaded))


def register() -> None:
    """Listen."""
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)


def unregister() -> None:
    """Listen no more."""
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).remove(handler)
