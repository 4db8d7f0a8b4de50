"""What is measured on the real shape of rough cells: mass properties, and areas, normals and centroids of bonds.

Inner triangles bound two cells. Their integrals are worked out once, about a corner of their bond, and shifted to the
points about which the sums of the two cells run.
"""

import numpy as np

from ..arithmetic.products import norm
from ..cutting.checks import SLIVER
from ..cutting.moments import moments_from_sums, outer_sums
from ..jit import njit_no_refs, sealed_floats, sealed_ints
from ..record_arrays import Records, record_type
from ..types import Cells, Floats, Ints

#: Sums over the triangles of a bond.
BOND_SUMS = record_type(
    normal=("f8", 3),  # doubled vector area
    middle=("f8", 3),  # corners' means by doubled area, tripled, from the first corner of the bond
    area="f8",  # doubled
    corner=("f8", 3),  # the first one
)
#: Sums over the tetrahedra on a bond, for the cell on one of its sides; see `_add_triangles`.
CONE_SUMS = record_type(
    volume="f8",  # of 6 V
    first=("f8", 3),  # of 6 V s
    second=("f8", 6),  # of 6 V (Q + ss): xx, xy, xz, yy, yz, zz
    shift=("f8", 3),  # d
)


def measure_rough_cells(
    flat: Cells, real: Floats, triangles: Ints, start: Ints, size: float
) -> tuple[tuple[Floats, Floats, Floats, Floats], tuple[Floats, Floats, Floats]]:
    """Mass properties of the cells as in `cell_moments`; area, normal and centroid of each bond.

    Args:
        flat: cells with the outer faces of the rough ones.
        real: (V,3) places of all vertices.
        triangles: (T,3) of inner faces.
        start: (B+1,) bounds of the triangles of each bond.
        size: squared diagonal of the body.

    The area of a bond is seen along its mean normal (its vector area). A bond without area keeps the normal of its
    facet.

    """
    real = sealed_floats(real)
    total = outer_sums(flat.outer_start, flat.outer_vertex, flat.outer_cell, real, len(flat.volume))
    sums, cones = np.zeros(len(flat.bond_cells), BOND_SUMS), np.empty(2, CONE_SUMS)
    bond_cells = sealed_ints(flat.bond_cells)
    _add_triangles(sealed_ints(start), sealed_ints(triangles), bond_cells, real, total, sums, cones)
    return moments_from_sums(total), _bond_measures(sums, flat.bond_normal, size)


def _bond_measures(sums: Records, flat_normal: Floats, size: float) -> tuple[Floats, Floats, Floats]:
    whole = 0.5 * sums["normal"]
    area = norm(whole)
    seen = area > SLIVER * size
    normal = np.where(seen[:, None], whole / np.where(seen, area, 1.0)[:, None], flat_normal)
    tiny = np.finfo(np.float64).tiny
    middle = sums["corner"] + sums["middle"] / np.maximum(3.0 * sums["area"][:, None], tiny)
    return np.maximum(area, 1e-30 * size), normal, middle


@njit_no_refs
def _add_triangles(
    start: Ints, triangles: Ints, bond_cells: Ints, real: Floats, total: Records, sums: Records, cones: Records
) -> None:
    """Add the triangles of each bond to its `sums`, and the tetrahedra on them to the sums of lo, those of hi reversed.

    A tetrahedron (o,a,b,c) of volume V has the integrals V s / 4 of x and V (Q + ss) / 20 of x x^T about o, with
    s = a + b + c, Q = aa + bb + cc. From a point d further back s grows by 3 d, Q + ss by 4 (s d + d s) + 12 d d.
    `cones (2,)` are of lo and of hi.
    """
    for bond in range(len(start) - 1):
        if start[bond] == start[bond + 1]:
            continue
        o = triangles[start[bond], 0]
        o0, o1, o2 = real[o, 0], real[o, 1], real[o, 2]
        own = sums[bond]
        own.corner[0], own.corner[1], own.corner[2] = o0, o1, o2
        for side in range(2):
            cone, cell = cones[side], total[bond_cells[bond, side]]
            cone.volume = 0.0
            for c in range(6):
                cone.second[c] = 0.0
            for c in range(3):
                cone.first[c] = 0.0
                if cell.seen == 0:
                    cell.origin[c] = real[o, c]
                cone.shift[c] = real[o, c] - cell.origin[c]
            cell.seen = 1
        for t in range(start[bond], start[bond + 1]):
            a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            ux, uy, uz = real[b, 0] - real[a, 0], real[b, 1] - real[a, 1], real[b, 2] - real[a, 2]
            wx, wy, wz = real[c, 0] - real[a, 0], real[c, 1] - real[a, 1], real[c, 2] - real[a, 2]
            nx, ny, nz = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
            ax, ay, az = real[a, 0] - o0, real[a, 1] - o1, real[a, 2] - o2
            bx, by, bz = real[b, 0] - o0, real[b, 1] - o1, real[b, 2] - o2
            cx, cy, cz = real[c, 0] - o0, real[c, 1] - o1, real[c, 2] - o2
            sx, sy, sz = ax + bx + cx, ay + by + cy, az + bz + cz
            area = np.sqrt(nx * nx + ny * ny + nz * nz) + 1e-300  # so that slivers without any have a middle too
            own.normal[0] += nx
            own.normal[1] += ny
            own.normal[2] += nz
            own.middle[0] += area * sx
            own.middle[1] += area * sy
            own.middle[2] += area * sz
            own.area += area
            height = ax * nx + ay * ny + az * nz
            xx, xy = ax * ax + bx * bx + cx * cx + sx * sx, ax * ay + bx * by + cx * cy + sx * sy
            xz, yy = ax * az + bx * bz + cx * cz + sx * sz, ay * ay + by * by + cy * cy + sy * sy
            yz, zz = ay * az + by * bz + cy * cz + sy * sz, az * az + bz * bz + cz * cz + sz * sz
            for side in range(2):
                cone = cones[side]
                shift, first, second = cone.shift, cone.first, cone.second
                volume = height + shift[0] * nx + shift[1] * ny + shift[2] * nz
                cone.volume += volume
                first[0] += volume * sx
                first[1] += volume * sy
                first[2] += volume * sz
                second[0] += volume * xx
                second[1] += volume * xy
                second[2] += volume * xz
                second[3] += volume * yy
                second[4] += volume * yz
                second[5] += volume * zz
        for side in range(2):
            cone, cell = cones[side], total[bond_cells[bond, side]]
            way = 1.0 - 2.0 * side
            cell.volume += way * cone.volume / 6.0
            at = 0
            for i in range(3):
                cell.first[i] += way * (cone.first[i] + 3.0 * cone.volume * cone.shift[i]) / 24.0
                for j in range(i, 3):
                    moved = cone.first[i] * cone.shift[j] + cone.shift[i] * cone.first[j]
                    moved += 3.0 * cone.volume * cone.shift[i] * cone.shift[j]
                    cell.second[at] += way * (cone.second[at] + 4.0 * moved) / 120.0
                    at += 1
