"""Reads the screen as a person does: what is written where."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageChops, ImageFilter, ImageOps

#: How much a picture is enlarged, so that letters have the height for which readers are made.
ENLARGED = 3
#: Wider than any stroke of a letter [px], odd.
STROKE = 7
#: Words belong to one line whose places differ by less than this in height, and whose gap is narrower [px].
SAME_LINE, GAP = 5.0, 14.0
#: Share of letters that are the same in texts that are alike.
ALIKE = 0.8


class Place(NamedTuple):
    """A part of the screen [px]."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Line:
    """Words that stand beside each other."""

    text: str
    x: float  #: of its left end
    y: float  #: of its middle
    width: float

    def middle(self) -> tuple[int, int]:
        """Where to click it."""
        return round(self.x + 0.5 * self.width), round(self.y)

    def says(self, text: str) -> bool:
        """Whether it has a text, whatever its marks and capitals."""
        return _letters(text) in _letters(self.text)

    def is_called(self, text: str) -> bool:
        """Whether it is a text and nothing more, but for what an icon before it looks like."""
        return _letters(text) in (_letters(self.text), _letters(self.text.partition(" ")[2]))

    def is_like(self, text: str) -> bool:
        """Whether it is a text but for some letters: the pointer may lie on them."""
        return SequenceMatcher(None, _letters(text), _letters(self.text)).ratio() > ALIKE


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def read(run: Callable[..., str], folder: Path, picture: Image.Image, place: Place, turned: int = 0) -> list[Line]:
    """What is written in a place of a picture; `run` runs a command to which `folder` is /tmp."""
    part = picture.crop((place.x, place.y, place.x + place.width, place.y + place.height)).rotate(turned, expand=True)
    size = (part.width * ENLARGED, part.height * ENLARGED)
    _strokes(part.convert("L")).resize(size, Image.Resampling.LANCZOS).save(folder / "part.png")
    table = run("tesseract", "/tmp/part.png", "-", "--psm", "11", "--dpi", "250", "tsv")
    rows = [row.split("\t") for row in table.splitlines()[1:]]
    words = [([int(value) / ENLARGED for value in row[6:10]], row[11]) for row in rows if row[11:] and row[11].strip()]
    lines = _joined(words, 0.0 if turned else GAP)  # names of tabs follow each other without a gap
    if turned:
        return [_turned_back(line, place, turned) for line in lines]
    return [Line(line.text, line.x + place.x, line.y + place.y, line.width) for line in lines]


def letters_of(picture: Image.Image) -> Image.Image:
    """What is thin and lighter than that around it, white on black: letters on buttons and rows of any colour."""
    around = picture.filter(ImageFilter.MinFilter(STROKE)).filter(ImageFilter.MaxFilter(STROKE))
    return ImageChops.subtract(picture, around)


def _strokes(picture: Image.Image) -> Image.Image:
    """Letters black on white, for a reader."""
    return ImageOps.invert(letters_of(picture)).point(lambda value: max(0, 255 - 2 * (255 - value)))


def _joined(words: list[tuple[list[float], str]], gap: float) -> list[Line]:
    """Words, each with (left, top, width, height), as lines in which no gap is wider."""
    lines: list[Line] = []
    for (x, y, width, height), text in sorted(words, key=lambda word: word[0][0]):
        middle = y + 0.5 * height
        for k, line in enumerate(lines):
            if abs(middle - line.y) < SAME_LINE and abs(x - line.x - line.width) < gap:
                lines[k] = Line(f"{line.text} {text}", line.x, line.y, x + width - line.x)
                break
        else:
            lines.append(Line(text, x, middle, width))
    return sorted(lines, key=lambda line: line.y)


def _turned_back(line: Line, place: Place, turned: int) -> Line:
    """A line that was read in a picture turned by a quarter, where its middle is on the screen."""
    along, across = line.x + 0.5 * line.width, line.y
    # Turned counterclockwise by 90 degrees what was to the right is above, by 270 it is below.
    x, y = (place.width - across, along) if turned == 90 else (across, place.height - along)
    return Line(line.text, place.x + x, place.y + y, 0.0)
