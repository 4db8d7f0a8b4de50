"""What is kept of how a solid was embedded, so that it can be cut again along other borders."""

from dataclasses import dataclass

import numpy as np

from ...types import Body, Bools, Floats, Frozen, Ints
from ..spring_lattice.hexahedra import HEXAHEDRON_FACES
from .tetrahedra import divide_hexahedra


@dataclass(frozen=True, eq=False, slots=True)
class LatticeBox(Frozen):
    """A solid, and H hexahedra around it."""

    body: Body
    rows: Ints  #: triangles of the whole body
    nodes: Floats  #: (N,3) [m]
    hexahedra: Ints  #: (H,8)
    parity: Ints  #: (H,) see `Embedding`
    number: Ints  #: (H,) which hexahedron of the embedding each is, -1 outside of the lattice
    fills_box: bool  #: whether they fill a box; else the outer faces of the lattice are the triangles of the body


def divide_hexahedra_about_middles(hexahedra: Ints, parity: Ints, mixed: Bools, nodes: int) -> tuple[Ints, Ints]:
    """Corners (M,4) of positively oriented tetrahedra of hexahedra (H,8), and the hexahedron (M,) of each.

    Those of `mixed` ones go from a face to the middle, which is node `nodes + h`; faces are divided alike in all.
    """
    plain = np.flatnonzero(~mixed)
    split = np.flatnonzero(mixed)
    first = divide_hexahedra(hexahedra[plain], parity[plain])
    face = hexahedra[split][:, HEXAHEDRON_FACES]
    # The diagonal joins the corners of the tetrahedron in the middle of the five, see `tetrahedra`.
    begins = np.array([corners[0].bit_count() & 1 for corners in HEXAHEDRON_FACES.tolist()])
    along = (begins[None, :] == parity[split][:, None])[:, :, None]
    face = np.where(along, face, face[:, :, [1, 2, 3, 0]])
    triangle = np.stack([face[:, :, [0, 1, 2]], face[:, :, [0, 2, 3]]], axis=2).reshape(-1, 3)
    middle = np.repeat(nodes + split, 12)
    corners = np.concatenate([first, np.column_stack([middle, triangle])])
    return corners, np.concatenate([np.repeat(plain, 5), np.repeat(split, 12)])
