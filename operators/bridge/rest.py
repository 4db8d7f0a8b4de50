"""Where the matter of a source lies in its object and generated coordinates, for points on its surface and inside."""

from dataclasses import dataclass

import bpy
import numpy as np

from ...core.arithmetic.products import apply, multiply
from ...core.arithmetic.small_matrices import determinant, pseudo_inverse
from ...core.geometry.mesh import invert_3x3
from . import names
from .attributes import Layer

#: Points from which a map is fitted, about. By time: a map has twelve unknowns.
SAMPLE = 2_000


@dataclass(frozen=True, eq=False, slots=True)
class Rest:
    """Affine maps (4,3) of body coordinates [m]: `position @ map[:3] + map[3]`."""

    position: np.ndarray  #: to the object's own coordinates
    generated: np.ndarray  #: to generated coordinates: 0..1 in the mesh's texture space
    points: np.ndarray | None  #: (n,3) generated coordinates of the source's points where modifiers have moved them


def read_rest(
    obj: bpy.types.Object,
    mesh: bpy.types.Mesh,
    matrix: np.ndarray,
    middle: np.ndarray,
    unit_scale: float,
    vertices: np.ndarray,
    layers: tuple[Layer, ...],
) -> Rest:
    """Coordinates of an evaluated object with the vertices (V,3) in body coordinates, 0 at `middle` of the object.

    A fragment that is shattered again keeps the coordinates of the object that broke first.
    """
    position = np.zeros((4, 3))
    position[:3] = _back(unit_scale * matrix)
    position[3] = middle
    stored = {layer.name: layer.values for layer in layers if layer.domain == "POINT" and layer.values.shape[1] == 3}
    if names.FRAGMENT in obj and names.REST in stored:
        position = fitted(vertices, stored[names.REST])
        if names.GENERATED in stored:
            return Rest(position, fitted(vertices, stored[names.GENERATED]), None)
    location, size = np.array(mesh.texspace_location), np.array(mesh.texspace_size)
    if not np.isfinite([location, size]).all():  # some points have no place
        location, size = np.zeros(3), np.ones(3)
    low, span = location - size, 2.0 * size
    before = _before_modifiers(obj, mesh)
    if before is not None:
        points = (before - low) / span
        return Rest(position, fitted(vertices, points), points)
    generated = np.zeros((4, 3))
    generated[:3] = _back(unit_scale * matrix) / span
    generated[3] = (middle - low) / span
    return Rest(position, generated, None)


def _back(matrix: np.ndarray) -> np.ndarray:
    """The map (3,3) of rows that undoes a matrix; of an object that a scale of 0 made flat, as far as it can be."""
    back = invert_3x3(matrix) if determinant(matrix) != 0.0 else pseudo_inverse(matrix)
    return back.T


def fitted(vertices: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The affine map (4,3) that takes `vertices (n,3)` nearest to `values (n,3)`, by least squares."""
    some = slice(None, None, len(vertices) // SAMPLE + 1)
    before, after = vertices[some], values[some].astype(np.float64)
    middle, wanted = before.mean(axis=0), after.mean(axis=0)
    linear = multiply(pseudo_inverse(before - middle), after - wanted)
    return np.concatenate([linear, [wanted - apply(linear.T, middle)]])


def _before_modifiers(obj: bpy.types.Object, mesh: bpy.types.Mesh) -> np.ndarray | None:
    """(n,3) places of the points before modifiers and shape keys moved them; None where that did not happen."""
    original = obj.original
    if original.type != "MESH":
        return None
    if not original.modifiers and original.data.shape_keys is None:
        return None
    count = len(mesh.vertices)
    before, now = np.empty(3 * count, np.float32), np.empty(3 * count, np.float32)
    mesh.attributes["position"].data.foreach_get("vector", now)
    mesh.vertices.foreach_get("undeformed_co", before)
    if np.array_equal(before, now) and len(original.data.vertices) == count:
        original.data.attributes["position"].data.foreach_get("vector", before)
    return None if np.array_equal(before, now) else before.reshape(-1, 3).astype(np.float64)
