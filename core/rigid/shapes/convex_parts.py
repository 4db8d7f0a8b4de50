"""What bodies are made of where they touch: convex parts with their corners, faces and edges."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...arithmetic.products import apply, dot
from ...jit import sealed_floats, sealed_ints
from ...record_arrays import Records, join_records, read_only_view, zero_records
from ...types import Floats, Frozen, Ints
from ..records import FACE_RECORD, PART, PATCH


class PartGeometry(NamedTuple):
    """The arrays of `ConvexParts` as kernels take them, all read-only."""

    parts: Records  #: (P,) PART
    vertices: Floats  #: (N,3) [m]
    faces: Records  #: (F,) FACE
    loop: Ints  #: (H,) corners of the faces, counter-clockwise seen from outside: vertices counted within the part
    edges: Ints  #: (E,4) two vertices and two faces, all counted within the part
    patches: Records  #: (Q,) PATCH
    outline: Floats  #: (U,3) corners of the patches, counter-clockwise seen from outside [m]


@dataclass(frozen=True, eq=False, slots=True)
class ConvexParts(Frozen):
    """Convex parts in material coordinates, where all pieces of a body have their rest pose.

    Parts are made once for all cells of a body; which body a part belongs to changes when it breaks (see RigidBodies).
    Every part has a volume: at least four faces, each edge between two faces, no two faces of a part in one plane.
    Faces behind which there are different things in different places are divided into patches.
    """

    parts: Records  #: (P,) PART
    vertices: Floats  #: (N,3) [m]
    faces: Records  #: (F,) FACE
    loop: Ints  #: (H,)
    edges: Ints  #: (E,4)
    patches: Records = field(default_factory=lambda: zero_records(PATCH, 0))  #: (Q,) PATCH
    outline: Floats = field(default_factory=lambda: np.zeros((0, 3)))  #: (U,3) [m]

    @property
    def geometry(self) -> PartGeometry:
        """The arrays for kernels."""
        return PartGeometry(
            read_only_view(self.parts),
            sealed_floats(self.vertices),
            read_only_view(self.faces),
            sealed_ints(self.loop),
            sealed_ints(self.edges),
            read_only_view(self.patches),
            sealed_floats(self.outline),
        )


def no_parts() -> ConvexParts:
    """Shapes without a part."""
    return ConvexParts(
        zero_records(PART, 0),
        np.zeros((0, 3)),
        zero_records(FACE_RECORD, 0),
        np.zeros(0, np.int64),
        np.zeros((0, 4), np.int64),
    )


def concatenate_parts(shapes: list[ConvexParts]) -> ConvexParts:
    """The parts of all shapes, in order."""
    if not shapes:
        return no_parts()
    parts, faces, patches = [], [], []
    part_count = vertex_count = face_count = loop_count = edge_count = patch_count = outline_count = 0
    for some in shapes:
        moved, turned, divided = some.parts.copy(), some.faces.copy(), some.patches.copy()
        moved.vertex += vertex_count
        moved.face += face_count
        moved.edge += edge_count
        turned.loop += loop_count
        turned.patch += patch_count
        divided.corner += outline_count
        for row in (turned, divided):
            row.adjacent[row.adjacent >= 0] += part_count
        parts.append(moved)
        faces.append(turned)
        patches.append(divided)
        part_count += len(some.parts)
        vertex_count += len(some.vertices)
        face_count += len(some.faces)
        loop_count += len(some.loop)
        edge_count += len(some.edges)
        patch_count += len(some.patches)
        outline_count += len(some.outline)
    return ConvexParts(
        join_records(parts),
        np.concatenate([some.vertices for some in shapes]),
        join_records(faces),
        np.concatenate([some.loop for some in shapes]),
        np.concatenate([some.edges for some in shapes]),
        join_records(patches),
        np.concatenate([some.outline for some in shapes]),
    )


def part_range(shapes: ConvexParts, first: int, end: int) -> ConvexParts:
    """The parts from `first` to before `end`, of which none has an adjacent part among the others."""
    parts = shapes.parts[first:end].copy()
    vertices, faces, edges = (_of_parts(parts, name) for name in ("vertex", "face", "edge"))
    some = shapes.faces[faces].copy()
    loop, patch = (_bounds(rows) for rows in (some.loop, some.patch))
    divided = shapes.patches[patch].copy()
    outline = _bounds(divided.corner)
    some.loop -= loop.start
    some.patch -= patch.start
    divided.corner -= outline.start
    for row in (some, divided):
        row.adjacent[row.adjacent >= 0] -= first
    return ConvexParts(
        parts, shapes.vertices[vertices], some, shapes.loop[loop], shapes.edges[edges], divided, shapes.outline[outline]
    )


def transform_parts(shapes: ConvexParts, turn: Floats, origin: Floats) -> ConvexParts:
    """Shapes in other coordinates: a point p of part k is at `turn[k] @ p + origin[k]`; (P,3,3) and (P,3)."""
    part = np.arange(len(shapes.parts))
    parts, faces = shapes.parts.copy(), shapes.faces.copy()
    parts.centre = apply(turn, parts.centre) + origin
    vertex, face = (np.repeat(part, np.diff(getattr(parts, name), axis=1)[:, 0]) for name in ("vertex", "face"))
    faces.normal = apply(turn[face], faces.normal)
    faces.offset = faces.offset + dot(faces.normal, origin[face])
    patch = np.repeat(face, np.diff(faces.patch, axis=1)[:, 0])
    corner = np.repeat(patch, np.diff(shapes.patches.corner, axis=1)[:, 0])
    outline = apply(turn[corner], shapes.outline) + origin[corner]
    vertices = apply(turn[vertex], shapes.vertices) + origin[vertex]
    return ConvexParts(parts, vertices, faces, shapes.loop, shapes.edges, shapes.patches, outline)


def _of_parts(parts: Records, name: str) -> slice:
    """Where what parts name lies, which is counted from its first one then."""
    rows = getattr(parts, name)
    found = _bounds(rows)
    rows -= found.start
    return found


def _bounds(rows: Ints) -> slice:
    """What some ranges (n,2), one behind the other, reach over; empty ones may be anywhere."""
    some = rows[rows[:, 0] < rows[:, 1]]
    return slice(int(some[:, 0].min()), int(some[:, 1].max())) if len(some) else slice(0, 0)
