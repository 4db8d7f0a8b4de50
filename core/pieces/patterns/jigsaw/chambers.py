"""Which space between conforming triangles is whose: the chambers of the meshes, and gaps, which a neighbour takes."""

from typing import NamedTuple

import numpy as np

from ....geometry.inside import winding_number
from ....geometry.mesh import areas
from ....geometry.sides import Sides, sides
from ....types import Floats, Ints
from .patches import ConformingTriangles

#: Label of a chamber that no mesh has made.
NOBODY = -1


class Walls(NamedTuple):
    """Triangles between regions, and how much of them had to be found."""

    vertices: Floats
    triangles: Ints  #: (n,3) counter-clockwise seen from hi
    sides: Ints  #: (n,2) regions lo, hi; hi = -1 outside
    gaps: float  #: volume that no mesh covers and that went to neighbours


def walls_of(mesh: ConformingTriangles, regions: int) -> Walls:
    """Give every chamber to one of the meshes 0..regions-1; mesh number `regions` is the hull, outside lies before it.

    A chamber is the mesh's that has most of its surface; one that no mesh has, a gap, is given to the neighbour with
    which it shares the largest area.
    """
    found = sides(mesh.vertices, mesh.triangles)
    area = areas(mesh.vertices, mesh.triangles)
    label = _claimed(mesh, found, area, regions)
    label, gaps = _completed(mesh, found, area, label, regions)
    behind, front = label[found.group[:, 0]], label[found.group[:, 1]]
    apart = behind != front
    turned = (behind == regions) | (front < behind) & (front != regions)
    lo, hi = np.where(turned, front, behind), np.where(turned, behind, front)
    triangles = np.where(turned[:, None], mesh.triangles[:, [0, 2, 1]], mesh.triangles)
    pair = np.stack([lo, np.where(hi == regions, -1, hi)], axis=1)
    return Walls(mesh.vertices, triangles[apart], pair[apart], gaps)


def _claimed(mesh: ConformingTriangles, found: Sides, area: Floats, regions: int) -> Ints:
    """Label (G,) of each group of sides: the mesh with most of its area, the outside's, or NOBODY's."""
    count = len(found.volume)
    # Inside of a mesh is what lies behind its triangles; of the hull, outside is what lies in front of them.
    side = np.where((mesh.claim_mesh == regions) != mesh.claim_front, 1, 0)
    group = found.group[mesh.claim_triangle, side]
    weight = np.bincount(group * (regions + 1) + mesh.claim_mesh, area[mesh.claim_triangle], count * (regions + 1))
    table = weight.reshape(count, regions + 1)
    return np.where(table.max(axis=1) > 0.0, table.argmax(axis=1), NOBODY)


def _completed(mesh: ConformingTriangles, found: Sides, area: Floats, label: Ints, regions: int) -> tuple[Ints, float]:
    """The labels with every gap given away, and the volume of all gaps."""
    label = label.copy()
    gaps = np.flatnonzero(label == NOBODY)
    room = np.arange(len(label))
    for group in gaps[found.volume[gaps] < 0.0].tolist():  # what floats in a gap looks into it by a group of its own
        room[group] = _around(mesh, found, group, gaps[found.volume[gaps] > 0.0])
        if room[group] == group:
            label[group] = regions  # it lies outside of everything
    gaps = np.flatnonzero(label == NOBODY)
    shared = np.zeros((len(label), regions))
    for side in (0, 1):
        mine, other = room[found.group[:, side]], label[found.group[:, 1 - side]]
        rows = np.flatnonzero((label[found.group[:, side]] == NOBODY) & (other >= 0) & (other < regions))
        np.add.at(shared, (mine[rows], other[rows]), area[rows])
    label[gaps] = shared[room[gaps]].argmax(axis=1)
    return label, float(found.volume[gaps].sum())


def _around(mesh: ConformingTriangles, found: Sides, group: int, chambers: Ints) -> int:
    """The smallest of the chambers that holds a group, or the group itself."""
    row = int(np.flatnonzero((found.group == group).any(axis=1))[0])
    point = mesh.vertices[mesh.triangles[row, :1]]
    best = group
    for chamber in chambers[np.argsort(-found.volume[chambers], kind="stable")].tolist():
        behind, front = found.group[:, 0] == chamber, found.group[:, 1] == chamber
        triangles = np.concatenate([mesh.triangles[behind & ~front], mesh.triangles[front & ~behind][:, ::-1]])
        if winding_number(mesh.vertices, triangles, point)[0] > 0:
            best = chamber
    return best
