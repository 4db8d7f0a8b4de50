"""Connected pieces: a region may hold several separate parts of the body, and each of them is a cell."""

import numpy as np

from ..errors import CutError
from ..geometry.graph import connected_labels
from ..types import Floats, Ints
from .packed import ranges


def join_faces(
    start: Ints, vertex: Ints, faces: Ints, face_region: Ints, order: Ints, vertices: int, pairs: Ints
) -> Ints:
    """Component (n,) of each face side, numbered in the order of `order`.

    Side i runs along corners start[faces[i]] : start[faces[i]+1]; sides of one region that share a vertex are one
    component, and so are `pairs (.,2)` of sides. `order` sorts the sides by region.
    """
    length = start[faces + 1] - start[faces]
    side = np.repeat(np.arange(len(faces)), length)
    key = face_region[side] * vertices + vertex[ranges(start[faces], length)]
    sort = np.argsort(key, kind="stable")
    same = key[sort[1:]] == key[sort[:-1]]
    touching = np.stack([side[sort[:-1]][same], side[sort[1:]][same]], axis=1)
    component = connected_labels(len(faces), np.concatenate([touching, pairs]))
    first = np.unique(component[order], return_index=True)[1]
    number = np.empty(len(first), np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return np.asarray(number[component])


def _solid_angle(triangles: Floats, point: Floats) -> float:
    """Signed solid angle of triangles (n,3,3) seen from a point (van Oosterom and Strackee 1983, eq. 8)."""
    r = triangles - point
    length = np.linalg.norm(r, axis=2)
    a, b, c = r[:, 0], r[:, 1], r[:, 2]
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    along = length[:, 0] * length[:, 1] * length[:, 2]
    along = along + np.einsum("ij,ij->i", a, b) * length[:, 2] + np.einsum("ij,ij->i", b, c) * length[:, 0]
    along = along + np.einsum("ij,ij->i", a, c) * length[:, 1]
    return float(2.0 * np.arctan2(volume, along).sum())


def enclosing_component(shells: dict[int, Floats], point: Floats, volume: Floats) -> int:
    """The smallest of the `shells` (component -> triangles (n,3,3)) around a point.

    Raises CutError where there is none.
    """
    inside = [key for key, triangles in shells.items() if _solid_angle(triangles, point) > 2.0 * np.pi]
    if not inside:
        raise CutError("A hollow of the mesh has no wall around it; its faces may point the wrong way.")
    return min(inside, key=lambda key: float(volume[key]))
