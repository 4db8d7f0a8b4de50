"""The pictures of a story side by side, each with what was done: the film strip of the README."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from .reading import Place

COLUMNS, MARGIN, BAR = 3, 8, 34
WIDTH = 560
#: Width to which strips are made smaller before they are compared; by how much a place must differ, of 255, to count;
#: and the share of such places in strips that show the same: letters and edges differ from one Blender to the next,
#: what stands in the tab and where pieces are does not. A break that is not there makes 1 %, moved rows half of that.
COARSE, DIFFERENT, SAME = 240, 25.0, 0.003


def film_strip(pictures: Sequence[Image.Image], captions: Sequence[str], seen: Place) -> Image.Image:
    """What is seen in a part of each picture, in rows, with a bar of text above each."""
    height = round(WIDTH * seen.height / seen.width)
    rows = -(-len(pictures) // COLUMNS)
    size = (COLUMNS * (WIDTH + MARGIN) - MARGIN, rows * (height + BAR + MARGIN) - MARGIN)
    strip, font = Image.new("RGB", size, "white"), ImageFont.load_default(size=20)
    for k, (picture, caption) in enumerate(zip(pictures, captions, strict=True)):
        x, y = k % COLUMNS * (WIDTH + MARGIN), k // COLUMNS * (height + BAR + MARGIN)
        part = picture.crop((seen.x, seen.y, seen.x + seen.width, seen.y + seen.height))
        strip.paste(part.resize((WIDTH, height), Image.Resampling.LANCZOS), (x, y + BAR))
        ImageDraw.Draw(strip).text((x + 2, y + 4), caption, "#222", font)
    return strip


def is_same(kept: Path, strip: Image.Image) -> bool:
    """Whether a picture that is kept shows the same as a strip, as far as one sees from afar."""
    if not kept.exists():
        return False
    size = (COARSE, round(COARSE * strip.height / strip.width))
    old, new = (
        np.asarray(picture.convert("RGB").resize(size, Image.Resampling.BOX), float)
        for picture in (Image.open(kept), strip)
    )
    return bool((abs(old - new).mean(axis=2) > DIFFERENT).mean() < SAME)
