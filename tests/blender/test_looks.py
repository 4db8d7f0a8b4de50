"""All that an artist sets on an object about its looks and links is on its pieces, and slots do not grow."""

import bpy
import pytest

from tests.blender import pieces
from tests.blender.fingerprint import broken


def pieces_of(obj):
    return pieces.pieces_of(next(item for item in bpy.data.collections if item.get("brittle_source") == obj))


def other_value(group, item):
    """Another value of a property than the one it has."""
    value = getattr(group, item.identifier)
    if item.type == "BOOLEAN":
        return not value
    if item.type == "ENUM":
        return next(choice.identifier for choice in item.enum_items if choice.identifier != value)
    if item.type in ("INT", "FLOAT"):
        low = max(item.hard_min, -1.0) if not getattr(item, "array_length", 0) else 0.25
        return (
            [0.25] * item.array_length
            if item.array_length
            else type(value)(min(item.hard_max, low + 0.5 + 0.5 * (value == low + 0.5)))
        )
    return "Key"


@pytest.mark.parametrize("simulated", [False, True])
def test_whatever_blender_lets_one_set_is_on_each_piece(cube, module, simulated):
    looks = module("operators.bridge.looks")
    lit = bpy.data.collections.new("Lit")
    cube.light_linking.receiver_collection = cube.light_linking.blocker_collection = lit
    expected = [("light_linking", "receiver_collection", lit), ("light_linking", "blocker_collection", lit)]
    for name in ("", "cycles", "display", "lineart"):
        group = getattr(cube, name) if name else cube
        for item in group.bl_rna.properties:
            if (
                item.is_readonly
                or item.type in ("POINTER", "COLLECTION")
                or item.identifier in {*looks.OTHER, "rna_type"}
            ):
                continue
            if name or not item.is_runtime:
                setattr(group, item.identifier, other_value(group, item))
                expected.append((name, item.identifier, getattr(group, item.identifier)))
    assert len(expected) > 50 and ("", "visible_shadow", False) in expected
    cube.hide_select = False
    cube.brittle.breakable.breaks = simulated
    bpy.context.scene.frame_end = 3
    (bpy.ops.brittle.simulate if simulated else bpy.ops.brittle.shatter)(seed=1)
    for piece in pieces_of(cube):
        for group, name, _ in expected:
            own, theirs = ((getattr(item, group) if group else item) for item in (cube, piece))
            values = [getattr(item, name) for item in (own, theirs)]
            same = [
                list(value) if hasattr(value, "foreach_get") or hasattr(value, "__len__") else value for value in values
            ]
            assert same[0] == same[1], (group, name)
    assert "Plain" not in bpy.data.objects


def test_custom_properties_of_all_types_come_with_their_limits(cube):
    values = {"float": 0.5, "int": 3, "flag": True, "text": "täglich", "vector": [0.5, 1.0], "group": {"a": {"b": 1}}}
    for block in (cube, cube.data):
        for key, value in values.items():
            block[key] = value
        block["block"] = bpy.data.materials.new("Named")
        block.id_properties_ui("float").update(min=-2.0, max=7.0, description="How dirty it is")
        block.property_overridable_library_set('["float"]', True)
    bpy.ops.brittle.shatter(seed=1)
    for piece in pieces_of(cube):
        for block, source in ((piece, cube), (piece.data, cube.data)):
            assert {key: block[key] for key in ("float", "int", "flag", "text", "block")} == {
                key: source[key] for key in ("float", "int", "flag", "text", "block")
            }
            assert list(block["vector"]) == [0.5, 1.0] and block["group"].to_dict() == {"a": {"b": 1}}
            shown = block.id_properties_ui("float").as_dict()
            assert (shown["min"], shown["max"], shown["description"]) == (-2.0, 7.0, "How dirty it is")
            assert block.is_property_overridable_library('["float"]')


def test_attributes_of_text_are_on_the_pieces(cube):
    side = cube.data.attributes.new("side", "STRING", "FACE")
    corner = cube.data.attributes.new("corner", "STRING", "POINT")
    kind = type(side.data[0].value)
    texts = [f"side {i}" if kind is str else f"side {i}".encode() for i in range(6)]
    for attribute in (side, corner):
        for i, item in enumerate(attribute.data):
            item.value = texts[i % 6]
    bpy.ops.brittle.shatter(seed=1)
    found = set()
    for piece in pieces_of(cube):
        mesh = piece.data
        inner = [item.value for item in mesh.attributes["brittle_inner"].data]
        named = [item.value for item in mesh.attributes["side"].data]
        assert all((text == kind()) == hidden for text, hidden in zip(named, inner, strict=True))
        found.update(named)
        assert mesh.attributes["corner"].domain == "POINT"
    assert found == {kind(), *texts}


def test_slots_stay_as_they_are_over_generations(cube, module):
    """One for broken faces, be it given, found, clear, held by the object or a copy for coordinates at rest."""
    shatter = module("operators.shatter").shatter_object
    stone, inside = bpy.data.materials.new("Stone"), bpy.data.materials.new("Inside")
    inside.use_nodes = True
    tree = inside.node_tree
    coordinates = tree.nodes.new("ShaderNodeTexCoord")
    tree.links.new(coordinates.outputs["Object"], tree.nodes["Principled BSDF"].inputs["Base Color"])
    cube.data.materials.append(stone)
    cube.material_slots[0].link = "OBJECT"
    cube.material_slots[0].material = stone
    for given, name in ((None, "Brittle Inner"), (inside, "Inside Rest"), (stone, "Stone")):
        obj = cube
        for generation in range(3):
            obj.brittle.inner_material = given
            made = shatter(bpy.context, obj, count=4, seed=generation, motion="still").fragments
            obj = max(pieces.pieces_of(made), key=lambda item: item["brittle_mass"])
            assert [slot.material.name for slot in obj.material_slots] == ["Stone", name]
            inner = [item.value for item in obj.data.attributes["brittle_inner"].data]
            assert [face.material_index == 1 for face in obj.data.polygons] == inner
    assert len(broken(cube)) > 4


def test_a_slot_that_waits_for_broken_faces_is_used(cube):
    """It is theirs alone: one that the outside shows as well is not taken."""
    for name in ("Brick", "Mortar", "Moss"):
        cube.data.materials.append(bpy.data.materials.new(name))
    cube.data.polygons[0].material_index = 2
    for given, slots in (("Mortar", 3), ("Moss", 4)):
        cube.brittle.inner_material = bpy.data.materials[given]
        bpy.ops.brittle.shatter(seed=1)
        for piece in pieces_of(cube):
            assert len(piece.material_slots) == slots
            inner = [item.value for item in piece.data.attributes["brittle_inner"].data]
            index = {face.material_index for face, hidden in zip(piece.data.polygons, inner, strict=True) if hidden}
            assert index == {1 if given == "Mortar" else 3}
