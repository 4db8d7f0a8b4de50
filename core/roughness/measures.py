"""What is measured on the real shape of rough cells: mass properties, and areas, normals and centroids of bonds.

Inner triangles bound two cells. Their integrals are worked out once, about a corner of their bond, and shifted to the
points about which the sums of the two cells run.
"""

import numpy as np

from ..arithmetic.products import norm
from ..cutting.checks import SLIVER
from ..cutting.moments import FIRST_MOMENT, SECOND, SEEN, VOLUME, moments_from_sums, outer_sums
from ..jit import njit_no_refs, sealed_floats, sealed_ints
from ..types import Cells, Floats, Ints

#: Columns of a bond's sums: doubled vector area; corners' means by doubled area, tripled, from the first corner of the
#: bond; doubled area; that corner.
_NORMAL, _MIDDLE, _AREA, BOND_CORNER = 0, 3, 6, 7


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
    sums = np.zeros((len(flat.bond_cells), 10))
    bond_cells = sealed_ints(flat.bond_cells)
    _add_triangles(sealed_ints(start), sealed_ints(triangles), bond_cells, real, total, sums, np.empty((2, 13)))
    return moments_from_sums(total), _bond_measures(sums, flat.bond_normal, size)


def _bond_measures(sums: Floats, flat_normal: Floats, size: float) -> tuple[Floats, Floats, Floats]:
    whole = 0.5 * sums[:, _NORMAL:_MIDDLE]
    area = norm(whole)
    seen = area > SLIVER * size
    normal = np.where(seen[:, None], whole / np.where(seen, area, 1.0)[:, None], flat_normal)
    tiny = np.finfo(np.float64).tiny
    middle = sums[:, BOND_CORNER:] + sums[:, _MIDDLE:_AREA] / np.maximum(3.0 * sums[:, _AREA:BOND_CORNER], tiny)
    return np.maximum(area, 1e-30 * size), normal, middle


@njit_no_refs
def _add_triangles(
    start: Ints, triangles: Ints, bond_cells: Ints, real: Floats, total: Floats, sums: Floats, cone: Floats
) -> None:
    """Add the triangles of each bond to its `sums`, and the tetrahedra on them to the sums of lo, those of hi reversed.

    A tetrahedron (o,a,b,c) of volume V has the integrals V s / 4 of x and V (Q + ss) / 20 of x x^T about o, with
    s = a + b + c, Q = aa + bb + cc. From a point d further back s grows by 3 d, Q + ss by 4 (s d + d s) + 12 d d.
    `cone (2,13)` holds, of lo and of hi, the sums of 6 V (1, s, Q + ss), and d.
    """
    for bond in range(len(start) - 1):
        if start[bond] == start[bond + 1]:
            continue
        o = triangles[start[bond], 0]
        o0, o1, o2 = real[o, 0], real[o, 1], real[o, 2]
        sum_ = sums[bond]
        sum_[BOND_CORNER], sum_[BOND_CORNER + 1], sum_[BOND_CORNER + 2] = o0, o1, o2
        for side in range(2):
            row = total[bond_cells[bond, side]]
            for c in range(10):
                cone[side, c] = 0.0
            for c in range(3):
                if row[SEEN] == 0.0:
                    row[c] = real[o, c]
                cone[side, 10 + c] = real[o, c] - row[c]
            row[SEEN] = 1.0
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
            sum_[_NORMAL] += nx
            sum_[_NORMAL + 1] += ny
            sum_[_NORMAL + 2] += nz
            sum_[_MIDDLE] += area * sx
            sum_[_MIDDLE + 1] += area * sy
            sum_[_MIDDLE + 2] += area * sz
            sum_[_AREA] += area
            height = ax * nx + ay * ny + az * nz
            xx, xy = ax * ax + bx * bx + cx * cx + sx * sx, ax * ay + bx * by + cx * cy + sx * sy
            xz, yy = ax * az + bx * bz + cx * cz + sx * sz, ay * ay + by * by + cy * cy + sy * sy
            yz, zz = ay * az + by * bz + cy * cz + sy * sz, az * az + bz * bz + cz * cz + sz * sz
            for side in range(2):
                volume = height + cone[side, 10] * nx + cone[side, 11] * ny + cone[side, 12] * nz
                cone[side, 0] += volume
                cone[side, 1] += volume * sx
                cone[side, 2] += volume * sy
                cone[side, 3] += volume * sz
                cone[side, 4] += volume * xx
                cone[side, 5] += volume * xy
                cone[side, 6] += volume * xz
                cone[side, 7] += volume * yy
                cone[side, 8] += volume * yz
                cone[side, 9] += volume * zz
        for side in range(2):
            row, sum_ = total[bond_cells[bond, side]], cone[side]
            way = 1.0 - 2.0 * side
            row[VOLUME] += way * sum_[0] / 6.0
            at = 4
            for i in range(3):
                row[FIRST_MOMENT + i] += way * (sum_[1 + i] + 3.0 * sum_[0] * sum_[10 + i]) / 24.0
                for j in range(i, 3):
                    shift = sum_[1 + i] * sum_[10 + j] + sum_[10 + i] * sum_[1 + j]
                    shift += 3.0 * sum_[0] * sum_[10 + i] * sum_[10 + j]
                    row[SECOND + at - 4] += way * (sum_[at] + 4.0 * shift) / 120.0
                    at += 1
