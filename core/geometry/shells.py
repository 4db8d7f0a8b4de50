"""What the shells of a mesh measure: area, volume, and the face that is best to look at them from."""

from typing import NamedTuple

import numpy as np

from ..jit import njit_no_refs, sealed_floats, sealed_ints
from ..types import Floats, Ints
from .mesh import bounds
from .vectors import row_difference

#: Share of the volume, or of the mass, of an object below which nothing is a piece of it: round-off of the whole. Ten
#: thousand roundings.
LEAST = 1e-12


class Measures(NamedTuple):
    """Of n shells of T triangles."""

    area: Floats  #: (n,) [m^2]
    volume: Floats  #: (n,) signed [m^3], meaningless for an open shell
    radius: Floats  #: (T,) inradius of each triangle [m]: twice the area over the perimeter, 0 for a point
    best: Ints  #: (n,) the first of the triangles with the largest inradius of each shell


def measure_shells(vertices: Floats, triangles: Ints, shell: Ints) -> Measures:
    """The measures of the shells 0.. to which the triangles belong; each has a triangle, and each vertex is used."""
    count = int(shell.max()) + 1 if len(shell) else 0
    found = Measures(np.zeros(count), np.zeros(count), np.empty(len(triangles)), np.full(count, -1, np.int64))
    if count > 0:
        low, high = bounds(vertices)
        _measure(sealed_floats(vertices), sealed_ints(triangles), sealed_ints(shell), 0.5 * (low + high), *found)
    return found


@njit_no_refs
def _measure(
    vertices: Floats, triangles: Ints, shell: Ints, origin: Floats, area: Floats, volume: Floats, radius: Floats,
    best: Ints,
) -> None:  # fmt: skip
    """Fill the arrays of Measures; volumes are sums of tetrahedra about the origin (3,)."""
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ux, uy, uz = row_difference(vertices, a, b)
        vx, vy, vz = row_difference(vertices, b, c)
        wx, wy, wz = row_difference(vertices, c, a)
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        double = np.sqrt(x * x + y * y + z * z)
        perimeter = np.sqrt(ux * ux + uy * uy + uz * uz) + np.sqrt(vx * vx + vy * vy + vz * vz)
        perimeter += np.sqrt(wx * wx + wy * wy + wz * wz)
        radius[t] = double / perimeter if perimeter > 0.0 else 0.0
        x *= vertices[a, 0] - origin[0]
        y *= vertices[a, 1] - origin[1]
        z *= vertices[a, 2] - origin[2]
        s = shell[t]
        area[s] += 0.5 * double
        volume[s] += (x + y + z) / 6.0
        if best[s] < 0 or radius[t] > radius[best[s]]:
            best[s] = t
