"""An artist's own fracture pattern: the closed meshes of a collection, and the empty that marks its centre and axis."""

import hashlib
from collections import OrderedDict
from collections.abc import Iterable

import bpy
import numpy as np

from ...core.arithmetic.products import multiply, norm
from ...core.errors import InputError
from ...core.geometry.mesh import invert_3x3, map_vectors
from ...core.pieces.patterns.own import NEAR, NamedMesh, make_own_pattern
from ...core.types import OwnPattern
from . import names
from .attributes import read_integers
from .refusals import BREAKABLE, shows_instances
from .rest import fitted
from .restore import source_of
from .source import triangle_loops

#: Pieces of a break touch to this part of the diagonal, or to so many roundings of their coordinates. Chosen; below
#: `NEAR` of core/pieces/patterns/own.py, within which meshes touch.
CLOSE, ROUNDINGS = 2e-6, 32.0
#: How many patterns are held in memory: to make meshes fit takes seconds where there are many. By memory.
MOST_CACHED = 4

_cached: OrderedDict[bytes, OwnPattern] = OrderedDict()


def read_pattern(
    context: bpy.types.Context, obj: bpy.types.Object, collection: bpy.types.Collection | None
) -> OwnPattern:
    """The pattern of a collection's meshes, as modifiers and transforms show them now, to cut `obj` with.

    Pieces of an earlier break are taken at rest, wherever they have flown: those that broke no further. Hidden objects
    and such without a surface are left out. The centre and the axis are those of `mark_of`; without one the middle of
    the meshes' box, and z.

    Raises InputError, which names collection or mesh, where there is none, where it is linked, holds the object itself
    or pieces of it, or where its meshes are no pattern (see core/pieces/patterns/own.py).
    """
    if collection is None:
        raise InputError(f"'{obj.name}' has no meshes for its pattern: choose a collection of them under Pieces.")
    _refuse(obj, collection)
    meshes = _meshes(context, collection)
    if not meshes:
        raise InputError(f'The collection "{collection.name}" has no meshes that are shown: put closed meshes into it.')
    mark = mark_of(collection)
    place = None if mark is None else _world_matrix(context, mark)
    key = _key(meshes, place)
    if key not in _cached:
        centre, axis = (None, None) if place is None else (place[:3, 3], place[:3, 2])
        _cached[key] = make_own_pattern(meshes, centre, axis, _tolerance(collection, meshes))
        while len(_cached) > MOST_CACHED:
            _cached.popitem(last=False)
    _cached.move_to_end(key)
    return _cached[key]


def mark_of(collection: bpy.types.Collection) -> bpy.types.Object | None:
    """The empty whose place is the centre of the pattern and whose z is its axis; the first by name."""
    return min((obj for obj in collection.all_objects if is_mark(obj)), key=lambda obj: obj.name, default=None)


def is_mark(obj: bpy.types.Object) -> bool:
    """Whether an object marks the centre and axis of a pattern."""
    return obj.type == "EMPTY" and bool(getattr(getattr(obj, names.OBJECT, None), "pattern_mark", False))


def box_of(context: bpy.types.Context, collection: bpy.types.Collection) -> tuple[np.ndarray, np.ndarray]:
    """Low and high (3,) of the meshes' box in the world; the origin where there are none."""
    points = [vertices[np.isfinite(vertices).all(axis=1)] for _, vertices, _ in _meshes(context, collection)]
    some = np.concatenate([*points, np.zeros((0, 3))])
    return (some.min(axis=0), some.max(axis=0)) if len(some) else (np.zeros(3), np.zeros(3))


def _refuse(obj: bpy.types.Object, collection: bpy.types.Collection) -> None:
    if collection.library is not None:
        raise InputError(
            f'The collection "{collection.name}" is linked from a library: make it local, or append it, first.'
        )
    if obj.name in collection.all_objects and collection.all_objects[obj.name] == obj:
        raise InputError(f"The collection \"{collection.name}\" holds '{obj.name}', which it is to cut: take that out.")
    if any(source_of(item) == obj for item in collection.all_objects):
        raise InputError(
            f"The collection \"{collection.name}\" holds pieces of '{obj.name}' itself, which the new ones replace: "
            "copy them into another collection, and choose that."
        )


def _meshes(context: bpy.types.Context, collection: bpy.types.Collection) -> list[NamedMesh]:
    """Name, vertices (V,3) and triangles (T,3) of each piece, by name, in the world."""
    found = sorted((obj for obj in collection.all_objects if obj.type in BREAKABLE), key=lambda obj: obj.name)
    parents = {obj[names.PARENT] for obj in found if names.PARENT in obj}
    shards = [obj for obj in found if names.FRAGMENT in obj and _knows_rest(obj)]
    others = [obj for obj in found if names.FRAGMENT not in obj or not _knows_rest(obj)]
    plain = [obj for obj in others if not (obj.hide_viewport or obj.hide_get() or obj.get(names.FRAGMENT) in parents)]
    graph = context.evaluated_depsgraph_get() if plain else None
    whole = [obj for obj in shards if obj[names.FRAGMENT] not in parents]
    return [*(_mesh(context, obj, graph) for obj in plain), *_at_rest(whole)]


def _knows_rest(obj: bpy.types.Object) -> bool:
    """Whether a piece knows where its points lay before the break."""
    return obj.type == "MESH" and names.REST in obj.data.attributes


def _mesh(context: bpy.types.Context, obj: bpy.types.Object, graph: bpy.types.Depsgraph) -> NamedMesh:
    seen = obj.evaluated_get(graph)
    if not seen.is_evaluated:
        if obj.type != "MESH" or obj.data.shape_keys or any(item.show_viewport for item in obj.modifiers):
            raise InputError(f"'{obj.name}' is not in view: show its collection, so that its modifiers can be seen.")
        return obj.name, *_world_mesh(obj.data, _world_matrix(context, obj))
    if shows_instances(seen):
        raise InputError(f"'{obj.name}' of the pattern shows instances of other objects: make them real first.")
    mesh = seen.to_mesh(depsgraph=graph)
    try:
        if mesh is None:
            raise InputError(f"'{obj.name}' of the pattern has no surface: take it out of the collection.")
        return obj.name, *_world_mesh(mesh, np.array(seen.matrix_world, np.float64))
    finally:
        seen.to_mesh_clear()


def _tolerance(collection: bpy.types.Collection, meshes: list[NamedMesh]) -> float:
    """To what part of the diagonal meshes touch: closely where all are pieces of a break, which may be very small.

    These were rounded once to 32 bits, in the coordinates of what broke.
    """
    rest = [obj for obj in collection.all_objects if names.FRAGMENT in obj and _knows_rest(obj)]
    if not {name for name, _, _ in meshes} <= {obj.name for obj in rest}:
        return NEAR
    points = np.concatenate([_points(obj.data, names.REST) for obj in rest])
    rounding = float(np.abs(points).max() / norm(np.ptp(points, axis=0))) * 2.0**-24
    return float(np.clip(ROUNDINGS * rounding, CLOSE, NEAR))


def _world_mesh(mesh: bpy.types.Mesh, matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return map_vectors(_points(mesh, "position"), matrix[:3, :3]) + matrix[:3, 3], _triangles(mesh)


def _world_matrix(context: bpy.types.Context, obj: bpy.types.Object) -> np.ndarray:
    """(4,4) of an object, also of one that no view shows, as an asset's that was only appended."""
    seen = obj.evaluated_get(context.evaluated_depsgraph_get())
    if seen.is_evaluated:
        return np.array(seen.matrix_world, np.float64)
    matrix = np.array(obj.matrix_basis, np.float64)
    if obj.parent is None:
        return matrix
    return multiply(
        multiply(_world_matrix(context, obj.parent), np.array(obj.matrix_parent_inverse, np.float64)), matrix
    )


def _at_rest(shards: list[bpy.types.Object]) -> Iterable[NamedMesh]:
    """Pieces where they lay before the break, in axes of the world; keys hide and move them, so nothing is evaluated.

    Their rest positions are in the coordinates of what broke: how these lie in the world the largest piece tells.
    """
    if not shards:
        return
    rest = [_points(obj.data, names.REST) for obj in shards]
    largest = max(range(len(shards)), key=lambda k: float(np.ptp(rest[k], axis=0).prod()))
    to_rest = fitted(_points(shards[largest].data, "position"), rest[largest])
    back = invert_3x3(to_rest[:3])
    source = source_of(shards[largest])
    if source is None or names.FRAGMENT in source:
        known, at = shards[largest], to_rest[3]  # copies of pieces: about where the largest one is now
    else:
        known, at = source, np.zeros(3)
    origin = np.array(known.matrix_world.translation, np.float64)
    for obj, points in zip(shards, rest, strict=True):
        yield obj.name, map_vectors(points - at, back.T) + origin, _triangles(obj.data)


def _points(mesh: bpy.types.Mesh, name: str) -> np.ndarray:
    values = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.attributes[name].data.foreach_get("vector", values.reshape(-1))
    return values.astype(np.float64)


def _triangles(mesh: bpy.types.Mesh) -> np.ndarray:
    return read_integers(mesh, ".corner_vert", len(mesh.loops))[triangle_loops(mesh)[0]].astype(np.int64)


def _key(meshes: list[NamedMesh], place: np.ndarray | None) -> bytes:
    digest = hashlib.sha256(b"" if place is None else place.tobytes())
    for name, vertices, triangles in meshes:
        digest.update(repr((name, vertices.shape, triangles.shape)).encode())
        digest.update(np.ascontiguousarray(vertices).tobytes() + np.ascontiguousarray(triangles).tobytes())
    return digest.digest()
