"""Where and when an object may break by contacts, and where it is anchored: what its artist has painted and placed."""

import bpy
import numpy as np

from ...core.errors import InputError
from ...core.types import Influence
from . import names
from .impacts import owner
from .paint import group_values, image_values
from .source import SourceAttributes

#: What the sentences call the place of these choices.
SECTION = "Breaks on Contact"


def read_influence(
    context: bpy.types.Context, obj: bpy.types.Object, source: SourceAttributes, start_frame: int, fps: float
) -> Influence:
    """The influence on the rows of the triangle table of `source`, with spheres in body coordinates.

    Of an object that does not break by contacts only what is anchored counts, whatever else is chosen for it.

    Args:
        context: its scene holds the spheres.
        obj: the object that may break.
        source: of its mesh, see `read_source`.
        start_frame: frame of time 0.
        fps: frames per second.

    Raises:
        InputError: a vertex group, image or UV map that is chosen does not exist.

    """
    own = getattr(obj, names.OBJECT)
    rows = np.zeros((0, 3))
    anchored = _group(obj, own.anchored_group, source) if own.anchored_group else rows
    if not own.breakable.breaks:
        return Influence(anchored=anchored)
    factors = []
    if own.toughness_group:
        factors.append(_group(obj, own.toughness_group, source))
    if own.toughness_image is not None:
        factors.append(image_values(obj, own.toughness_image, source))
    if own.weak_group:
        factors.append(1.0 - _group(obj, own.weak_group, source))
    if own.weak_image is not None:
        factors.append(np.maximum(1.0 - image_values(obj, own.weak_image, source), 0.0))  # red may be above 1
    return Influence(
        toughness=np.prod(factors, axis=0) if factors else rows,
        anchored=anchored,
        spheres=_spheres(context, obj, source),
        start=(own.breaks_from - start_frame) / fps if own.breaks_from else 0.0,
        end=(own.breaks_until - start_frame) / fps if own.breaks_until else np.inf,
    )


def spheres(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The scene's empties that stand for spheres of influence, by name."""
    found = [obj for obj in context.scene.objects if is_sphere(obj)]
    return sorted(found, key=lambda obj: obj.name)


def is_sphere(obj: bpy.types.Object) -> bool:
    """Whether an object stands for a sphere of influence."""
    return obj.type == "EMPTY" and bool(getattr(getattr(obj, names.OBJECT, None), "influence", False))


def _group(obj: bpy.types.Object, name: str, source: SourceAttributes) -> np.ndarray:
    """(T,3) weights of a vertex group that is chosen."""
    values = group_values(source, name)
    if values is None:
        raise InputError(f"'{obj.name}' has no vertex group \"{name}\": choose another one under {SECTION}.")
    return values


def _spheres(context: bpy.types.Context, obj: bpy.types.Object, source: SourceAttributes) -> np.ndarray:
    """(n,4) centres in body coordinates and radii [m]: those without an owner, which count for all, and its own."""
    found = [empty for empty in spheres(context) if owner(empty) in (None, obj)]
    result = np.zeros((len(found), 4))
    for row, empty in zip(result, found, strict=True):
        matrix = np.array(empty.matrix_world, np.float64)
        size = np.sqrt(np.square(matrix[:3, :3]).sum(axis=0)).max()
        row[:3] = source.unit_scale * (matrix[:3, 3] - source.origin)
        row[3] = source.unit_scale * empty.empty_display_size * size
    return result
