"""The lattice: point masses joined by bars that keep their lengths.

Source: Smith, Witkin, Baraff 2001, section 2.1: a point for each tetrahedron, a bar for each shared face. Ours beside
it: braces between grains that share an edge, without which tetrahedra form a mechanism; and two points for a grain of
a wall that is one layer thick (four for one of a rod), since bars between single points in a plane bear no bending.
"""

from dataclasses import dataclass

import numpy as np

from ...geometry.sums import summed
from ...types import Bools, Floats, Frozen, Ints
from .grains import Grains, Joints

#: A grain is thin along a direction in which its joints have less than this share of the area of all their faces.
FLAT = 0.02
#: Strength of a brace, in medians of that of the joints.
BRACE = 0.5
#: Two points of a grain are no closer than this share of its largest extent.
LEAST = 1e-3


@dataclass(frozen=True, eq=False, slots=True)
class Lattice(Frozen):
    """Points and bars. A tie is all bars between two grains: a joint, a brace, or what keeps a grain's points together.

    Ties come in this order: J joints, then braces, then those inside of grains.
    """

    position: Floats  #: (N,3) [m]
    inverse_mass: Floats  #: (N,) w, 0 where it is held [1/kg]
    grain: Ints  #: (N,)
    bars: Ints  #: (m,2) points a, b, ascending
    direction: Floats  #: (m,3) u = (p_a - p_b)/|p_a - p_b|
    stiffness: Floats  #: (m,) relative, by which forces share out where bars are more than needed [1]
    tie: Ints  #: (m,) ascending
    share: Floats  #: (m,) of the strength of its tie
    tie_grains: Ints  #: (T,2)
    tie_direction: Floats  #: (T,3) of the line between the two grains
    strength: Floats  #: (T,) tension that a tie bears [N]
    prestress: Floats  #: (m,) tension of each bar before anything hits [N]
    joint_count: int  #: J
    brace_count: int
    around: Ints  #: (n,2) pairs of joints whose faces share an edge

    @property
    def determined(self) -> bool:
        """Whether its bars can be no more than needed: the forces are then unique (resolution 4.1)."""
        bars = np.bincount(self.bars.ravel(), minlength=len(self.position))
        return self.brace_count == 0 and bool((bars <= 4).all()) and bool((self.inverse_mass > 0.0).all())


def lattice_of(grains: Grains, joints: Joints, braced: bool, by_area: bool) -> Lattice:
    """The lattice of grains and joints, `braced` or as the paper has it.

    `by_area`: bars are stiff in proportion to area over length, as matter is; else all alike, as in the paper.
    """
    position, mass, grain, start = _points(grains, joints)
    brace = joints.across if braced else np.zeros((0, 2), np.int64)
    inner = np.repeat(np.flatnonzero(np.diff(start) > 1), 2).reshape(-1, 2)
    tie_grains = np.concatenate([joints.pair, brace, inner])
    bars, tie = _bars(tie_grains, start)
    finite = joints.strength[np.isfinite(joints.strength)]
    typical = float(np.median(finite)) if len(finite) else np.inf
    strength = np.concatenate([joints.strength, np.full(len(brace), BRACE * typical), np.full(len(inner), np.inf)])
    step = position[bars[:, 0]] - position[bars[:, 1]]
    length = np.sqrt(np.square(step).sum(axis=1))
    sides = np.diff(start)[tie_grains]
    share = 1.0 / np.maximum(sides.max(axis=1), 1)[tie]
    prestress = np.concatenate([joints.prestress, np.zeros(len(brace) + len(inner))])[tie] * share
    # Prestress along the line of a tie: that of bars aslant counts for those straight ones that there are as many of.
    straight = bars[:, 0] - start[tie_grains[tie, 0]] == bars[:, 1] - start[tie_grains[tie, 1]]
    between = grains.centre[tie_grains[:, 0]] - grains.centre[tie_grains[:, 1]]
    return Lattice(
        position=position,
        inverse_mass=np.where(grains.held[grain], 0.0, 1.0 / mass),
        grain=grain,
        bars=bars,
        direction=step / length[:, None],
        stiffness=_stiffness(joints, tie, length, share, len(brace)) if by_area else np.ones(len(bars)),
        tie=tie,
        share=share,
        tie_grains=tie_grains,
        tie_direction=between / np.maximum(np.sqrt(np.square(between).sum(axis=1)), 1e-300)[:, None],
        strength=strength,
        prestress=np.where(straight, prestress, 0.0),
        joint_count=len(joints.pair),
        brace_count=len(brace),
        around=joints.around,
    )


def reaction(lattice: Lattice, force: Floats) -> Floats:
    """Q^ = J^T lambda (N,3): what bars with the constraint forces `force (m,)` [N] do to their points (equation 2)."""
    push = force[:, None] * lattice.direction
    count = len(lattice.position)
    first, second = lattice.bars[:, 0], lattice.bars[:, 1]
    return summed(push, first, count) - summed(push, second, count)


def _points(grains: Grains, joints: Joints) -> tuple[Floats, Floats, Ints, Ints]:
    """Positions (N,3), masses (N,) and grains (N,) of the points; grain g has the points `start[g]:start[g + 1]`.

    Points of a thin grain stand apart so that they turn as heavily about its middle as it does itself.
    """
    axis, thin = _thin(grains, joints)
    count = 2 ** thin.sum(axis=1)
    start = np.concatenate([[0], np.cumsum(count)])
    grain = np.repeat(np.arange(len(count)), count)
    number = np.arange(len(grain)) - start[grain]
    second = np.einsum("gij,gik,gjk->gk", grains.second, axis, axis)  # along each of the three axes
    reach = np.sqrt(np.maximum(second, np.square(LEAST) * second.max(axis=1, keepdims=True)))
    offset = np.zeros((len(grain), 3))
    used = np.zeros(len(count), np.int64)
    for k in range(3):
        on = thin[grain, k]
        sign = np.where((number >> used[grain]) & 1, 1.0, -1.0)
        offset += np.where(on, sign * reach[grain, k], 0.0)[:, None] * axis[grain, :, k]
        used += thin[:, k]
    return grains.centre[grain] + offset, grains.mass[grain] / count[grain], grain, start


def _thin(grains: Grains, joints: Joints) -> tuple[Floats, Bools]:
    """Axes (G,3,3), in columns, and along which of them (G,3) a grain has no neighbours: one or two, or none."""
    spread = np.zeros((len(grains.mass), 3, 3))
    for side in (0, 1):
        np.add.at(spread, joints.pair[:, side], joints.normal_spread)
    value, axis = np.linalg.eigh(spread)
    thin = value < FLAT * value.sum(axis=1, keepdims=True)
    thin[thin.all(axis=1)] = False  # without a joint
    # The direction of an axis is free: largest component up, for bits that do not depend on the library.
    largest = np.take_along_axis(axis, np.abs(axis).argmax(axis=1)[:, None, :], axis=1)
    return axis * np.where(largest < 0.0, -1.0, 1.0), thin


def _bars(tie_grains: Ints, start: Ints) -> tuple[Ints, Ints]:
    """All bars (m,2) of the ties, each from a lower to a higher point, and the tie (m,) of each."""
    count = np.diff(start)[tie_grains]
    same = tie_grains[:, 0] == tie_grains[:, 1]
    tie = np.repeat(np.arange(len(tie_grains)), count.prod(axis=1))
    first = np.concatenate([[0], np.cumsum(count.prod(axis=1))])[:-1]
    k = np.arange(len(tie)) - first[tie]
    a, b = (k // count[tie, 1], k % count[tie, 1])
    bars = np.stack([start[tie_grains[tie, 0]] + a, start[tie_grains[tie, 1]] + b], axis=1)
    keep = ~same[tie] | (bars[:, 0] < bars[:, 1])
    return bars[keep], tie[keep]


def _stiffness(joints: Joints, tie: Ints, length: Floats, share: Floats, braces: int) -> Floats:
    """(m,) area over length of each bar, relative to the mean of the joints; a brace is as stiff as BRACE joints."""
    count = len(joints.area)
    area = np.full(int(tie.max(initial=-1)) + 1, np.median(joints.area) if count else 1.0)
    area[:count] = joints.area
    area[count : count + braces] *= BRACE
    k = area[tie] * share / length
    own = tie < count
    return np.asarray(k / k[own].mean() if own.any() else np.ones(len(tie)))
