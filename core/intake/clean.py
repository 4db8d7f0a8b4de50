"""Whether a mesh can be cut as it is, apart from parts that are inside out: the one quick look for good meshes.

All lengths are relative to the mesh: the verdict does not depend on its size.

Limitation: overlap that shows in no crossing pair (surfaces that meet exactly along edges) is looked for at the best
face of each shell and at 4,096 faces spread over the mesh.
"""

import numpy as np

from ..arithmetic.products import apply, norm
from ..geometry.crossings import crossing_pairs
from ..geometry.inside import winding_number
from ..geometry.mesh import MeshEdges, cross_rows, edge_census, find_shells
from ..geometry.shells import LEAST, Measures, measure_shells
from ..types import Bools, Floats, Ints

FLAT = 2.0**-23  # volume / area^1.5 below which a shell encloses nothing; half the spacing of float32
_PROBES = 4096  # faces at which the winding number is looked at, besides the best face of each shell; chosen by time
# Distance of a probe from its face, in inradii of the face; chosen: far above round-off, far below what lies next to a
# face.
PROBE_STEP = 1e-3


def inside_out(vertices: Floats, triangles: Ints, edges: MeshEdges) -> Bools | None:
    """Which triangles (T,) must be turned for a body that can be cut; None where more than that is needed.

    Every vertex must be used by a triangle; `edges` are those of the triangles. None for anything that is open,
    inconsistently oriented, flat, next to nothing, nested, crossing itself or touching along edges of more than two
    faces.
    """
    if not balanced(edges) or edge_census(edges)[2]:
        return None
    shell = find_shells(edges)
    found = measure_shells(vertices, triangles, shell)
    size = np.abs(found.volume)
    if (size <= FLAT * found.area * np.sqrt(found.area)).any() or (size <= LEAST * size.max()).any():
        return None
    if len(crossing_pairs(vertices, triangles, limit=1)):  # before rays are sent through what may be all noise
        return None
    turned = _turned_shells(vertices, triangles, shell, found)
    return None if turned is None else turned[shell]


def balanced(edges: MeshEdges) -> bool:
    """Whether the directions of every edge cancel, so that the mesh winds a whole number of times around points."""
    return not edges.surplus.any()


def _turned_shells(vertices: Floats, triangles: Ints, shell: Ints, found: Measures) -> Bools | None:
    """Which shells (n,) are inside out; None where matter lies within matter.

    The winding number just in front of a face must be 0 and just behind it 1. At a shell that is inside out and not
    nested it is -1 and 0; turning adds 1 on both sides, which repairs a body that is inside out together with its
    cavities as well.
    """
    radius, best = found.radius, found.best
    spread = np.arange(0, len(triangles), max(1, len(triangles) // _PROBES))
    faces = np.concatenate([best, spread])
    faces, probes = beside_faces(vertices, triangles, faces, radius[faces])
    front, behind = winding_number(vertices, triangles, probes).reshape(2, -1)
    turned = np.zeros(len(best), dtype=np.bool_)
    known = np.isin(faces, best)
    turned[shell[faces[known]]] = (front == -1)[known] & (behind == 0)[known]
    if turned.any():
        flipped = np.where(turned[shell][:, None], triangles[:, [0, 2, 1]], triangles)
        front, behind = winding_number(vertices, flipped, probes).reshape(2, -1)
        front, behind = np.where(turned[shell[faces]], (behind, front), (front, behind))
    return None if (front != 0).any() or (behind != 1).any() else turned


def beside_faces(vertices: Floats, triangles: Ints, faces: Ints, radius: Floats) -> tuple[Ints, Floats]:
    """Points in front of faces, then behind them (2n,3), and those faces (n,) that are not too small to have any.

    `radius` are the inradii of the faces.
    """
    wide = PROBE_STEP * radius > 1e-13 * max(vertices.max(), -vertices.min())
    faces, radius = faces[wide], radius[wide]
    corner = vertices[triangles[faces]]
    normal = cross_rows(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    step = (PROBE_STEP * radius / norm(normal))[:, None] * normal
    centre = _incentres(corner)
    return faces, np.concatenate([centre + step, centre - step])


def _incentres(corner: Floats) -> Floats:
    """Centre of the inscribed circle of triangles (n,3,3): the point farthest from all sides."""
    length = np.stack([norm(corner[:, (k + 2) % 3] - corner[:, (k + 1) % 3]) for k in range(3)], axis=1)
    return apply(np.swapaxes(corner, 1, 2), length / length.sum(axis=1)[:, None])
