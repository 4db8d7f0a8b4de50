"""Attributes of a mesh as arrays: which types there are, how they are read, and what a new corner gets of them."""

from dataclasses import dataclass

import bpy
import numpy as np

#: Property of an attribute's elements, its width, the type that moves fastest, and whether values may be mixed.
TYPES: dict[str, tuple[str, int, type, bool]] = {
    "FLOAT": ("value", 1, np.float32, True),
    "INT": ("value", 1, np.int32, False),
    "INT8": ("value", 1, np.int32, False),
    "BOOLEAN": ("value", 1, np.bool_, False),
    "FLOAT_VECTOR": ("vector", 3, np.float32, True),
    "FLOAT2": ("vector", 2, np.float32, True),
    "FLOAT4": ("vector", 4, np.float32, True),
    "FLOAT_COLOR": ("color", 4, np.float32, True),
    "BYTE_COLOR": ("color", 4, np.float32, True),
    "QUATERNION": ("value", 4, np.float32, False),
    "FLOAT4X4": ("value", 16, np.float32, False),
    "INT32_2D": ("value", 2, np.int32, False),
    "INT16_2D": ("value", 2, np.int32, False),
    "STRING": ("value", 1, np.int32, False),  # as numbers of texts
}

#: What the bridge writes itself: geometry, materials and normals. Names with a leading dot are Blender's own.
OWN = {"position", "material_index", "custom_normal", "sharp_face"}


@dataclass(frozen=True, eq=False, slots=True)
class Layer:
    """One attribute: `values (n,d)` in the element order of its domain."""

    name: str
    domain: str  #: POINT, EDGE, FACE or CORNER
    data_type: str  #: a key of TYPES
    values: np.ndarray
    texts: tuple[
        str | bytes, ...
    ] = ()  #: of a layer of texts: those that there are, of which the values are the numbers

    @property
    def mixes(self) -> bool:
        """Whether a value between two others makes sense."""
        return TYPES[self.data_type][3]

    @property
    def fill(self) -> float:
        """What elements get that have no place on the source: white for colours, 0 for the rest."""
        return 1.0 if "COLOR" in self.data_type else 0.0


def read_layers(mesh: bpy.types.Mesh) -> tuple[Layer, ...]:
    """All attributes of a mesh but those that the bridge makes itself."""
    return tuple(
        _read_texts(attribute)
        if attribute.data_type == "STRING"
        else Layer(attribute.name, attribute.domain, attribute.data_type, read(attribute))
        for attribute in mesh.attributes
        if attribute.data_type in TYPES and attribute.name not in OWN and not attribute.name.startswith(".")
    )


def read(attribute: bpy.types.Attribute) -> np.ndarray:
    """(n,d) values of one attribute, as Blender has them."""
    name, width, kind, _ = TYPES[attribute.data_type]
    values = np.empty(len(attribute.data) * width, kind)
    attribute.data.foreach_get(name, values)
    return values.reshape(-1, width)


def _read_texts(attribute: bpy.types.Attribute) -> Layer:
    """A layer of texts; the first one is empty, for elements that have no place on the source."""
    found = [item.value for item in attribute.data]
    empty = found[0][:0] if found else ""
    number = {text: i for i, text in enumerate(dict.fromkeys([empty, *found]))}
    values = np.array([[number[text]] for text in found], np.int32).reshape(-1, 1)
    return Layer(attribute.name, attribute.domain, "STRING", values, tuple(number))


def read_integers(mesh: bpy.types.Mesh, name: str, count: int) -> np.ndarray:
    """(count,) values of an integer attribute, 0 where the mesh has none of that name.

    The topology of a mesh comes fastest this way: ".corner_vert", ".corner_edge", "material_index".
    """
    attribute = mesh.attributes.get(name)
    if attribute is None or attribute.data_type != "INT" or len(attribute.data) != count:
        return np.zeros(count, np.int64)
    return read(attribute)[:, 0].astype(np.int64)


def read_flags(mesh: bpy.types.Mesh, name: str, count: int) -> np.ndarray:
    """(count,) values of a boolean attribute; all False where the mesh has none of that name."""
    attribute = mesh.attributes.get(name)
    if attribute is None or attribute.data_type != "BOOLEAN" or len(attribute.data) != count:
        return np.zeros(count, bool)
    return read(attribute)[:, 0]
