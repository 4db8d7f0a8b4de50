"""Why a button is grey stands in its tooltip, whole: Blender tells scripts 200 bytes of it, and cuts off the rest."""

import ast
from pathlib import Path

import bpy
import pytest

ROOT = Path(__file__).parents[2]


def constants():
    """Each text in the code that is, or may become, a poll message."""
    found = []
    for path in (*ROOT.glob("operators/*.py"), *ROOT.glob("panels/*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            name = getattr(getattr(node, "func", None), "attr", getattr(getattr(node, "func", None), "id", ""))
            if name in ("poll_message_set", "poll_found"):
                texts = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant)]
                found += [text for text in texts if isinstance(text, str)]
    return found


def test_texts_are_short(module):
    limit = module("operators.bridge.refusals").POLL_MESSAGE
    texts = [*constants(), module("operators.simulate").NOTHING]
    assert len(texts) > 8
    assert not [text for text in texts if len(text.encode()) > limit]


@pytest.mark.parametrize("name", ["Vase", "Ω" * 31, "Vase " * 12])
def test_what_cannot_be_broken_is_told_whole(module, name):
    refusals = module("operators.bridge.refusals")
    obj = bpy.data.objects.new(name, None)
    obj.instance_type = "COLLECTION"  # this has the longest of all reasons
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.brittle.shatter()
    assert "node at the end of its Geometry Nodes)" in str(caught.value)
    assert len(refusals.poll_refusal(obj).encode()) <= refusals.POLL_MESSAGE
    assert (f"'{name}'" in str(caught.value)) == (name == "Vase")
    longest = max(len(why.encode()) for why in (*refusals._REMEDIES.values(), refusals._INSTANCES))
    assert longest < refusals.POLL_MESSAGE - 20, "there is room for a name"
