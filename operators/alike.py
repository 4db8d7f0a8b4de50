"""What an artist changes of one object in the tab goes to all objects that are selected, as its buttons act on all.

Elsewhere in Blender that takes Alt held while a value is changed, which goes on working. But here Shatter and the
materials act on all that is selected, and one who raises a value below them expects no less. A script sets what it
names and nothing else.
"""

import bpy

from . import generated, idnames
from .targets import targets


def share(group: bpy.types.PropertyGroup, name: str, context: bpy.types.Context) -> None:
    """Give the value `name` of a group in the settings of an object to all others that are selected.

    Where one has no such group, as a stack with fewer fields, it keeps what it has.
    """
    path = group.path_from_id()
    chosen = targets(context)
    if group.id_data not in chosen or path.split(".")[0] != idnames.OBJECT:
        return
    for obj in chosen:
        try:
            twin = obj.path_resolve(path)
        except ValueError:
            continue
        if obj != group.id_data and isinstance(twin, type(group)) and obj.is_editable:
            setattr(twin, name, getattr(group, name))


def register() -> None:
    """Follow what is changed by hand."""
    generated.sharers.append(share)


def unregister() -> None:
    """Follow it no more."""
    generated.sharers.remove(share)
