"""The generalised winding number of any triangles at all: open, turned, crossing, a soup.

w(q) = 1/4pi times the solid angle under which the triangles are seen from q, counted positive from behind: 1 inside a
closed outward mesh, 0 outside, a fraction near holes, everywhere smooth but for a jump of 1 across each triangle
(Jacobson, Kavan and Sorkine-Hornung 2013). Near triangles by van Oosterom and Strackee (1983), a node of the box tree
that is far away by the first three terms of its multipole series about its centre (Barill, Dickson, Schmidt, Levin and
Jacobson 2018, "Fast winding numbers for soups and clouds").

`inside.winding_number` counts crossings exactly, and several times faster, but only a closed mesh has such a count.
Use that one where every edge is balanced, and this one for everything else.
"""

from dataclasses import dataclass

import numpy as np

from ..arithmetic.elementary import arctan2
from ..arithmetic.products import norm
from ..jit import device_inlined, njit_no_refs, sealed_floats, sealed_ints
from ..types import Bools, Floats, Frozen, Ints
from .bvh import Tree, build_tree, leaf_entries
from .inside import winding_number
from .mesh import bounds, cross_rows, is_closed

#: A node is far where it lies more than so many of its radii away: errors of 1e-3 typically, below 1e-2. 2, as Barill
#: et al. have it.
ACCURACY = 2.0
#: Sine-like measure of height over a triangle's plane below which a point counts as lying in it. A hundred roundings.
IN_PLANE = 1e-14
#: Shells up to this many triangles are summed one by one, larger ones by a tree of their own. By time.
SMALL_SHELL = 256
# Independent sets of sample points, whose scatter tells the error; chosen: the error is then known to a fifth.
_SHIFTS = 16
PLASTIC = 1.2207440846057596  # root of x^4 = x + 1 (Roberts 2018: the additive recurrence in three dimensions)
#: Names the random shifts of the sample points.
STREAM = 7_301


@dataclass(frozen=True, eq=False, slots=True)
class Winding(Frozen):
    """The box tree of some triangles, and the multipole moments of each of its nodes."""

    tree: Tree
    #: (2^(D+1),19) 3 centre of area, 1 squared radius, 3 N, 5 M, 7 T: the integrals of n, n x and n x x over the node's
    #: triangles, with the unit normal n and x from the centre, made symmetric and free of traces. Row 0 is unused.
    moments: Floats


def winding_tree(vertices: Floats, triangles: Ints) -> Winding:
    """What `winding_at` needs to know of the triangles (T,3) of `vertices (V,3)` [m].

    Raises ValueError without triangles and IndexError for a vertex that does not exist. Memory about 250 bytes a
    triangle.
    """
    corners = sealed_ints(triangles)
    if corners.size and (corners.min() < 0 or corners.max() >= len(vertices)):
        raise IndexError("a triangle has a vertex that does not exist")
    tree = build_tree(vertices, corners)
    return Winding(tree, _moments(tree))


def winding_at(tree: Winding, points: Floats, accuracy: float = ACCURACY) -> Floats:
    """The generalised winding number (n,) of the triangles at each of the points (n,3).

    A node counts as far at `accuracy` of its radii: the error falls with its third power, and `np.inf` sums over all
    triangles. A triangle counts 0 at points in its plane: within it this is the mean of both sides.
    """
    queries = sealed_floats(np.asarray(points, np.float64).reshape(-1, 3))
    result = np.zeros(len(queries))
    stack = np.empty(tree.tree.depth + 2, np.int64)
    _wind(tree.tree.corners, tree.moments, tree.tree.depth, queries, accuracy * accuracy, stack, result)
    return result


def winding_of_others(
    tree: Winding, vertices: Floats, triangles: Ints, shell: Ints, points: Floats, point_shell: Ints
) -> Floats:
    """The winding number (n,) at each point (n,3) of all triangles but those of its own shell, `point_shell (n,)`.

    `tree` holds all the triangles (T,3), `shell (T,)` their shells 0... A point may lie on its own shell. Computed as
    the number of everything less that of the own shell: both errors count. Raises IndexError for a shell that does not
    exist.
    """
    if len(points) == 0:
        return np.zeros(0)
    count = int(shell.max()) + 1
    if point_shell.min() < 0 or point_shell.max() >= count or shell.min() < 0 or len(shell) != len(triangles):
        raise IndexError("a point belongs to a shell that does not exist")
    queries = sealed_floats(points)
    member = np.argsort(shell, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(shell, minlength=count))])
    small = np.diff(start)[point_shell] <= SMALL_SHELL
    own = np.zeros(len(points))
    here = np.flatnonzero(small)
    _sum_shells(
        sealed_floats(vertices[triangles[member]]), sealed_ints(start), queries, sealed_ints(point_shell),
        sealed_ints(here), own,
    )  # fmt: skip
    for s in np.unique(point_shell[~small]):
        here = np.flatnonzero(point_shell == s)
        own[here] = winding_at(winding_tree(vertices, triangles[member[start[s] : start[s + 1]]]), queries[here])
    return winding_at(tree, queries) - own


def winding_volume(
    vertices: Floats, triangles: Ints, *, samples: int = 1 << 16, seed: int = 0, unsigned: bool = False
) -> tuple[float, float]:  # fmt: skip
    """Volume [m^3] where the winding number is at least 1/2, and the standard deviation of that estimate [m^3].

    What is covered twice counts once; what is inside out (winding number <= -1) counts nothing, and where it overlaps
    matter it takes away; with `unsigned` it counts as if it were not. Closed meshes are counted exactly at each sample,
    others to the accuracy of `winding_at`. Sixteen randomly shifted low-discrepancy sets in the bounding box: the
    shifts make the estimate unbiased, and their scatter gives the deviation (itself known to a fifth; 0 for a mesh that
    fills its box).
    """
    if len(triangles) == 0:
        return 0.0, 0.0
    used = np.zeros(len(vertices), np.bool_)
    used[triangles] = True
    low, high = bounds(vertices[used])
    size = high - low
    box = float(size[0] * size[1] * size[2])
    if box <= 0.0:
        return 0.0, 0.0
    matter = _matter(vertices, triangles, low + sample_points(samples, seed) * size, unsigned)
    share = matter.reshape(_SHIFTS, -1).mean(axis=1)
    return box * float(share.mean()), box * float(share.std(ddof=1)) / np.sqrt(_SHIFTS)


def sample_points(samples: int, seed: int) -> Floats:
    """Low-discrepancy points (n,3) of the unit cube: sixteen shifted sets one after the other, of equal length."""
    each = max(1, -(-samples // _SHIFTS))
    step = np.cumprod(np.full(3, 1.0 / PLASTIC))
    shift = np.random.default_rng([seed, STREAM]).random((_SHIFTS, 1, 3))
    return np.asarray(((np.arange(1, each + 1)[:, None] * step + shift) % 1.0).reshape(-1, 3))


def _matter(vertices: Floats, triangles: Ints, points: Floats, unsigned: bool) -> Bools:
    number: Floats | Ints
    if is_closed(triangles):
        number = winding_number(vertices, triangles, points)
    else:
        number = winding_at(winding_tree(vertices, triangles), points)
    return np.asarray((np.abs(number) if unsigned else number) >= 0.5)


def _moments(tree: Tree) -> Floats:
    """The moments of all nodes: the centres from the leaves up, then each triangle into all nodes above it."""
    a, b, c = (tree.corners[:, k] for k in range(3))
    normal = 0.5 * cross_rows(b - a, c - a)
    area = norm(normal)
    centroid = (a + b + c) / 3.0
    leaves = 1 << tree.depth
    weight, moments = np.zeros(2 * leaves), np.zeros((2 * leaves, 19))
    first = np.arange(leaves) * len(area) >> tree.depth  # no leaf is empty
    weight[leaves:] = np.add.reduceat(area, first)
    moments[leaves:, :3] = np.add.reduceat(area[:, None] * centroid, first, axis=0)
    for level in range(tree.depth - 1, -1, -1):
        nodes, below = slice(1 << level, 2 << level), slice(2 << level, 4 << level)
        weight[nodes] = weight[below].reshape(-1, 2).sum(axis=1)
        moments[nodes, :3] = moments[below, :3].reshape(-1, 2, 3).sum(axis=1)
    flat = ~(weight > 0.0)
    moments[:, :3] /= np.where(flat, 1.0, weight)[:, None]
    moments[flat, :3] = tree.corners[0, 0]  # any place does
    _gather(tree.corners, normal, centroid, tree.depth, moments)
    return moments


@njit_no_refs
def _gather(corners: Floats, normal: Floats, centroid: Floats, depth: int, moments: Floats) -> None:
    """Add each triangle to all nodes above it, whose centres are there."""
    total, leaves = len(corners), 1 << depth
    for leaf in range(leaves):
        begin, end = leaf_entries(leaf, depth, total)
        for e in range(begin, end):
            node = leaves + leaf
            while node > 0:
                _add(corners, e, normal, centroid, node, moments)
                node >>= 1


@device_inlined
def _add(corners: Floats, e: int, normal: Floats, centroid: Floats, node: int, moments: Floats) -> None:
    """Add entry e, with its area vector and its centroid, to a node.

    Traces go, since r^2 times a polynomial has no field; M_zz, T_xzz, T_yzz and T_zzz follow from that.
    The integral of x x over a triangle is a twelfth of its area times (sum over corners + 9 of the centroid).
    """
    x, y, z = normal[e, 0], normal[e, 1], normal[e, 2]
    dx, dy, dz = centroid[e, 0] - moments[node, 0], centroid[e, 1] - moments[node, 1], centroid[e, 2] - moments[node, 2]
    xx, yy, zz, xy, yz, zx = 9.0 * dx * dx, 9.0 * dy * dy, 9.0 * dz * dz, 9.0 * dx * dy, 9.0 * dy * dz, 9.0 * dz * dx
    radius = moments[node, 3]
    for corner in range(3):
        a, b = corners[e, corner, 0] - moments[node, 0], corners[e, corner, 1] - moments[node, 1]
        c = corners[e, corner, 2] - moments[node, 2]
        xx, yy, zz, xy, yz, zx = xx + a * a, yy + b * b, zz + c * c, xy + a * b, yz + b * c, zx + c * a
        radius = max(radius, a * a + b * b + c * c)
    moments[node, 3] = radius
    moments[node, 4] += x
    moments[node, 5] += y
    moments[node, 6] += z
    third = (x * dx + y * dy + z * dz) / 3.0
    moments[node, 7] += x * dx - third
    moments[node, 8] += y * dy - third
    moments[node, 9] += x * dy + y * dx
    moments[node, 10] += y * dz + z * dy
    moments[node, 11] += z * dx + x * dz
    trace = (xx + yy + zz) / 60.0
    tx = x * trace + (x * xx + y * xy + z * zx) / 30.0
    ty = y * trace + (x * xy + y * yy + z * yz) / 30.0
    tz = z * trace + (x * zx + y * yz + z * zz) / 30.0
    moments[node, 12] += x * xx / 12.0 - tx
    moments[node, 13] += y * yy / 12.0 - ty
    moments[node, 14] += (y * xx + 2.0 * x * xy) / 12.0 - ty
    moments[node, 15] += (z * xx + 2.0 * x * zx) / 12.0 - tz
    moments[node, 16] += (x * yy + 2.0 * y * xy) / 12.0 - tx
    moments[node, 17] += (z * yy + 2.0 * y * yz) / 12.0 - tz
    moments[node, 18] += (x * yz + y * zx + z * xy) / 6.0


@device_inlined
def _half_angle(corners: Floats, e: int, px: float, py: float, pz: float) -> tuple[float, float]:
    """A vector (x, y) whose angle is half of the solid angle of entry e seen from p; (1, 0) in its plane."""
    ax, ay, az = corners[e, 0, 0] - px, corners[e, 0, 1] - py, corners[e, 0, 2] - pz
    bx, by, bz = corners[e, 1, 0] - px, corners[e, 1, 1] - py, corners[e, 1, 2] - pz
    cx, cy, cz = corners[e, 2, 0] - px, corners[e, 2, 1] - py, corners[e, 2, 2] - pz
    y = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    a, b, c = (
        np.sqrt(ax * ax + ay * ay + az * az),
        np.sqrt(bx * bx + by * by + bz * bz),
        np.sqrt(cx * cx + cy * cy + cz * cz),
    )
    if abs(y) <= IN_PLANE * a * b * c:
        return 1.0, 0.0
    x = a * b * c + (ax * bx + ay * by + az * bz) * c + (bx * cx + by * cy + bz * cz) * a
    x += (cx * ax + cy * ay + cz * az) * b
    size = 1.0 / (abs(x) + abs(y))
    return size * x, size * y


@device_inlined
def _turned(x: float, y: float, turns: int, u: float, v: float) -> tuple[float, float, int]:
    """The angle of (x, y) and that of (u, v) added, as a vector of length about 1 and whole turns.

    Complex numbers multiply where angles add, without an arc tangent for each. Both angles lie between -pi and pi:
    where they have the same sign and the sum has the other, it has passed pi.
    """
    s, t = x * u - y * v, x * v + y * u
    if y > 0.0 and v > 0.0 and t < 0.0:
        turns += 1
    elif y < 0.0 and v < 0.0 and t > 0.0:
        turns -= 1
    size = 1.0 / (abs(s) + abs(t))
    return s * size, t * size, turns


@device_inlined
def _far(m: Floats, node: int, x: float, y: float, z: float, square: float) -> float:
    """4 pi times the winding number of a node whose centre is at r = (x, y, z).

    N r / r^3 - 3 M rr / r^5 + 15/2 T rrr / r^7, the Taylor series of r / r^3 integrated over the node.
    """
    inverse = 1.0 / square
    dipole = m[node, 4] * x + m[node, 5] * y + m[node, 6] * z
    xx, yy, zz = x * x, y * y, z * z
    quadrupole = m[node, 7] * (xx - zz) + m[node, 8] * (yy - zz)
    quadrupole += m[node, 9] * x * y + m[node, 10] * y * z + m[node, 11] * z * x
    octupole = m[node, 12] * x * (xx - 3.0 * zz) + m[node, 13] * y * (yy - 3.0 * zz)
    octupole += m[node, 14] * y * (xx - zz) + m[node, 16] * x * (yy - zz)
    octupole += (m[node, 15] * (3.0 * xx - zz) + m[node, 17] * (3.0 * yy - zz)) * z / 3.0 + m[node, 18] * x * y * z
    return float((dipole - (3.0 * quadrupole - 7.5 * octupole * inverse) * inverse) * inverse * np.sqrt(inverse))


@njit_no_refs
def _wind(
    corners: Floats, moments: Floats, depth: int, points: Floats, ratio: float, stack: Ints, result: Floats
) -> None:
    """The winding number of each point; nodes are far where their squared distance passes `ratio` radii squared."""
    total, leaves = len(corners), 1 << depth
    for n in range(len(points)):
        px, py, pz = points[n, 0], points[n, 1], points[n, 2]
        x, y, turns, far = 1.0, 0.0, 0, 0.0
        stack[0] = 1
        top = 1
        while top > 0:
            top -= 1
            node = stack[top]
            rx, ry, rz = moments[node, 0] - px, moments[node, 1] - py, moments[node, 2] - pz
            square = rx * rx + ry * ry + rz * rz
            if square > ratio * moments[node, 3]:
                far += _far(moments, node, rx, ry, rz, square)
            elif node < leaves:
                stack[top], stack[top + 1] = 2 * node + 1, 2 * node
                top += 2
            else:
                begin, end = leaf_entries(node - leaves, depth, total)
                for e in range(begin, end):
                    u, v = _half_angle(corners, e, px, py, pz)
                    x, y, turns = _turned(x, y, turns, u, v)
        result[n] = turns + arctan2(y, x) / (2.0 * np.pi) + far / (4.0 * np.pi)


@njit_no_refs
def _sum_shells(corners: Floats, start: Ints, points: Floats, point_shell: Ints, here: Ints, result: Floats) -> None:
    """The winding number of its own shell's triangles, start[s] to start[s + 1], at each of the points `here`."""
    for n in here:
        x, y, turns = 1.0, 0.0, 0
        for e in range(start[point_shell[n]], start[point_shell[n] + 1]):
            u, v = _half_angle(corners, e, points[n, 0], points[n, 1], points[n, 2])
            x, y, turns = _turned(x, y, turns, u, v)
        result[n] = turns + arctan2(y, x) / (2.0 * np.pi)
