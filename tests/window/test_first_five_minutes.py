"""What a new user does, in the order in which he does it, in a window that is driven by mouse and keys.

Each test goes on where the one before it left the file. Pictures go to build/window.
"""

from pathlib import Path

import numpy as np
from PIL import Image

from .asked import COMPILED, COMPILES, FREE, JOB, PLACED, PLAYS, TURN, TURN_BACK, WAY
from .film_strip import film_strip, is_same
from .reading import Place
from .view import (
    PICTURES,
    SOON,
    broken,
    found,
    has,
    header,
    is_coloured,
    is_orange,
    is_red,
    is_yellow,
    menu_below,
    of_menu,
    open_tab,
    pieces,
    pixels,
    press,
    region,
    set_number,
    shot,
    view,
)

IMPACTS = "[obj.name for obj in bpy.data.objects if obj.brittle_impact.is_impact]"
#: Where a handle is, and where the largest piece is seen.
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
DATA_BLOCKS = "len(bpy.data.user_map())"
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
#: Pixels of pictures in the menu of materials when all are there.
PICTURED = 400
#: Pieces enough that they are not made in a moment, and as many as the material has.
MANY, FEW = 2000, 40


def test_the_tab_is_there_and_draws_the_blow(window):
    shot(window, "1_new_file")
    open_tab(window)
    window.wait(lambda: not window.ask(COMPILES), "the kernels are not compiled", moving=lambda: window.ask(COMPILED))
    window.wait(lambda: pixels(shot(window, "2_tab"), view(window), is_red) > 300, "no blow is drawn", SOON)


def test_search_and_right_click_find_it(window):
    for word in ("shatter", "brittle"):
        press(window, "Edit", of_menu())
        press(window, "Menu Search", Place(0, 20, 400, 400))
        window.write(word)
        window.wait(
            lambda: any(line.says("Object") and line.says("Brittle Shatter") for line in window.read(view(window))),
            f"{word!r} finds nothing",
            SOON,
        )
        window.keys("Escape")
    window.click(*middle_of_the_cube(window), button=3)
    found(window, "Brittle", right_click_menu())
    window.keys("Escape")


def test_a_material_is_chosen_from_a_menu_that_closes(window):
    press(window, "Choose a Material")
    found(window, MATERIAL, menu_below())
    # Pictures of materials are loaded when they are first seen.
    window.wait(lambda: pixels(shot(window, "3_materials"), icons(), is_coloured) > PICTURED, "no pictures", SOON)
    press(window, MATERIAL, menu_below())
    window.until("bpy.context.object.brittle.preset", MATERIAL)
    window.wait(lambda: not has(window, "Tempered Glass"), "the menu has not closed", SOON)


def test_the_preview_draws_cracks_that_open(window):
    before = pixels(window.settled(), view(window), is_yellow)
    press(window, "Preview Cracks")
    window.wait(lambda: pixels(shot(window, "4_preview"), view(window), is_yellow) > before + 200, "no crack", SOON)
    press(window, "Preview Cracks")


def test_while_it_works_the_view_turns_and_escape_stops_it(window):
    set_number(window, "Pieces", MANY)
    turned = window.value(TURN)
    press(window, "Shatter")
    window.wait(lambda: window.ask(FREE), "no job works beside the window")
    x, y = middle_of_the_cube(window)
    window.drag((x + 30, y + 150), (x + 130, y + 150), button=2)
    window.wait(lambda: not np.allclose(window.value(TURN), turned, atol=1e-3), "the view does not turn", SOON)
    assert window.ask(JOB), "the job has ended too early to tell"
    window.keys("Escape")
    window.wait(lambda: window.ask(JOB) is None, "it does not stop", SOON)
    assert pieces(window) == 0
    window.ask(TURN_BACK.format(turned))  # to the bit, as the blow comes from where one looks


def test_escape_stops_it_while_it_writes(window):
    before = window.value(DATA_BLOCKS)
    press(window, "Shatter")
    window.wait(lambda: (window.ask(JOB) or "").startswith("Writing"), "nothing is written")
    window.keys("Escape")
    window.wait(lambda: window.ask(JOB) is None, "it does not stop", SOON)
    assert window.value(DATA_BLOCKS) == before


def test_a_click_breaks_it_and_plays_the_break(window):
    press(window, MATERIAL)
    press(window, MATERIAL, menu_below())
    window.until("bpy.context.object.brittle.voronoi.count", FEW)
    window.move(*below_the_cube(window))
    shot(window, "4_shatter")
    press(window, "Shatter")
    broken(window)
    window.until(PLAYS, True)
    window.wait(lambda: window.value("bpy.context.scene.frame_current") > 24, "nothing is played")
    assert pixels(window.look(), view(window), is_orange) < 200, "nothing lies over what is played"
    window.keys("Escape")
    window.wait(lambda: pixels(window.look(), view(window), is_orange) > 500, "no piece is seen to be selected", SOON)
    window.move(*below_the_cube(window))
    window.ask("bpy.context.scene.frame_set(13)")
    shot(window, "5_breaking")
    way = window.ask(WAY)
    shot(window, "5_break")
    found(window, f"{pieces(window)} pieces, nothing lost")
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
    window.wait(lambda: window.value("bpy.data.objects['Cube'].brittle.seed") == 5, "the seed is not taken", SOON)
    broken(window, more_than=10)
    shot(window, "6_adjusted")
    window.until(PLAYS, True)
    press(window, "Shatter", Place(opened.x, opened.y, opened.width, 120))
    window.keys("Escape")
    window.until(PLAYS, False)


def test_undo_and_redo_ten_times(window):
    count = pieces(window)
    window.move(*below_the_cube(window))
    for _ in range(10):
        window.keys("ctrl+z")
        window.wait(lambda: pieces(window) == 0, "undo has left pieces", SOON)
        window.keys("ctrl+shift+z")
        window.wait(lambda: pieces(window) == count, "redo has lost pieces", SOON)


def test_play_plays_and_stops(window):
    window.move(*below_the_cube(window))
    for playing in (True, False):
        window.keys("space")
        window.until(PLAYS, playing)


def test_a_piece_breaks_further(window):
    count = pieces(window)
    # All pieces that move at that frame go on: until rest it takes as long as the first break did.
    window.ask("bpy.context.scene.brittle.frames = 6")
    window.ask("bpy.context.scene.frame_set(20)")
    window.click(*window.ask(LARGEST))
    window.until("['brittle_fragment' in obj for obj in bpy.context.selected_objects]", [True])
    press(window, "Shatter 1 Piece")
    broken(window, more_than=count)
    window.keys("Escape")
    shot(window, "7_further")


def test_a_file_is_saved_opened_again_and_restored(window):
    count = pieces(window)
    window.ask("bpy.ops.wm.save_as_mainfile(filepath='/tmp/brittle-home/first.blend')")
    window.ask("bpy.ops.wm.open_mainfile(filepath='/tmp/brittle-home/first.blend')")
    assert pieces(window) == count
    for _ in range(3):  # a piece that was broken further, and the whole
        if pieces(window):
            press(window, "Restore")
            window.wait(lambda: not window.ask(JOB), "it is not restored", moving=lambda: window.ask(JOB))
    window.wait(lambda: pieces(window) == 0, "pieces are left", SOON)
    shot(window, "8_restored")
    window.until("[bpy.data.objects['Cube'].visible_get(), bpy.context.active_object.name]", [True, "Cube"])


def test_handles_move_the_blow(window):
    window.ask("bpy.context.scene.frame_set(1)")
    tail = window.wait(lambda: window.ask(TAIL), "the blow is not drawn", SOON)
    window.drag(tail, (tail[0] + 60, tail[1] - 120))
    window.until(IMPACTS, ["Impact"])
    window.wait(lambda: window.ask(TAIL) != tail, "the arrow does not follow", SOON)
    shot(window, "9_handle")
    window.move(*below_the_cube(window))
    window.keys("ctrl+z")
    window.until(IMPACTS, [])


def test_a_group_is_painted(window):
    press(window, "Object Mode", header())
    press(window, "Weight Paint", Place(40, 50, 300, 300))
    x, y = middle_of_the_cube(window)
    window.drag((x - 50, y - 30), (x + 50, y + 40))
    shot(window, "10_painted")
    window.until("[group.name for group in bpy.context.object.vertex_groups]", ["Group"])
    press(window, "Weight Paint", header())
    press(window, "Object Mode", Place(40, 50, 300, 300))
    window.until("bpy.context.mode", "OBJECT")


def region_of_view(window):
    """The 3D view with all that lies on it."""
    return region(window, "WINDOW")


def below_the_cube(window):
    """A place in the view where nothing is."""
    x, y = middle_of_the_cube(window)
    return x - 100, y + 200


def icons():
    """The pictures in it."""
    return Place(770, 180, 30, 490)


def right_click_menu():
    """Where the menu of the right button is, without the tab."""
    return Place(60, 80, 690, 720)


def middle_of_the_cube(window):
    """Where the middle of the default scene is seen."""
    return window.ask(f"{PLACED}\nanswer = seen((0.0, 0.0, 0.0))")
