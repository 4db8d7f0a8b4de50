"""Where fragments live: in every collection that shows the object which they come from.

A collection may be excluded here and shown there, be instanced, or tell a lamp what it lights. What it shows of an
object it must show of its fragments, and nothing else may change by them: collections that a modifier, particles or
a rigid-body world take their objects from get no more of them.
"""

from collections.abc import Iterator

import bpy


def settle(context: bpy.types.Context, obj: bpy.types.Object, collection: bpy.types.Collection) -> None:
    """Link the collection of an object's fragments wherever the object is seen."""
    homes = [item for item in obj.users_collection if _is_open(item) and _shows(item)]
    scenes = [scene for scene in bpy.data.scenes if scene.library is None and obj.name in scene.objects]
    for scene in scenes:
        tree = {scene.collection, *scene.collection.children_recursive}
        if obj == scene.objects.get(obj.name) and tree.isdisjoint(homes):
            homes.append(scene.collection)
    if context.scene.collection not in homes and not _are_shown(homes, context.view_layer.layer_collection):
        homes.append(context.scene.collection)
    for home in homes:
        home.children.link(collection)
        _light_alike(home, obj, collection)
    _enter_local_views(context, obj, collection)


def _is_open(collection: bpy.types.Collection) -> bool:
    """Whether something may be linked to a collection."""
    return collection.library is None and collection.override_library is None


def _shows(collection: bpy.types.Collection) -> bool:
    """Whether a collection is there to show its objects, or to light them, and for nothing else."""
    scenes = [scene for scene in bpy.data.scenes if _in_tree(scene, collection)]
    above = [item for item in bpy.data.collections if collection in item.children_recursive]
    used = bpy.data.user_map(subset={*above, collection} - {scene.collection for scene in bpy.data.scenes})
    shown = bool(scenes)
    for item, users in used.items():
        for user in users:
            if isinstance(user, bpy.types.Collection):
                continue
            if isinstance(user, bpy.types.Scene):
                world = user.rigidbody_world
                if world is not None and item in (world.collection, world.constraints):
                    return False
            elif isinstance(user, bpy.types.Object) and item in (user.instance_collection, *_lit(user)):
                shown = True
            else:
                return False
    return shown


def _in_tree(scene: bpy.types.Scene, collection: bpy.types.Collection) -> bool:
    return collection == scene.collection or collection in scene.collection.children_recursive


def _lit(obj: bpy.types.Object) -> tuple[bpy.types.Collection | None, bpy.types.Collection | None]:
    links = obj.light_linking
    return links.receiver_collection, links.blocker_collection


def _are_shown(homes: list[bpy.types.Collection], layer: bpy.types.LayerCollection) -> bool:
    return any(item.collection in homes for item in _shown(layer))


def _shown(layer: bpy.types.LayerCollection) -> Iterator[bpy.types.LayerCollection]:
    if layer.is_visible and not layer.exclude:
        yield layer
    for child in layer.children:
        yield from _shown(child)


def _light_alike(home: bpy.types.Collection, obj: bpy.types.Object, collection: bpy.types.Collection) -> None:
    """Let a lamp that is linked to `home` take the fragments as it takes the object."""
    states = dict(zip(home.objects, home.collection_objects, strict=True))
    links = dict(zip(home.children, home.collection_children, strict=True))
    if obj in states:
        links[collection].light_linking.link_state = states[obj].light_linking.link_state


def _enter_local_views(context: bpy.types.Context, obj: bpy.types.Object, collection: bpy.types.Collection) -> None:
    """Show fragments in the views that show nothing but some objects, the broken one among them."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            space = area.spaces.active
            if area.type == "VIEW_3D" and space.local_view is not None and obj.local_view_get(space):
                for item in collection.objects:
                    item.local_view_set(space, True)
