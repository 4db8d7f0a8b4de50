"""Materials for fragments whose look depends on where the object's own coordinates lie.

Object and generated coordinates belong to an object and its bounds. A fragment has others: a marble vein or a noise
that was painted with them would jump when the object breaks. So fragments get the source's coordinates as attributes,
and a copy of such a material takes them from there. Materials without them are shared with the source as they are.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import bpy

from . import names
from .changes import Changes

#: Textures that take generated coordinates where nothing is linked to their Vector socket. Image textures take the
#: UV map then, environments the position; white noise takes zero.
GENERATED_BY_DEFAULT = {
    f"ShaderNodeTex{kind}"
    for kind in ("Brick", "Checker", "Gabor", "Gradient", "Magic", "Musgrave", "Noise", "Voronoi", "Wave")
}

#: Output of the Texture Coordinate node, and the attribute that stands for it.
ATTRIBUTES = {"Object": names.REST, "Generated": names.GENERATED}


@dataclass(slots=True)
class RestMaterials:
    """The materials of fragments, by those of the source."""

    copies: dict[bpy.types.Material, bpy.types.Material] = field(default_factory=dict)
    generated: bool = False  #: whether one of them needs generated coordinates

    def of(self, material: bpy.types.Material | None) -> bpy.types.Material | None:
        """What fragments have in place of a material of the source."""
        return self.copies.get(material, material) if material is not None else None


def rest_materials(materials: Iterable[bpy.types.Material | None], changes: Changes) -> RestMaterials:
    """Copies of the materials that depend on object or generated coordinates; "<material> Rest", anew at each call.

    Fragments of other objects that have an earlier copy get the new one when the changes end. The materials themselves
    are not changed, and what is linked from a library is copied into the file.
    """
    result = RestMaterials()
    groups: dict[bpy.types.NodeTree, bpy.types.NodeTree] = {}
    made: list[tuple[bpy.types.ID, bpy.types.ID]] = []
    for material in dict.fromkeys(material for material in materials if material is not None):
        found = _needs(material.node_tree, {})
        if not found:
            continue
        result.generated |= "Generated" in found
        copy = material.copy()
        copy.use_fake_user = False
        _take_from_attributes(copy.node_tree, groups)
        result.copies[material] = copy
        made.append((material, copy))
    made += list(groups.items())
    for original, copy in made:
        copy[names.REST_OF] = original
    changes.finish_by(lambda: _take_place(made))
    return result


def remove_unused(but: Collection[bpy.types.ID] = ()) -> None:
    """Remove the copies that nothing uses any more, but for those that are about to be used."""
    for items in (bpy.data.materials, bpy.data.node_groups):
        while unused := [item for item in items if names.REST_OF in item and item.users == 0 and item not in but]:
            bpy.data.batch_remove(unused)


def _take_place(made: list[tuple[bpy.types.ID, bpy.types.ID]]) -> None:
    """Put copies in the place of earlier ones of the same originals, and give them names."""
    for original, copy in made:
        items = bpy.data.materials if isinstance(copy, bpy.types.Material) else bpy.data.node_groups
        for item in items:
            if item != copy and item.get(names.REST_OF) == original:
                item.user_remap(copy)
    remove_unused({copy for _, copy in made})
    for original, copy in made:
        # Blender 4.5 allows 63 bytes.
        copy.name = f"{original.name.encode()[:58].decode(errors='ignore')} Rest"


def _needs(tree: bpy.types.NodeTree | None, known: dict) -> set[str]:
    """Which of the coordinates a tree uses, nested groups included."""
    if tree is None:
        return set()
    if tree not in known:
        known[tree] = set()
        for node in tree.nodes:
            known[tree] |= {kind for kind, _ in _sockets(node)}
            if node.type == "GROUP":
                known[tree] |= _needs(node.node_tree, known)
    return known[tree]


def _sockets(node: bpy.types.Node) -> list[tuple[str, bpy.types.NodeSocket]]:
    """The sockets that a node feeds with object or generated coordinates, openly or by default."""
    if node.bl_idname == "ShaderNodeTexCoord" and not node.from_instancer:
        # The coordinates of another object are where they are, whatever breaks.
        kinds = [kind for kind in ATTRIBUTES if kind == "Generated" or node.object is None]
        return [(kind, link.to_socket) for kind in kinds for link in node.outputs[kind].links]
    if node.bl_idname in GENERATED_BY_DEFAULT:
        socket = node.inputs.get("Vector")  # in one dimension there is none
        if socket is not None and socket.enabled and not socket.is_linked:
            return [("Generated", socket)]
    return []


def _take_from_attributes(tree: bpy.types.NodeTree, groups: dict) -> None:
    """Rewire a tree that may be changed; groups that need it are copied, each once."""
    sources: dict[str, bpy.types.NodeSocket] = {}
    for node in list(tree.nodes):
        if node.type == "GROUP" and _needs(node.node_tree, {}):
            node.node_tree = _group(node.node_tree, groups)
        for kind, socket in _sockets(node):
            if kind not in sources:
                sources[kind] = _attribute(tree, kind, node)
            tree.links.new(sources[kind], socket)


def _group(group: bpy.types.NodeTree, groups: dict) -> bpy.types.NodeTree:
    if group not in groups:
        groups[group] = group.copy()
        groups[group].use_fake_user = False
        _take_from_attributes(groups[group], groups)
    return groups[group]


def _attribute(tree: bpy.types.NodeTree, kind: str, beside: bpy.types.Node) -> bpy.types.NodeSocket:
    node = tree.nodes.new("ShaderNodeAttribute")
    node.attribute_type = "GEOMETRY"
    node.attribute_name = ATTRIBUTES[kind]
    node.label = f"{kind} at Rest"
    node.parent = beside.parent
    node.location = (beside.location[0] - 200.0, beside.location[1] - (0.0 if kind == "Object" else 180.0))
    return node.outputs["Vector"]
