"""What bodies are made of where they touch: convex parts with their corners, faces and edges."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..jit import sealed_floats, sealed_ints
from ..types import Floats, Frozen, Ints
from .records import FACE, PART, PATCH, Records, empty, joined_records, sealed


class Geometry(NamedTuple):
    """The arrays of `Shapes` as kernels take them, all read-only."""

    parts: Records  #: (P,) PART
    vertices: Floats  #: (N,3) [m]
    faces: Records  #: (F,) FACE
    loop: Ints  #: (H,) corners of the faces, counter-clockwise seen from outside: vertices counted within the part
    edges: Ints  #: (E,4) two vertices and two faces, all counted within the part
    patches: Records  #: (Q,) PATCH
    outline: Floats  #: (U,3) corners of the patches, counter-clockwise seen from outside [m]


@dataclass(frozen=True, eq=False, slots=True)
class Shapes(Frozen):
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
    patches: Records = field(default_factory=lambda: empty(PATCH, 0))  #: (Q,) PATCH
    outline: Floats = field(default_factory=lambda: np.zeros((0, 3)))  #: (U,3) [m]

    @property
    def geometry(self) -> Geometry:
        """The arrays for kernels."""
        return Geometry(
            sealed(self.parts),
            sealed_floats(self.vertices),
            sealed(self.faces),
            sealed_ints(self.loop),
            sealed_ints(self.edges),
            sealed(self.patches),
            sealed_floats(self.outline),
        )


def no_shapes() -> Shapes:
    """Shapes without a part."""
    return Shapes(empty(PART, 0), np.zeros((0, 3)), empty(FACE, 0), np.zeros(0, np.int64), np.zeros((0, 4), np.int64))


def concatenated(shapes: list[Shapes]) -> Shapes:
    """The parts of all shapes, in order."""
    if not shapes:
        return no_shapes()
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
            row.mate[row.mate >= 0] += part_count
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
    return Shapes(
        joined_records(parts),
        np.concatenate([some.vertices for some in shapes]),
        joined_records(faces),
        np.concatenate([some.loop for some in shapes]),
        np.concatenate([some.edges for some in shapes]),
        joined_records(patches),
        np.concatenate([some.outline for some in shapes]),
    )
