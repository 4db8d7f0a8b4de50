"""What hangs on an object or knows it, and does not know of its pieces: told, with names, before anything is lost.

Nothing of it is changed. Which piece a child or a camera should follow, and from when on, is the artist's to say; what
belongs to other objects stays as they have it.
"""

from collections.abc import Iterable

import bpy

from . import names
from .influence import is_sphere

#: Names in a sentence, at most. By eye: more are not read.
NAMED = 3


def hanging_notes(obj: bpy.types.Object) -> tuple[str, ...]:
    """A sentence for each kind of thing that stays behind when the object breaks."""
    children = [child for child in obj.children if not _is_ours(child) and names.BEFORE not in child]
    users = bpy.data.user_map(subset=[obj])[obj] - {obj, *obj.children}
    followers = [user for user in users if not _only_holds(user)]
    notes = []
    if children:
        hang, follow, them = ("hangs", "does", "it") if len(children) == 1 else ("hang", "do", "them")
        notes.append(
            f"{_listed(children)} {hang} on '{obj.name}' and {follow} not follow its pieces, as no child does: parent "
            f"{them} to a piece at the break."
        )
    if followers:
        refer = "refers" if len(followers) == 1 else "refer"
        notes.append(
            f"{_listed(followers)} {refer} to '{obj.name}' by constraints, modifiers, drivers or nodes, and not to its "
            "pieces: name a piece there from the break on."
        )
    return (*notes, *_physics(obj))


def _physics(obj: bpy.types.Object) -> list[str]:
    """What goes on in Blender's own physics when the object is hidden."""
    body = obj.rigid_body
    goes_on = []
    if body is not None and body.enabled:
        goes_on.append("is still in the rigid-body world, and others collide with it")
    if obj.collision is not None and obj.collision.use:
        goes_on.append("still stops cloth and particles")
    if obj.field is not None and obj.field.type != "NONE":
        goes_on.append("still has its force field")
    notes = [f"After the break '{obj.name}' {text}: key that off, or remove it." for text in goes_on]
    if obj.particle_systems:
        found = ", ".join(f"'{system.name}'" for system in obj.particle_systems)
        notes.append(f"Particles and hair stay with '{obj.name}' and go when it breaks: {found}.")
    return notes


def _is_ours(item: bpy.types.Object) -> bool:
    """Whether an object is a tool of Brittle or a piece."""
    return getattr(item, names.IMPACT).is_impact or is_sphere(item) or names.FRAGMENT in item


def _only_holds(user: bpy.types.ID) -> bool:
    """Whether somebody shows or stores an object, and looks at nothing else of it."""
    if isinstance(user, (bpy.types.Scene, bpy.types.Collection, bpy.types.Action)):
        return True
    if isinstance(user, bpy.types.Object):
        return _is_ours(user)
    return any(key.startswith(names.PREFIX) for key, _ in user.items())


def _listed(blocks: Iterable[bpy.types.ID]) -> str:
    found = sorted(block.name for block in blocks)
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return ", ".join(f"'{name}'" for name in found[:NAMED]) + more
