"""Where objects are led by their own animation, frame by frame."""

from collections.abc import Generator, Sequence

import bpy
import numpy as np

from ...core.path import Path
from ...core.types import Progress
from .movement import led, may_be_led, path_of, world_matrix
from .source import SourceAttributes
from .undefined import ENDLESS


def read_paths(
    context: bpy.types.Context,
    objects: Sequence[bpy.types.Object],
    sources: Sequence[SourceAttributes],
    first: int,
    frames: int,
) -> Generator[Progress, None, list[tuple[Path | None, str]]]:
    """The path of each object through the stored frames, None for one that is not led; what of it cannot count.

    Each has to be shown, and was read as `sources` say. The scene is led through all frames and back where any of the
    objects may be led.
    """
    moving = [obj for obj in objects if may_be_led(obj)]
    seen: dict[bpy.types.Object, list[np.ndarray]] = {obj: [] for obj in moving}
    if moving:
        with led(context.scene) as lead:
            for count in range(frames):
                # Whoever draws or plays meanwhile may change the frame: it is set and read without a pause between.
                yield Progress(count / frames, "Following what is animated")
                lead(first + count)
                for obj in moving:
                    seen[obj].append(world_matrix(context, obj))
    return [
        _path(obj, np.array(seen[obj]), source) if obj in seen else (None, "")
        for obj, source in zip(objects, sources, strict=True)
    ]


def _path(obj: bpy.types.Object, matrices: np.ndarray, source: SourceAttributes) -> tuple[Path | None, str]:
    if not (np.abs(matrices) <= ENDLESS).all():
        return None, f"The animation of '{obj.name}' does not count: its place is not a finite number at some frame."
    return path_of(matrices, source.origin, source.unit_scale), ""
