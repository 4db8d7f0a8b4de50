"""Texts that Blender has cut off, by the three dots with which it ends them: seen as they are drawn, not read."""

import numpy as np
from PIL import Image
from scipy import ndimage

from .reading import Place, letters_of

#: [px] largest width and height of a dot, least and largest distance of two, and how much they differ.
DOT, NEAREST, FARTHEST, EVEN = 3, 3.0, 5.0, 1.0
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
        (place.x + first[1], place.y + first[0])
        for first, second, third in zip(small, small[1:], small[2:], strict=False)
        if _are_a_mark(ink, first, second, third)
    ]


def _are_a_mark(ink: np.ndarray, *row: tuple[int, int, int]) -> bool:
    """Whether three dots, each with (bottom, left, right), stand on a line with nothing above, below or after them."""
    if len({bottom for bottom, _, _ in row}) > 1:
        return False
    middles = [0.5 * (left + right) for _, left, right in row]
    gaps = np.diff(middles)
    if gaps.min() < NEAREST or gaps.max() > FARTHEST or np.ptp(gaps) > EVEN:
        return False
    bottom, left, right = row[0][0], row[0][1], row[2][2]
    above = ink[max(bottom - DOT - ABOVE, 0) : bottom - DOT, left:right]
    below = ink[bottom : bottom + BELOW, left:right]
    return not (above.any() or below.any())
