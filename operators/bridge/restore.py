"""Take back everything that writing made."""

import bpy

from . import before, diagram, names, rest_material


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


def restore(obj: bpy.types.Object, *, keep_diagram: bool = False) -> int:
    """Make `obj` as it was before it was shattered and remove its fragments; returns how many there were.

    Fragments go wherever they were moved, with meshes, Action, collection and, when nothing uses them any more, the
    material of inner faces and copies of materials. What an artist put into the collection is kept, in the object's
    own collection.
    """
    left = before.show_source(obj)
    doomed: set[bpy.types.ID] = set()
    count = 0
    for collection in collections_of(obj):
        fragments = [item for item in collection.all_objects if names.FRAGMENT in item]
        count += len(fragments)
        _keep_guests(obj, collection)
        doomed.update(fragments, _meshes(fragments), {collection})
        if collection.get(names.ACTION) is not None:
            doomed.add(collection[names.ACTION])
    # Without its collection the Action is known from the object alone; a copy of the object may still follow it.
    orphan = left is not None and left not in doomed and left.users == 0
    bpy.data.batch_remove(doomed | {left} if orphan else doomed)
    rest_material.remove_unused()
    material = bpy.data.materials.get((names.INNER_MATERIAL, None))
    if material is not None and material.users == 0:
        bpy.data.materials.remove(material)
    if not keep_diagram:
        diagram.remove(obj)
    return count


def _meshes(fragments: list[bpy.types.Object]) -> list[bpy.types.Mesh]:
    """Meshes that nothing but these fragments uses, each once."""
    users: dict[bpy.types.Mesh, int] = {}
    for item in fragments:
        users[item.data] = users.get(item.data, 0) + 1
    return [mesh for mesh, count in users.items() if mesh.users == count + mesh.use_fake_user]


def _keep_guests(obj: bpy.types.Object, collection: bpy.types.Collection) -> None:
    home = next((item for item in obj.users_collection if item != collection), None)
    if home is None:
        home = bpy.context.scene.collection
    for item in collection.objects:
        if names.FRAGMENT not in item and item.name not in home.objects:
            home.objects.link(item)
    for child in collection.children:
        if child.name not in home.children:
            home.children.link(child)
