"""The impact in steps: forces grow, what cannot bear them breaks, cracks weaken what adjoins them.

Source: Smith, Witkin, Baraff 2001, sections 3.1, 3.3 and 3.4, and section 3 of docs/papers/smith2001.md.
Ours: breaking the worst first, solving again within a step until nothing breaks, and the vote of interfaces.
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ...arithmetic.elementary import arccos
from ...arithmetic.products import dot
from ...geometry.graph import components
from ...types import Bools, Floats, Frozen, Ints
from .dual import Dual
from .equilibrium import Equilibrium
from .grains import Joints
from .growth import Growth
from .structure import Structure, accelerated, ends_of, overload, reaction, tensions

#: Tolerance while things still break. Chosen by time: what breaks last is found with the full tolerance; 0.05 was tried
#: before.
_LOOSE = 0.005
#: Growth weakens nothing below this share of its first strength. Chosen: again and again weakened, something would
#: break without a load.
FLOOR = 1e-4

#: Both keep where the last solution ended, see their `blank`.
Solver: TypeAlias = Dual | Equilibrium


@dataclass(frozen=True, eq=False, slots=True)
class CrackOptions(Frozen):
    """How an impact runs."""

    steps: Floats  #: (n,) force of each step over the peak, 0 or more
    dt: float  #: length of a step [s]
    growth: Growth | None = None
    compression: float = 8.0  #: strength under pressure over that under tension: S9
    worst_share: float = 0.0  #: what is overloaded by at least this share of the worst breaks at once; 0: all of it
    near: int = 0  #: the worst within so many ties' way, since forces far from a crack hardly change; 0: of all
    settle: bool = True  #: solve again within a step until nothing breaks
    relative: float = 0.0  #: peak of the force over that which first cracks the bare material; 0: as the load says
    vote: float = 1.0  #: share of the area between two units at which all of it breaks; less heals at the end
    adjoining: Ints | None = None  #: (n,2) pairs of joints that weaken each other; None: those that share an edge
    tolerance: float = 1e-3  #: of the forces of a solution, by eye
    most_iterations: int = 2000  #: of one solution, by eye: thin pieces may need more, and the report says so
    most_solutions: int = 1000


@dataclass(frozen=True, eq=False, slots=True)
class Outcome(Frozen):
    """What came of it."""

    broken: Bools  #: (J,) joints
    ratio: Floats  #: (J,) largest force over what the joint could bear then
    motion: Floats  #: (N,6) change of the motion of each body, see `structure.Structure`
    solutions: int
    capped: bool  #: the most solutions were not enough: it would have broken on
    factor: float  #: by which the load was scaled, see `CrackOptions.relative`
    inexact: bool  #: a solution did not reach its tolerance


def crack_steps(
    structure: Structure, joints: Joints, solver: Solver, load: Floats, options: CrackOptions
) -> Generator[None, None, Outcome]:
    """Let loads (N,6), those of the peak, act on a structure in the steps of a schedule; yields after each solution."""
    run = _Run(structure, joints, solver, load, options)
    yield
    for force in options.steps:
        yield from run.step(float(force))
    broken = ~run.holds[: structure.joint_count]
    return Outcome(
        broken=broken & ~_healed(joints, broken, options.vote),
        ratio=run.worst[: structure.joint_count],
        motion=accelerated(structure, run.impulse),
        solutions=run.solutions,
        capped=run.capped,
        factor=run.factor,
        inexact=run.inexact,
    )


class _Run:
    """The state of a structure in the course of an impact."""

    def __init__(
        self, structure: Structure, joints: Joints, solver: Solver, load: Floats, options: CrackOptions
    ) -> None:
        self.structure, self.joints, self.solver, self.load, self.options = structure, joints, solver, load, options
        self.holds = np.ones(len(structure.pair), np.bool_)  # (T,)
        self.strength = np.array(structure.strength)
        self.worst = np.zeros(len(self.strength))
        self.impulse = np.zeros_like(load)  # on each body, of the load and the ties
        self.solutions, self.capped, self.inexact, self._exact = 0, False, False, False
        pair = structure.around if options.adjoining is None else options.adjoining
        self._pair = np.ascontiguousarray(pair.T)
        # The term -kC as loads that hold the ties at their tensions e (resolution 4.3); see `_solve`.
        self._strain = -reaction(structure, tensions(structure, structure.prestress))
        self._strained = bool(structure.prestress.any())
        self._ends = _ends(structure)
        self._from = [solver.blank(), solver.blank()]
        self._unit = self._rest = np.zeros((len(self.strength), 6))
        self._calm = self._net = np.zeros_like(load)  # at no load, and of the load and its ties at the peak
        self._load_ratio = np.zeros(len(self.strength))  # what a tie bears at the peak over its strength
        self._solve(exact=True)
        self.factor = self._scaled() if options.relative > 0.0 else 1.0

    def _scaled(self) -> float:
        """Scale the load and its forces; returns by how much."""
        bare = np.full(len(self.strength), np.inf)
        bare[: self.structure.joint_count] = self.joints.nominal
        first = float(overload(self.structure, self._unit, bare, self.options.compression).max())
        factor = self.options.relative / first if first > 0.0 else 1.0
        self.load, self._unit = factor * self.load, factor * self._unit
        self._from[0] *= factor
        self._follow()
        return factor

    def step(self, force: float) -> Generator[None, None, None]:
        """Let one step of the schedule act; yields after each solution."""
        options = self.options
        while True:
            ratio = self._ratio(force)
            np.maximum(self.worst, ratio, out=self.worst)
            over = ratio > 1.0
            if not over.any():
                if self._exact:
                    break
                self._solve(exact=True)
                yield
                continue
            if self.solutions >= options.most_solutions:
                self.capped = True
                break
            broken = over & (ratio >= options.worst_share * self._worst_nearby(ratio))
            # It still transmits its strength in the step in which it breaks (section 3.3, resolution 4.4).
            ties = np.flatnonzero(broken)
            last = (force * self._unit[ties] + self._rest[ties]) / ratio[ties, None]
            self.impulse += options.dt * reaction(self.structure, last, ties)
            self._break(broken)
            self._solve(exact=not options.settle)
            yield
            if not options.settle:
                break
        self.impulse += options.dt * (force * self._net + self._calm)

    def _ratio(self, force: float) -> Floats:
        """(T,) how many times what it bears each tie has to bear now."""
        if self._strained:
            return self._overload(force * self._unit + self._rest)
        return force * self._load_ratio

    def _overload(self, acting: Floats) -> Floats:
        ratio = overload(self.structure, acting, self.strength, self.options.compression)
        return np.where(self.holds, ratio, 0.0)

    def _follow(self) -> None:
        """What follows from the forces, and lasts until there are new ones: all but prestress is linear in the load."""
        self._net = self.load + reaction(self.structure, self._unit)
        if self._strained:
            self._calm = self._strain + reaction(self.structure, self._rest)
        else:
            self._load_ratio = self._overload(self._unit)

    def _solve(self, exact: bool) -> None:
        """Find the forces anew: what is overloaded most stands out early, what is not overloaded is made sure of.

        Ties keep the tensions e that they had; those that are gone let go of what they held. For a lattice of full rank
        that is the solution for C = J W J^T e / k (resolution 4.4), in others tensions in balance count as well.
        """
        options, structure = self.options, self.structure
        self._exact, self.solutions = exact, self.solutions + 1
        tolerance = options.tolerance if exact else max(options.tolerance, _LOOSE)
        loads = [self.load]
        if self._strained:
            loads.append(-reaction(structure, tensions(structure, np.where(self.holds, 0.0, structure.prestress))))
        found = [
            self.solver.solve(self.holds, load, tolerance, options.most_iterations, at)
            for load, at in zip(loads, self._from, strict=False)
        ]
        self._unit = found[0].force
        if self._strained:
            self._rest = found[1].force + tensions(structure, np.where(self.holds, structure.prestress, 0.0))
        self.inexact |= not all(one.converged for one in found)
        self._follow()

    def _worst_nearby(self, ratio: Floats) -> Floats:
        """(T,) the largest ratio (T,) of all ties, or of those that hold together with each one nearby."""
        if self.options.near == 0:
            return np.broadcast_to(ratio.max(), ratio.shape)
        order, start, some = self._ends
        a, b = self.structure.pair.T
        for _ in range(self.options.near):
            at_body = np.zeros(len(self.structure.position))
            at_body[some] = np.maximum.reduceat(ratio[order], start)
            ratio = np.where(self.holds, np.maximum(at_body[a], at_body[b]), 0.0)
        return ratio

    def _break(self, broken: Bools) -> None:
        """Take ties out, weaken what adjoins them, and drop braces between parts that have come off each other."""
        fresh = broken
        while fresh.any():
            self.holds &= ~fresh
            self._grow(fresh)
            fresh = self._voted_out() & self.holds
        structure, joints = self.structure, slice(None, self.structure.joint_count)
        braces = slice(structure.joint_count, None)
        if len(structure.pair) > structure.joint_count:
            bodies = len(structure.position)
            part = components(bodies, structure.pair[joints], self.holds[joints], np.arange(bodies))
            self.holds[braces] &= part[structure.pair[braces, 0]] == part[structure.pair[braces, 1]]

    def _grow(self, fresh: Bools) -> None:
        """Weaken the joints beside those just broken; those beside several are weakened by each."""
        structure, growth = self.structure, self.options.growth
        if growth is None:
            return
        joint, u = structure.joint_count, structure.direction
        for one, other in (self._pair, self._pair[::-1]):
            hit = np.flatnonzero(fresh[one])
            hit = hit[self.holds[other[hit]]]
            cosine = np.abs(dot(u[one[hit]], u[other[hit]]))
            np.multiply.at(self.strength, other[hit], growth(arccos(np.minimum(cosine, 1.0))))
        floor = FLOOR * structure.strength[:joint]
        self.strength[:joint] = np.maximum(self.strength[:joint], floor)

    def _voted_out(self) -> Bools:
        """(T,) joints of interfaces of which so much is broken that all of it goes."""
        joints, result = self.joints, np.zeros(len(self.holds), np.bool_)
        if self.options.vote < 1.0 and len(joints.link):
            share = _broken_share(joints, ~self.holds[: len(joints.link)])
            result[: len(joints.link)] = share >= self.options.vote
        return result


def _ends(structure: Structure) -> tuple[Ints, Ints, Ints]:
    """Ties (2T,) by the bodies at their ends; where those of each body start, and which bodies have some."""
    tie, start = ends_of(structure.pair, len(structure.position))
    some = np.flatnonzero(np.diff(start))
    return tie, start[some], some


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
