"""The cut of an object, kept with the object: shattering it again with another material does not cut again.

A diagram is stored under a key that names everything it depends on (mesh, pattern, seed). Undo and redo bring a
stored one back with the file's data, but parsing it costs; the last few are also held in memory.
"""

import zlib
from collections import OrderedDict

import bpy

from ...core.cells.store import from_bytes, to_bytes
from ...core.diagram import Diagram
from ...core.errors import InputError
from . import names

#: Fast: the arrays are large, and half of their bits are noise that no effort packs.
LEVEL = 1
#: How many diagrams are held in memory.
HELD = 4

_held: OrderedDict[str, Diagram] = OrderedDict()


def store(obj: bpy.types.Object, diagram: Diagram) -> None:
    """Keep the diagram with the object, in its file; one under another key is replaced."""
    if obj.get(names.DIAGRAM_KEY) != diagram.key or names.DIAGRAM not in obj:
        obj[names.DIAGRAM] = zlib.compress(to_bytes(diagram.cells, diagram.contact), LEVEL)
        obj[names.DIAGRAM_KEY] = diagram.key
    hold(diagram)


def load(obj: bpy.types.Object, key: str) -> Diagram | None:
    """The diagram that was stored under this key, or None; damaged data counts as none."""
    if key in _held:
        _held.move_to_end(key)
        return _held[key]
    if obj.get(names.DIAGRAM_KEY) != key or names.DIAGRAM not in obj:
        return None
    try:
        found = Diagram(key, *from_bytes(zlib.decompress(obj[names.DIAGRAM])))
    except (InputError, zlib.error, TypeError):
        return None
    hold(found)
    return found


def remove(obj: bpy.types.Object) -> None:
    """Forget the diagram stored with the object."""
    for name in (names.DIAGRAM, names.DIAGRAM_KEY):
        if name in obj:
            del obj[name]


def forget() -> None:
    """Empty the memory; what files hold stays."""
    _held.clear()


def hold(diagram: Diagram) -> None:
    """Keep the diagram in memory, for `load`; nothing in the file changes."""
    _held[diagram.key] = diagram
    _held.move_to_end(diagram.key)
    while len(_held) > HELD:
        _held.popitem(last=False)
