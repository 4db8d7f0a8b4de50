"""Forces in any lattice by its stiffness: the minimum-norm solution, whatever the rank.

The minimum-norm lambda is J y for some displacements y (Smith, Witkin, Baraff 2001, section 3.2), and those solve

    J^T J y = -Q',   Q' = Q - M a,   lambda = J y,

where a are the rigid accelerations of the parts that hang together (resolution 4.13 d, inertia relief). The system is
as large as the points are many, not the bars, and may be preconditioned freely, since y counts only up to what moves
no bar. Conjugate gradients with the inverse 3x3 blocks of the points and a coarse space of rigid motions of clusters
of points need some 60 iterations where plain ones on J W J^T need thousands.

Reference of the coarse space: Nicolaides 1987, "Deflation of conjugate gradients", here added to the block inverses.
"""

from dataclasses import dataclass

import numpy as np

from ...geometry.graph import components
from ...jit import lean, part
from ...types import Bools, Floats, Frozen, Ints
from .lattice import Lattice
from .reference import Solution
from .rigid import moved, rigid_motion

#: Stiffness to the ground of a point of mean mass, relative to that of a bar: bounds what moves without any resistance.
SOFT = 1e-11
#: Clusters of the coarse space: as many as this, of at least so many points each.
CLUSTERS, POINTS = 48, 12
#: The coarse space is made anew when more than this share of the bars between clusters is gone.
STALE = 0.02
#: Blocks with an eigenvalue below this share of their largest one have a direction in which their point is free.
FREE = 1e-10
#: Above this ratio of the determinant to that of an even block the closed form of the inverse keeps its digits.
EVEN = 1e-6
#: Regular part of the coarse matrix, whose null space is the rigid motions that the load does not excite.
RIDGE = 1e-10


@dataclass(frozen=True, eq=False, slots=True)
class Net(Frozen):
    """A lattice as the solver reads it: bars by their first points."""

    order: Ints  #: (m,) bar of the lattice
    start: Ints  #: (N+1,)
    other: Ints  #: (m,) second point
    root: Floats  #: (m,3) u times the root of the bar's stiffness
    shift: Floats  #: (N,) SOFT times the mass over the mean mass; -1 where held
    cluster: Ints  #: (N,)
    arm: Floats  #: (N,3) from the middle of the cluster, over the size of the lattice; 0 where held
    clusters: int


def net_of(lattice: Lattice) -> Net:
    """Prepare a lattice."""
    first, count = lattice.bars[:, 0], len(lattice.position)
    order = np.argsort(first, kind="stable")
    w = lattice.inverse_mass
    mass = np.where(w > 0.0, 1.0 / np.where(w > 0.0, w, 1.0), 0.0)
    shift = np.where(w > 0.0, SOFT * mass / max(float(mass[w > 0.0].mean()) if (w > 0.0).any() else 1.0, 1e-300), -1.0)
    cluster, clusters = _clusters(lattice.position)
    size = np.bincount(cluster, minlength=clusters)
    middle = np.stack([np.bincount(cluster, column, clusters) for column in lattice.position.T], axis=1) / size[:, None]
    extent = float(np.sqrt(np.square(np.ptp(lattice.position, axis=0)).sum())) or 1.0
    return Net(
        order=order,
        start=np.concatenate([[0], np.cumsum(np.bincount(first, minlength=count))]),
        other=lattice.bars[order, 1],
        root=(np.sqrt(lattice.stiffness)[:, None] * lattice.direction)[order],
        shift=shift,
        cluster=cluster,
        arm=(lattice.position - middle[cluster]) / extent,
        clusters=clusters,
    )


def _clusters(position: Floats) -> tuple[Ints, int]:
    """Clusters (N,) of points by halving along the longest side."""
    cluster = np.zeros(len(position), np.int64)
    wanted = int(np.clip(len(position) // POINTS, 1, CLUSTERS))
    ahead = [(np.arange(len(position)), wanted)]
    done = 0
    while ahead:
        points, parts = ahead.pop()
        if parts == 1:
            cluster[points] = done
            done += 1
            continue
        axis = int(np.ptp(position[points], axis=0).argmax())
        order = points[np.argsort(position[points, axis], kind="stable")]
        left = parts // 2
        cut = len(points) * left // parts
        ahead += [(order[cut:], parts - left), (order[:cut], left)]
    return cluster, done


class Network:
    """Solves one lattice again and again while its bars break."""

    def __init__(self, lattice: Lattice) -> None:
        self.lattice, self.net = lattice, net_of(lattice)
        count = len(lattice.position)
        self._work = np.zeros((4, count, 3))
        self._block = np.zeros((count, 6))
        self._inverse = np.zeros((0, 0))
        self._crossing = (
            self.net.cluster[np.repeat(np.arange(count), np.diff(self.net.start))] != (self.net.cluster[self.net.other])
        )
        self._coarse_count = -1

    def blank(self) -> Floats:
        """Where a first solution begins: no displacements."""
        return np.zeros((len(self.lattice.position), 3))

    def solve(self, alive: Bools, load: Floats, tolerance: float, most: int, y: Floats) -> Solution:
        """Lambda (m,) under forces `load (N,3)` [N] on the points; `y (N,3)` is where to begin, and becomes the result.

        alive (m,) bars that hold. Stops where the residual, weighed by the preconditioner, is below `tolerance` of
        that of the load, or after `most` iterations.
        """
        net, lattice = self.net, self.lattice
        holds = alive[net.order]
        root = np.where(holds[:, None], net.root, 0.0)
        inverse = self._blocks(root)
        self._refresh(root, holds)
        b = -self._relieved(alive, load)
        b[net.shift < 0.0] = y[net.shift < 0.0] = 0.0
        grid = net.start, net.other, root, net.shift
        space = inverse, net.cluster, net.arm, self._inverse
        low = np.zeros((2, len(self._inverse)))
        steps = _cg(*grid, *space, b, y, self._work, low, tolerance, most)
        force = np.zeros(len(alive))
        force[net.order] = np.einsum("mi,mi->m", root, y[lattice.bars[net.order, 0]] - y[net.other])
        return Solution(np.sqrt(lattice.stiffness) * force, abs(steps), steps >= 0)

    def _relieved(self, alive: Bools, load: Floats) -> Floats:
        """Q' (N,3): the load less what accelerates the parts that hang together as rigid bodies."""
        lattice = self.lattice
        count = len(lattice.position)
        label = components(count, lattice.bars, alive, np.arange(count))
        held = np.zeros(int(label.max()) + 1, np.bool_)
        held[label[lattice.inverse_mass == 0.0]] = True
        free = np.flatnonzero(~held[label])
        result = np.array(load)
        if len(free):
            own = np.unique(label[free], return_inverse=True)[1]
            mass, position = 1.0 / lattice.inverse_mass[free], lattice.position[free]
            motion = rigid_motion(own, position, mass, load[free] / mass[:, None])
            result[free] -= mass[:, None] * moved(motion, own, position)
        return result

    def _blocks(self, root: Floats) -> Floats:
        """(N,6) inverse of the 3x3 block of each point: xx, xy, xz, yy, yz, zz; 0 along what is free."""
        net = self.net
        _fill_blocks(net.start, net.other, root, self._block)
        xx, xy, xz, yy, yz, zz = self._block.T
        c00, c01, c02 = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
        c11, c12, c22 = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
        determinant = xx * c00 + xy * c01 + xz * c02
        size = (xx + yy + zz) / 3.0
        inverse = np.stack([c00, c01, c02, c11, c12, c22], axis=1)
        sound = determinant > EVEN * size * size * size
        inverse[sound] /= determinant[sound, None]
        odd = np.flatnonzero(~sound)
        if len(odd):
            full = self._block[odd][:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)
            loose = np.linalg.pinv(full, rcond=FREE, hermitian=True)
            inverse[odd] = loose.reshape(-1, 9)[:, [0, 1, 2, 4, 5, 8]]
        inverse[net.shift < 0.0] = 0.0
        return np.asarray(inverse)

    def _refresh(self, root: Floats, holds: Bools) -> None:
        """Make the coarse space anew where too many of the bars between clusters have gone since it was made."""
        net = self.net
        now = int(np.count_nonzero(self._crossing & holds))
        if self._coarse_count >= 0 and now >= (1.0 - STALE) * self._coarse_count:
            return
        self._coarse_count = now
        matrix = np.zeros((6 * net.clusters, 6 * net.clusters))
        _fill_coarse(net.start, net.other, root, net.shift, net.cluster, net.arm, np.empty(12), matrix)
        diagonal = np.array(np.diagonal(matrix))
        if not diagonal.any():  # one cluster, free: all of it is a rigid motion
            self._inverse = matrix
            return
        matrix[np.diag_indices(len(matrix))] += RIDGE * np.maximum(diagonal, RIDGE * diagonal.max())
        self._inverse = np.ascontiguousarray(np.linalg.inv(matrix))


@lean
def _fill_blocks(start: Ints, other: Ints, root: Floats, block: Floats) -> None:
    """Sums of g g^T over the bars at each point."""
    for a in range(len(block)):
        for k in range(6):
            block[a, k] = 0.0
    for a in range(len(block)):
        for i in range(start[a], start[a + 1]):
            x, y, z = root[i, 0], root[i, 1], root[i, 2]
            for end in (a, other[i]):
                block[end, 0] += x * x
                block[end, 1] += x * y
                block[end, 2] += x * z
                block[end, 3] += y * y
                block[end, 4] += y * z
                block[end, 5] += z * z


@lean
def _fill_coarse(
    start: Ints, other: Ints, root: Floats, shift: Floats, cluster: Ints, arm: Floats, row: Floats, matrix: Floats
) -> None:
    """Stiffness between rigid motions of clusters: bars inside of one resist none of them. `row (12,)` is room."""
    for a in range(len(shift)):
        for i in range(start[a], start[a + 1]):
            b = other[i]
            if cluster[a] == cluster[b] and shift[a] >= 0.0 and shift[b] >= 0.0:
                continue
            for side in range(2):
                at = b if side else a
                sign = 0.0 if shift[at] < 0.0 else (-1.0 if side else 1.0)
                x, y, z = sign * root[i, 0], sign * root[i, 1], sign * root[i, 2]
                row[6 * side], row[6 * side + 1], row[6 * side + 2] = x, y, z
                row[6 * side + 3] = arm[at, 1] * z - arm[at, 2] * y
                row[6 * side + 4] = arm[at, 2] * x - arm[at, 0] * z
                row[6 * side + 5] = arm[at, 0] * y - arm[at, 1] * x
            for k in range(12):
                m = 6 * (cluster[a] if k < 6 else cluster[b]) + k % 6
                for j in range(12):
                    n = 6 * (cluster[a] if j < 6 else cluster[b]) + j % 6
                    matrix[m, n] += row[k] * row[j]


@part
def _stretch(start: Ints, other: Ints, root: Floats, shift: Floats, p: Floats, q: Floats) -> None:
    """Q = (J^T J + SOFT M) p."""
    for a in range(len(shift)):
        soft = max(shift[a], 0.0)
        for k in range(3):
            q[a, k] = soft * p[a, k]
    for a in range(len(shift)):
        px, py, pz = p[a, 0], p[a, 1], p[a, 2]
        qx = qy = qz = 0.0
        for i in range(start[a], start[a + 1]):
            b = other[i]
            gx, gy, gz = root[i, 0], root[i, 1], root[i, 2]
            s = gx * (px - p[b, 0]) + gy * (py - p[b, 1]) + gz * (pz - p[b, 2])
            qx += s * gx
            qy += s * gy
            qz += s * gz
            q[b, 0] -= s * gx
            q[b, 1] -= s * gy
            q[b, 2] -= s * gz
        q[a, 0] += qx
        q[a, 1] += qy
        q[a, 2] += qz
    for a in range(len(shift)):
        if shift[a] < 0.0:
            q[a, 0] = q[a, 1] = q[a, 2] = 0.0


@part
def _precondition(
    block: Floats, cluster: Ints, arm: Floats, coarse: Floats, r: Floats, z: Floats, low: Floats
) -> float:
    """Z = P r; returns r . z."""
    n = len(coarse)
    for k in range(n):
        low[0, k] = low[1, k] = 0.0
    for a in range(len(cluster)):
        if block[a, 0] == 0.0 and block[a, 3] == 0.0 and block[a, 5] == 0.0:
            continue
        at = 6 * cluster[a]
        x, y, w = r[a, 0], r[a, 1], r[a, 2]
        low[0, at] += x
        low[0, at + 1] += y
        low[0, at + 2] += w
        low[0, at + 3] += arm[a, 1] * w - arm[a, 2] * y
        low[0, at + 4] += arm[a, 2] * x - arm[a, 0] * w
        low[0, at + 5] += arm[a, 0] * y - arm[a, 1] * x
    for j in range(n):
        c = low[0, j]
        for k in range(n):
            low[1, k] += c * coarse[j, k]
    rz = 0.0
    for a in range(len(cluster)):
        if block[a, 0] == 0.0 and block[a, 3] == 0.0 and block[a, 5] == 0.0:
            z[a, 0] = z[a, 1] = z[a, 2] = 0.0
            continue
        at = 6 * cluster[a]
        x, y, w = r[a, 0], r[a, 1], r[a, 2]
        ox, oy, oz = low[1, at + 3], low[1, at + 4], low[1, at + 5]
        z[a, 0] = block[a, 0] * x + block[a, 1] * y + block[a, 2] * w
        z[a, 1] = block[a, 1] * x + block[a, 3] * y + block[a, 4] * w
        z[a, 2] = block[a, 2] * x + block[a, 4] * y + block[a, 5] * w
        z[a, 0] += low[1, at] + oy * arm[a, 2] - oz * arm[a, 1]
        z[a, 1] += low[1, at + 1] + oz * arm[a, 0] - ox * arm[a, 2]
        z[a, 2] += low[1, at + 2] + ox * arm[a, 1] - oy * arm[a, 0]
        rz += x * z[a, 0] + y * z[a, 1] + w * z[a, 2]
    return rz


@lean
def _cg(
    start: Ints,
    other: Ints,
    root: Floats,
    shift: Floats,
    block: Floats,
    cluster: Ints,
    arm: Floats,
    coarse: Floats,
    b: Floats,
    y: Floats,
    work: Floats,
    low: Floats,
    tolerance: float,
    most: int,
) -> int:
    """Preconditioned conjugate gradients from y; returns the number of iterations, negative where it did not end."""
    r, z, p, q = work[0], work[1], work[2], work[3]
    goal = tolerance * tolerance * _precondition(block, cluster, arm, coarse, b, z, low)
    _stretch(start, other, root, shift, y, q)
    for a in range(len(shift)):
        for k in range(3):
            r[a, k] = b[a, k] - q[a, k]
            p[a, k] = 0.0
    before = 0.0
    for step in range(most + 1):
        rz = _precondition(block, cluster, arm, coarse, r, z, low)
        if not rz > goal:
            return step
        beta = rz / before if before > 0.0 else 0.0
        for a in range(len(shift)):
            for k in range(3):
                p[a, k] = z[a, k] + beta * p[a, k]
        _stretch(start, other, root, shift, p, q)
        pq = 0.0
        for a in range(len(shift)):
            for k in range(3):
                pq += p[a, k] * q[a, k]
        if not pq > 0.0:
            return -step
        alpha = rz / pq
        for a in range(len(shift)):
            for k in range(3):
                y[a, k] += alpha * p[a, k]
                r[a, k] -= alpha * q[a, k]
        before = rz
    return -most
