"""The separation tensor of a node: how hard the matter around it is pulled apart, and across which plane.

The stress of each element is split into its tensile and its compressive part, these give forces at its corners, and
the tensor of a node is made of the forces on it so that what is balanced counts, not what moves the node as a whole:

    f+ = -vol/2 F sigma+ B_n,   f- = f - f+,   m(a) = a a^T/|a|                                       (27), (28), (31)
    S = 1/2 (sum m(f+) - m(sum f+) - sum m(f-) + m(sum f-))                                           (32), in N

A node fails where the largest eigenvalue v+ of S is above the toughness, along the plane across its eigenvector n+. The
tensor is a force, which falls with the square of the elements' size. So toughness is a stress unless the paper's
measure is asked for, and v+ is divided by the area that the node has across n+,

    A_n = 1/2 sum_e vol_e |B_n . N|,   N = F^T n+ / |F^T n+|

where N is the normal in the material, whatever way that was turned. In uniaxial tension v+/A_n is the true stress times
the stretch at every node of any mesh; in a general state of strain it is 0.81 to 0.985 of the largest principal stress
(measured on an irregular mesh). A node bears as much as the weakest element at it.

Reference: O'Brien, Hodgins 1999, section 4; docs/papers/obrien1999.md.
"""

import numpy as np

from ...geometry.vectors import Vector, dot3, plus, row_difference, store, unit, vector
from ...jit import device_no_refs, njit_no_refs
from ...types import Floats, Ints
from .cut_rows import ELEMENTS, LAMBDA, MU, PHI, PSI, CutRows, ElementRows
from .eigen_frames import EigenFrame, SixNumbers, eigen_frame, tensile_part

#: Eigenvalues that differ by less, relative to the largest, are equal; round-off reaches a millionth of it.
_EQUAL = 1e-9


@njit_no_refs
def screen_nodes(rows: CutRows, peak: Floats, toughness: Floats) -> None:
    """The largest stress among the elements at each node (n,), and the least toughness (n,).

    That stress is the root of the sum of the squares of half of sigma: no less than any principal stress.
    """
    elements = rows.elements
    for e in range(rows.counts[ELEMENTS]):
        s = _stress_by(elements.law, e, _gradient_of(rows.nodes.position, elements, e), _rate_of(rows, e))
        square = s[0] * s[0] + s[3] * s[3] + s[5] * s[5] + 2.0 * (s[1] * s[1] + s[2] * s[2] + s[4] * s[4])
        size, bears = 0.5 * np.sqrt(square), rows.origins.toughness[elements.origin[e]]
        for k in range(4):
            node = elements.node[e, k]
            peak[node] = max(peak[node], size)
            toughness[node] = min(toughness[node], bears)


@njit_no_refs
def split_stresses(rows: CutRows, listed: Ints) -> None:
    """F, F sigma+ and F sigma- of some elements, by where nodes are and how they move."""
    elements = rows.elements
    for e in listed:
        f = _gradient_of(rows.nodes.position, elements, e)
        whole = _stress_by(elements.law, e, f, _rate_of(rows, e))
        part = tensile_part(whole)
        rest = (
            whole[0] - part[0],
            whole[1] - part[1],
            whole[2] - part[2],
            whole[3] - part[3],
            whole[4] - part[4],
            whole[5] - part[5],
        )
        for i in range(3):
            store(elements.deformation[e, i], f[i])
            store(elements.tension[e, i], _row_times(f[i], part))
            store(elements.compression[e, i], _row_times(f[i], rest))


@njit_no_refs
def rate_nodes(rows: CutRows, node: Ints, by_stress: bool, direction: Floats, rating: Floats, normal: Floats) -> None:
    """How near some nodes (k,) are to failing, v+ over what they bear (k,) [1], and the normals n+ (k,3).

    `by_stress`: toughness is in Pa and A_n counts; else in N, as in the paper. Among equal eigenvalues the vector
    nearest to `direction` (3,) is taken.
    """
    for k in range(len(node)):
        frame = eigen_frame(separation_at(rows, node[k]))
        v = frame[0][0]
        rating[k] = 0.0
        if not v > 0.0:
            continue
        n = _chosen_normal(frame, direction)
        area, toughness = _bearing(rows, node[k], n)
        rating[k] = v / (area * toughness) if by_stress else v / toughness
        store(normal[k], n)


@device_no_refs
def separation_at(rows: CutRows, node: int) -> SixNumbers:
    """The separation tensor at a node, of what `split_stresses` has left [N]."""
    elements = rows.elements
    s = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    pull = push = (0.0, 0.0, 0.0)
    corner = rows.nodes.first_corner[node]
    while corner >= 0:
        e, k = corner // 4, corner % 4
        f = _corner_force(elements.tension, elements, e, k)
        s, pull = add_force(s, f, 0.5), plus(pull, 1.0, f)
        f = _corner_force(elements.compression, elements, e, k)
        s, push = add_force(s, f, -0.5), plus(push, 1.0, f)
        corner = elements.next_corner[corner]
    return add_force(add_force(s, pull, -0.5), push, 0.5)


@device_no_refs
def add_force(s: SixNumbers, a: Vector, factor: float) -> SixNumbers:
    """S + factor m(a), m(a) = a a^T/|a| and m(0) = 0, Eq. 28."""
    x, y, z = unit(a)
    p, q, r = factor * a[0], factor * a[1], factor * a[2]
    return s[0] + p * x, s[1] + p * y, s[2] + p * z, s[3] + q * y, s[4] + q * z, s[5] + r * z


@device_no_refs
def _gradient_of(value: Floats, elements: ElementRows, e: int) -> tuple[Vector, Vector, Vector]:
    """The three rows of the derivative of a nodal value (n,3) by the material in element e, Eq. 21 and 22."""
    node, gradient = elements.node, elements.gradient
    x = y = z = (0.0, 0.0, 0.0)
    for k in range(1, 4):
        d, b = row_difference(value, node[e, 0], node[e, k]), vector(gradient[e, k])
        x, y, z = plus(x, d[0], b), plus(y, d[1], b), plus(z, d[2], b)
    return x, y, z


@device_no_refs
def _rate_of(rows: CutRows, e: int) -> tuple[Vector, Vector, Vector]:
    return _gradient_of(rows.nodes.velocity, rows.elements, e)


@device_no_refs
def _stress_by(law: Floats, e: int, f: tuple[Vector, Vector, Vector], v: tuple[Vector, Vector, Vector]) -> SixNumbers:
    """Elastic and viscous stress of element e with the rows of F and of its rate, Eq. 1 to 8."""
    xx, xy, xz = _columns(f, f, 0, 0) - 1.0, _columns(f, f, 0, 1), _columns(f, f, 0, 2)
    yy, yz, zz = _columns(f, f, 1, 1) - 1.0, _columns(f, f, 1, 2), _columns(f, f, 2, 2) - 1.0
    vxx, vxy = 2.0 * _columns(f, v, 0, 0), _columns(f, v, 0, 1) + _columns(f, v, 1, 0)
    vyy, vxz = 2.0 * _columns(f, v, 1, 1), _columns(f, v, 0, 2) + _columns(f, v, 2, 0)
    vzz, vyz = 2.0 * _columns(f, v, 2, 2), _columns(f, v, 1, 2) + _columns(f, v, 2, 1)
    even = law[e, LAMBDA] * (xx + yy + zz) + law[e, PHI] * (vxx + vyy + vzz)
    a, b = 2.0 * law[e, MU], 2.0 * law[e, PSI]
    return (
        even + a * xx + b * vxx,
        a * xy + b * vxy,
        a * xz + b * vxz,
        even + a * yy + b * vyy,
        a * yz + b * vyz,
        even + a * zz + b * vzz,
    )


@device_no_refs
def _columns(f: tuple[Vector, Vector, Vector], g: tuple[Vector, Vector, Vector], j: int, k: int) -> float:
    """Column j of f times column k of g."""
    return f[0][j] * g[0][k] + f[1][j] * g[1][k] + f[2][j] * g[2][k]


@device_no_refs
def _corner_force(part: Floats, elements: ElementRows, e: int, k: int) -> Vector:
    """-vol/2 F sigma B_k of element e, Eq. 27."""
    half = -0.5 * elements.volume[e]
    x, y, z = half * elements.gradient[e, k, 0], half * elements.gradient[e, k, 1], half * elements.gradient[e, k, 2]
    return (
        part[e, 0, 0] * x + part[e, 0, 1] * y + part[e, 0, 2] * z,
        part[e, 1, 0] * x + part[e, 1, 1] * y + part[e, 1, 2] * z,
        part[e, 2, 0] * x + part[e, 2, 1] * y + part[e, 2, 2] * z,
    )


@device_no_refs
def _bearing(rows: CutRows, node: int, n: Vector) -> tuple[float, float]:
    """The area A_n of a node across n [m^2], and the toughness of the weakest element at it."""
    elements = rows.elements
    area, toughness = 0.0, np.inf
    corner = rows.nodes.first_corner[node]
    while corner >= 0:
        e, k = corner // 4, corner % 4
        f, b = elements.deformation, elements.gradient
        square = along = 0.0
        for j in range(3):
            back = f[e, 0, j] * n[0] + f[e, 1, j] * n[1] + f[e, 2, j] * n[2]
            square += back * back
            along += back * b[e, k, j]
        if square > 0.0:
            area += 0.5 * elements.volume[e] * abs(along) / np.sqrt(square)
        toughness = min(toughness, rows.origins.toughness[elements.origin[e]])
        corner = elements.next_corner[corner]
    return area, toughness


@device_no_refs
def _chosen_normal(frame: EigenFrame, direction: Floats) -> Vector:
    """The eigenvector of the largest eigenvalue; of equal ones that nearest to a direction."""
    value, first, second, third = frame
    least = value[0] - _EQUAL * value[0]
    if value[1] < least:
        return first
    d = vector(direction)
    a, b, c = dot3(first, d), dot3(second, d), dot3(third, d)
    if value[2] < least:
        c = 0.0
    n = plus(plus(plus((0.0, 0.0, 0.0), a, first), b, second), c, third)
    return unit(n) if dot3(n, n) > 0.0 else first


@device_no_refs
def _row_times(row: Vector, m: SixNumbers) -> Vector:
    """A row times a symmetric matrix."""
    return (
        row[0] * m[0] + row[1] * m[1] + row[2] * m[2],
        row[0] * m[1] + row[1] * m[3] + row[2] * m[4],
        row[0] * m[2] + row[1] * m[4] + row[2] * m[5],
    )
