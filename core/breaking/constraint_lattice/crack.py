"""The impact in steps: forces grow, what cannot bear them breaks, cracks weaken what adjoins them.

Source: Smith, Witkin, Baraff 2001, sections 3.1, 3.3 and 3.4, and section 3 of our page. Ours: breaking the worst
first, solving again within a step until nothing breaks, and the vote of interfaces.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ...geometry.graph import components
from ...types import Bools, Floats, Frozen, Ints
from .dual import Dual
from .grains import Joints
from .growth import Growth
from .lattice import Lattice, reaction
from .network import Network

#: Growth weakens nothing below this share of its first strength.
FLOOR = 1e-4

#: Both keep where the last solution ended, see their `blank`.
Solver: TypeAlias = Dual | Network


@dataclass(frozen=True, eq=False, slots=True)
class Manner(Frozen):
    """How an impact runs."""

    steps: Floats  #: (n,) force of each step over the peak
    dt: float  #: length of a step [s]
    growth: Growth | None = None
    compression: float = 8.0  #: strength under pressure over that under tension
    worst_share: float = 0.0  #: what is overloaded by at least this share of the worst breaks at once; 0: all of it
    settle: bool = True  #: solve again within a step until nothing breaks
    vote: float = 1.0  #: share of the area between two units at which all of it breaks; less heals at the end
    adjoining: Ints | None = None  #: (n,2) pairs of joints that weaken each other; None: those that share an edge
    tolerance: float = 1e-3
    most_iterations: int = 5000  #: of one solution
    most_solutions: int = 400


@dataclass(frozen=True, eq=False, slots=True)
class Outcome(Frozen):
    """What came of it."""

    broken: Bools  #: (J,) joints
    ratio: Floats  #: (J,) largest force over what the joint could bear then
    velocity: Floats  #: (N,3) change of the velocity of each point [m/s]
    solutions: int
    capped: bool  #: the most solutions were not enough: it would have broken on
    inexact: bool  #: a solution did not reach its tolerance


def crack(lattice: Lattice, joints: Joints, solver: Solver, load: Floats, manner: Manner) -> Outcome:
    """Let forces `load (N,3)` [N], those of the peak, act on a lattice in the steps of a schedule."""
    run = _Run(lattice, joints, solver, load, manner)
    for force in manner.steps:
        run.step(float(force))
    broken = ~run.holds[: lattice.joint_count]
    return Outcome(
        broken=broken & ~_healed(joints, broken, manner.vote),
        ratio=run.worst[: lattice.joint_count],
        velocity=run.velocity,
        solutions=run.solutions,
        capped=run.capped,
        inexact=run.inexact,
    )


class _Run:
    """The state of a lattice in the course of an impact."""

    def __init__(self, lattice: Lattice, joints: Joints, solver: Solver, load: Floats, manner: Manner) -> None:
        self.lattice, self.joints, self.solver, self.load, self.manner = lattice, joints, solver, load, manner
        self.holds = np.ones(len(lattice.strength), np.bool_)  # (T,) ties
        self.strength = np.array(lattice.strength)
        self.worst = np.zeros(len(self.strength))
        self.velocity = np.zeros_like(lattice.position)
        self.solutions, self.capped, self.inexact = 0, False, False
        self._first_bar = np.searchsorted(lattice.tie, np.arange(len(self.strength)))
        self._single = len(lattice.tie) == len(self.strength)
        pair = lattice.around if manner.adjoining is None else manner.adjoining
        self._pair, self._factor = pair, _factors(lattice, pair, manner.growth)
        # The term -kC as forces Q = J^T e under which the bars have the tensions e, so that C = J W J^T e / k is in the
        # range of J whatever bars are left (resolution 4.3).
        self._strain = reaction(lattice, lattice.prestress)
        self._strained = bool(lattice.prestress.any())
        self._state = [solver.blank(), solver.blank()]
        self._unit, self._rest = np.zeros(len(lattice.tie)), np.zeros(len(lattice.tie))
        self._solve()

    def step(self, force: float) -> None:
        """Let one step of the schedule act."""
        lattice, manner = self.lattice, self.manner
        lost = np.zeros(len(lattice.tie))  # what broken bars still transmitted
        while True:
            acting = force * self._unit + self._rest
            ratio = self._ratio(acting)
            np.maximum(self.worst, ratio, out=self.worst)
            over = ratio > 1.0
            if not over.any():
                break
            if self.solutions >= manner.most_solutions:
                self.capped = True
                break
            broken = over & (ratio >= manner.worst_share * ratio.max())
            # No more than its strength in the step in which it breaks (section 3.3, resolution 4.4).
            bears = (self.strength[lattice.tie] * lattice.share)[broken[lattice.tie]]
            lost[broken[lattice.tie]] += np.clip(acting[broken[lattice.tie]], -bears, manner.compression * bears)
            self._break(broken)
            self._solve()
            if not manner.settle:
                break
        total = force * self.load + self._strain + reaction(lattice, force * self._unit + self._rest + lost)
        self.velocity += manner.dt * lattice.inverse_mass[:, None] * total

    def _solve(self) -> None:
        alive = self.holds[self.lattice.tie]
        manner = self.manner
        found = self.solver.solve(alive, self.load, manner.tolerance, manner.most_iterations, self._state[0])
        self._unit = found.force
        self.inexact |= not found.converged
        if self._strained:
            found = self.solver.solve(alive, self._strain, manner.tolerance, manner.most_iterations, self._state[1])
            self._rest = found.force
            self.inexact |= not found.converged
        self.solutions += 1

    def _ratio(self, acting: Floats) -> Floats:
        """(T,) force on each tie that holds over what it bears: the worst of its bars."""
        lattice = self.lattice
        bears = np.maximum(self.strength[lattice.tie] * lattice.share, 1e-300)
        ratio = np.maximum(-acting, acting / self.manner.compression) / bears
        by_tie = ratio if self._single else np.maximum.reduceat(ratio, self._first_bar)
        return np.where(self.holds, by_tie, 0.0)

    def _break(self, broken: Bools) -> None:
        """Take ties out, weaken what adjoins them, and drop braces between parts that have come off each other."""
        fresh = broken
        while fresh.any():
            self.holds &= ~fresh
            self._grow(fresh)
            fresh = self._voted_out() & self.holds
        lattice = self.lattice
        if lattice.brace_count:
            brace = slice(lattice.joint_count, lattice.joint_count + lattice.brace_count)
            joint = np.arange(lattice.joint_count)
            grains = int(lattice.grain[-1]) + 1
            part = components(grains, lattice.tie_grains[joint], self.holds[joint], np.arange(grains))
            self.holds[brace] &= part[lattice.tie_grains[brace, 0]] == part[lattice.tie_grains[brace, 1]]

    def _grow(self, fresh: Bools) -> None:
        """Weaken the joints beside those just broken; those beside several are weakened by each."""
        if self._factor is None:
            return
        joint = self.lattice.joint_count
        for one, other in ((0, 1), (1, 0)):
            hit = fresh[self._pair[:, one]] & self.holds[self._pair[:, other]]
            np.multiply.at(self.strength, self._pair[hit, other], self._factor[hit])
        floor = FLOOR * self.lattice.strength[:joint]
        self.strength[:joint] = np.maximum(self.strength[:joint], floor)

    def _voted_out(self) -> Bools:
        """(T,) joints of interfaces of which so much is broken that all of it goes."""
        joints, result = self.joints, np.zeros(len(self.holds), np.bool_)
        if self.manner.vote < 1.0 and len(joints.link):
            share = _broken_share(joints, ~self.holds[: len(joints.link)])
            result[: len(joints.link)] = share >= self.manner.vote
        return result


def _factors(lattice: Lattice, pair: Ints, growth: Growth | None) -> Floats | None:
    """(n,) by which each of two joints is weakened when the other one breaks."""
    if growth is None:
        return None
    u = lattice.tie_direction
    cosine = np.abs(np.einsum("ni,ni->n", u[pair[:, 0]], u[pair[:, 1]]))
    return growth(np.arccos(np.minimum(cosine, 1.0)))


def _broken_share(joints: Joints, broken: Bools) -> Floats:
    """(J,) share of the area of a joint's interface that is broken; 0 for joints inside of units."""
    between = joints.link >= 0
    count = int(joints.link.max(initial=-1)) + 1
    whole = np.bincount(joints.link[between], joints.area[between], count)
    gone = np.bincount(joints.link[between], (joints.area * broken)[between], count)
    share = np.zeros(len(broken))
    share[between] = (gone / np.maximum(whole, 1e-300))[joints.link[between]]
    return share


def _healed(joints: Joints, broken: Bools, vote: float) -> Bools:
    """(J,) broken joints of interfaces that stay closed."""
    return np.asarray(broken & (_broken_share(joints, broken) < min(vote, 1.0 - 1e-9)))
