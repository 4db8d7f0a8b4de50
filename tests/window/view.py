"""The 3D view of the window: its tab, what is written there, what is drawn."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageChops

from .asked import JOB
from .blender import SIZE, Window
from .reading import Line, Place

PICTURES = Path(__file__).resolve().parents[2] / "build" / "window"
SCREEN = Place(0, 0, *SIZE)
#: Width of the names of tabs at the side of the sidebar [px].
TABS = 28
#: The lowest place of what is scrolled to [px]: pages are less than that apart.
LOWEST = 500
#: How long is waited for what a click shows [s], on a machine that has much else to do.
SOON = 90.0
PIECES = "len([obj for obj in bpy.data.objects if 'brittle_fragment' in obj])"

Test = Callable[[Any, Any, Any], Any]


def region(window: Window, kind: str) -> Place:
    """A region of the 3D view."""
    x, y, width, height, whole = window.ask(
        f"""
area = next(area for area in bpy.context.window.screen.areas if area.type == "VIEW_3D")
found = next(region for region in area.regions if region.type == {kind!r})
answer = [found.x, found.y, found.width, found.height, bpy.context.window.height]
"""
    )
    return Place(x, whole - y - height, width, height)


def view(window: Window) -> Place:
    """What is seen of the 3D view beside toolbar and sidebar."""
    x, y, width, height = region(window, "WINDOW")
    sidebar = region(window, "UI")
    right = sidebar.x if sidebar.width > 1 else x + width
    return Place(x + 60, y + 80, right - x - 60, height - 120)


def open_tab(window: Window) -> None:
    """Show the sidebar by its key, and click the tab."""
    place = view(window)
    window.move(place.x + place.width // 3, place.y + place.height - 40)
    window.keys("n")
    sidebar = window.wait(lambda: shown(region(window, "UI")), "the sidebar does not open", SOON)
    names = Place(sidebar.x + sidebar.width - TABS, sidebar.y, TABS, sidebar.height)
    window.click(*found(window, "Brittle", names, turned=90).middle())
    window.wait(lambda: has(window, "Shatter"), "the tab does not open", SOON)


def shown(place: Place) -> Place | None:
    """A region, unless it is hidden."""
    return place if place.width > 1 else None


def tab(window: Window) -> Place:
    """The sidebar without the names of its tabs."""
    x, y, width, height = region(window, "UI")
    return Place(x, y, width - TABS, height)


def lines(window: Window) -> list[str]:
    """What is written in the tab."""
    return [line.text for line in window.read(tab(window))]


def has(window: Window, text: str) -> bool:
    """Whether the tab says something."""
    return any(line.says(text) for line in window.read(tab(window)))


def found(window: Window, text: str, place: Place | None = None, turned: int = 0) -> Line:
    """Where a text stands, in the tab or elsewhere, once it does; lines that say nothing else come first."""
    where, end = place or tab(window), time.monotonic() + SOON
    while True:
        read = window.read(where, turned)
        for fits in (Line.is_called, Line.says, Line.is_like):
            if best := [line for line in read if fits(line, text)]:
                return best[0]
        assert time.monotonic() < end, f"{text!r} is not seen among {[line.text for line in read]}"


def press(window: Window, text: str, place: Place | None = None) -> None:
    """Click what is written somewhere."""
    window.click(*found(window, text, place).middle())


def to_the_end(window: Window, button: int = 5) -> None:
    """Scroll the tab to its end, or by button 4 to its beginning."""
    place = tab(window)
    window.move(place.x + 14, place.y + place.height // 2)
    before = window.settled()
    while True:
        window.scroll(button, 10)
        now = window.settled()
        if not _differ(before, now, place):
            return
        before = now


def pages(window: Window) -> Iterator[Image.Image]:
    """Pictures of all that is in the tab, from its beginning to its end, each with some of the one before."""
    to_the_end(window, 4)
    place, now = tab(window), window.settled()
    while True:
        yield now
        window.scroll(5, 10)
        before, now = now, window.settled()
        if not _differ(before, now, place):
            return


def scrolled_to(window: Window, text: str) -> Line:
    """Scroll the tab until a text is seen with room below it; where it is."""
    for _ in pages(window):
        seen = [line for line in window.read(tab(window)) if line.says(text) and line.y < LOWEST]
        if seen:
            return seen[0]
    raise AssertionError(f"{text!r} is not in the tab")


def _differ(one: Image.Image, other: Image.Image, place: Place) -> bool:
    """Whether a part of the screen has changed."""
    box = (place.x, place.y, place.x + place.width, place.y + place.height)
    return ImageChops.difference(one.crop(box), other.crop(box)).getbbox() is not None


def of_menu() -> Place:
    """The bar at the top of the window."""
    return Place(0, 0, SIZE[0], 28)


def shot(window: Window, name: str) -> Image.Image:
    """A picture of the screen once nothing moves, kept in build/window."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    window.draw()
    picture = window.settled()
    picture.save(PICTURES / f"{name}.png")
    return picture


def pixels(picture: Image.Image, place: Place, test: Test) -> int:
    """How many pixels of a place pass a test of red, green and blue (0..255)."""
    part = picture.crop((place.x, place.y, place.x + place.width, place.y + place.height))
    red, green, blue = np.asarray(part, np.int64).transpose(2, 0, 1)
    return int(test(red, green, blue).sum())


def is_red(red: Any, green: Any, blue: Any) -> Any:
    """The colour of blows."""
    return (red > 200) & (green < 110) & (blue < 110)


def is_yellow(red: Any, green: Any, blue: Any) -> Any:
    """The colour of cracks that open."""
    return (red > 200) & (green > 160) & (blue < 120)


def is_orange(red: Any, green: Any, blue: Any) -> Any:
    """The colour of what is selected."""
    return (red > 200) & (green > 60) & (green < 130) & (blue < 60)


def is_coloured(red: Any, green: Any, blue: Any) -> Any:
    """What is not grey, as pictures are."""
    return np.ptp([red, green, blue], axis=0) > 25


def pieces(window: Window) -> int:
    """How many pieces there are."""
    return int(window.value(PIECES))


def broken(window: Window, more_than: int = 0) -> None:
    """Wait until a job has ended, and there are pieces, as many more as there should be."""
    window.wait(
        lambda: pieces(window) > more_than and not window.ask(JOB),
        "nothing was broken",
        moving=lambda: window.ask(JOB),
    )


def header():
    """The bar at the top of the view, where its modes are."""
    return Place(0, 28, 400, 26)


def menu_below():
    """Where the menu of materials opens."""
    return Place(760, 165, 270, 600)


def set_number(window, name, value, place=None):
    """Write a number into the field beside a name."""
    x, y = found(window, name, place).middle()
    window.click(x + 100, y)
    window.click(x + 100, y)
    window.keys("ctrl+a")
    window.write(str(value))
    window.keys("Return")
