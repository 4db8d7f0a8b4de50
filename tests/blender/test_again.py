"""What the redo panel asks for is begun as by a click, in place of the earlier result."""

from contextlib import nullcontext
from types import SimpleNamespace

import bpy
import pytest

from tests.blender.pieces import pieces_of


@pytest.fixture
def again(module, monkeypatch):
    found = module("operators.again")
    # Without a screen Blender has windows, in which it cannot undo.
    monkeypatch.setattr(found, "_in_a_view", nullcontext)
    yield found
    found.forget()


@pytest.fixture
def broken(cube):
    """A cube in some pieces, broken by one undo step; how many, and the seed."""
    bpy.ops.ed.undo_push(message="Before")
    bpy.ops.brittle.shatter("EXEC_DEFAULT", True, seed=1, count=6)
    return there()


def there():
    """Number of pieces of the cube, and its seed."""
    cube = bpy.data.objects["Cube"]
    found = [item for item in bpy.data.collections if item.get("brittle_source") == cube]
    return sum(len(pieces_of(item)) for item in found), cube.brittle.seed


class Asked:
    """The operator as the panel calls it."""

    bl_idname = "BRITTLE_OT_shatter"

    def __init__(self, **values):
        self.values = values

    def as_keywords(self):
        return self.values


@pytest.mark.parametrize("background", [False, True])
@pytest.mark.parametrize("repeat", [False, True])
def test_a_call_of_the_panel_of_a_window_is_told_from_others(again, monkeypatch, background, repeat):
    monkeypatch.setattr(again, "bpy", SimpleNamespace(app=SimpleNamespace(background=background)))
    assert again.is_asked(SimpleNamespace(options=SimpleNamespace(is_repeat=repeat))) == (repeat and not background)
    monkeypatch.undo()


def test_the_last_values_take_the_place_of_the_earlier_result_in_one_undo_step(again, broken):
    again.begin_soon(Asked(seed=7, count=6, heading=(0.0, 1.0, 0.0)))
    again.begin_soon(Asked(seed=2, count=9, heading=(0.0, 1.0, 0.0)))
    assert there() == broken, "values that are still being pulled begin nothing"
    again._begin()
    pieces, seed = there()
    assert seed == 2 and pieces > 1 and again._waiting == []
    bpy.ops.ed.undo()
    assert there()[0] == 0, "the earlier result was taken back"


def test_what_is_refused_brings_the_earlier_result_back(again, broken):
    again.begin_soon(Asked(preset="No Such Material"))
    again._begin()
    assert there() == broken and broken[0] > 1


def test_what_is_forgotten_never_begins(again, broken):
    again.begin_soon(Asked(seed=2))
    again.forget()
    again._begin()
    assert there() == broken
    assert not bpy.app.timers.is_registered(again._begin)
