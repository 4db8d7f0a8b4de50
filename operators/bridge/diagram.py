"""The cut of an object, kept with the object: shattering it again with another material does not cut again.

A diagram is stored under a key that names everything it depends on (mesh, pattern, seed). Undo and redo bring a
stored one back with the file's data, but parsing it costs; the last few are also held in memory.
"""

import zlib
from collections import OrderedDict

import bpy

from ...core.cells.store import from_bytes, to_bytes
from ...core.errors import InputError
from ...core.types import Cells
from . import names

#: Fast: the arrays are large, and half of their bits are noise that no effort packs.
LEVEL = 1
#: How many diagrams are held in memory.
HELD = 4

_held: OrderedDict[str, Cells] = OrderedDict()


def store(obj: bpy.types.Object, key: str, cells: Cells) -> None:
    """Keep the cells with the object, in its file; a diagram under another key is replaced."""
    if obj.get(names.DIAGRAM_KEY) != key or names.DIAGRAM not in obj:
        obj[names.DIAGRAM] = zlib.compress(to_bytes(cells), LEVEL)
        obj[names.DIAGRAM_KEY] = key
    hold(key, cells)


def load(obj: bpy.types.Object, key: str) -> Cells | None:
    """The cells that were stored under this key, or None; damaged data counts as none."""
    if key in _held:
        _held.move_to_end(key)
        return _held[key]
    if obj.get(names.DIAGRAM_KEY) != key or names.DIAGRAM not in obj:
        return None
    try:
        cells = from_bytes(zlib.decompress(obj[names.DIAGRAM]))
    except (InputError, zlib.error, TypeError):
        return None
    hold(key, cells)
    return cells


def remove(obj: bpy.types.Object) -> None:
    """Forget the diagram stored with the object."""
    for name in (names.DIAGRAM, names.DIAGRAM_KEY):
        if name in obj:
            del obj[name]


def forget() -> None:
    """Empty the memory; what files hold stays."""
    _held.clear()


def hold(key: str, cells: Cells) -> None:
    """Keep the cells in memory, for `load`; nothing in the file changes."""
    _held[key] = cells
    _held.move_to_end(key)
    while len(_held) > HELD:
        _held.popitem(last=False)
