"""Render frames of the scene with Cycles on the CPU and lay them out on one sheet."""

from collections.abc import Sequence
from pathlib import Path

import bpy
from PIL import Image, ImageDraw, ImageFont

COLUMNS = 3
MARGIN = 6


def prepare(width: int = 576, height: int = 384, samples: int = 16) -> None:
    """Small pictures, few samples, denoised."""
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = samples
    scene.cycles.use_denoising = True
    scene.cycles.max_bounces = 10
    scene.cycles.transparent_max_bounces = 16
    scene.cycles.caustics_refractive = scene.cycles.caustics_reflective = False
    scene.render.use_persistent_data = True
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = width, height, 100
    scene.render.image_settings.file_format = "PNG"


def render(frames: Sequence[int], folder: Path) -> list[Path]:
    """One picture for each frame in `folder`."""
    scene = bpy.context.scene
    paths = []
    for frame in frames:
        scene.frame_set(frame)
        scene.render.filepath = str(folder / f"frame{frame:03d}.png")
        bpy.ops.render.render(write_still=True)
        paths.append(Path(scene.render.filepath))
    return paths


def sheet(pictures: Sequence[Path], captions: Sequence[str], path: Path, columns: int = COLUMNS) -> None:
    """Lay pictures out in rows, each with its caption."""
    images = [Image.open(picture).convert("RGB") for picture in pictures]
    width, height = images[0].size
    rows = -(-len(images) // columns)
    canvas = Image.new("RGB", (columns * (width + MARGIN) - MARGIN, rows * (height + MARGIN) - MARGIN), "white")
    font = ImageFont.load_default(size=18)
    for index, (image, caption) in enumerate(zip(images, captions, strict=True)):
        place = ((index % columns) * (width + MARGIN), (index // columns) * (height + MARGIN))
        canvas.paste(image, place)
        ImageDraw.Draw(canvas).text(
            (place[0] + 12, place[1] + height - 30), caption, "white", font, stroke_width=1, stroke_fill="#444"
        )
    canvas.save(path)
