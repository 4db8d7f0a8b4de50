"""What comes after the first five minutes, driven by mouse and keys; each test begins with a new file."""

import pytest

from .asked import PLAYS, WAY
from .cut_off import dots
from .reading import Place
from .view import (
    PICTURES,
    PIECES,
    SOON,
    broken,
    found,
    menu_below,
    open_tab,
    pages,
    press,
    region,
    scrolled_to,
    set_number,
    shot,
    shown,
    tab,
    to_the_end,
)

#: The look of a new user.
SIMPLE = """
addons = bpy.context.preferences.addons
next(addon for name, addon in addons.items() if name.endswith(".brittle")).preferences.look = "SIMPLE"
"""
#: The first and the last of the sections that are closed at first.
SECTIONS = ("Pieces", "Mesh")
#: The text of a curve, drawn or typed.
SCHEDULE = """
import sys
drawn = next(module for name, module in sys.modules.items() if name.endswith("brittle.operators.drawn"))
answer = drawn.value_of(bpy.context.object.brittle.constraint_lattice, "schedule")
"""
#: From the name of a curve to the upper edge of what is drawn [px].
DRAWN_BELOW = 38
#: A step of undo of its own, as a cube that is added by hand has.
TWO = """
bpy.ops.mesh.primitive_cube_add(location=(0, 3, 0))
bpy.data.objects["Cube"].select_set(True)
bpy.ops.ed.undo_push(message="Two Cubes")
"""
COUNTS = "[obj.brittle.voronoi.count for obj in bpy.data.objects if obj.type == 'MESH']"
#: A second of motion, which is what is looked at.
SHORT = "bpy.context.scene.brittle.frames = 24\n"
WALL = "cube = bpy.data.objects['Cube']; cube.scale, cube.location.z = (1.5, 0.125, 1.0), 1.0"
#: A wine glass of 19 cm that stands where the cube was: its outline, turned about the vertical.
GLASS = """
import bmesh
from math import cos, pi, sin
bpy.data.objects.remove(bpy.data.objects["Cube"])
outline = [(35, 0), (35, 3), (6, 8), (4, 20), (4, 80), (12, 90), (35, 115), (42, 145), (38, 190),
           (36.5, 190), (40.5, 145), (33.7, 116.5), (10.5, 92.5)]
made, turns = bmesh.new(), 32
angles = [2 * pi * k / turns for k in range(turns)]
rings = [[made.verts.new((r * cos(a) / 1000, r * sin(a) / 1000, z / 1000)) for a in angles] for r, z in outline]
for low, high in zip(rings, rings[1:]):
    for k in range(turns):
        made.faces.new((low[k - 1], low[k], high[k], high[k - 1]))
for ring in (rings[0][::-1], rings[-1]):
    made.faces.new(ring)
mesh = bpy.data.meshes.new("Glass")
made.to_mesh(mesh)
glass = bpy.data.objects.new("Glass", mesh)
bpy.context.collection.objects.link(glass)
glass.select_set(True)
bpy.context.view_layer.objects.active = glass
eye = next(area for area in bpy.context.window.screen.areas if area.type == "VIEW_3D").spaces.active
eye.clip_start, eye.region_3d.view_distance, eye.region_3d.view_location = 0.001, 0.7, (0, 0, 0.1)
"""
STATUE = f"""{SHORT}
bpy.data.objects.remove(bpy.data.objects["Cube"])
bpy.ops.mesh.primitive_monkey_add(location=(0, 0, 1))
bpy.ops.ed.undo_push(message="A Statue")
"""


def test_no_text_is_cut_off_and_a_curve_is_pulled(window):
    new_file(window)
    press(window, "Everything")
    window.ask("bpy.context.object.brittle.breaking = 'constraint_lattice'")
    assert dots(window.settled(), properties(window)), "Blender's own texts are cut off, and that is not seen"
    to_the_end(window)
    window.drag(*(found(window, name).middle() for name in reversed(SECTIONS)), steps=24)
    for number, page in enumerate(pages(window)):
        page.save(PICTURES / f"11_everything_{number}.png")
        assert not dots(page, tab(window)), f"a text is cut off on page {number}"
    _pull_the_curve(window)


def _pull_the_curve(window):
    before = window.ask(SCHEDULE)
    name, sidebar = scrolled_to(window, "Schedule"), tab(window)
    window.click(sidebar.x + sidebar.width - 24, round(name.y))
    window.wait(lambda: window.value("len(bpy.data.node_groups)"), "the curve is not drawn", SOON)
    # On the rising half of the curve, where a point comes into being that goes with the mouse.
    x, y = sidebar.x + sidebar.width // 2 - 30, round(name.y) + DRAWN_BELOW + 44
    window.drag((x, y), (x - 20, y + 30))
    shot(window, "11_curve")
    window.wait(lambda: window.ask(SCHEDULE) != before, "the curve does not follow the mouse", SOON)


def test_what_is_typed_goes_to_all_that_is_selected(window):
    new_file(window)
    window.ask(TWO)
    set_number(window, "Pieces", 55)
    window.until(COUNTS, [55, 55])
    window.move(*free(window))
    window.keys("ctrl+z")
    window.until(COUNTS, [100, 100])


def test_a_wall_breaks_by_the_shortcut(window):
    new_file(window)
    window.ask(SHORT + WALL)
    choose(window, "Brick Wall")
    set_number(window, "Bricks", 60)
    window.until("bpy.context.object.brittle.bricks.count", 60)
    break_by_shortcut(window)
    window.ask("bpy.context.scene.frame_set(13)")
    shot(window, "12_wall")
    way = window.ask(WAY)
    assert sum(share > 0.02 for share in way) > len(way) / 2, "most bricks have moved by more than 2 % of 2 m"


def test_a_wine_glass_breaks_where_it_stands(window):
    """Its foot stands on the origin, where the 3D cursor is: the blow must come from the side all the same."""
    new_file(window)
    window.ask(SHORT + GLASS)
    choose(window, "Standard Glass")
    set_number(window, "Pieces", 16)
    window.until("bpy.context.object.brittle.voronoi.count", 16)
    break_by_shortcut(window)
    window.ask("bpy.context.scene.frame_set(8)")
    shot(window, "13_glass")
    way = [2.0 / 0.19 * share for share in window.ask(WAY)]
    assert sum(share > 0.02 for share in way) > len(way) / 2, "most pieces have moved by more than 2 % of the glass"


@pytest.mark.parametrize(
    ("thing", "text", "size", "materials"),
    [
        ("wall", SHORT + WALL, 2.0, ("Slate", "Concrete")),
        ("glass", SHORT + GLASS, 0.19, ("Window Pane", "Crystal")),
        ("statue", STATUE, 2.0, ("Concrete", "Clay", "Glazed Ceramic")),
    ],
)
def test_a_thing_breaks_in_several_ways(window, thing, text, size, materials):
    """With those above three for each."""
    new_file(window)
    window.ask(text)
    shown_there = "Choose a Material"
    for material in materials:
        choose(window, material, shown_there)
        window.ask("bpy.context.scene.frame_set(1)")
        break_by_shortcut(window)
        window.ask("bpy.context.scene.frame_set(13)")
        shot(window, f"14_{thing}_{material.lower().replace(' ', '_')}")
        way = [2.0 / size * share for share in window.ask(WAY)]
        assert len(way) > 5 and sum(share > 0.02 for share in way) > len(way) / 4, material
        press(window, "Restore")
        window.until(PIECES, 0)
        shown_there = material


def break_by_shortcut(window):
    """Press the keys of Shatter in the view; wait for the pieces, and stop what is played."""
    window.move(*free(window))
    window.keys("ctrl+shift+b")
    broken(window)
    window.until(PLAYS, True)
    window.keys("Escape")
    window.until(PLAYS, False)


def choose(window, material, shown_there="Choose a Material"):
    """Choose a material by the button that says which one the object has, or that it has none."""
    press(window, shown_there)
    press(window, material, menu_below())
    window.until("bpy.context.object.brittle.preset", material)


def new_file(window):
    """Begin anew, with the tab open."""
    window.ask(f"{SIMPLE}bpy.ops.wm.read_homefile()")
    window.wait(lambda: shown(region(window, "WINDOW")), "no file is opened", SOON)
    open_tab(window)


def free(window):
    """A place in the view where nothing is."""
    whole = region(window, "WINDOW")
    return whole.x + 160, whole.y + whole.height - 120


def properties(window):
    """The editor at the right, whose texts are cut off in a window as small as this."""
    sidebar = region(window, "UI")
    right = sidebar.x + sidebar.width
    return Place(right, 160, 1280 - right, 600)
