"""The faces of cells cut into triangles."""

import numpy as np

from ..geometry import packed
from ..types import Cells, Floats, Fragments, Ints
from .triangulate import triangulated


def face_triangles(cells: Cells, faces: Ints, *, inner: bool) -> tuple[Ints, Ints]:
    """Vertices (n,3) of the triangles of some outer or inner faces, and which of these each is a part of.

    Inner faces need not be convex.
    """
    start = cells.inner_start if inner else cells.outer_start
    vertex = cells.inner_vertex if inner else cells.outer_vertex
    length = np.diff(start)[faces]
    corner = vertex[packed.ranges(start[faces], length)]
    if not inner:
        return packed.fan_triangles(packed.packed_starts(length), corner)
    used, local = np.unique(corner, return_inverse=True)
    cut = triangulated(_as_fragment(cells.vertices[used], packed.packed_starts(length), local.reshape(-1)))
    return used[cut.corner_vertex].reshape(-1, 3), cut.face_triangle


def _as_fragment(vertices: Floats, start: Ints, corner: Ints) -> Fragments:
    """Faces as a fragment without mass, the form in which they can be triangulated."""
    faces = np.arange(len(start) - 1)
    ends, one = np.array([0, 1]), np.zeros(1)
    return Fragments(
        ends * len(vertices), vertices, ends * len(faces), start, corner, np.zeros((len(corner), 3)), faces, faces,
        one, one, np.zeros((1, 3)), np.zeros((1, 3, 3)),
    )  # fmt: skip
