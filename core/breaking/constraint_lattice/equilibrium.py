"""Forces in any structure by its stiffness: the minimum-norm solution, whatever the rank.

The minimum-norm lambda is J y for some displacements y (Smith, Witkin, Baraff 2001, section 3.2), and those solve

    J^T J y = -Q',   Q' = Q - M a,   lambda = J y,

where a are the rigid accelerations of the parts that hang together (resolution 4.13 d, inertia relief). The system is
as large as the bodies are many, not the ties, and may be preconditioned freely, since y counts only up to what strains
no tie. Conjugate gradients with the inverse blocks of the bodies and a coarse space of rigid motions of clusters of
bodies need some 60 iterations where plain ones on J W J^T need thousands.

Trusses come loose as they break, and a load on what moves without resistance has no displacement. Then the plain ones
do it: they are slow, but need none.

Reference of the coarse space: Nicolaides 1987, "Deflation of conjugate gradients", here added to the block inverses.
"""

from dataclasses import dataclass

import numpy as np

from ...geometry.graph import components
from ...types import Bools, Floats, Frozen, Ints
from .coarse import clusters_of, coarse_inverse
from .dual import Dual
from .iteration import conjugate_gradients
from .reference import Solution
from .rigid import moved, rigid_motion
from .structure import Structure, momenta, motion_at

#: Stiffness to the ground of a body of mean mass, relative to that of a tie: bounds what moves without any resistance.
SOFT = 1e-11
#: Below this share of the load what strains a structure is round-off: all of the load is on what has come off.
NOTHING = 1e-12
#: See `Equilibrium.solve`.
WEIGHED = 5.0
#: The coarse space is made anew when more than this share of the ties between clusters is gone.
STALE = 0.02
#: The parts of a truss are loose where a direction resists less than its preconditioner by this.
RUNAWAY = 1e8
#: Blocks of points with an eigenvalue below this share of their largest have a direction in which the point is free.
FREE = 1e-10


@dataclass(frozen=True, eq=False, slots=True)
class Rows(Frozen):
    """A structure as the iteration reads it: ties by their first bodies."""

    order: Ints  #: (T,) tie of the structure
    start: Ints  #: (N+1,)
    other: Ints  #: (T,) second body
    arm: Floats  #: (T,6) of the first body, then of the second
    push: Floats  #: (T,6) xx, xy, xz, yy, yz, zz
    turn: Floats  #: (T,6)


def rows_of(structure: Structure) -> Rows:
    """Sort the ties."""
    first = structure.pair[:, 0]
    order = np.argsort(first, kind="stable")
    upper = np.triu_indices(3)
    return Rows(
        order=order,
        start=np.concatenate([[0], np.cumsum(np.bincount(first, minlength=len(structure.position)))]),
        other=structure.pair[order, 1],
        arm=structure.arm[order].reshape(-1, 6),
        push=structure.push[order][:, *upper],
        turn=structure.turn[order][:, *upper],
    )


class Equilibrium:
    """Solves one structure again and again while its ties break."""

    def __init__(self, structure: Structure) -> None:
        self.structure, self.rows = structure, rows_of(structure)
        count = len(structure.position)
        self.cluster, self.arm, self._clusters = clusters_of(structure)
        self._soft = np.where(structure.held, 0.0, SOFT * structure.mass / structure.mass.mean())
        self._work = np.zeros((4, count, 6))
        self._holds = np.zeros(len(structure.pair), np.bool_)  # ties that blocks and factors are made of
        self._block = np.zeros((count, 6, 6))
        self._inverse = np.zeros((count, 36))
        self._coarse, self._crossing = np.zeros((0, 0)), -1
        self._plain: Dual | None = None

    def blank(self) -> Floats:
        """Where a first solution begins: no displacements."""
        return np.zeros((len(self.structure.position), 6))

    def solve(self, holds: Bools, load: Floats, tolerance: float, most: int, y: Floats) -> Solution:
        """Forces (T,6) in the ties under loads (N,6); `y (N,6)` is where to begin, and becomes the result.

        holds (T,) ties that are there. Stops where the residual, weighed by the preconditioner, is below WEIGHED times
        `tolerance` of that of the load, or after `most` iterations: the forces are then off by about as much, which is
        ten times less than those of `Dual` are at the same tolerance of its residual.
        """
        structure, rows = self.structure, self.rows
        self._refresh(holds)
        part = self._parts(holds)
        b = momenta(structure, self._rigid(part, load)) - load  # -Q'
        y -= self._rigid(part, momenta(structure, y))  # strains nothing, and costs digits
        b[structure.held] = y[structure.held] = 0.0
        if np.abs(b).max() <= NOTHING * np.abs(load).max():
            y[:] = 0.0
            return Solution(np.zeros((len(holds), 6)), 0, True)
        kept = holds[rows.order][:, None]
        push, turn = np.where(kept, rows.push, 0.0), np.where(kept, rows.turn, 0.0)
        net = rows.start, rows.other, rows.arm, push, turn, self._soft
        space = self._inverse, self.cluster, self.arm, self._coarse
        goal, runaway = WEIGHED * tolerance, RUNAWAY if structure.points else np.inf
        steps = conjugate_gradients(*net, *space, structure.held, b, y, self._work, goal, most, runaway)
        if steps < 0 and structure.points:
            y[:] = 0.0
            return self._plainly(holds, load, tolerance, most)
        return Solution(self._forces(holds, y), abs(steps), steps >= 0)

    def _plainly(self, holds: Bools, load: Floats, tolerance: float, most: int) -> Solution:
        """For a truss that has come loose."""
        if self._plain is None:
            self._plain = Dual(self.structure)
        return self._plain.solve(holds, load, tolerance, most, self._plain.blank())

    def _forces(self, holds: Bools, y: Floats) -> Floats:
        """Lambda = J y."""
        structure = self.structure
        a, b = structure.pair.T
        d = y[a, :3] - y[b, :3]
        d += np.cross(y[a, 3:], structure.arm[:, 0]) - np.cross(y[b, 3:], structure.arm[:, 1])
        force = np.einsum("tij,tj->ti", structure.push, d)
        moment = np.einsum("tij,tj->ti", structure.turn, y[a, 3:] - y[b, 3:])
        return np.where(holds[:, None], np.concatenate([force, moment], axis=1), 0.0)

    def _parts(self, holds: Bools) -> Ints:
        """(N,) number of the free part that each body hangs together with, -1 where something holds the part."""
        structure = self.structure
        count = len(structure.position)
        label = components(count, structure.pair, holds, np.arange(count))
        fixed = np.zeros(int(label.max()) + 1, np.bool_)
        fixed[label[structure.held]] = True
        number = np.cumsum(~fixed) - 1
        return np.where(fixed[label], -1, number[label])

    def _rigid(self, part: Ints, momentum: Floats) -> Floats:
        """(N,6) the rigid motions of the free parts that have the momenta (N,6) of their bodies; else 0."""
        structure, free = self.structure, np.flatnonzero(part >= 0)
        result = np.zeros_like(momentum)
        if len(free):
            at = structure.position[free] / structure.scale
            motion = rigid_motion(part[free], at, structure.mass[free], structure.inertia[free], momentum[free])
            result[free] = moved(motion, part[free], at)
        return result

    def _refresh(self, holds: Bools) -> None:
        """Bring the blocks of bodies up to date, and the coarse space where too many ties between clusters are gone."""
        structure = self.structure
        changed = np.flatnonzero(holds != self._holds)
        if len(changed) == 0:
            return
        sign = np.where(holds[changed], 1.0, -1.0)[:, None, None]
        for side in (0, 1):
            np.add.at(self._block, structure.pair[changed, side], sign * _end_blocks(structure, changed, side))
        bodies = np.unique(structure.pair[changed])
        tied = np.bincount(structure.pair[holds].ravel(), minlength=len(structure.position))[bodies] > 0
        self._inverse[bodies] = 0.0
        some = bodies[tied & ~structure.held[bodies]]
        self._inverse[some] = _inverses(self._block[some], structure.points).reshape(-1, 36)
        self._holds = np.array(holds)
        apart = self.cluster[structure.pair[:, 0]] != self.cluster[structure.pair[:, 1]]
        now = int(np.count_nonzero(apart & holds))
        if self._crossing < 0 or now < (1.0 - STALE) * self._crossing:
            self._crossing = now
            self._coarse = coarse_inverse(structure, holds, self.cluster, self.arm, self._clusters)


def _end_blocks(structure: Structure, ties: Ints, side: int) -> Floats:
    """(n,6,6) stiffness of ties against motions of the body at one end alone: G^T S G + P, G = (1, -[r]x)."""
    G = motion_at(structure.arm[ties, side])
    block = np.einsum("tki,tkl,tlj->tij", G, structure.push[ties], G, optimize=True)
    block[:, 3:, 3:] += structure.turn[ties]
    return np.asarray(block)


def _inverses(block: Floats, points: bool) -> Floats:
    """(n,6,6) inverses of the blocks of bodies; of points without rotations, and 0 along what is free."""
    if not points:
        return np.linalg.inv(block)
    result = np.zeros_like(block)
    result[:, :3, :3] = np.linalg.pinv(block[:, :3, :3], rcond=FREE, hermitian=True)
    return result
