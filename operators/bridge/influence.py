"""Where and when an object may break by contacts, and where it is held: what its artist has painted and placed."""

from typing import Any

import bpy
import numpy as np

from ...core.errors import InputError
from ...core.types import Influence
from . import names
from .impacts import owner
from .source import SourceAttributes

#: What the sentences call the place of these choices.
SECTION = "Breaks on Contact"


def read_influence(
    context: bpy.types.Context, obj: bpy.types.Object, source: SourceAttributes, start_frame: int, fps: float
) -> Influence:
    """The influence on the rows of the triangle table of `source`, with spheres in body coordinates.

    An object that does not break by contacts has none, whatever is chosen for it.

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
    if not own.breakable.breaks:
        return Influence()
    rows = np.zeros((0, 3))
    factors = []
    if own.toughness_group:
        factors.append(_painted(obj, own.toughness_group, source))
    if own.toughness_image is not None:
        factors.append(_imaged(obj, own.toughness_image, source))
    return Influence(
        toughness=np.prod(factors, axis=0) if factors else rows,
        held=_painted(obj, own.held_group, source) if own.held_group else rows,
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


def _painted(obj: bpy.types.Object, name: str, source: SourceAttributes) -> np.ndarray:
    """(T,3) weights of a vertex group; 0 where a point is not in it."""
    group = next((item for item in source.groups if item.name == name), None)
    if group is None:
        raise InputError(f"'{obj.name}' has no vertex group \"{name}\": choose another one under {SECTION}.")
    weight = np.zeros(int(source.triangle_vertex.max()) + 1)
    known = group.vertex < len(weight)
    weight[group.vertex[known]] = group.weight[known]
    return weight[source.triangle_vertex]


def _imaged(obj: bpy.types.Object, image: bpy.types.Image, source: SourceAttributes) -> np.ndarray:
    """(T,3) red of an image, as it is stored, where the active UV map lays the corners; it repeats beyond its edges."""
    layer = next((item for item in source.layers if item.name == source.active_uv and item.domain == "CORNER"), None)
    if layer is None:
        raise InputError(f"'{obj.name}' has no UV map for the image \"{image.name}\": unwrap it first.")
    width, height = image.size
    if width * height * image.channels == 0:
        raise InputError(
            f"The image \"{image.name}\" of '{obj.name}' cannot be read: find its file, or choose another."
        )
    red = _pixels(image).reshape(height, width, -1)[:, :, 0]
    uv = np.nan_to_num(layer.values.astype(np.float64), posinf=0.0, neginf=0.0) % 1.0
    size = np.array([width, height])
    column, row = np.minimum((uv * size).astype(np.int64), size - 1).T
    return np.maximum(np.nan_to_num(red[row, column]), 0.0)[source.triangle_loop]


def _pixels(image: Any) -> np.ndarray:
    values = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(values)
    return values.astype(np.float64)


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
