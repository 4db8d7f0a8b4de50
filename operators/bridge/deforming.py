"""Which meshes may have another form at another frame: by keys, by what a modifier does in time or what leads it."""

from collections.abc import Iterator

import bpy

from . import actions
from .movement import is_animated, leads, may_move

#: Modifiers that make the same of the same mesh at every frame, as long as nothing changes their numbers or objects.
LASTING = frozenset({
    *("ARRAY", "BEVEL", "BOOLEAN", "CAST", "COLLISION", "CORRECTIVE_SMOOTH", "CURVE", "DATA_TRANSFER", "DECIMATE"),
    *("DISPLACE", "EDGE_SPLIT", "HOOK", "LAPLACIANDEFORM", "LAPLACIANSMOOTH", "LATTICE", "MASK", "MESH_DEFORM"),
    *("MIRROR", "MULTIRES", "NORMAL_EDIT", "PARTICLE_SYSTEM", "REMESH", "SCREW", "SHRINKWRAP", "SIMPLE_DEFORM"),
    *("SKIN", "SMOOTH", "SOLIDIFY", "SUBSURF", "SURFACE_DEFORM", "TRIANGULATE", "UV_PROJECT", "UV_WARP"),
    *("VERTEX_WEIGHT_EDIT", "VERTEX_WEIGHT_MIX", "VERTEX_WEIGHT_PROXIMITY", "WARP", "WEIGHTED_NORMAL", "WELD"),
    *("WIREFRAME", "ARMATURE"),
})  # fmt: skip
#: Nodes that read the time, what lies around, or what was there before.
IN_TIME = ("SceneTime", "Simulation", "ObjectInfo", "CollectionInfo", "SelfObject", "ImageInfo", "Import", "Bake")


def may_deform_in_time(obj: bpy.types.Object) -> bool:
    """Whether the form of a mesh object may be another one at another frame; yes where it is not known."""
    return _deforms(obj, set())


def _deforms(obj: bpy.types.Object, asked: set[bpy.types.Object]) -> bool:
    if obj in asked:
        return False
    asked.add(obj)
    data, keys = obj.data, getattr(obj.data, "shape_keys", None)
    if any(block is not None and block.animation_data is not None for block in (data, keys)):
        return True
    if any(path.startswith("modifiers") for path in _animated_paths(obj)):
        return True
    if obj.parent is not None and obj.parent_type in ("ARMATURE", "LATTICE"):
        return True
    return any(_acts_in_time(item, asked) for item in obj.modifiers if item.show_viewport)


def _acts_in_time(modifier: bpy.types.Modifier, asked: set[bpy.types.Object]) -> bool:
    if modifier.type == "NODES":
        if modifier.node_group is None:
            return False
        if _tree_acts_in_time(modifier.node_group, set()):
            return True
    elif modifier.type not in LASTING:
        return True
    return any(_changes(block, asked) for block in _blocks(modifier))


def _blocks(modifier: bpy.types.Modifier) -> Iterator[bpy.types.ID]:
    """The objects, collections and textures that a modifier names; what nodes read of them is in `IN_TIME`."""
    for item in modifier.bl_rna.properties:
        if item.type == "POINTER" and isinstance(value := getattr(modifier, item.identifier), bpy.types.ID):
            yield value


def _changes(block: bpy.types.ID, asked: set[bpy.types.Object]) -> bool:
    """Whether something that a modifier names may be another at another frame."""
    if isinstance(block, bpy.types.Collection):
        return any(_changes(item, asked) for item in block.all_objects)
    if not isinstance(block, bpy.types.Object):
        return not isinstance(block, bpy.types.NodeTree) and getattr(block, "animation_data", None) is not None
    poses = block.type == "ARMATURE" and (is_animated(block) or leads(block))
    return poses or may_move(block) or _deforms(block, asked)


def _tree_acts_in_time(tree: bpy.types.NodeTree, asked: set[bpy.types.NodeTree]) -> bool:
    if tree in asked:
        return False
    asked.add(tree)
    if tree.animation_data is not None:
        return True
    groups = [node.node_tree for node in tree.nodes if getattr(node, "node_tree", None) is not None]
    kinds = [node.bl_idname for node in tree.nodes]
    return any(word in kind for kind in kinds for word in IN_TIME) or any(
        _tree_acts_in_time(group, asked) for group in groups
    )


def _animated_paths(obj: bpy.types.Object) -> list[str]:
    animation = obj.animation_data
    if animation is None:
        return []
    if animation.nla_tracks:
        return ["modifiers"]  # it is not known what they lead
    return [curve.data_path for curve in (*animation.drivers, *actions.curves_of(animation))]
