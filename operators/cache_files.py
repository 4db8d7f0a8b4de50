"""Cache files of pieces that deform: they follow what is saved and loaded, see `bridge/cache_folders`."""

from pathlib import Path

import bpy
from bpy.app.handlers import persistent

from .bridge import names
from .bridge.cache_folders import cache_of, note_loaded, note_saved
from .bridge.restore import collections_of


@persistent
def saved(file: str, *_: object) -> None:
    """A file was saved."""
    if file:  # the startup file has no name
        note_saved(file)


@persistent
def loaded(*_: object) -> None:
    """Another file is open."""
    note_loaded(bpy.data.filepath)


def deforms(obj: bpy.types.Object) -> bool:
    """Whether any piece of an object deforms."""
    return any(names.DEFORMS in item for item in collections_of(obj))


def missing_folder(obj: bpy.types.Object) -> Path | None:
    """Where the cache files of the pieces of an object should be, where they are not."""
    for item in collections_of(obj):
        number = item.get(names.DEFORMS)
        piece = next((one for one in item.objects if number is not None and one.get(names.FRAGMENT) == number), None)
        file = cache_of(piece) if piece is not None else None
        if file is not None and not file.is_file():
            return file.parent
    return None


HANDLERS = (("save_post", saved), ("load_post", loaded))


def register() -> None:
    """Listen."""
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)


def unregister() -> None:
    """Listen no more."""
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).remove(handler)
