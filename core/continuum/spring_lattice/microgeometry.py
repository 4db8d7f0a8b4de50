"""Which corners of a cell are joined by springs: the microgeometries of Norton et al. 1991, figures 1 and 2.

All have springs along the 12 edges. A adds the four body diagonals: three ways to deform a block remain without any
resistance. B adds one diagonal on each face, such that those of a cell form a regular tetrahedron; neighbours choose
the other corners, so that they share the diagonals of their faces. C adds both diagonals on each face.
"""

from enum import IntEnum

import numpy as np

from ...types import Ints
from .hexahedra import HEXAHEDRON_EDGES, HEXAHEDRON_FACES, HexahedralComplex


class Microgeometry(IntEnum):
    """Which springs a cell has; the numbers are those of files."""

    BODY_DIAGONALS = 1  #: A
    ALTERNATING_FACE_DIAGONALS = 2  #: B
    FACE_DIAGONALS = 3  #: C


#: (4,2)
_BODY_DIAGONALS = np.array([(k, 7 - k) for k in range(4)])


def _face_diagonals() -> Ints:
    """The two diagonals (6,2,2) of each face, the one between corners with an even number of ones first."""
    both = [[(face[0], face[2]), (face[1], face[3])] for face in HEXAHEDRON_FACES.tolist()]
    return np.array([sorted(pairs, key=lambda pair: pair[0].bit_count() & 1) for pairs in both])


_FACE_DIAGONALS = _face_diagonals()


def spring_corners(solid: HexahedralComplex, microgeometry: Microgeometry) -> Ints:
    """The corners (c,m,2) that the springs of each cell join.

    The 12 edges come first, then the diagonals: of C both of a face, one after the other.
    """
    edges = np.broadcast_to(HEXAHEDRON_EDGES, (len(solid.cell_node), 12, 2))
    if microgeometry == Microgeometry.BODY_DIAGONALS:
        diagonals = np.broadcast_to(_BODY_DIAGONALS, (len(edges), 4, 2))
    elif microgeometry == Microgeometry.ALTERNATING_FACE_DIAGONALS:
        diagonals = np.moveaxis(_FACE_DIAGONALS, 1, 0)[solid.cell_parity]
    else:
        diagonals = np.broadcast_to(_FACE_DIAGONALS.reshape(12, 2), (len(edges), 12, 2))
    return np.concatenate([edges, diagonals], axis=1)
