"""Fragment meshes, written in bulk: all arrays are made for all fragments at once, each mesh takes its slices."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import bpy
import numpy as np

from ...core.fragments.edges import edges_of
from ...core.fragments.joined import own_triangles
from ...core.types import Body, Floats, Fragments, Ints, Made
from . import names
from .attributes import TYPES, Layer
from .carry import (
    INSIDE,
    Places,
    carried,
    carried_edges,
    carried_normals,
    carried_weights,
    generated_positions,
    places,
    planar_metres,
    rest_positions,
    with_planar_uv,
)
from .changes import Changes
from .rest_material import rest_materials
from .source import Slot, SourceAttributes, find_material

_EMPTY = Slot(None, None, "DATA")


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """One attribute of all fragments: flat values, and how Blender names their parts."""

    name: str
    domain: str
    data_type: str
    values: np.ndarray
    texts: tuple[str | bytes, ...] = ()  #: of texts, of which the values are the numbers


@dataclass(frozen=True, eq=False, slots=True)
class PackedMeshes:
    """All fragments in the types that Blender takes fastest (float32, int32, flat)."""

    fragments: Fragments
    source: SourceAttributes
    place: Places
    start: dict[str, list[int]]  #: (K+1,) first element of each fragment, by domain
    topology: tuple[Column, ...]  #: attributes that every mesh has; where a face starts is in `face_corner`
    face_corner: np.ndarray  #: first corner of each face, counted from the fragment's own first one
    columns: tuple[Column, ...]
    normal: Column | None
    has_outside: list[bool]  #: (K,) a fragment from deep inside is flat all over
    materials: tuple[bpy.types.Material | None, ...]
    own_materials: tuple[bpy.types.Material | None, ...]  #: by slot, where the source object held them itself
    texture_space: tuple[list, list] | None  #: locations (K,3) and size (3,) that give the source's generated ones


@dataclass(frozen=True, eq=False, slots=True)
class FragmentMaterials:
    """The materials of fragments."""

    shared: tuple[bpy.types.Material | None, ...]  #: by slot
    own: tuple[bpy.types.Material | None, ...]  #: by slot, where the source object held them itself
    inner: int  #: slot of broken faces
    generated: bool  #: whether one of them needs generated coordinates


def fragment_materials(
    body: Body, source: SourceAttributes, inner: bpy.types.Material, changes: Changes
) -> FragmentMaterials:
    """The materials of the fragments of a body, with copies of those that depend on where a thing is."""
    slots = slots_of(source)
    shared = tuple(find_material(slot.data) for slot in slots)
    own = tuple(find_material(slot.own) for slot in slots)
    slot = inner_slot(source, inner)
    added = (inner,) if slot == len(slots) else ()
    at_rest = rest_materials((*shared, *own, *added), changes)
    worn = (*shared, *added, *rim_materials(body, source))
    return FragmentMaterials(tuple(map(at_rest.of, worn)), tuple(map(at_rest.of, own)), slot, at_rest.generated)


def pack(
    fragments: Fragments, body: Body, source: SourceAttributes, worn: FragmentMaterials, shift: Floats
) -> PackedMeshes:
    """Arrays of all fragments, each shifted in its own axes by `shift (K,3)`; float64 until here, float32 from here.

    It touches nothing of Blender.
    """
    place = places(fragments, body)
    corner_of = fragments.corner_start[fragments.face_start]
    points = fragments.vertices / source.unit_scale + np.repeat(shift, np.diff(fragments.vertex_start), axis=0)
    edges = edges_of(fragments)
    start: dict[str, Ints] = {
        "POINT": fragments.vertex_start,
        "EDGE": edges.start,
        "FACE": fragments.face_start,
        "CORNER": corner_of,
    }
    layers = tuple(layer for layer in source.layers if layer.domain == "EDGE")
    edge_columns = [
        Column(layer.name, "EDGE", layer.data_type, values.reshape(-1), layer.texts)
        for layer, values in carried_edges(layers, fragments, place, body, source, edges)
    ]
    normal = None
    if source.shaded:
        values = carried_normals(fragments, place, source)
        normal = Column("custom_normal", "CORNER", "FLOAT_VECTOR", values.reshape(-1))
    first = fragments.corner_start[:-1] - np.repeat(corner_of[:-1], np.diff(fragments.face_start))
    outside = np.concatenate([[0], np.cumsum(place.row >= 0)])[fragments.face_start]
    return PackedMeshes(
        fragments=fragments,
        source=source,
        place=place,
        start={domain: bounds.tolist() for domain, bounds in start.items()},
        topology=(
            Column("position", "POINT", "FLOAT_VECTOR", _flat(points)),
            Column(".edge_verts", "EDGE", "INT32_2D", edges.vertices.astype(np.int32).reshape(-1)),
            Column(".corner_vert", "CORNER", "INT", fragments.corner_vertex.astype(np.int32)),
            Column(".corner_edge", "CORNER", "INT", edges.corner.astype(np.int32)),
        ),
        face_corner=first.astype(np.int32),
        columns=(*_columns(fragments, body, source, place, worn.generated, worn.inner), *edge_columns),
        normal=normal,
        has_outside=(np.diff(outside) > 0).tolist(),
        materials=worn.shared,
        own_materials=worn.own,
        texture_space=_texture_space(fragments, source),
    )


def slots_of(source: SourceAttributes) -> tuple:
    """The source's material slots; one empty slot where it has none, so that inner faces have a slot of their own."""
    return source.slots or (_EMPTY,)


def inner_slot(source: SourceAttributes, inner: bpy.types.Material) -> int:
    """The slot of broken faces, theirs alone: that of an earlier break where it shows the same, else a new one."""
    slots, skin = slots_of(source), np.ones(len(source.material_index), bool)
    for layer in source.layers:
        if layer.name == names.INNER and layer.domain == "FACE":
            skin = layer.values[:, 0] == 0
    taken = set(np.minimum(source.material_index[skin], len(slots) - 1).tolist())
    free = [i for i, slot in enumerate(source.slots) if i not in taken and _original(shown(slot)) == _original(inner)]
    return free[-1] if free else len(slots)


def shown(slot: Slot) -> bpy.types.Material | None:
    """The material that a slot shows."""
    return find_material(slot.own if slot.link == "OBJECT" else slot.data)


def _original(material: bpy.types.Material | None) -> bpy.types.Material | None:
    """What a material for fragments is a copy of; any other is itself."""
    return None if material is None else material.get(names.REST_OF, material)


def slot_of(source: SourceAttributes, row: np.ndarray) -> np.ndarray:
    """(n,) the slot that triangles of the source (n,) show: the last one where they ask for more than there are."""
    return np.minimum(source.material_index[source.triangle_polygon[row]], len(slots_of(source)) - 1)


def rim_materials(body: Body, source: SourceAttributes) -> tuple[bpy.types.Material | None, ...]:
    """What the slot for rims holds: the material that most of the border has; none where the body has no rims."""
    rim = np.flatnonzero(body.made == Made.RIM)
    if (rim < own_triangles(body)).any():
        rim = rim[rim < own_triangles(body)]
    if not len(rim):
        return ()
    slot = slots_of(source)[np.bincount(slot_of(source, body.source[rim])).argmax()]
    return (shown(slot),)


def write_mesh(data: PackedMeshes, k: int, name: str) -> bpy.types.Mesh:
    """A new mesh with the shape and attributes of fragment k; vertex groups live on its object, see `write_groups`."""
    first = {domain: start[k] for domain, start in data.start.items()}
    last = {domain: start[k + 1] for domain, start in data.start.items()}
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(last["POINT"] - first["POINT"])
    mesh.edges.add(last["EDGE"] - first["EDGE"])
    mesh.loops.add(last["CORNER"] - first["CORNER"])
    mesh.polygons.add(last["FACE"] - first["FACE"])
    mesh.polygons.foreach_set("loop_start", data.face_corner[first["FACE"] : last["FACE"]])
    attributes = mesh.attributes
    # By its attributes: `vertices`, `edges` and `loops` take each element by itself.
    for column in data.topology:
        _fill(attributes[column.name], column, first, last)
    for column in data.columns:
        _fill(attributes.new(column.name, column.data_type, column.domain), column, first, last)
    if data.normal is not None and data.has_outside[k]:
        # As vectors they are exact, and nothing has to be worked out: Blender 4.5 and later take them as they are.
        _fill(attributes.new(data.normal.name, data.normal.data_type, "CORNER"), data.normal, first, last)
    for material in data.materials:
        mesh.materials.append(material)
    if data.texture_space is not None:
        mesh.use_auto_texspace = False
        mesh.texspace_location, mesh.texspace_size = data.texture_space[0][k], data.texture_space[1]
    _activate(mesh, data.source)
    mesh.update()
    return mesh


def write_slots(obj: bpy.types.Object, data: PackedMeshes) -> None:
    """Give the object the materials that the source object held itself."""
    for i, slot in enumerate(data.source.slots):
        if slot.link == "OBJECT":
            obj.material_slots[i].link = "OBJECT"
            obj.material_slots[i].material = data.own_materials[i]


def vertex_weights(data: PackedMeshes) -> tuple[tuple[str, np.ndarray, np.ndarray], ...]:
    """Name, packed vertices and weights of each vertex group; points inside the source belong to none."""
    result = []
    for group in data.source.groups:
        values = carried_weights(group.vertex, group.weight, data.fragments, data.place, data.source)
        used = np.flatnonzero(values > 0.0)
        result.append((group.name, used, values[used]))
    return tuple(result)


def write_groups(obj: bpy.types.Object, weights: tuple, first: int, last: int) -> None:
    """Fill the vertex groups of the object whose packed vertices are first..last-1.

    All groups are there then, in the source's order; a mesh that was just made has no weights yet.
    """
    for name, vertex, weight in weights:
        group = obj.vertex_groups.get(name) or obj.vertex_groups.new(name=name)
        low, high = np.searchsorted(vertex, (first, last))
        values, which = np.unique(weight[low:high], return_inverse=True)
        order = np.argsort(which, kind="stable")
        bounds = np.searchsorted(which[order], np.arange(len(values) + 1))
        index = (vertex[low:high] - first)[order].tolist()
        for i, value in enumerate(values.tolist()):
            group.add(index[bounds[i] : bounds[i + 1]], min(value, 1.0), "REPLACE")


def _columns(
    fragments: Fragments, body: Body, source: SourceAttributes, place: Places, generated: bool, inner: int
) -> list[Column]:
    columns = [
        Column("material_index", "FACE", "INT", _material_index(fragments, body, source, place, inner)),
        Column("sharp_face", "FACE", "BOOLEAN", _sharp_faces(place, source)),
        Column(names.REST, "POINT", "FLOAT_VECTOR", _flat(rest_positions(fragments, source))),
    ]
    carries_generated = any(layer.name == names.GENERATED for layer in source.layers)
    if generated or carries_generated:
        values = generated_positions(fragments, place, source)
        columns.append(Column(names.GENERATED, "POINT", "FLOAT_VECTOR", values.reshape(-1)))
    marks = {names.INNER: fragments.face_bond >= 0}
    if (body.made == Made.CAP).any():
        marks[names.CAP] = place.made == Made.CAP
    fill_uv = _uv_filler(fragments, body, source, place)
    for layer in source.layers:
        if layer.domain == "EDGE" or layer.name in (names.REST, names.GENERATED):
            continue
        values = carried(layer, fragments, place, source)
        if layer.data_type == "FLOAT2" and layer.domain == "CORNER":
            values = fill_uv(values, layer)
        if layer.name in marks and layer.domain == "FACE" and layer.data_type == "BOOLEAN":
            marks[layer.name] |= values[:, 0]
            continue
        columns.append(Column(layer.name, layer.domain, layer.data_type, values.reshape(-1), layer.texts))
    return [*columns, *(Column(name, "FACE", "BOOLEAN", values) for name, values in marks.items())]


def _material_index(
    fragments: Fragments, body: Body, source: SourceAttributes, place: Places, inner: int
) -> np.ndarray:
    """(F,) the source's slots, `inner` for inner faces, and one after all others for rims."""
    result = np.full(len(place.made), inner, np.int32)
    skin = np.flatnonzero(place.made != INSIDE)
    result[skin] = slot_of(source, body.source[fragments.face_triangle[skin]])
    result[place.made == Made.RIM] = max(inner + 1, len(slots_of(source)))
    return result


def _sharp_faces(place: Places, source: SourceAttributes) -> np.ndarray:
    """(F,) all that is flat: what was not there, rims, and what was flat before."""
    result = np.ones(len(place.made), bool)
    if source.shaded:
        smooth = place.outer[place.made[place.outer] != Made.RIM]
        result[smooth] = source.sharp_face[source.triangle_polygon[place.row[smooth]]]
    return result


def _uv_filler(
    fragments: Fragments, body: Body, source: SourceAttributes, place: Places
) -> Callable[[np.ndarray, Layer], np.ndarray]:
    """What gives inner faces and caps texture coordinates; nothing is worked out before there is a layer for it."""
    measured = cache(lambda: planar_metres(fragments, place, body))

    def fill(values: np.ndarray, layer: Layer) -> np.ndarray:
        return with_planar_uv(values, layer, *measured(), body, source)

    return fill


def _fill(attribute: bpy.types.Attribute, column: Column, first: dict[str, int], last: dict[str, int]) -> None:
    prop, width, _, _ = TYPES[column.data_type]
    part = column.values[width * first[column.domain] : width * last[column.domain]]
    if column.texts:
        for item, number in zip(attribute.data, part.tolist(), strict=True):
            item.value = column.texts[number]
        return
    attribute.data.foreach_set(prop, part)


def _texture_space(fragments: Fragments, source: SourceAttributes) -> tuple[list, list] | None:
    """Where a mesh's own texture space can say the same as the source's: that has no axes of its own."""
    affine = source.rest.generated
    scale = np.diag(affine[:3])
    if np.any(scale <= 0.0) or np.abs(affine[:3] - np.diag(scale)).max() > 1e-6 * scale.min():
        return None
    size = 0.5 / scale
    location = (0.5 - affine[3]) / scale - fragments.centre
    return (location / source.unit_scale).tolist(), (size / source.unit_scale).tolist()


def _activate(mesh: bpy.types.Mesh, source: SourceAttributes) -> None:
    if source.active_uv or source.render_uv:
        # The first layer is both by itself.
        layers = mesh.uv_layers
        if layers and source.active_uv != layers[0].name and source.active_uv in layers:
            layers.active = layers[source.active_uv]
        if layers and source.render_uv != layers[0].name and source.render_uv in layers:
            layers[source.render_uv].active_render = True
    if source.active_color:
        mesh.attributes.active_color_name = source.active_color
    if source.render_color:
        mesh.attributes.default_color_name = source.render_color


def _flat(values: np.ndarray) -> np.ndarray:
    return values.astype(np.float32).reshape(-1)
