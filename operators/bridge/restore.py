"""Take back everything that writing made."""

from collections.abc import Collection

import bpy

from . import awake, before, diagram, names, rest_material
from .changes import Changes


def collections_of(obj: bpy.types.Object) -> list[bpy.types.Collection]:
    """The collections of fragments that were made for an object."""
    return [item for item in bpy.data.collections if item.get(names.SOURCE) == obj]


def source_of(obj: bpy.types.Object) -> bpy.types.Object | None:
    """The object that a fragment was broken from, as long as it lies in its collection; None for anything else."""
    if names.FRAGMENT not in obj:
        return None
    return next((found for item in obj.users_collection if (found := item.get(names.SOURCE)) is not None), None)


def is_shattered(obj: bpy.types.Object) -> bool:
    """Whether there is anything to restore."""
    return names.BEFORE in obj or bool(collections_of(obj))


def restore(obj: bpy.types.Object) -> int:
    """Make `obj` as it was before it was shattered and remove its fragments; returns how many there were.

    Fragments go wherever they were moved, and those that they broke into as well, with meshes, Actions, collections
    and, when nothing uses them any more, the material of inner faces and copies of materials. What an artist put into
    the collection is kept, in the object's own collection.
    """
    with Changes() as changes:
        count = clear(obj, changes)
    diagram.remove(obj)
    return count


def clear(obj: bpy.types.Object, changes: Changes) -> int:
    """Show `obj` again and let its fragments go when the changes end; returns how many. Their names are free now."""
    collections = collections_of(obj)
    keeper = before.keeper_of(obj, collections)
    changes.undo_by(before.remember(obj, keeper))
    left = before.show_source(obj, keeper) if keeper is not None else None
    fragments = _with_their_own(collections)
    pieces = [item for collection in collections for item in collection.all_objects if names.FRAGMENT in item]
    _free_names({*pieces, *collections, *(item.data for item in pieces), *_actions(collections)}, changes)
    changes.finish_by(lambda: _remove(obj, collections, left))
    return len(fragments)


def _remove(obj: bpy.types.Object, collections: list[bpy.types.Collection], left: bpy.types.Action | None) -> None:
    fragments = _with_their_own(collections)
    nested = [item for item in bpy.data.collections if item.get(names.SOURCE) in fragments]
    doomed: set[bpy.types.ID] = {*collections, *nested, *fragments, *_meshes(fragments)}
    doomed.update(_actions([*collections, *nested]))
    doomed.update(item for item in bpy.data.actions if item.get(names.HIDES) in fragments)
    for collection in collections:
        _keep_guests(obj, collection, doomed)
    # Without its collection the Action is known from the object alone; a copy of the object may still follow it.
    if left is not None and left.users == 0:
        doomed.add(left)
    awake.let_sleep(fragments)
    diagrams = {diagram.block_of(item) for item in (*fragments, *collections)} - {None}
    bpy.data.batch_remove(doomed)
    bpy.data.batch_remove([item for item in diagrams if item.users == 0])
    rest_material.remove_unused()
    material = bpy.data.materials.get((names.INNER_MATERIAL, None))
    if material is not None and material.users == 0:
        bpy.data.materials.remove(material)


def _with_their_own(collections: list[bpy.types.Collection]) -> set[bpy.types.Object]:
    """The fragments in some collections, those that these broke into, and so on."""
    found: set[bpy.types.Object] = set()
    looked_at: set[bpy.types.Collection] = set()
    new = list(collections)
    while new:
        looked_at.update(new)
        found.update(item for collection in new for item in collection.all_objects if names.FRAGMENT in item)
        new = [item for item in bpy.data.collections if item not in looked_at and item.get(names.SOURCE) in found]
    return found


def _actions(collections: list[bpy.types.Collection]) -> list[bpy.types.Action]:
    return [action for item in collections if (action := item.get(names.ACTION)) is not None]


def _free_names(blocks: set[bpy.types.ID], changes: Changes) -> None:
    """Give blocks names that nobody wants, so that those which take their place can have theirs."""
    was = {block: block.name for block in blocks if block is not None and block.library is None}

    def put_back() -> None:
        for block, name in was.items():
            block.name = name

    changes.undo_by(put_back)
    for block in was:
        block.name = "Brittle, To Go"


def _meshes(fragments: Collection[bpy.types.Object]) -> list[bpy.types.Mesh]:
    """Meshes that nothing but these fragments uses, each once."""
    users: dict[bpy.types.Mesh, int] = {}
    for item in fragments:
        users[item.data] = users.get(item.data, 0) + 1
    return [mesh for mesh, count in users.items() if mesh.users == count + mesh.use_fake_user]


def _keep_guests(obj: bpy.types.Object, collection: bpy.types.Collection, doomed: set[bpy.types.ID]) -> None:
    home = next((item for item in obj.users_collection if item != collection), None)
    if home is None:
        home = bpy.context.scene.collection
    for item in collection.objects:
        if item not in doomed and item.name not in home.objects:
            home.objects.link(item)
    for child in collection.children:
        if child not in doomed and child.name not in home.children:
            home.children.link(child)
