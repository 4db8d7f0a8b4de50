"""Mass properties of cells: exact integrals over fans of tetrahedra from a point of the cell itself."""

import numpy as np

from ..jit import device_inlined, njit_no_refs, sealed_floats, sealed_ints
from ..record_arrays import Record, Records, record_type
from ..types import Floats, Ints
from .components import CellSides

#: Sums over the faces of a cell.
MOMENT_SUMS = record_type(
    origin=("f8", 3),  # a point of the cell
    volume="f8",
    first=("f8", 3),  # moment of the volume about that point
    second=("f8", 6),  # xx, xy, xz, yy, yz, zz
    area="f8",  # of the skin
    seen="i8",  # whether there is a point yet
)


@device_inlined
def _add_fan(vertex: Ints, begin: int, end: int, flip: float, position: Floats, total: Record) -> None:
    """Add the tetrahedra of a face's fan to the sums of its cell.

    A tetrahedron (o,a,b,c) of volume V has the integral of x x^T about o: V/20 (aa + bb + cc + ss), s = a + b + c.
    """
    v = vertex[begin]
    if total.seen == 0:
        total.seen = 1
        for c in range(3):
            total.origin[c] = position[v, c]
    first, second = total.first, total.second
    o0, o1, o2 = total.origin[0], total.origin[1], total.origin[2]
    p0, p1, p2 = position[v, 0] - o0, position[v, 1] - o1, position[v, 2] - o2
    v = vertex[begin + 1]
    b0, b1, b2 = position[v, 0] - o0, position[v, 1] - o1, position[v, 2] - o2
    n0, n1, n2 = 0.0, 0.0, 0.0
    for at in range(begin + 2, end):
        a0, a1, a2 = b0, b1, b2
        v = vertex[at]
        b0, b1, b2 = position[v, 0] - o0, position[v, 1] - o1, position[v, 2] - o2
        c0, c1, c2 = a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0
        volume = (p0 * c0 + p1 * c1 + p2 * c2) * flip / 6.0
        s0, s1, s2 = p0 + a0 + b0, p1 + a1 + b1, p2 + a2 + b2
        total.volume += volume
        first[0] += volume * s0 / 4.0
        first[1] += volume * s1 / 4.0
        first[2] += volume * s2 / 4.0
        volume = volume / 20.0
        second[0] += volume * (p0 * p0 + a0 * a0 + b0 * b0 + s0 * s0)
        second[1] += volume * (p0 * p1 + a0 * a1 + b0 * b1 + s0 * s1)
        second[2] += volume * (p0 * p2 + a0 * a2 + b0 * b2 + s0 * s2)
        second[3] += volume * (p1 * p1 + a1 * a1 + b1 * b1 + s1 * s1)
        second[4] += volume * (p1 * p2 + a1 * a2 + b1 * b2 + s1 * s2)
        second[5] += volume * (p2 * p2 + a2 * a2 + b2 * b2 + s2 * s2)
        u0, u1, u2, w0, w1, w2 = a0 - p0, a1 - p1, a2 - p2, b0 - p0, b1 - p1, b2 - p2
        n0 += u1 * w2 - u2 * w1
        n1 += u2 * w0 - u0 * w2
        n2 += u0 * w1 - u1 * w0
    total.area += 0.5 * np.sqrt(n0 * n0 + n1 * n1 + n2 * n2)


@njit_no_refs
def _add_fans(start: Ints, vertex: Ints, cell: Ints, flip: float, position: Floats, total: Records) -> None:
    for face in range(len(cell)):
        _add_fan(vertex, start[face], start[face + 1], flip, position, total[cell[face]])


def outer_sums(start: Ints, vertex: Ints, cell: Ints, position: Floats, count: int) -> Records:
    """MOMENT_SUMS (C,) over packed outer faces, each of which belongs to a cell (F,); a cell without any has zeros."""
    total = np.zeros(count, MOMENT_SUMS)
    _add_fans(sealed_ints(start), sealed_ints(vertex), sealed_ints(cell), 1.0, sealed_floats(position), total)
    return total


def moments_from_sums(total: Records) -> tuple[Floats, Floats, Floats, Floats]:
    """Volume (C,), centroid (C,3), second moment about it (C,3,3), and area (C,), from the MOMENT_SUMS (C,) of cells.

    The centroid of a cell without volume is the point about which its sums run.
    """
    volume = total["volume"].copy()
    safe = np.where(volume != 0.0, volume, 1.0)
    arm = np.where((volume != 0.0)[:, None], total["first"] / safe[:, None], 0.0)
    second = total["second"][:, [[0, 1, 2], [1, 3, 4], [2, 4, 5]]]
    second -= volume[:, None, None] * arm[:, :, None] * arm[:, None, :]
    return volume, total["origin"] + arm, second, total["area"].copy()


def cell_moments(sides: CellSides, cell: Ints, position: Floats, count: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Volume (C,), centroid (C,3), second moment about the centroid (C,3,3), and outer area (C,) of each cell.

    The sums run about a vertex of the cell: a common origin would leave small cells with the round-off of their
    distance from it.
    """
    outer, loops = len(sides.region), len(sides.loop_start) - 1
    total = outer_sums(sides.start, sides.vertex, cell[:outer], position, count)
    area = total["area"].copy()
    for seen, flip in ((cell[outer : outer + loops], 1.0), (cell[outer + loops :], -1.0)):
        start, vertex = sealed_ints(sides.loop_start), sealed_ints(sides.loop_vertex)
        _add_fans(start, vertex, sealed_ints(seen), flip, sealed_floats(position), total)
    total["area"] = area
    return moments_from_sums(total)


@njit_no_refs
def triangle_volume(vertices: Floats, triangles: Ints, middle: Floats) -> float:
    """Volume inside a closed triangle mesh, as seen from a point (3,) in the middle of it."""
    total = 0.0
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        a0, a1, a2 = vertices[a, 0] - middle[0], vertices[a, 1] - middle[1], vertices[a, 2] - middle[2]
        b0, b1, b2 = vertices[b, 0] - middle[0], vertices[b, 1] - middle[1], vertices[b, 2] - middle[2]
        c0, c1, c2 = vertices[c, 0] - middle[0], vertices[c, 1] - middle[1], vertices[c, 2] - middle[2]
        total += a0 * (b1 * c2 - b2 * c1) + a1 * (b2 * c0 - b0 * c2) + a2 * (b0 * c1 - b1 * c0)
    return total / 6.0
