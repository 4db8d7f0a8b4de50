"""The faces between grains: size, place and shape of what the bonds of a joint cover together."""

from typing import NamedTuple

import numpy as np

from ...arithmetic.products import dot, multiply
from ...cutting.units import mean_normal
from ...geometry.packed import fan_triangles
from ...geometry.sums import summed
from ...types import Cells, Floats, Ints


class JointFaces(NamedTuple):
    """Of J joints."""

    area: Floats  #: (J,) [m^2]
    normal: Floats  #: (J,3) unit, from the first grain to the second
    middle: Floats  #: (J,3) centroid [m]
    spread: Floats  #: (J,3,3) integral of r r^T over the face, about the middle [m^4]


def sum_joint_faces(cells: Cells, bonds: Ints, joint: Ints, turned: Floats, count: int) -> JointFaces:
    """Sum `bonds (n,)` of some cells to the joints `joint (n,)`; `turned (n,)` is -1 where lo and hi are exchanged."""
    area, middle = cells.bond_area[bonds], cells.bond_centroid[bonds]
    whole = np.bincount(joint, area, count).astype(np.float64)
    # About the first bond, so that bodies far from the origin lose no digits.
    origin = middle[0] if len(middle) else np.zeros(3)
    centre = summed(area[:, None] * (middle - origin), joint, count) / whole[:, None] + origin
    normal = mean_normal(joint, area, turned[:, None] * cells.bond_normal[bonds], count)
    return JointFaces(whole, normal, centre, _spread(cells, bonds, joint, centre, count))


def _spread(cells: Cells, bonds: Ints, joint: Ints, centre: Floats, count: int) -> Floats:
    """Integral of r r^T by triangles: A/12 (sum v v^T + s s^T) with the sum s of the corners v."""
    of_bond = np.full(len(cells.bond_area), -1, np.int64)
    of_bond[bonds] = joint
    corners, face = fan_triangles(cells.inner_start, cells.inner_vertex)
    bond = cells.inner_bond[face]
    some = np.flatnonzero(of_bond[bond] >= 0)
    own, bond = of_bond[bond[some]], bond[some]
    v = cells.vertices[corners[some]] - centre[own][:, None]
    doubled = np.cross(v[:, 1] - v[:, 0], v[:, 2] - v[:, 0])
    signed = 0.5 * dot(doubled, cells.bond_normal[bond])  # fans of faces with dents cancel
    s = v.sum(axis=1)
    square = multiply(v.transpose(0, 2, 1), v) + s[:, :, None] * s[:, None, :]
    return summed((signed[:, None, None] / 12.0 * square).reshape(-1, 9), own, count).reshape(-1, 3, 3)
