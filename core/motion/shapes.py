"""What bodies are made of where they touch: convex parts with their corners, faces and edges."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..jit import sealed_floats, sealed_ints
from ..types import Floats, Frozen, Ints
from .records import FACE, PART, RecordArray, Records, empty, sealed


class Geometry(NamedTuple):
    """The arrays of `Shapes` as kernels take them, all read-only."""

    parts: Records  #: (P,) PART
    vertices: Floats  #: (N,3) [m]
    faces: Records  #: (F,) FACE
    loop: Ints  #: (H,) corners of the faces, counter-clockwise seen from outside: vertices counted within the part
    edges: Ints  #: (E,4) two vertices and two faces, all counted within the part


@dataclass(frozen=True, eq=False, slots=True)
class Shapes(Frozen):
    """Convex parts in material coordinates, where all pieces of a body have their rest pose.

    Parts are made once for all cells of a body; which body a part belongs to changes when it breaks (see RigidBodies).
    Every part has a volume: at least four faces, each edge between two faces, no two faces of a part in one plane.
    """

    parts: Records  #: (P,) PART
    vertices: Floats  #: (N,3) [m]
    faces: Records  #: (F,) FACE
    loop: Ints  #: (H,)
    edges: Ints  #: (E,4)

    @property
    def geometry(self) -> Geometry:
        """The arrays for kernels."""
        return Geometry(
            sealed(self.parts),
            sealed_floats(self.vertices),
            sealed(self.faces),
            sealed_ints(self.loop),
            sealed_ints(self.edges),
        )


def no_shapes() -> Shapes:
    """Shapes without a part."""
    return Shapes(empty(PART, 0), np.zeros((0, 3)), empty(FACE, 0), np.zeros(0, np.int64), np.zeros((0, 4), np.int64))


def concatenated(shapes: list[Shapes]) -> Shapes:
    """The parts of all shapes, in order."""
    parts, faces = [], []
    part_count = vertex_count = face_count = loop_count = edge_count = 0
    for some in shapes:
        moved, turned = some.parts.copy(), some.faces.copy()
        moved.vertex += vertex_count
        moved.face += face_count
        moved.edge += edge_count
        turned.loop += loop_count
        turned.mate[turned.mate >= 0] += part_count
        parts.append(moved)
        faces.append(turned)
        part_count += len(some.parts)
        vertex_count += len(some.vertices)
        face_count += len(some.faces)
        loop_count += len(some.loop)
        edge_count += len(some.edges)
    if not shapes:
        return no_shapes()
    return Shapes(
        np.concatenate(parts).view(PART).view(RecordArray),  # numpy forgets that these are records
        np.concatenate([some.vertices for some in shapes]),
        np.concatenate(faces).view(FACE).view(RecordArray),
        np.concatenate([some.loop for some in shapes]),
        np.concatenate([some.edges for some in shapes]),
    )
