"""What cracks have left: their faces, and the pieces."""

from dataclasses import dataclass

import numpy as np

from ...arithmetic.products import norm
from ...geometry.graph import connected_labels
from ...types import Frozen, Ints
from .cut_mesh import CutMesh

#: Nodes of the face across from each corner of an element, counter-clockwise seen from outside.
FACE_CORNERS = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])


@dataclass(frozen=True, eq=False, slots=True)
class CrackFaces(Frozen):
    """Both sides of all cracks. The two sides of one face as it was made have one number, and cover the same places.

    Where elements are cut further, both sides are divided alike: each face has one twin at the same places.
    """

    element: Ints  #: (f,) that each belongs to
    node: Ints  #: (f,3) counter-clockwise seen from outside
    number: Ints  #: (f,)


def crack_faces(mesh: CutMesh) -> CrackFaces:
    """The faces of the mesh as it is now, in the order of its elements."""
    crack = mesh.rows.elements.crack[: mesh.element_count]
    element, corner = np.nonzero(crack >= 0)
    node = mesh.element_node[element[:, None], FACE_CORNERS[corner]]
    return CrackFaces(element, node, crack[element, corner])


def crack_area(mesh: CutMesh) -> float:
    """Area of all cracks, of one side, in the material [m^2]."""
    place = mesh.rows.nodes.material[crack_faces(mesh).node]
    across = np.cross(place[:, 1] - place[:, 0], place[:, 2] - place[:, 0])
    return 0.25 * float(np.asarray(norm(across)).sum())


def piece_labels(mesh: CutMesh) -> Ints:
    """The piece (e,) of each element, numbered in the order of their first nodes."""
    node = mesh.element_node
    links = np.concatenate([node[:, [0, 1]], node[:, [0, 2]], node[:, [0, 3]]])
    return np.asarray(connected_labels(mesh.node_count, links)[node[:, 0]])
