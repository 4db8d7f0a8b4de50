"""What a new user does, in the order in which he does it, in a window that is driven by mouse and keys.

Each test goes on where the one before it left the file. Pictures go to build/window.
"""

from pathlib import Path

import numpy as np
import pytest

PICTURES = Path(__file__).resolve().parents[2] / "build" / "window"
#: Rows of the tab in the simple look, from the top of its region, and of the menu of materials from its own row [px].
ROWS = {"look": 47, "material": 73, "shatter": 208, "preview": 247, "restore": 273}
CLAY = 157
#: A cube of the default scene, seen in the default view, and what flies from it, is within these pixels.
VIEW = (60, 120, 640, 690)


def region(window, kind):
    """(x, y, width, height) of a region of the 3D view, from the upper left."""
    x, y, width, height, whole = window.ask(
        f"""
area = next(area for area in bpy.context.window.screen.areas if area.type == "VIEW_3D")
found = next(region for region in area.regions if region.type == {kind!r})
answer = [found.x, found.y, found.width, found.height, bpy.context.window.height]
"""
    )
    return x, whole - y - height, width, height


def row(window, name):
    """The middle of a row of the tab."""
    x, y, _, _ = region(window, "UI")
    return x + 120, y + ROWS[name]


def pixels(picture, test):
    """How many pixels of the view pass a test of red, green and blue (0..255)."""
    red, green, blue = np.asarray(picture.crop(VIEW), np.int64).transpose(2, 0, 1)
    return int(test(red, green, blue).sum())


def is_red(red, green, blue):
    return (red > 200) & (green < 110) & (blue < 110)


def is_yellow(red, green, blue):
    return (red > 200) & (green > 160) & (blue < 120)


#: Goes to the tab; false until the sidebar was drawn once.
TO_THE_TAB = """
area = next(area for area in bpy.context.window.screen.areas if area.type == "VIEW_3D")
sidebar = next(region for region in area.regions if region.type == "UI")
try:
    sidebar.active_panel_category = "Brittle"
    answer = True
except AttributeError:
    answer = False
"""
#: Whether kernels are being compiled, as they are at the first start.
BUSY = """
import sys
answer = next(module for name, module in sys.modules.items() if name.endswith("brittle.operators.warm_up")).is_busy()
"""
PIECES = "len([obj for obj in bpy.data.objects if 'brittle_fragment' in obj])"


def pieces(window):
    return window.value(PIECES)


def broken(window):
    """Wait until there are pieces; how many."""
    return window.wait(lambda: pieces(window), "nothing was broken", 600.0)


def test_the_tab_is_there_and_draws_the_blow(window):
    x, y, width, height = region(window, "WINDOW")
    window.move(x + width // 2, y + height // 2)
    window.keys("n")
    window.wait(lambda: window.ask(TO_THE_TAB), "the sidebar does not open")
    window.wait(lambda: not window.ask(BUSY), "the kernels are not compiled", 1200.0)
    window.wait(lambda: pixels(window.shot(PICTURES / "1_blow.png"), is_red) > 300, "no blow is drawn", 60.0)


def test_a_material_is_chosen_from_a_menu_that_closes(window):
    x, y = row(window, "material")
    window.click(x, y)
    window.shot(PICTURES / "2_materials.png")
    window.click(x, y + CLAY)
    window.move(x - 500, y + 300)
    assert window.value("bpy.context.object.brittle.preset") == "Clay"


def test_the_preview_draws_cracks_that_open(window):
    before = pixels(window.shot(PICTURES / "2_materials_closed.png"), is_yellow)
    window.click(*row(window, "preview"))
    window.wait(
        lambda: pixels(window.shot(PICTURES / "3_preview.png"), is_yellow) > before + 200, "no crack is drawn", 300.0
    )
    window.click(*row(window, "preview"))


def test_a_click_breaks_it_and_plays_the_break(window):
    window.click(*row(window, "shatter"))
    assert broken(window) > 10
    assert window.value("bpy.context.screen.is_animation_playing")
    window.wait(lambda: window.value("bpy.context.scene.frame_current") > 24, "nothing is played")
    window.keys("Escape")
    window.ask("bpy.context.scene.frame_set(24)")
    window.shot(PICTURES / "4_break.png")
    away = window.value(
        "max((obj.matrix_world.translation - bpy.data.objects['Cube'].location).length"
        " for obj in bpy.data.objects if 'brittle_fragment' in obj)"
    )
    assert away > 2.0, "a piece lies a cube away from the middle"


def test_undo_and_redo_ten_times(window):
    count = pieces(window)
    x, y, _, height = region(window, "WINDOW")
    window.move(x + 60, y + height - 40)
    for _ in range(10):
        window.keys("ctrl+z")
        window.wait(lambda: pieces(window) == 0, "undo has left pieces")
        window.keys("ctrl+shift+z")
        window.wait(lambda: pieces(window) == count, "redo has lost pieces")


def test_a_piece_breaks_further(window):
    count = pieces(window)
    window.ask(
        """
pieces = sorted((obj for obj in bpy.data.objects if "brittle_fragment" in obj), key=lambda obj: -obj["brittle_mass"])
for obj in bpy.context.selected_objects:
    obj.select_set(False)
pieces[0].select_set(True)
bpy.context.view_layer.objects.active = pieces[0]
"""
    )
    window.click(*row(window, "shatter"))
    assert window.wait(lambda: max(pieces(window) - count, 0), "the piece was not broken", 300.0) > 1
    window.keys("Escape")


def test_restore_gives_the_object_back(window):
    window.ask(
        """
cube = bpy.data.objects["Cube"]
for obj in bpy.context.selected_objects:
    obj.select_set(False)
bpy.context.view_layer.objects.active = cube
"""
    )
    window.keys("Escape")
    window.ask("bpy.ops.brittle.restore()")
    assert pieces(window) == 0
    assert not window.value("bpy.data.objects['Cube'].hide_get()")


def test_a_handle_turns_the_blow(window):
    window.ask("bpy.data.objects['Cube'].select_set(True)\nbpy.context.scene.frame_set(1)")
    tail = window.wait(lambda: tail_of(window), "the blow is not drawn")
    window.drag(tail, (tail[0] + 70, tail[1] - 140))
    impacts = window.value("[obj.name for obj in bpy.data.objects if obj.brittle_impact.is_impact]")
    assert impacts == ["Impact"]
    window.shot(PICTURES / "5_handle.png")
    window.keys("ctrl+z")
    assert window.value("[obj.name for obj in bpy.data.objects if obj.brittle_impact.is_impact]") == []


def tail_of(window):
    """Where the ball at the tail of the blow is seen; None where none is drawn."""
    found = window.ask(
        """
import sys
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Vector
view = next(module for name, module in sys.modules.items() if name.endswith("brittle.operators.blow_view"))
area = next(area for area in bpy.context.window.screen.areas if area.type == "VIEW_3D")
region = next(region for region in area.regions if region.type == "WINDOW")
blows = view.drawn()
answer = None
if blows:
    place = location_3d_to_region_2d(region, area.spaces.active.region_3d, Vector(blows[0].tail()))
    answer = [region.x + place.x, bpy.context.window.height - region.y - place.y]
"""
    )
    return None if found is None else tuple(map(round, found))


def test_a_file_is_saved_and_opened_again(window, tmp_path):
    window.click(*row(window, "shatter"))
    count = broken(window)
    window.keys("Escape")
    window.ask("bpy.ops.wm.save_as_mainfile(filepath='/tmp/first.blend')")
    window.ask("bpy.ops.wm.open_mainfile(filepath='/tmp/first.blend')")
    assert pieces(window) == count
    window.ask("bpy.context.view_layer.objects.active = bpy.data.objects['Cube']\nbpy.ops.brittle.restore()")
    assert pieces(window) == 0


@pytest.fixture(autouse=True)
def nothing_wrong(window):
    """No traceback is printed by any of it."""
    yield
    log = (window.root / "tmp/blender.log").read_text("utf-8", errors="replace")
    assert "Traceback" not in log, log[-3000:]
