"""Take back everything that writing made."""

from collections.abc import Collection, Generator, Iterable, Sequence
from functools import partial

import bpy

from ...core.stepwise import result_of
from ...core.types import Progress
from . import awake, before, diagram, names, rest_material
from .changes import Changes, remove_steps, rename_steps, whole
from .root import is_changed, is_copy, is_wanted, root_of

#: What a job says that frees the names of earlier pieces, and then removes these.
FREEING, REMOVING = "Writing", "Removing earlier pieces"


def collections_of(obj: bpy.types.Object) -> list[bpy.types.Collection]:
    """The collections of fragments that were made for an object."""
    return [item for item in bpy.data.collections if item.get(names.SOURCE) == obj]


def source_of(obj: bpy.types.Object) -> bpy.types.Object | None:
    """The object that a fragment was broken from, as long as it lies in its collection; None for anything else."""
    if names.FRAGMENT not in obj:
        return None
    return next((found for item in obj.users_collection if (found := item.get(names.SOURCE)) is not None), None)


def source_of_made(obj: bpy.types.Object) -> bpy.types.Object | None:
    """`source_of` for a fragment, or for the empty on which fragments hang; None for anything else."""
    if names.FRAGMENT not in obj and names.ROOT not in obj:
        return None
    marked = ((item, item.get(names.SOURCE)) for item in bpy.data.collections)
    return next((source for item, source in marked if source is not None and obj.name in item.objects), None)


def sources_by_piece() -> dict[bpy.types.Object, bpy.types.Object]:
    """`source_of` for all fragments, and for the empties on which they hang: to ask one by one would take long."""
    found: dict[bpy.types.Object, bpy.types.Object] = {}
    for collection in bpy.data.collections:
        if (source := collection.get(names.SOURCE)) is not None:
            made = (item for item in collection.objects if names.FRAGMENT in item or names.ROOT in item)
            found.update((item, source) for item in made)
    return found


def pieces_of(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """The fragments of an object, without what these broke into and without copies that an artist made."""
    return [item for collection in collections_of(obj) for item in _fragments_in(collection)]


def _fragments_in(collection: bpy.types.Collection) -> list[bpy.types.Object]:
    root = root_of(collection)
    return [item for item in collection.all_objects if names.FRAGMENT in item and not is_copy(item, root)]


def is_shattered(obj: bpy.types.Object) -> bool:
    """Whether there is anything to restore."""
    return names.BEFORE in obj or bool(collections_of(obj))


def restore(obj: bpy.types.Object) -> int:
    """`restore_steps` for one object, run to its end at once."""
    return result_of(restore_steps([obj]))


def restore_steps(objects: Sequence[bpy.types.Object]) -> Generator[Progress, None, int]:
    """Make objects as they were before they were shattered and remove their fragments; returns how many there were.

    Fragments go wherever they were moved, and those that they broke into as well, with meshes, Actions, collections,
    the empties on which they hang, and, when nothing uses them any more, the material of inner faces and copies of
    materials. What an artist put into the collection is kept, in the object's own collection; so is a copy of the
    whole, and an empty on which something else hangs.
    """

    def job(changes: Changes) -> Generator[Progress, None, int]:
        changes.begin()
        changes.finish_by(diagram.move_old)
        count = 0
        for obj in objects:
            count += yield from clear_steps(obj, changes)
            changes.finish_by(partial(diagram.remove, obj))
        return count

    return (yield from whole(job))


def clear_steps(
    obj: bpy.types.Object, changes: Changes, kept: bpy.types.Object | None = None
) -> Generator[Progress, None, int]:
    """Show `obj` again and let its fragments go when the changes end; returns how many. Their names are free now.

    `kept` is an empty that stays, for other fragments.
    """
    collections = collections_of(obj)
    keeper = before.keeper_of(obj, collections)
    changes.undo_by(before.remember(obj, keeper))
    left = before.show_source(obj, keeper) if keeper is not None else None
    fragments, nested = with_their_own(collections)
    going = _unwanted_roots((*collections, *nested), fragments, kept)
    leaving = {obj, *fragments, *collections, *nested}
    data = {*_meshes(fragments), *_unused(_actions([*collections, *nested]), leaving)}
    yield from _free_names({*fragments, *collections, *nested, *going, *data}, changes)
    changes.finish_in_steps(lambda: _remove_steps(obj, collections, left, kept))
    return len(fragments)


def _remove_steps(
    obj: bpy.types.Object,
    collections: list[bpy.types.Collection],
    left: bpy.types.Action | None,
    kept: bpy.types.Object | None,
) -> Generator[Progress, None, None]:
    fragments, nested = with_their_own(collections)
    doomed: set[bpy.types.ID] = {*collections, *nested, *fragments, *_meshes(fragments)}
    doomed.update(_unused(_actions([*collections, *nested]), {obj, *doomed}))
    doomed.update(item for item in bpy.data.actions if item.get(names.HIDES) in fragments)
    doomed.update(_unwanted_roots((*collections, *nested), fragments, kept))
    for collection in (*collections, *nested):
        _keep_guests(obj, collection, {*doomed, *({kept} - {None})})
    # Where it followed several copies one after the other, all but the last one are left.
    doomed.update(item for item in bpy.data.actions if item.get(names.HIDES) == obj and item.users == 0)
    # Without its collection the Action is known from the object alone; a copy of the object may still follow it.
    if left is not None and left.users == 0:
        doomed.add(left)
    awake.let_sleep(fragments)
    diagrams = {diagram.block_of(item) for item in (*fragments, *collections)} - {None}
    yield from remove_steps(doomed, REMOVING)
    bpy.data.batch_remove([item for item in diagrams if item.users == 0])
    rest_material.remove_unused()
    material = bpy.data.materials.get((names.INNER_MATERIAL, None))
    if material is not None and material.users == 0:
        bpy.data.materials.remove(material)


def with_their_own(
    collections: list[bpy.types.Collection],
) -> tuple[set[bpy.types.Object], list[bpy.types.Collection]]:
    """The fragments in some collections, those that these broke into, and so on; and the collections of the latter."""
    found: set[bpy.types.Object] = set()
    looked_at: list[bpy.types.Collection] = []
    new = list(collections)
    while new:
        looked_at += new
        for collection in new:
            found.update(_fragments_in(collection))
        new = [item for item in bpy.data.collections if item not in looked_at and item.get(names.SOURCE) in found]
    return found, looked_at[len(collections) :]


def changed_root(obj: bpy.types.Object) -> bpy.types.Object | None:
    """The empty of the earlier fragments of an object, where an artist has done anything with it; else None."""
    collections = collections_of(obj)
    root = next((found for item in collections if (found := root_of(item)) is not None), None)
    if root is None:
        return None
    fragments, nested = with_their_own(collections)
    return root if is_changed(root, {*fragments, *(root_of(item) for item in nested)}) else None


def _unwanted_roots(
    collections: Iterable[bpy.types.Collection],
    fragments: Collection[bpy.types.Object],
    kept: bpy.types.Object | None,
) -> set[bpy.types.Object]:
    """The empties of some collections on which nothing hangs but these fragments, and each other."""
    roots = {root for item in collections if (root := root_of(item)) is not None} - {kept}
    return {root for root in roots if not is_wanted(root, {*fragments, *roots})}


def _actions(collections: list[bpy.types.Collection]) -> list[bpy.types.Action]:
    return [action for item in collections if (action := item.get(names.ACTION)) is not None]


def _unused(some: list[bpy.types.Action], doomed: Collection[bpy.types.ID]) -> list[bpy.types.Action]:
    """Actions that nobody follows but those who go: a copy of the pieces may do so."""
    users = bpy.data.user_map(subset=some)
    return [one for one in some if all(not isinstance(user, bpy.types.Object) or user in doomed for user in users[one])]


def _free_names(blocks: set[bpy.types.ID], changes: Changes) -> Generator[Progress, None, None]:
    """Give blocks names that nobody wants, so that those which take their place can have theirs."""
    was = {block: block.name for block in blocks if block is not None and block.library is None}

    def put_back() -> None:
        for block, name in was.items():
            block.name = name

    changes.undo_by(put_back)
    yield from rename_steps(list(was), "Brittle, To Go", FREEING)


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
