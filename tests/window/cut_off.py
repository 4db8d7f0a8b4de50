"""Texts that Blender has cut off, by the three dots with which it ends them: seen as they are drawn, not read."""

from itertools import pairwise

import numpy as np
from PIL import Image
from scipy import ndimage

from .reading import Place, letters_of

#: [px] largest width and height of a dot, least and largest distance of two.
DOT, NEAREST, FARTHEST = 3, 3.0, 5.0
#: [px] above and below the dots where nothing else is drawn, as there is in a handle or an icon.
ABOVE, BELOW = 5, 3
#: By how much ink is lighter than what is around it, of 255.
INK = 12


def dots(picture: Image.Image, place: Place) -> list[tuple[int, int]]:
    """The places (x, y) of the marks of what is cut off in a part of the screen."""
    part = picture.crop((place.x, place.y, place.x + place.width, place.y + place.height))
    ink = np.asarray(letters_of(part.convert("L")), int) > INK
    named, _ = ndimage.label(ink, np.ones((3, 3)))
    boxes = [box for box in ndimage.find_objects(named) if all(side.stop - side.start <= DOT for side in box)]
    small = sorted((box[0].stop, box[1].start, box[1].stop) for box in boxes)
    return [
        (place.x + second[1], place.y + second[0])
        for second, third in pairwise(small)
        if _end_a_mark(ink, second, third)
    ]


def _end_a_mark(ink: np.ndarray, *row: tuple[int, int, int]) -> bool:
    """Whether two dots, each with (bottom, left, right), end three with nothing above, below or after them.

    The first of the three may touch the letter before it.
    """
    (bottom, left, right), (other, begin, end) = row
    gap = 0.5 * (begin + end - left - right)
    if other != bottom or not NEAREST <= gap <= FARTHEST:
        return False
    first = slice(max(left - round(gap), 0), max(right - round(gap), 0))
    if not ink[bottom - 1, first].any():
        return False
    above = ink[max(bottom - DOT - ABOVE, 0) : bottom - DOT, first.start : end]
    below = ink[bottom : bottom + BELOW, first.start : end]
    return not (above.any() or below.any())
