"""What a new user does, in the order in which he does it, in a window that is driven by mouse and keys.

Each test goes on where the one before it left the file. Pictures go to build/window.
"""

import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from .film_strip import film_strip, is_same
from .reading import Place
from .view import PICTURES, found, has, is_red, is_yellow, of_menu, open_tab, pieces, pixels, press, region, shot, view

#: Whether kernels are being compiled, as they are at the first start.
COMPILES = """
import sys
answer = next(module for name, module in sys.modules.items() if name.endswith("brittle.operators.warm_up")).is_busy()
"""
#: What is told of the job that runs; None where none runs.
JOB = """
import sys
job = next(module for name, module in sys.modules.items() if name.endswith("brittle.operators.job"))
answer = getattr(job.JobOperator.shown, "text", None)
"""
TURN = (
    "[value for area in bpy.context.window.screen.areas if area.type == 'VIEW_3D'"
    " for value in area.spaces.active.region_3d.view_rotation]"
)
IMPACTS = "[obj.name for obj in bpy.data.objects if obj.brittle_impact.is_impact]"
#: Where a handle is, and where the largest piece is seen.
PLACED = """
from bpy_extras.view3d_utils import location_3d_to_region_2d
area = next(area for area in bpy.context.window.screen.areas if area.type == "VIEW_3D")
region = next(region for region in area.regions if region.type == "WINDOW")
def seen(place):
    found = location_3d_to_region_2d(region, area.spaces.active.region_3d, place)
    return [round(region.x + found.x), round(bpy.context.window.height - region.y - found.y)]
"""
TAIL = f"""{PLACED}
import sys
view = next(module for name, module in sys.modules.items() if name.endswith("brittle.operators.blow_view"))
answer = [seen(blow.tail().tolist()) for blow in view.drawn()[:1]]
answer = answer[0] if answer else None
"""
LARGEST = f"""{PLACED}
pieces = [obj for obj in bpy.data.objects if "brittle_fragment" in obj and obj.visible_get()]
answer = seen(max(pieces, key=lambda obj: obj["brittle_mass"]).matrix_world.translation)
"""
#: How far each piece has moved 24 frames after the break, in sizes of the cube.
WAY = """
scene, ways = bpy.context.scene, []
pieces = [obj for obj in bpy.data.objects if "brittle_fragment" in obj]
for frame in (1, 25):
    scene.frame_set(frame)
    ways.append([obj.matrix_world.translation.copy() for obj in pieces])
answer = [(end - begin).length / 2.0 for begin, end in zip(*ways)]
"""
#: What is broken: a material whose pieces come to rest soon.
MATERIAL = "Clay"
#: The film strip: pictures and what was done, the part of the screen that it shows, and where it is kept.
STORY = (
    ("1_new_file", "A new file"),
    ("2_tab", "1  Press N   2  Click the tab Brittle"),
    ("3_materials", "3  Choose a material"),
    ("4_shatter", "4  Click Shatter"),
    ("5_breaking", "It breaks, and plays: half a second"),
    ("5_break", "One second"),
)
SEEN = Place(352, 76, 698, 560)
STRIP = Path(__file__).resolve().parents[2] / "docs" / "pictures" / "first_minutes.png"
#: Pieces enough that they are not made in a moment.
MANY = 400


def test_the_tab_is_there_and_draws_the_blow(window):
    shot(window, "1_new_file")
    open_tab(window)
    window.wait(lambda: not window.ask(COMPILES), "the kernels are not compiled", 1200.0)
    window.wait(lambda: pixels(shot(window, "2_tab"), view(window), is_red) > 300, "no blow is drawn", 60.0)


def test_search_and_right_click_find_it(window):
    for word in ("shatter", "brittle"):
        press(window, "Edit", of_menu())
        press(window, "Menu Search", Place(0, 20, 400, 400))
        window.write(word)
        window.wait(
            lambda: any(line.says("Object Brittle") and line.says("Shatter") for line in window.read(view(window))),
            f"{word!r} finds nothing",
            20.0,
        )
        window.keys("Escape")
    window.click(*middle_of_the_cube(window), button=3)
    assert any(line.says("Brittle") for line in window.read(right_click_menu()))
    window.keys("Escape")


def test_a_material_is_chosen_from_a_menu_that_closes(window):
    press(window, "Choose a Material")
    found(window, MATERIAL, menu_below())
    time.sleep(3.0)  # pictures of materials are loaded when they are first seen
    shot(window, "3_materials")
    press(window, MATERIAL, menu_below())
    assert window.value("bpy.context.object.brittle.preset") == MATERIAL
    assert not has(window, "Tempered Glass"), "the menu has not closed"


def test_the_preview_draws_cracks_that_open(window):
    before = pixels(window.settled(), view(window), is_yellow)
    press(window, "Preview Cracks")
    window.wait(lambda: pixels(shot(window, "4_preview"), view(window), is_yellow) > before + 200, "no crack", 60.0)
    press(window, "Preview Cracks")


def test_while_it_works_the_view_turns_and_escape_stops_it(window):
    set_number(window, "Pieces", MANY)
    turned = window.value(TURN)
    press(window, "Shatter")
    window.wait(lambda: window.ask(JOB), "no job is shown")
    x, y = middle_of_the_cube(window)
    window.drag((x + 30, y + 150), (x + 130, y + 150), button=2)
    assert window.ask(JOB), "the job has ended too early to tell"
    assert not np.allclose(window.value(TURN), turned, atol=1e-3), "the view does not turn"
    window.keys("Escape")
    window.wait(lambda: window.ask(JOB) is None, "it does not stop", 20.0)
    assert pieces(window) == 0
    window.drag((x + 130, y + 150), (x + 30, y + 150), button=2)


def test_a_click_breaks_it_and_plays_the_break(window):
    press(window, MATERIAL)
    press(window, MATERIAL, menu_below())
    press(window, "Shatter")
    shot(window, "4_shatter")
    window.wait(lambda: pieces(window) and not window.ask(JOB), "nothing was broken")
    assert window.value("bpy.context.screen.is_animation_playing")
    window.wait(lambda: window.value("bpy.context.scene.frame_current") > 24, "nothing is played")
    window.keys("Escape")
    window.move(*below_the_cube(window))
    window.ask("bpy.context.scene.frame_set(13)")
    shot(window, "5_breaking")
    way = window.ask(WAY)
    shot(window, "5_break")
    assert has(window, f"{pieces(window)} pieces, nothing lost")
    assert sum(share > 0.02 for share in way) > len(way) / 2, "most pieces have moved by more than 2 % of the cube"


def test_the_film_strip_of_the_readme_is_what_is_seen(window):
    strip = film_strip([Image.open(PICTURES / f"{name}.png") for name, _ in STORY], [text for _, text in STORY], SEEN)
    strip.save(PICTURES / STRIP.name)
    assert is_same(STRIP, strip), f"copy build/window/{STRIP.name} to docs/pictures: the one there is old"


def test_the_last_operation_is_adjusted(window):
    x, y, _, height = region_of_view(window)
    press(window, "Shatter", Place(x + 60, y + height - 40, 200, 40))
    opened = Place(x + 60, y + height - 220, 320, 220)
    set_number(window, "Seed", 5, opened)
    window.wait(lambda: window.value("bpy.data.objects['Cube'].brittle.seed") == 5, "the seed is not taken", 60.0)
    window.wait(lambda: pieces(window) > 10 and not window.ask(JOB), "nothing is broken")
    shot(window, "6_adjusted")
    assert window.value("bpy.context.screen.is_animation_playing"), "what was adjusted is played"
    press(window, "Shatter", Place(opened.x, opened.y, opened.width, 120))
    window.keys("Escape")


def test_undo_and_redo_ten_times(window):
    count = pieces(window)
    window.move(*below_the_cube(window))
    for _ in range(10):
        window.keys("ctrl+z")
        window.wait(lambda: pieces(window) == 0, "undo has left pieces", 20.0)
        window.keys("ctrl+shift+z")
        window.wait(lambda: pieces(window) == count, "redo has lost pieces", 20.0)


def test_play_plays_and_stops(window):
    window.move(*below_the_cube(window))
    for playing in (True, False):
        window.keys("space")
        assert window.value("bpy.context.screen.is_animation_playing") == playing


def test_a_piece_breaks_further(window):
    count = pieces(window)
    # Until rest it takes as long as the first break did.
    window.ask("bpy.context.scene.brittle.frames = 30")
    window.ask("bpy.context.scene.frame_set(20)")
    window.click(*window.ask(LARGEST))
    assert window.value("['brittle_fragment' in obj for obj in bpy.context.selected_objects]") == [True]
    press(window, "Shatter 1 Piece")
    window.wait(lambda: pieces(window) > count and not window.ask(JOB), "the piece was not broken")
    window.keys("Escape")
    shot(window, "7_further")


def test_a_file_is_saved_opened_again_and_restored(window):
    count = pieces(window)
    window.ask("bpy.ops.wm.save_as_mainfile(filepath='/tmp/brittle-home/first.blend')")
    window.ask("bpy.ops.wm.open_mainfile(filepath='/tmp/brittle-home/first.blend')")
    assert pieces(window) == count
    press(window, "Restore")
    for _ in range(2):  # a piece that was broken further, and the whole
        if pieces(window):
            press(window, "Restore")
    window.wait(lambda: pieces(window) == 0, "pieces are left", 20.0)
    shot(window, "8_restored")
    assert window.value("[bpy.data.objects['Cube'].visible_get(), bpy.context.active_object.name]") == [True, "Cube"]


def test_handles_move_the_blow(window):
    window.ask("bpy.context.scene.frame_set(1)")
    tail = window.wait(lambda: window.ask(TAIL), "the blow is not drawn", 20.0)
    window.drag(tail, (tail[0] + 60, tail[1] - 120))
    assert window.value(IMPACTS) == ["Impact"]
    window.wait(lambda: window.ask(TAIL) != tail, "the arrow does not follow", 20.0)
    shot(window, "9_handle")
    window.move(*below_the_cube(window))
    window.keys("ctrl+z")
    assert window.value(IMPACTS) == []


def test_a_group_is_painted(window):
    press(window, "Object Mode", header())
    press(window, "Weight Paint", Place(40, 50, 300, 300))
    x, y = middle_of_the_cube(window)
    window.drag((x - 50, y - 30), (x + 50, y + 40))
    shot(window, "10_painted")
    assert window.value("[group.name for group in bpy.context.object.vertex_groups]") == ["Group"]
    press(window, "Weight Paint", header())
    press(window, "Object Mode", Place(40, 50, 300, 300))
    assert window.value("bpy.context.mode") == "OBJECT"


def region_of_view(window):
    """The 3D view with all that lies on it."""
    return region(window, "WINDOW")


def below_the_cube(window):
    """A place in the view where nothing is."""
    x, y = middle_of_the_cube(window)
    return x - 100, y + 200


def menu_below():
    """Where the menu of materials opens."""
    return Place(760, 165, 270, 600)


def header():
    """The bar at the top of the view, where its modes are."""
    return Place(0, 28, 400, 26)


def right_click_menu():
    """Where the menu of the right button is, without the tab."""
    return Place(60, 80, 690, 720)


def middle_of_the_cube(window):
    """Where the middle of the default scene is seen."""
    return window.ask(f"{PLACED}\nanswer = seen((0.0, 0.0, 0.0))")


def set_number(window, name, value, place=None):
    """Write a number into the field beside a name."""
    x, y = found(window, name, place).middle()
    window.click(x + 100, y)
    window.click(x + 100, y)
    window.keys("ctrl+a")
    window.write(str(value))
    window.keys("Return")


@pytest.fixture(autouse=True)
def nothing_wrong(window):
    """No traceback is printed by any of it."""
    yield
    assert "Traceback" not in window.log()
