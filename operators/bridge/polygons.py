"""Which polygons of a mesh may stay one face: those where it does not show how they are cut into triangles."""

from collections.abc import Generator

import numpy as np

from ...core.geometry.affine import TriangleValues, flat_group_steps
from .attributes import Layer
from .source import SourceAttributes

#: What is seen by no one: of a texture's side, of a colour, and relative to the largest value of the polygon. By eye: a
#: texture of 16k has 6e-5 a pixel.
UNSEEN = 1e-6
#: Blender's own rounding of normals.
NORMALS = 1e-4
#: Layers whose values are not on this scale: only relative to their size can a difference be small.
PLAIN = {"FLOAT", "FLOAT_VECTOR", "FLOAT4"}


def flat_polygon_steps(
    source: SourceAttributes, vertices: np.ndarray, spacing: float
) -> Generator[None, None, np.ndarray]:
    """`Mesh.polygon (T,)` of a mesh with these vertices (V,3) [m], stored with numbers `spacing` [m] apart.

    A polygon is flat where its corners lie as near to a plane as such numbers can say, and everything is affine that is
    mixed between corners: with other triangles a texture would look otherwise. Whole numbers and flags are not mixed.
    Yields now and then; it touches nothing of Blender.
    """
    polygon = source.triangle_polygon
    if len(polygon) == len(source.material_index):
        return np.zeros(0, np.int64)
    label = yield from flat_group_steps(polygon, vertices, source.triangle_vertex, spacing, _mixed(source))
    return label if np.any(label >= 0) else np.zeros(0, np.int64)


def _mixed(source: SourceAttributes) -> list[TriangleValues]:
    """All that is mixed between the corners of a triangle."""
    points, loops = source.triangle_vertex, source.triangle_loop
    tables = {"POINT": points, "CORNER": loops}
    result = [
        TriangleValues(layer.values, tables[layer.domain], _least(layer), UNSEEN)
        for layer in source.layers
        if layer.domain in tables and (layer.mixes or layer.data_type == "QUATERNION")
    ]
    if source.shaded:
        result.append(TriangleValues(source.normal, loops, NORMALS))
    if source.rest.points is not None:
        result.append(TriangleValues(source.rest.points, points, UNSEEN))
    for group in source.groups:
        weight = np.zeros((int(points.max()) + 1, 1), np.float32)
        known = group.vertex < len(weight)
        weight[group.vertex[known], 0] = group.weight[known]
        result.append(TriangleValues(weight, points, UNSEEN))
    return result


def _least(layer: Layer) -> float:
    return 0.0 if layer.data_type in PLAIN else UNSEEN
