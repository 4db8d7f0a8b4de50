"""Everything about an object that its fragments inherit, as plain data: no reference to Blender's data survives here.

Undo and file loading invalidate references, and a job may run for long: materials are kept by name and library.
"""

from dataclasses import dataclass

import bpy
import numpy as np

from ...core.arithmetic.products import apply
from ...core.arithmetic.small_matrices import determinant
from ...core.geometry.corner_values import normalized
from .attributes import Layer, read_flags, read_integers, read_layers
from .rest import Rest, read_rest

#: Triangles that are looked at before all others. By time.
LOOKED_AT = 4096

#: Name of a material and the path of the library it is linked from.
MaterialKey = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class Slot:
    """A material slot: what the mesh holds, and what the object holds where it overrides the mesh."""

    data: MaterialKey | None
    own: MaterialKey | None
    link: str  #: DATA or OBJECT


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """A vertex group: `weight (n,)` of the points `vertex (n,)`."""

    name: str
    vertex: np.ndarray
    weight: np.ndarray


@dataclass(frozen=True, eq=False, slots=True)
class SourceAttributes:
    """What fragments inherit. L loops, P polygons, T rows of the triangle table that the core got."""

    name: str  #: of the object
    origin: np.ndarray  #: (3,) where body coordinates are 0, in the world, in Blender's units
    pivot: np.ndarray  #: (3,) the object's own origin, in the world, in Blender's units
    matrix: np.ndarray  #: (3,3) linear part of the world matrix: body = unit_scale * matrix @ (local - middle)
    unit_scale: float  #: metres per Blender unit
    triangle_loop: np.ndarray  #: (T,3) loop of each corner
    triangle_vertex: np.ndarray  #: (T,3)
    triangle_polygon: np.ndarray  #: (T,)
    triangle_edge: np.ndarray  #: (T,3) mesh edge from corner k to corner k + 1, -1 for a diagonal of a polygon
    normal: np.ndarray  #: (L,3) unit corner normals in world axes
    shaded: bool  #: whether these differ from the triangles' own normals
    sharp_face: np.ndarray  #: (P,)
    material_index: np.ndarray  #: (P,)
    layers: tuple[Layer, ...]
    rest: Rest
    active_uv: str
    render_uv: str
    active_color: str
    render_color: str
    slots: tuple[Slot, ...]
    groups: tuple[Group, ...]


def read_source(
    obj: bpy.types.Object,
    mesh: bpy.types.Mesh,
    matrix: np.ndarray,
    middle: np.ndarray,
    unit_scale: float,
    vertices: np.ndarray,
) -> SourceAttributes:
    """Gather what fragments inherit from an evaluated object.

    `vertices (V,3)` in body coordinates, see `read_mesh`; `middle (3,)` in the object's coordinates is their zero.
    """
    loop, polygon = triangle_loops(mesh)
    linear = matrix[:3, :3]
    mirrored = bool(determinant(linear) < 0.0)
    if mirrored:
        # A mirrored object is inside out in world axes: turn its triangles.
        loop = np.ascontiguousarray(loop[:, [0, 2, 1]])
    vertex = read_integers(mesh, ".corner_vert", len(mesh.loops))[loop]
    normal = _corner_normals(mesh, linear)
    uvs, layers = mesh.uv_layers, read_layers(mesh)
    return SourceAttributes(
        name=obj.name,
        origin=world_point(matrix, middle),
        pivot=matrix[:3, 3].copy(),
        matrix=linear,
        unit_scale=unit_scale,
        triangle_loop=loop,
        triangle_vertex=vertex,
        triangle_polygon=polygon,
        triangle_edge=_triangle_edges(mesh, loop, mirrored),
        normal=normal,
        shaded=_is_shaded(mesh, normal, loop, vertices, vertex),
        sharp_face=read_flags(mesh, "sharp_face", len(mesh.polygons)),
        material_index=read_integers(mesh, "material_index", len(mesh.polygons)),
        layers=layers,
        rest=read_rest(obj, mesh, linear, middle, unit_scale, vertices, layers),
        active_uv=uvs.active.name if uvs.active else "",
        render_uv=next((layer.name for layer in uvs if layer.active_render), ""),
        active_color=mesh.attributes.active_color_name or "",
        render_color=mesh.attributes.default_color_name or "",
        slots=_slots(obj, mesh),
        groups=_groups(obj, mesh),
    )


def world_point(matrix: np.ndarray, point: np.ndarray) -> np.ndarray:
    """A point (3,) of an object in the world, by its world matrix (4,4)."""
    return matrix[:3, 3] + apply(matrix[:3, :3], point)


def find_material(key: MaterialKey | None) -> bpy.types.Material | None:
    """The material that a key names, None if it is gone."""
    return None if key is None else bpy.data.materials.get(key)


def _all_triangles(mesh: bpy.types.Mesh) -> bool:
    """No face has fewer than three corners, so the numbers tell."""
    return len(mesh.loops) == 3 * len(mesh.polygons)


def triangle_loops(mesh: bpy.types.Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Loops (T,3) and polygon (T,) of the triangles."""
    if _all_triangles(mesh):
        return np.arange(len(mesh.loops)).reshape(-1, 3), np.arange(len(mesh.polygons))
    mesh.calc_loop_triangles()
    polygon = np.empty(len(mesh.loop_triangles), np.int32)
    mesh.loop_triangle_polygons.foreach_get("value", polygon)
    return _integers(mesh.loop_triangles, "loops", 3).reshape(-1, 3), polygon.astype(np.int64)


def _triangle_edges(mesh: bpy.types.Mesh, loop: np.ndarray, mirrored: bool) -> np.ndarray:
    """An edge of a triangle is one of the mesh where its two loops follow each other in their polygon."""
    loop_edge = read_integers(mesh, ".corner_edge", len(mesh.loops))
    if _all_triangles(mesh):
        # The edge of a loop leads to the next one of the polygon, which is the one before in a mirrored triangle.
        return loop_edge[loop[:, [1, 2, 0]] if mirrored else loop]
    following = np.arange(1, len(mesh.loops) + 1)
    start = _integers(mesh.polygons, "loop_start")
    following[np.append(start[1:], len(mesh.loops)) - 1] = start
    here, there = loop, loop[:, [1, 2, 0]]
    back = np.where(following[there] == here, loop_edge[there], -1)
    return np.where(following[here] == there, loop_edge[here], back)


def _corner_normals(mesh: bpy.types.Mesh, linear: np.ndarray) -> np.ndarray:
    """Corner normals in world axes: by the inverse transpose, written with cofactors so that nothing is divided."""
    normal = np.empty((len(mesh.loops), 3), np.float32)
    mesh.corner_normals.foreach_get("vector", normal.reshape(-1))
    x, y, z = linear.T
    cofactor = np.column_stack([np.cross(y, z), np.cross(z, x), np.cross(x, y)])
    if determinant(linear) < 0.0:
        cofactor *= -1.0
    if not np.array_equal(cofactor, np.eye(3)):
        normal = normalized(apply(cofactor, normal.astype(np.float64))).astype(np.float32)
    return normal


def _is_shaded(
    mesh: bpy.types.Mesh, normal: np.ndarray, loop: np.ndarray, vertices: np.ndarray, vertex: np.ndarray
) -> bool:
    """Whether a normal differs from its triangle's by more than Blender's own rounding of normals (1e-4)."""
    if mesh.has_custom_normals:
        return True
    if mesh.normals_domain == "FACE" and _all_triangles(mesh):
        return False
    # Most often the first few thousand triangles tell already.
    return any(
        _differ(normal[loop[part]], vertices[vertex[part]]) for part in (slice(0, LOOKED_AT), slice(LOOKED_AT, None))
    )


def _differ(corner_normal: np.ndarray, corner: np.ndarray) -> bool:
    area = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    flat = normalized(area)
    usable = np.any(flat != 0.0, axis=1)
    return bool(np.any(np.abs(corner_normal - flat[:, None])[usable] > 1e-4))


def _slots(obj: bpy.types.Object, mesh: bpy.types.Mesh) -> tuple[Slot, ...]:
    result = []
    for i in range(max(len(obj.material_slots), len(mesh.materials))):
        data = _key(mesh.materials[i]) if i < len(mesh.materials) else None
        slot = obj.material_slots[i] if i < len(obj.material_slots) else None
        own = slot is not None and slot.link == "OBJECT"
        result.append(Slot(data, _key(slot.material) if own else None, "OBJECT" if own else "DATA"))
    return tuple(result)


def _key(material: bpy.types.Material | None) -> MaterialKey | None:
    if material is None:
        return None
    original = material.original
    return original.name, original.library.filepath if original.library else None


def _groups(obj: bpy.types.Object, mesh: bpy.types.Mesh) -> tuple[Group, ...]:
    if not obj.vertex_groups:
        return ()
    found: list[tuple[list[int], list[float]]] = [([], []) for _ in obj.vertex_groups]
    for vertex in mesh.vertices:
        for element in vertex.groups:
            if element.group < len(found):
                found[element.group][0].append(vertex.index)
                found[element.group][1].append(element.weight)
    return tuple(
        Group(group.name, np.array(vertex, np.int64), np.array(weight, np.float64))
        for group, (vertex, weight) in zip(obj.vertex_groups, found, strict=True)
    )


def _integers(items: bpy.types.bpy_prop_collection, name: str, width: int = 1) -> np.ndarray:
    values = np.empty(len(items) * width, np.int32)
    items.foreach_get(name, values)
    return values.astype(np.int64)
