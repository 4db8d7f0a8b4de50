"""What an object says about how it is seen, handed on to what stands for it.

Blender is asked what an object has, so that what a later Blender brings comes along: of all properties of an object,
those are left out that say something else.
"""

from contextlib import suppress
from typing import Any

import bpy

from . import names

Look = tuple[str, str, Any]  #: group, or "" for the object itself; property; value

#: Properties of an object that say where it is, what it is, who it belongs to, or what is done to it.
OTHER = {
    *("name", "data", "tag", "use_fake_user", "use_extra_user", "is_runtime_data", "asset_data"),
    # Where it is, and how an artist may move it: fragments have poses and axes of their own.
    *("location", "rotation_mode", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale"),
    *("delta_location", "delta_rotation_euler", "delta_rotation_quaternion", "delta_scale", "dimensions"),
    *("matrix_world", "matrix_local", "matrix_basis", "matrix_parent_inverse", "track_axis", "up_axis"),
    *("lock_location", "lock_rotation", "lock_rotation_w", "lock_rotations_4d", "lock_scale"),
    *("parent", "parent_type", "parent_vertices", "parent_bone", "use_parent_final_indices", "use_camera_lock_parent"),
    # When it is seen: fragments have keys for that.
    *("hide_viewport", "hide_render"),
    # What it shows in place of itself, is made of or was last worked on; slots are handed on with the mesh.
    *("instance_type", "instance_collection", "active_material", "active_material_index", "active_shape_key_index"),
    *("show_only_shape_key", "use_shape_key_edit_mode", "add_rest_position_attribute", "use_simulation_cache"),
    *("use_mesh_mirror_x", "use_mesh_mirror_y", "use_mesh_mirror_z"),
}
#: Groups of properties that belong to an object's looks; others are its physics, its pose or its history.
GROUPS = ("cycles", "display", "light_linking", "lineart")


def read_looks(obj: bpy.types.Object) -> list[Look]:
    """What an object says that a new one does not say by itself."""
    plain = bpy.data.objects.new("Plain", None)
    try:
        looks = _differences("", obj, plain, OTHER)
        for name in GROUPS:
            if getattr(obj, name, None) is not None:
                looks += _differences(name, getattr(obj, name), getattr(plain, name), {"name"})
        return looks
    finally:
        bpy.data.objects.remove(plain)


def _differences(group: str, own: Any, plain: Any, but: set[str]) -> list[Look]:
    found = []
    for item in own.bl_rna.properties:
        name = item.identifier
        known = item.is_readonly or name in but or (not group and item.is_runtime)
        if known or item.type == "COLLECTION" or (item.type == "POINTER" and not group):
            continue
        value = _value(getattr(own, name))
        if value != _value(getattr(plain, name)):
            found.append((group, name, value))
    return found


def wear(obj: bpy.types.Object, looks: list[Look]) -> None:
    """Give an object the looks of another."""
    for group, name, value in looks:
        setattr(getattr(obj, group) if group else obj, name, value)


def copy_properties(block: bpy.types.ID, source: bpy.types.ID) -> None:
    """Give a block the custom properties of another, which shaders may read, with what panels say of them."""
    # Blender 4.5 keeps those of extensions among them.
    for key, value in source.items():
        if key.startswith(names.PREFIX) or key in source.bl_rna.properties:
            continue
        block[key] = _plain(value)
        with suppress(TypeError):  # nothing is said of groups and blocks
            block.id_properties_ui(key).update_from(source.id_properties_ui(key))
        path = f'["{bpy.utils.escape_identifier(key)}"]'
        if source.is_property_overridable_library(path):
            block.property_overridable_library_set(path, True)


def _value(value: Any) -> Any:
    """A value that stays as it is."""
    return tuple(value) if isinstance(value, bpy.types.bpy_prop_array) or hasattr(value, "to_tuple") else value


def _plain(value: Any) -> Any:
    for method in ("to_dict", "to_list"):
        if hasattr(value, method):
            return getattr(value, method)()
    return value
