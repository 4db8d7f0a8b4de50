"""All that a file holds, as one flat table: two of them tell by a bit what an operation has changed.

Every readable property of every data-block that `bpy.data` knows counts, down to keys, attributes of meshes, drivers,
constraints, layer collections, custom properties with what the user interface says of them, and who uses a block. What
only windows and tools need is left out.

    before = fingerprint()
    ...
    assert not differences(before, fingerprint())

For a promise about everything but what was broken, leave that out on both sides, and with it all that refers to it:

    before = fingerprint(but=broken(obj))
    ...
    assert not differences(before, fingerprint(but=broken(obj)))
"""

import hashlib
from collections.abc import Collection, Iterator
from typing import Any

import bpy
import numpy as np

#: Groups of blocks that belong to windows, tools and what was loaded, not to a scene; and all blocks once more.
WINDOWS = {"window_managers", "screens", "workspaces", "brushes", "palettes", "libraries", "all_ids"}
#: Properties that say nothing, or only when something was worked out; meshes and curves say the rest by attributes.
SILENT = {
    *("rna_type", "bl_rna", "id_data", "session_uid", "original", "tag", "is_evaluated", "preview", "users"),
    *("is_updated", "is_updated_geometry", "is_updated_transform", "depsgraph", "tool_settings", "view3d"),
    *("action_suitable_slots", "library_weak_reference", "motion_path", "animation_visualization", "execution_time"),
    *("vertices", "edges", "loops", "polygons", "loop_triangles", "loop_triangle_polygons", "corner_normals"),
    *("vertex_normals", "polygon_normals", "vertex_colors", "color_attributes", "uv_layers", "vertex_layers_float"),
    *("particles", "child_particles", "keyframe_points", "sampled_points", "is_dirty", "filepath_from_user"),
    "is_runtime_data",
    *("collection_children", "collection_objects", "shading", "sequencer_colorspace_settings", "use_nodes"),
}
#: What makes up a key.
KEY = ("co", "handle_left", "handle_right", "handle_left_type", "handle_right_type", "interpolation", "easing", "type")
#: Prefix of all custom properties of Brittle.
OWN = "brittle_"


def fingerprint(but: Collection[bpy.types.ID] = ()) -> dict[str, str]:
    """Path of each value of the file -> the value in words; blocks `but` and all that refers to them are left out."""
    bpy.context.view_layer.update()
    return _Walk(frozenset(but)).table


def differences(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """What two fingerprints do not agree on, a line each: nothing where they are equal."""
    paths = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
    return [f"{path}: {before.get(path)} -> {after.get(path)}" for path in paths]


def broken(*objects: bpy.types.Object) -> set[bpy.types.ID]:
    """Objects, Actions that are theirs alone, and all that Brittle has made if they were broken: what may differ.

    That is pieces, meshes, collections and Actions, the material of broken faces and copies of materials. What
    `objects` share with others is not among it.
    """
    found: set[bpy.types.ID] = set(objects)
    while more := [item for item in bpy.data.collections if item not in found and item.get("brittle_source") in found]:
        for collection in more:  # of pieces that broke further, too
            made = [obj for obj in collection.all_objects if any(key.startswith(OWN) for key, _ in obj.items())]
            found.update(
                {collection, collection.get("brittle_action"), collection.get("brittle_diagram")} - {None},
                made,
                (obj.data for obj in made if obj.data),
            )
    for obj in [item for item in found if isinstance(item, bpy.types.Object)]:
        found |= {obj.get("brittle_diagram")} - {None}
        own = {obj.get("brittle_before_action"), obj.animation_data.action if obj.animation_data else None} - {None}
        found |= {action for action, users in bpy.data.user_map(subset=own).items() if users <= found | own}
    found |= {item for item in bpy.data.materials if item.name == "Brittle Inner" or "brittle_rest_of" in item}
    marks = ("brittle_rest_of", "brittle_awake")
    return found | {item for item in bpy.data.node_groups if any(mark in item for mark in marks)}


class _Walk:
    """One walk over the file."""

    def __init__(self, but: frozenset[bpy.types.ID]) -> None:
        self.but = but
        self.table: dict[str, str] = {}
        users = bpy.data.user_map()
        for group in bpy.data.bl_rna.properties:
            if group.type != "COLLECTION" or group.identifier in WINDOWS:
                continue
            for block in getattr(bpy.data, group.identifier):
                if block not in but:
                    path = f"{group.identifier}[{_named(block)}]"
                    self._struct(path, block, {})
                    self.table[f"{path} users"] = repr(sorted(_named(user) for user in users[block] - but))

    def _struct(self, path: str, item: Any, above: dict[Any, str]) -> None:
        """All properties of a block or of a part of one; what contains the part is `above` it."""
        address = (item.as_pointer(), item.bl_rna.identifier)
        if address in above:
            self.table[path] = above[address]
            return
        above = {**above, address: path}
        for prop in item.bl_rna.properties:
            if prop.identifier in SILENT:
                continue
            try:
                value = getattr(item, prop.identifier)
            except (AttributeError, TypeError, RuntimeError, UnicodeDecodeError):
                continue  # Blender has no value for it at the moment
            place = f"{path}.{prop.identifier}"
            if prop.type == "POINTER":
                self._pointer(place, value, above)
            elif prop.type == "COLLECTION":
                self._collection(place, prop.identifier, value, above)
            else:
                self.table[place] = _plain(value)
        if isinstance(item, bpy.types.FCurve):
            self.table[f"{path} keys"] = _keys(item)
        if isinstance(item, bpy.types.Mesh):
            self._groups(path, item)
        if isinstance(item, bpy.types.Collection):
            self.table[f"{path} light links"] = repr([*self._light_links(item)])
        if isinstance(item, bpy.types.ID):
            self._custom(path, item)

    def _pointer(self, path: str, value: Any, above: dict[Any, str]) -> None:
        if value is None or value in self.but:
            self.table[path] = "None"
        elif isinstance(value, bpy.types.ID) and not value.is_embedded_data:
            self.table[path] = _named(value)
        elif not isinstance(value, bpy.types.ActionSlot):  # the block knows its slots, all else their names
            self._struct(path, value, above)
        else:
            self.table[path] = value.identifier

    def _collection(self, path: str, name: str, items: Any, above: dict[Any, str]) -> None:
        if name == "attributes":
            for attribute in items:
                self.table[f"{path}[{attribute.name}]"] = _attribute(attribute)
            return
        kept = [item for item in items if item not in self.but and getattr(item, "collection", None) not in self.but]
        self.table[path] = repr([getattr(item, "name", "") for item in kept if item is not None])
        for index, item in enumerate(kept):
            if item is not None:
                self._pointer(f"{path}[{index}]", item, above)

    def _light_links(self, collection: bpy.types.Collection) -> Iterator[tuple[str, str]]:
        """What each child and object of a collection is to a light that is linked to the collection."""
        parts = (
            (collection.children, collection.collection_children),
            (collection.objects, collection.collection_objects),
        )
        for items, links in parts:
            for item, link in zip(items, links, strict=True):
                if item not in self.but:
                    yield _named(item), link.light_linking.link_state

    def _groups(self, path: str, mesh: bpy.types.Mesh) -> None:
        weights = [[(element.group, element.weight) for element in vertex.groups] for vertex in mesh.vertices]
        self.table[f"{path} weights"] = _digest(repr(weights).encode())

    def _custom(self, path: str, block: bpy.types.ID) -> None:
        # Blender 4.5 keeps what extensions register among the custom properties, from the first look at it on.
        for key, value in block.items():
            if key in {"cycles", *block.bl_rna.properties.keys()}:
                continue
            if key == "brittle_awake" and value in self.but:  # the scene's hold on what Brittle has made
                continue
            self.table[f"{path}[{key!r}]"] = "None" if value in self.but else _plain(value)
            try:
                self.table[f"{path}[{key!r}] shown"] = repr(block.id_properties_ui(key).as_dict())
            except TypeError:  # groups and blocks have nothing to show
                continue


def _named(block: bpy.types.ID) -> str:
    library = f" of {block.library.name}" if block.library else ""
    return f"{block.id_type} {block.name}{library}"


def _keys(curve: bpy.types.FCurve) -> str:
    return repr([[_plain(getattr(key, name)) for name in KEY] for key in curve.keyframe_points])


def _attribute(attribute: bpy.types.Attribute) -> str:
    """Domain, type and a digest of the values of an attribute."""
    head = f"{attribute.domain} {attribute.data_type} {len(attribute.data)} "
    if not len(attribute.data):
        return head
    first = attribute.data[0]
    name = next(name for name in ("value", "vector", "color") if hasattr(first, name))
    if attribute.data_type == "STRING":
        return head + _digest(repr([item.value for item in attribute.data]).encode())
    values = np.array([np.array(getattr(item, name)) for item in attribute.data])
    return head + _digest(values.tobytes())


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=12).hexdigest()


def _plain(value: Any) -> str:
    """A value in words that are equal only where all bits are."""
    if isinstance(value, bpy.types.ID):
        return _named(value)
    if hasattr(value, "to_dict"):
        return repr({key: _plain(item) for key, item in value.to_dict().items()})
    if isinstance(value, set):
        return repr(sorted(value))
    if isinstance(value, (str, bytes)) or not hasattr(value, "__len__"):
        return repr(value) if len(str(value)) < 1000 else _digest(repr(value).encode())
    return repr(list(_flat(value)))


def _flat(values: Any) -> Iterator[Any]:
    for value in values:
        if hasattr(value, "__len__") and not isinstance(value, (str, bytes)):
            yield from _flat(value)
        else:
            yield value
