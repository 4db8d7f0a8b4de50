"""What is painted on an object, at the corners of the triangles that the core gets: groups, images and attributes."""

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ...core.errors import InputError
from ...core.strength.choice import FieldChoice
from ...core.strength.fields.painted import ATTRIBUTE, GROUP, IMAGE, PaintedParams
from ...core.types import Painted
from .attributes import Layer
from .source import SourceAttributes

#: A paint is asked for by its source and its name.
Paint = tuple[str, str]

#: Attributes with one number that says how strong a place is; of colours that is the red, as of images.
NUMBERS = {"FLOAT", "INT", "INT8", "BOOLEAN", "FLOAT_COLOR", "BYTE_COLOR"}


def wanted(fields: Sequence[FieldChoice]) -> tuple[Paint, ...]:
    """The paints that a stack of fields asks for, each once."""
    params = [one.params for one in fields if one.on and isinstance(one.params, PaintedParams)]
    return tuple(dict.fromkeys((one.source, one.name) for one in params if one.name))


def read_paint(obj: bpy.types.Object, source: SourceAttributes, paints: Sequence[Paint]) -> tuple[Painted, ...]:
    """Those of the wanted paints that the object has, on the rows of the triangle table of `source`.

    Raises InputError for an image without a UV map or pixels, and for an attribute that holds no number to paint with.
    """
    found = [(kind, name, _values(obj, source, kind, name)) for kind, name in paints]
    return tuple(Painted(kind, name, values) for kind, name, values in found if values is not None)


def _values(obj: bpy.types.Object, source: SourceAttributes, kind: str, name: str) -> np.ndarray | None:
    if kind == GROUP:
        return group_values(source, name)
    if kind == IMAGE:
        image = bpy.data.images.get(name)
        return None if image is None else image_values(obj, image, source)
    assert kind == ATTRIBUTE
    return attribute_values(obj, source, name)


def group_values(source: SourceAttributes, name: str) -> np.ndarray | None:
    """(T,3) weights of a vertex group, 0 where a point is not in it; None where there is no such group."""
    group = next((item for item in source.groups if item.name == name), None)
    if group is None:
        return None
    weight = np.zeros(int(source.triangle_vertex.max()) + 1)
    known = group.vertex < len(weight)
    weight[group.vertex[known]] = group.weight[known]
    return weight[source.triangle_vertex]


def image_values(obj: bpy.types.Object, image: bpy.types.Image, source: SourceAttributes) -> np.ndarray:
    """(T,3) red of an image, as it is stored, where the active UV map lays the corners; it repeats beyond its edges.

    Raises InputError where the object has no UV map, or the image no pixels.
    """
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


def attribute_values(obj: bpy.types.Object, source: SourceAttributes, name: str) -> np.ndarray | None:
    """(T,3) numbers of an attribute on points, corners or faces; None where there is no such attribute.

    Raises InputError for one on edges, and for one of vectors or the like.
    """
    layer = next((item for item in source.layers if item.name == name), None)
    if layer is None:
        return None
    if layer.data_type not in NUMBERS or layer.domain not in ("POINT", "CORNER", "FACE"):
        raise InputError(
            f"The attribute \"{name}\" of '{obj.name}' cannot say how strong it is: choose one of numbers or colours, "
            "on points, corners or faces."
        )
    return np.ascontiguousarray(layer.values[:, 0].astype(np.float64)[_elements(layer, source)])


def _elements(layer: Layer, source: SourceAttributes) -> np.ndarray:
    """(T,3) element of the attribute's domain at each corner."""
    if layer.domain == "FACE":
        return np.repeat(source.triangle_polygon[:, None], 3, axis=1)
    return source.triangle_vertex if layer.domain == "POINT" else source.triangle_loop


def _pixels(image: Any) -> np.ndarray:
    values = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(values)
    return values.astype(np.float64)
