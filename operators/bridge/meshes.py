"""Fragment meshes, written in bulk: all arrays are made for all fragments at once, each mesh takes its slices."""

from dataclasses import dataclass

import bpy
import numpy as np

from ...core.cells import packed
from ...core.types import Body, Fragments
from . import names
from .attributes import TYPES, Layer
from .carry import (
    Places,
    carried,
    carried_normals,
    inner_metres,
    places,
    rest_positions,
    source_areas,
    with_inner_uv,
)
from .source import Slot, SourceAttributes, find_material

_EMPTY = Slot(None, None, "DATA")


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """One attribute of all fragments: flat values, and how Blender names their parts."""

    name: str
    domain: str
    data_type: str
    values: np.ndarray


@dataclass(frozen=True, eq=False, slots=True)
class Packed:
    """All fragments in the types that Blender takes fastest (float32, int32, flat)."""

    fragments: Fragments
    source: SourceAttributes
    place: Places
    position: np.ndarray
    corner_vertex: np.ndarray
    face_corner: np.ndarray  #: first corner of each face, counted from the fragment's own first one
    normal: np.ndarray | None
    columns: tuple[Column, ...]
    edge_layers: tuple[Layer, ...]
    corner_of: np.ndarray  #: (K+1,) first corner of each fragment
    materials: tuple[bpy.types.Material | None, ...]


def pack(fragments: Fragments, body: Body, source: SourceAttributes, inner: bpy.types.Material) -> Packed:
    """Arrays of all fragments; float64 until here, float32 from here."""
    place = places(fragments, body, source)
    corner_of = fragments.corner_start[fragments.face_start]
    first = fragments.corner_start[:-1] - corner_of[packed.owners(fragments.face_start)]
    normal = carried_normals(fragments, place, source).astype(np.float32) if source.shaded else None
    return Packed(
        fragments=fragments,
        source=source,
        place=place,
        position=_flat(fragments.vertices / source.unit_scale),
        corner_vertex=fragments.corner_vertex.astype(np.int32),
        face_corner=first.astype(np.int32),
        normal=normal,
        columns=_columns(fragments, body, source, place),
        edge_layers=tuple(layer for layer in source.layers if layer.domain == "EDGE"),
        corner_of=corner_of,
        materials=(*(find_material(slot.data) for slot in slots_of(source)), inner),
    )


def slots_of(source: SourceAttributes) -> tuple:
    """The source's material slots; one empty slot where it has none, so that inner faces have a slot of their own."""
    return source.slots or (_EMPTY,)


def write_mesh(data: Packed, k: int, name: str) -> bpy.types.Mesh:
    """A new mesh with the shape and attributes of fragment k; vertex groups live on its object, see `write_groups`."""
    fragments, corner_of = data.fragments, data.corner_of
    points = slice(fragments.vertex_start[k], fragments.vertex_start[k + 1])
    faces = slice(fragments.face_start[k], fragments.face_start[k + 1])
    corners = slice(corner_of[k], corner_of[k + 1])
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(points.stop - points.start)
    mesh.vertices.foreach_set("co", data.position[3 * points.start : 3 * points.stop])
    mesh.loops.add(corners.stop - corners.start)
    mesh.loops.foreach_set("vertex_index", data.corner_vertex[corners])
    mesh.polygons.add(faces.stop - faces.start)
    mesh.polygons.foreach_set("loop_start", data.face_corner[faces])
    mesh.update(calc_edges=True)
    span = {"POINT": points, "FACE": faces, "CORNER": corners}
    for column in data.columns:
        _fill(mesh, column, span[column.domain])
    if data.edge_layers:
        _write_edges(mesh, data, corners)
    for material in data.materials:
        mesh.materials.append(material)
    # A fragment from deep inside is flat all over.
    if data.normal is not None and fragments.face_triangle[faces].max(initial=-1) >= 0:
        mesh.normals_split_custom_set(data.normal[corners])
    _activate(mesh, data.source)
    return mesh


def write_slots(obj: bpy.types.Object, source: SourceAttributes) -> None:
    """Give the object the materials that the source object held itself."""
    for i, slot in enumerate(source.slots):
        if slot.link == "OBJECT":
            obj.material_slots[i].link = "OBJECT"
            obj.material_slots[i].material = find_material(slot.own)


def vertex_weights(data: Packed) -> tuple[tuple[str, np.ndarray, np.ndarray], ...]:
    """Name, packed vertices and weights of each vertex group; points inside the source belong to none."""
    result = []
    for group in data.source.groups:
        weight = np.zeros(int(data.source.triangle_vertex.max()) + 1)
        known = group.vertex < len(weight)
        weight[group.vertex[known]] = group.weight[known]
        row = data.source.triangle_vertex[data.place.vertex_row]
        values = np.einsum("ij,ij->i", weight[row], data.place.vertex_weight)
        used = values > 0.0
        result.append((group.name, data.place.vertex[used], values[used]))
    return tuple(result)


def write_groups(obj: bpy.types.Object, weights: tuple, first: int, last: int) -> None:
    """Vertex groups of the object whose packed vertices are first..last-1; all groups exist, in the source's order."""
    for name, vertex, weight in weights:
        group = obj.vertex_groups.new(name=name)
        low, high = np.searchsorted(vertex, (first, last))
        values, which = np.unique(weight[low:high], return_inverse=True)
        order = np.argsort(which, kind="stable")
        bounds = np.searchsorted(which[order], np.arange(len(values) + 1))
        index = (vertex[low:high] - first)[order].tolist()
        for i, value in enumerate(values.tolist()):
            group.add(index[bounds[i] : bounds[i + 1]], min(value, 1.0), "REPLACE")


def _columns(fragments: Fragments, body: Body, source: SourceAttributes, place: Places) -> tuple[Column, ...]:
    inner_face = fragments.face_bond >= 0
    slot_count = len(slots_of(source))
    material = np.full(len(inner_face), slot_count, np.int32)
    material[place.face] = np.minimum(source.material_index[source.triangle_polygon[place.face_row]], slot_count - 1)
    sharp = np.ones(len(inner_face), bool)
    if source.shaded:
        sharp[place.face] = source.sharp_face[source.triangle_polygon[place.face_row]]
    columns = [
        Column("material_index", "FACE", "INT", material),
        Column("sharp_face", "FACE", "BOOLEAN", sharp),
        Column(names.REST, "POINT", "FLOAT_VECTOR", _flat(rest_positions(fragments, source))),
    ]
    metres, area = inner_metres(fragments), source_areas(body, source)
    inner = inner_face.copy()
    for layer in source.layers:
        if layer.domain == "EDGE" or layer.name == names.REST:
            continue
        values = carried(layer, fragments, place, source)
        if layer.data_type == "FLOAT2" and layer.domain == "CORNER":
            values = with_inner_uv(values, layer, fragments, metres, source, area)
        if layer.name == names.INNER and layer.domain == "FACE" and layer.data_type == "BOOLEAN":
            inner |= values[:, 0]
            continue
        columns.append(Column(layer.name, layer.domain, layer.data_type, values.reshape(-1)))
    return (*columns, Column(names.INNER, "FACE", "BOOLEAN", inner))


def _fill(mesh: bpy.types.Mesh, column: Column, span: slice) -> None:
    prop, width, _, _ = TYPES[column.data_type]
    attribute = mesh.attributes.new(column.name, column.data_type, column.domain)
    attribute.data.foreach_set(prop, column.values[width * span.start : width * span.stop])


def _write_edges(mesh: bpy.types.Mesh, data: Packed, corners: slice) -> None:
    """Edges of the source (sharp, seam, crease, ...) where an edge of the fragment lies on one."""
    edge_of = np.empty(corners.stop - corners.start, np.int32)
    mesh.loops.foreach_get("edge_index", edge_of)
    low, high = np.searchsorted(data.place.edge_corner, (corners.start, corners.stop))
    edge = edge_of[data.place.edge_corner[low:high] - corners.start]
    for layer in data.edge_layers:
        values = np.full((len(mesh.edges), layer.values.shape[1]), layer.fill, TYPES[layer.data_type][2])
        values[edge] = layer.values[data.place.edge[low:high]]
        _fill(mesh, Column(layer.name, "EDGE", layer.data_type, values.reshape(-1)), slice(0, len(values)))


def _activate(mesh: bpy.types.Mesh, source: SourceAttributes) -> None:
    if source.active_uv in mesh.uv_layers:
        mesh.uv_layers.active = mesh.uv_layers[source.active_uv]
    if source.render_uv in mesh.uv_layers:
        mesh.uv_layers[source.render_uv].active_render = True
    if source.active_color:
        mesh.attributes.active_color_name = source.active_color
    if source.render_color:
        mesh.attributes.default_color_name = source.render_color


def _flat(values: np.ndarray) -> np.ndarray:
    return values.astype(np.float32).reshape(-1)
