"""Forces in any structure by its stiffness: the minimum-norm solution, whatever the rank.

The minimum-norm lambda is J y for some displacements y (Smith, Witkin, Baraff 2001, section 3.2), and those solve

    J^T J y = -Q',   Q' = Q - M a,   lambda = J y,

where a are the rigid accelerations of the parts that hang together (resolution 4.13 d, inertia relief). The system is
as large as the bodies are many, not the ties, and may be preconditioned freely, since y counts only up to what strains
no tie. Conjugate gradients with the inverse blocks of the bodies and a coarse space of rigid motions of clusters of
bodies need some 20 iterations where plain ones on J W J^T need thousands. Where they need more than a sparse factor
costs, as in thin walls, the factor does it.

Trusses come loose as they break, and a load on what moves without resistance has no displacement. Then plain ones do
it, see `loose`: they take more iterations, but each is cheap.

Reference of the coarse space: Nicolaides 1987, "Deflation of conjugate gradients", here added to the block inverses.
"""

from dataclasses import dataclass

import numpy as np

from ...arithmetic.products import dot
from ...arithmetic.small_matrices import inverse, pseudo_inverse_symmetric
from ...geometry.graph import components
from ...geometry.sums import summed
from ...types import Bools, Floats, Frozen, Ints
from .coarse import clusters_of, coarse_inverse
from .factor import BlockPattern, Factor, FactorTable
from .iteration import Preconditioner, StoppingRule, TieNet, conjugate_gradients
from .loose import conjugate_residuals
from .rigid import rigid_motion, rigid_velocities
from .stiffness import coupling_stiffness
from .structure import Numbers, Solution, Structure, momenta

#: Stiffness to the ground of a body of mean mass, relative to that of a tie: bounds what moves without any resistance,
#: in trusses and in the factor, which rigid motions would make singular. Chosen between round-off, 1e-16 for each tie
#: of a body, and what could be felt (docs/papers/smith2001.md, 4.13).
SOFT = 1e-11
#: Below this share of the load what strains a structure is round-off: all of the load is on what has come off. Ten
#: thousand roundings.
UNLOADED = 1e-12
#: Tolerance of the residual as the preconditioner weighs it, over the one that is asked for: `Equilibrium.solve` says
#: what that leaves.
WEIGHED = 5.0
#: The coarse space is made anew when more than this share of the ties between clusters is gone. Chosen by time; 0.02
#: was tried before.
STALE = 0.05
#: The parts of a truss are loose where a direction resists less than its preconditioner by this. Chosen: half of the
#: digits are lost then.
RUNAWAY = 1e8
#: They are taken for loose as well after so many iterations. Chosen by time: what holds together takes some 20.
RIGID = 400
#: Blocks of points with an eigenvalue below this share of their largest have a direction in which the point is free.
#: Chosen: as the ground, well above round-off.
_FREE = 1e-10
#: After so many iterations it is asked what a factor would cost. Chosen: three times what most structures take in all.
LOOK = 60
#: Structures of so few bodies have a factor at once. Chosen by time.
_SMALL = 20
#: No factor has more blocks than this: 288 bytes each, twice. A bound of memory: some 300 MB.
_LARGE = 500_000
#: It is made from its beginning when more than this share of its pairs is gone. Chosen by time: what is gone stays in
#: it as zeros.
SPARSER = 0.2
#: Products of numbers that a tie and a body take in an iteration, and two blocks in the factor. 216 is
#: 6^3, the others are estimates.
_TIE, _BODY, BLOCKS = 60.0, 60.0, 216.0

#: No pairs.
_NONE = np.zeros(0, np.int64)
#: In the place of a factor where there is none.
NO_FACTOR = FactorTable(_NONE, _NONE, _NONE, np.zeros((0, 36)))


@dataclass(frozen=True, eq=False, slots=True)
class Rows(Frozen):
    """A structure as the iteration reads it: ties by their first bodies."""

    order: Ints  #: (T,) tie of the structure
    start: Numbers  #: (N+1,)
    other: Numbers  #: (T,) second body
    centre: Floats  #: (N,3) of the bodies, from their middle over the scale; 0 of points, which do not turn
    face: Floats  #: (T,3) middle of the faces, likewise
    push: Floats  #: (T,6) xx, xy, xz, yy, yz, zz
    turn: Floats  #: (T,6)


def rows_of(structure: Structure) -> Rows:
    """Sort the ties."""
    first = structure.pair[:, 0]
    order = np.argsort(first, kind="stable")
    upper = np.triu_indices(3)
    centre = (structure.position - structure.position.mean(axis=0)) * (not structure.points) / structure.scale
    return Rows(
        order=order,
        start=np.concatenate([[0], np.cumsum(np.bincount(first, minlength=len(structure.position)))]).astype(np.uint32),
        other=structure.pair[order, 1].astype(np.uint32),
        centre=centre,
        face=centre[first[order]] + structure.arm[order, 0],
        push=structure.push[order][:, *upper],
        turn=structure.turn[order][:, *upper],
    )


class Equilibrium:
    """Solves one structure again and again while its ties break."""

    def __init__(self, structure: Structure) -> None:
        self.structure, self.rows = structure, rows_of(structure)
        count, ties = len(structure.position), len(structure.pair)
        self.cluster, self.arm, self._clusters = clusters_of(structure)
        self._at = structure.position / structure.scale
        self._ground = np.where(structure.anchored, 0.0, SOFT * structure.mass / structure.mass.mean())
        self._soft = self._ground if structure.points else np.zeros(count)
        self._work, self._force = np.zeros((5, count, 6)), np.zeros((ties, 6))
        self._rank = np.empty(ties, np.int64)
        self._rank[self.rows.order] = np.arange(ties)
        anchored = structure.anchored[structure.pair]
        self._between = ~(anchored[:, 0] | anchored[:, 1])  # ties of two bodies that can move
        self._apart = self.cluster[structure.pair[:, 0]] != self.cluster[structure.pair[:, 1]]
        self._holds = np.zeros(ties, np.bool_)  # ties that blocks and factors are made of
        self._push, self._turn = np.zeros((ties, 6)), np.zeros((ties, 6))  # of the rows, 0 where a tie is gone
        self._block, self._tied = np.zeros((count, 6, 6)), np.zeros(count)  # and how many ties that is
        self._inverse = np.zeros((count, 36))
        self._coarse, self._crossing = np.zeros((0, 0)), -1
        self._patience = np.inf if structure.points else float(LOOK) if count > _SMALL else 0.0
        self._factor: Factor | None = None
        self._linked = 0  # pairs that the factor was first made of
        # A truss in which something moves without any resistance: with so few bars it surely does (Maxwell 1864).
        self._slack = structure.points and ties < 3 * count - 6
        self._loose = self._slack

    def blank(self) -> Floats:
        """Where a first solution begins: no displacements."""
        return np.zeros((len(self.structure.position), 6))

    def solve(self, holds: Bools, load: Floats, tolerance: float, most: int, y: Floats) -> Solution:
        """Forces (T,6) in the ties under loads (N,6); `y (N,6)` is where to begin, and becomes the result.

        holds (T,) ties that are there. Stops where the residual, weighed by the preconditioner, is below WEIGHED times
        `tolerance` of that of the load, or after `most` iterations: the forces are then off by about as much, which is
        ten times less than those of `Dual` are at the same tolerance of its residual.
        """
        structure = self.structure
        self._refresh(holds)
        part = self._parts(holds)
        b = momenta(structure, self._rigid(part, load)) - load  # -Q'
        y -= self._rigid(part, momenta(structure, y))  # strains nothing, and costs digits
        b[structure.anchored] = y[structure.anchored] = 0.0
        if np.abs(b).max() <= UNLOADED * np.abs(load).max():
            y[:] = 0.0
            return Solution(np.zeros((len(holds), 6)), 0, True)
        if self._loose:
            return self._plainly(load, tolerance, most, y)
        begin = y.copy()
        steps, converged = self._displace(holds, b, y, tolerance, min(most, RIGID) if structure.points else most)
        if not converged and structure.points:
            self._loose, y[:] = True, begin
            return self._plainly(load, tolerance, most, y)
        return Solution(self._force[self._rank], steps, converged)

    def _displace(self, holds: Bools, b: Floats, y: Floats, tolerance: float, most: int) -> tuple[int, bool]:
        """Solve for y; how many iterations that took, and whether they were enough.

        Blocks and coarse space have as many iterations as a factor costs; then there is one from now on.
        """
        structure, used = self.structure, 0
        while used < self._patience:
            limit = int(min(self._patience, most))
            steps = self._iterate(None, b, y, WEIGHED * tolerance, limit - used)
            used += abs(steps)
            if steps >= 0 or used < limit or used >= most:
                return used, steps >= 0
            worth = self._worth(BlockPattern(len(b), structure.pair[holds & self._between]))
            self._patience = worth if worth > used else 0.0
        steps = self._iterate(self._renewed(holds), b, y, tolerance, most)
        return used + abs(steps), steps >= 0

    def _iterate(self, factor: Factor | None, b: Floats, y: Floats, goal: float, most: int) -> int:
        structure, rows = self.structure, self.rows
        net = TieNet(
            rows.start, rows.other, rows.centre, rows.face, self._push, self._turn, self._soft, structure.anchored
        )
        table = NO_FACTOR if factor is None else factor.table
        preconditioner = Preconditioner(self._inverse, self.cluster, self.arm, self._coarse, table)
        stop = StoppingRule(goal, most, RUNAWAY if structure.points else np.inf)
        return conjugate_gradients(net, preconditioner, b, y, self._work, self._force, stop)

    def _worth(self, pattern: BlockPattern) -> float:
        """How many iterations a factor costs."""
        one = _TIE * len(self._push) + _BODY * len(self._block) + float(self._coarse.size)
        return BLOCKS * pattern.cost / one if len(pattern.row) <= _LARGE else np.inf

    def _renewed(self, holds: Bools) -> Factor:
        """The factor of the ties that hold."""
        if self._factor is None:
            structure = self.structure
            ties = np.flatnonzero(holds & self._between)
            pair = structure.pair[ties]
            pattern = BlockPattern(len(structure.position), pair)
            cross = coupling_stiffness(structure, ties, 0, 1)
            self._factor = Factor(pattern, pair, self._grounded(np.arange(len(structure.position))), cross)
            self._linked = len(ties)
        self._factor.renew()
        return self._factor

    def _grounded(self, bodies: Ints) -> Floats:
        """(n,6,6) blocks of bodies as the factor has them: those that are anchored are held by themselves."""
        block = self._block[bodies] + self._ground[bodies, None, None] * np.eye(6)
        block[self.structure.anchored[bodies]] = np.eye(6)
        return block

    def _plainly(self, load: Floats, tolerance: float, most: int, y: Floats) -> Solution:
        """For a truss that has come loose."""
        structure, rows = self.structure, self.rows
        push = self._push[:, [0, 3, 5]]  # k u_i^2
        bar = np.sqrt(push) * np.where(structure.direction[rows.order] < 0.0, -1.0, 1.0)
        at, work = np.ascontiguousarray(y[:, :3]), self._work.reshape(-1)[: 12 * len(y)].reshape(4, -1, 3)
        Q = np.ascontiguousarray(load[:, :3])
        steps = conjugate_residuals(rows.start, rows.other, bar, structure.inverse_mass, Q, at, work, tolerance, most)
        y[:, :3] = at
        a, b = structure.pair[rows.order].T
        force = bar * dot(bar, at[a] - at[b])[:, None]
        return Solution(np.concatenate([force, np.zeros_like(force)], axis=1)[self._rank], abs(steps), steps >= 0)

    def _parts(self, holds: Bools) -> Ints:
        """(N,) number of the free part that each body hangs together with, -1 where something holds the part."""
        structure = self.structure
        count = len(structure.position)
        label = components(count, structure.pair, holds, np.arange(count))
        fixed = np.zeros(int(label.max()) + 1, np.bool_)
        fixed[label[structure.anchored]] = True
        number = np.cumsum(~fixed) - 1
        return np.where(fixed[label], -1, number[label])

    def _rigid(self, part: Ints, momentum: Floats) -> Floats:
        """(N,6) the rigid motions of the free parts that have the momenta (N,6) of their bodies; else 0."""
        motion = rigid_motion(part, self._at, self.structure.mass, self.structure.inertia, momentum)
        return rigid_velocities(motion, part, self._at)

    def _refresh(self, holds: Bools) -> None:
        """Bring all that is made of the ties up to date."""
        structure = self.structure
        changed = np.flatnonzero(holds != self._holds)
        if len(changed) == 0:
            return
        if holds[changed].any():
            self._loose = self._slack
        pair, there, rank = structure.pair[changed], holds[changed], self._rank[changed]
        self._push[rank] = np.where(there[:, None], self.rows.push[rank], 0.0)
        self._turn[rank] = np.where(there[:, None], self.rows.turn[rank], 0.0)
        bodies, row = np.unique(pair.T.ravel(), return_inverse=True)
        self._holds = np.array(holds)
        ends = np.concatenate([coupling_stiffness(structure, changed, end, end) for end in (0, 1)])
        ends *= np.tile(np.where(there, 1.0, -1.0), 2)[:, None, None]
        self._block[bodies] += summed(ends.reshape(-1, 36), row, len(bodies)).reshape(-1, 6, 6)
        self._tied += np.bincount(pair.ravel(), np.repeat(np.where(there, 1.0, -1.0), 2), len(self._tied))
        self._block[bodies[self._tied[bodies] == 0.0]] = 0.0  # no round-off
        if self._patience == 0.0:
            self._refactor(changed, bodies)
        elif not self._slack:
            self._reblock(bodies)

    def _reblock(self, bodies: Ints) -> None:
        """Make the inverse blocks of some bodies anew, and the coarse space where much between clusters has changed."""
        structure = self.structure
        self._inverse[bodies] = 0.0
        some = bodies[(self._tied[bodies] > 0.0) & ~structure.anchored[bodies]]
        self._inverse[some] = _inverses(self._block[some], structure.points).reshape(-1, 36)
        now = int(np.count_nonzero(self._apart & self._holds))
        if self._crossing < 0 or not (1.0 - STALE) * self._crossing <= now <= self._crossing:
            self._crossing = now
            self._coarse = coarse_inverse(structure, self._holds, self.cluster, self.arm, self._clusters)

    def _refactor(self, changed: Ints, bodies: Ints) -> None:
        """Tell the factor what changed; where that is much, or ties are there again, it is made from its beginning."""
        if self._factor is None:
            return
        now = int(np.count_nonzero(self._holds & self._between))
        if self._holds[changed].any() or now < (1.0 - SPARSER) * self._linked:
            self._factor = None
            return
        gone = self.structure.pair[changed[self._between[changed]]]
        self._factor.change(bodies, self._grounded(bodies), gone)


def _inverses(block: Floats, points: bool) -> Floats:
    """(n,6,6) inverses of the blocks of bodies; of points without rotations, and 0 along what is free."""
    if not points:
        return inverse(block)
    result = np.zeros_like(block)
    result[:, :3, :3] = pseudo_inverse_symmetric(block[:, :3, :3], _FREE)
    return result
