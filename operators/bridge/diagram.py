"""The cut of an object, kept with the object: shattering it again with another material does not cut again.

A diagram is stored under a key that names everything it depends on (mesh, pattern, seed). Undo and redo bring a
stored one back with the file's data, but parsing it costs; the last few are also held in memory.

The bytes lie in a data-block of their own, which a custom property of the object points to: exporters write the custom
properties of objects, and Blender aborts where Alembic's comes upon bytes. An empty node group, whose name begins with
a dot, is what no exporter looks at and no menu shows. It is saved and appended with the object; copies of the object
share it.
"""

import threading
import zlib
from collections import OrderedDict
from typing import NamedTuple

import bpy

from ...core.diagram import ShatterDiagram
from ...core.diagram_store import from_bytes, to_bytes
from ...core.errors import InputError
from . import names

#: Fast: the arrays are large, and half of their bits are noise that no effort packs.
LEVEL = 1
#: How many diagrams are held in memory. By memory.
MOST_CACHED = 4

_cached: OrderedDict[str, ShatterDiagram] = OrderedDict()
_lock = threading.Lock()  # work beside the window looks for its diagram here, and previews do


class StoredDiagram(NamedTuple):
    """What an object keeps: bytes of a diagram, and the key of it; empty where there is none."""

    key: str
    packed: bytes


def pack(diagram: ShatterDiagram) -> bytes:
    """The bytes of a diagram; it touches nothing of Blender."""
    return zlib.compress(to_bytes(diagram.cells, diagram.rough), LEVEL)


def store(obj: bpy.types.Object, diagram: ShatterDiagram, packed: bytes = b"") -> None:
    """Keep the diagram with the object, in its file; one under another key is replaced. `packed`: if it is already."""
    if not keeps(obj, diagram):
        _keep(obj, packed or pack(diagram), diagram.key)
    hold(diagram)


def keeps(obj: bpy.types.Object, diagram: ShatterDiagram) -> bool:
    """Whether the object keeps this diagram in its file."""
    block = block_of(obj)
    return block is not None and block.get(names.DIAGRAM_KEY) == diagram.key


def load(obj: bpy.types.Object, key: str) -> ShatterDiagram | None:
    """The diagram that was stored under this key, or None; damaged data counts as none."""
    return unpacked(stored(obj), key)


def stored(obj: bpy.types.Object) -> StoredDiagram:
    """What an object keeps, as it is."""
    place = block_of(obj) or obj  # version 0.1.0 kept all on the object itself
    key, packed = place.get(names.DIAGRAM_KEY), place.get(names.DIAGRAM)
    return StoredDiagram(key, packed) if isinstance(key, str) and isinstance(packed, bytes) else StoredDiagram("", b"")


def unpacked(kept: StoredDiagram, key: str) -> ShatterDiagram | None:
    """The diagram of this key, from memory or from what an object keeps; None: neither has it, or its data is damaged.

    It looks at nothing of Blender.
    """
    with _lock:
        if key in _cached:
            _cached.move_to_end(key)
            return _cached[key]
    if kept.key != key:
        return None
    try:
        found = ShatterDiagram(key, *from_bytes(zlib.decompress(kept.packed)))
    except (InputError, zlib.error):
        return None
    hold(found)
    return found


def remove(obj: bpy.types.Object) -> None:
    """Forget the diagram stored with the object; copies of the object keep theirs."""
    block, keeper = block_of(obj), _keeper_of(obj)
    for name in (names.DIAGRAM, names.DIAGRAM_KEY):
        if name in keeper:
            del keeper[name]
    if block is not None and block.users == 0:
        bpy.data.node_groups.remove(block)


def block_of(obj: bpy.types.Object | bpy.types.Collection) -> bpy.types.NodeTree | None:
    """Where the object's diagram lies, or one that a collection of pieces keeps; None: there is none, or an old one."""
    found = _keeper_of(obj).get(names.DIAGRAM)
    return found if isinstance(found, bpy.types.NodeTree) else None


def _keeper_of(obj: bpy.types.Object | bpy.types.Collection) -> bpy.types.ID:
    """What points to the object's diagram: Blender does not save what an override points to, so there its pieces do."""
    if obj.override_library is None:
        return obj
    return next((item for item in bpy.data.collections if item.get(names.SOURCE) == obj), obj)


def move_old() -> None:
    """Take what version 0.1.0 stored on objects themselves off them, for all objects that can be changed."""
    for obj in bpy.data.objects:
        if obj.is_editable and isinstance(packed := obj.get(names.DIAGRAM), bytes):
            _keep(obj, packed, obj.get(names.DIAGRAM_KEY, ""))


def _keep(obj: bpy.types.Object, packed: bytes, key: str) -> None:
    remove(obj)
    block = bpy.data.node_groups.new(f".{obj.name.encode()[:50].decode(errors='ignore')} Diagram", "ShaderNodeTree")
    block[names.DIAGRAM], block[names.DIAGRAM_KEY] = packed, key
    _keeper_of(obj)[names.DIAGRAM] = block


def hold(diagram: ShatterDiagram) -> None:
    """Keep the diagram in memory, for `load`; nothing in the file changes."""
    with _lock:
        _cached[diagram.key] = diagram
        _cached.move_to_end(diagram.key)
        while len(_cached) > MOST_CACHED:
            _cached.popitem(last=False)
