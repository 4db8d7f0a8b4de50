"""The structure that holds a fragment together: bodies, and ties that keep them in place beside each other.

A truss is the paper's lattice (Smith, Witkin, Baraff 2001, section 2.1): a point mass for each grain, a bar for each
shared face, which keeps its length and nothing else. Trusses of tetrahedra are mechanisms; braces between grains that
share an edge make them rigid (resolution 4.2).

In a welded structure, ours, grains are rigid bodies with their inertia, and a face keeps its two sides together all
over: it bears tension, shear, bending and torsion. No mechanism is left, and a wall of one layer of grains bends, and
cracks on the side that is stretched.
"""

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...arithmetic.elementary import cbrt
from ...arithmetic.products import apply
from ...arithmetic.small_matrices import determinant, principal_directions, solve
from ...geometry.principal import principal_axes
from ...jit import njit_no_refs
from ...types import Bools, Floats, Frozen, Ints
from .grains import Grains, Joints

#: Unsigned: compiled code then asks of none whether it counts from the end.
Numbers: TypeAlias = NDArray[np.uint32]

#: Strength of a brace, in medians of that of the joints. Half, by eye: docs/papers/smith2001.md, 4.2.
BRACE = 0.5
#: A face is no narrower than this share of the root of its area. By eye: of slivers bending would be infinite.
_NARROW = 0.02
#: Points lie in a plane when they are less thick than this, relative to their width. Chosen: as the jitter.
_FLAT = 1e-6
#: No tie counts as weaker [N]: what bears nothing is overloaded without end, but by a number. Chosen: far below all
#: strengths, and its inverse is finite.
WEAKEST = 1e-200
#: Of ties.
_ALL = slice(None)
#: Half of a rectangle's side over its radius of gyration: where bending stresses its edge.
EDGE_OVER_GYRATION = float(np.sqrt(3.0))


@dataclass(frozen=True, eq=False, slots=True)
class Structure(Frozen):
    """N bodies and T ties: J joints, then braces.

    Forces and moments on bodies and in ties are rows of six: force [N], then moment over `scale` [N]; motions
    accordingly: displacement, then rotation times `scale`. The force in a tie is what it does to its first body, at
    the middle of its face; its second body feels the opposite.
    """

    scale: float  #: length by which moments are divided, about the size of a grain [m]
    points: bool  #: bodies do not turn: a truss
    position: Floats  #: (N,3) [m]
    mass: Floats  #: (N,) [kg]
    inertia: Floats  #: (N,3,3) about the centre over scale^2 [kg]
    anchored: Bools  #: (N,)
    pair: Ints  #: (T,2) bodies a < b
    direction: Floats  #: (T,3) u = (p_a - p_b)/|p_a - p_b|
    normal: Floats  #: (T,3) of the face, from a to b; -u in a truss
    arm: Floats  #: (T,2,3) from each body to the middle of the face over the scale; 0 in a truss
    push: Floats  #: (T,3,3) force per displacement of one side against the other, relative
    turn: Floats  #: (T,3,3) moment per rotation, relative
    bend: Floats  #: (T,2,3) what the moment in a tie adds to the tension at the edges of its face, along both its axes
    twist: Floats  #: (T,3) what it adds to the shear at the corners
    strength: Floats  #: (T,) tension that a tie bears [N]
    prestress: Floats  #: (T,) tension before anything hits [N]
    joint_count: int  #: J
    around: Ints  #: (n,2) pairs of joints whose faces share an edge

    @property
    def inverse_mass(self) -> Floats:
        """(N,) w [1/kg], 0 where a body is anchored."""
        return np.where(self.anchored, 0.0, 1.0 / self.mass)

    @property
    def loose(self) -> bool:
        """Whether it is a truss without braces, in which much moves without any resistance."""
        return self.points and self.joint_count == len(self.pair) and int(self._bars.max(initial=0)) <= 4

    @property
    def determined(self) -> bool:
        """Whether it is loose and has no more bars than needed: their forces are then unique (resolution 4.1)."""
        arm = self.position - self.position.mean(axis=0)
        size, _ = principal_directions(arm)
        return (
            self.loose and not self.anchored.any() and bool(size[-1] > _FLAT * size[0])
        )  # in a plane fewer are needed

    @property
    def _bars(self) -> Ints:
        return np.bincount(self.pair.ravel(), minlength=len(self.position))


class Solution(NamedTuple):
    """What acts in the ties of a structure under a load."""

    force: Floats  #: (T,6), of bars lambda u, positive where a bar pushes its ends apart [N]; 0 for ties that are gone
    iterations: int
    converged: bool


def truss_of(grains: Grains, joints: Joints, braced: bool, by_area: bool) -> Structure:
    """Point masses and bars; `by_area`: stiff in proportion to area over length, as matter is; else all alike."""
    brace = joints.across if braced else np.zeros((0, 2), np.int64)
    pair, count = np.concatenate([joints.pair, brace]), len(joints.pair)
    length, u = _lines(grains, pair)
    finite = joints.strength[np.isfinite(joints.strength)]
    typical = float(np.median(finite)) if len(finite) else np.inf
    area = np.concatenate([joints.area, np.full(len(brace), BRACE * np.median(joints.area) if count else 1.0)])
    k = _relative(area / length, count) if by_area else np.ones(len(pair))
    nothing = np.zeros((len(pair), 3, 3))
    return Structure(
        scale=float(length.mean()) if len(pair) else 1.0,  # of turns in the coarse space, so that it has no unit
        points=True,
        position=grains.centre,
        mass=grains.mass,
        inertia=np.zeros((len(grains.mass), 3, 3)),
        anchored=grains.anchored,
        pair=pair,
        direction=u,
        normal=-u,
        arm=np.zeros((len(pair), 2, 3)),
        push=k[:, None, None] * u[:, :, None] * u[:, None, :],
        turn=nothing,
        bend=nothing[:, :2],
        twist=nothing[:, 0],
        strength=np.concatenate([joints.strength, np.full(len(brace), BRACE * typical)]),
        prestress=np.concatenate([joints.prestress, np.zeros(len(brace))]),
        joint_count=count,
        around=joints.around,
    )


def welded_of(grains: Grains, joints: Joints, by_area: bool) -> Structure:
    """Rigid grains whose faces hold together all over.

    A face of area A with springs k per area on all of it does k A d to its sides where they are apart by d in its
    middle, and k P w where they are turned by w: P is the integral of r^2 1 - r r^T over the face.
    """
    scale = float(np.mean(np.sqrt(cbrt(np.abs(determinant(12.0 * grains.second)))))) or 1.0
    length, u = _lines(grains, joints.pair)
    count = len(joints.pair)
    k = _relative(joints.area / length, count) if by_area else np.ones(count)
    value, axis = principal_axes(joints.spread / joints.area[:, None, None])  # ascending: across the face first
    gyration = np.sqrt(np.maximum(value[:, 1:], np.square(_NARROW) * joints.area[:, None]))
    first, second = axis[:, :, 1], axis[:, :, 2]
    r2 = [
        np.square(g)[:, None, None] * e[:, :, None] * e[:, None, :]
        for g, e in zip(gyration.T, (first, second), strict=True)
    ]
    total = np.square(gyration).sum(axis=1)
    P = total[:, None, None] * np.eye(3) - r2[0] - r2[1]
    # t(r) = N/A + a r.e1 + b r.e2 has the moment -a A g1^2 e2 + b A g2^2 e1; its edges are at EDGE g1 and EDGE g2.
    bend = EDGE_OVER_GYRATION * scale * np.stack([second / gyration[:, :1], first / gyration[:, 1:]], axis=1)
    inertia = np.trace(grains.second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - grains.second
    middle = joints.middle[:, None] - grains.centre[joints.pair]
    return Structure(
        scale=scale,
        points=False,
        position=grains.centre,
        mass=grains.mass,
        inertia=grains.mass[:, None, None] * inertia / (scale * scale),
        anchored=grains.anchored,
        pair=joints.pair,
        direction=u,
        normal=joints.normal,
        arm=middle / scale,
        push=k[:, None, None] * np.eye(3),
        turn=k[:, None, None] * P / (scale * scale),
        bend=bend,
        twist=EDGE_OVER_GYRATION
        * scale
        * axis[:, :, 0]
        / np.sqrt(total)[:, None],  # t(r) = (T/P) n x r, at r^2 = 3 (g1^2 + g2^2)
        strength=joints.strength,
        prestress=joints.prestress,
        joint_count=count,
        around=joints.around,
    )


def motion_at(arm: Floats) -> Floats:
    """G (n,3,6): the motion that six numbers of a body make of a point at `arm (n,3)` from its centre: (1, -[r]x)."""
    G = np.zeros((len(arm), 3, 6))
    G[:, :, :3] = np.eye(3)
    x, y, z = arm.T
    G[:, 0, 4], G[:, 0, 5] = z, -y
    G[:, 1, 3], G[:, 1, 5] = -z, x
    G[:, 2, 3], G[:, 2, 4] = y, -x
    return G


def ends_of(pair: Ints, count: int) -> tuple[Ints, Ints]:
    """Ties (2T,) in the order of the bodies (N,) at their ends, and where those of each body start (N+1,)."""
    body = pair.T.ravel()
    start = np.concatenate([[0], np.cumsum(np.bincount(body, minlength=count))])
    return np.argsort(body, kind="stable") % max(len(pair), 1), start


def tensions(structure: Structure, tension: Floats) -> Floats:
    """(T,6) forces in ties under tensions (T,) [N] across their faces."""
    return np.concatenate([tension[:, None] * structure.normal, np.zeros((len(tension), 3))], axis=1)


def reaction(structure: Structure, force: Floats, ties: Ints | slice = _ALL) -> Floats:
    """Q^ = J^T lambda (N,6): what forces (n,6) in all ties, or in those named, do to the bodies (equation 2)."""
    count = len(structure.position)
    pair, arm = structure.pair[ties], structure.arm[ties]
    total = np.zeros((count, 6))
    (x, y, z), moment = force[:, :3].T, force[:, 3:].T
    for side, sign in ((0, 1.0), (1, -1.0)):
        rows = [x, y, z]
        if not structure.points:
            rx, ry, rz = arm[:, side].T
            turns = ry * z - rz * y, rz * x - rx * z, rx * y - ry * x
            rows += [one + other for one, other in zip(moment, turns, strict=True)]
        for k, row in enumerate(rows):
            total[:, k] += sign * np.bincount(pair[:, side], row, count)
    return total


def accelerated(structure: Structure, load: Floats) -> Floats:
    """W Q (N,6): accelerations of free bodies under loads (N,6); none where they are anchored."""
    result = np.zeros_like(load)
    result[:, :3] = load[:, :3] / structure.mass[:, None]
    if not structure.points:
        result[:, 3:] = solve(structure.inertia, load[:, 3:, None])[:, :, 0]
    result[structure.anchored] = 0.0
    return result


def momenta(structure: Structure, motion: Floats) -> Floats:
    """(N,6) momentum and angular momentum over the scale of bodies in motion (N,6); none where they are anchored."""
    turning = apply(structure.inertia, motion[:, 3:])
    result = np.concatenate([structure.mass[:, None] * motion[:, :3], turning], axis=1)
    result[structure.anchored] = 0.0
    return np.asarray(result)


def overload(structure: Structure, force: Floats, strength: Floats, compression: float) -> Floats:
    """(T,) how many times what it bears each tie has to bear under its force (T,6).

    By the largest principal stress at the corner of the face that bending stretches most, with the shear that torsion
    adds there, and under pressure by the smallest one and `compression` times the `strength (T,)` [N].
    """
    result = np.zeros(len(force))
    _stress(force, structure.normal, structure.bend, structure.twist, structure.points, compression, result)
    return np.asarray(result / np.maximum(strength, WEAKEST))


@njit_no_refs
def _stress(
    force: Floats, normal: Floats, bend: Floats, twist: Floats, points: bool, compression: float, result: Floats
) -> None:
    """The tension (T,) that ties have to bear."""
    for i in range(len(force)):
        N = squared = torsion = first = second = 0.0
        for k in range(3):
            f, moment = force[i, k], force[i, 3 + k]
            N += f * normal[i, k]
            squared += f * f
            torsion += twist[i, k] * moment
            first += bend[i, 0, k] * moment
            second += bend[i, 1, k] * moment
        bending = abs(first) + abs(second)
        shear = 0.0 if points else np.sqrt(max(squared - N * N, 0.0)) + abs(torsion)  # of bars it is round-off
        tension, pressure = 0.5 * (N + bending), 0.5 * (bending - N)
        worst = tension + np.sqrt(tension * tension + shear * shear)
        least = pressure + np.sqrt(pressure * pressure + shear * shear)
        result[i] = max(worst, least / compression)


def _lines(grains: Grains, pair: Ints) -> tuple[Floats, Floats]:
    """Lengths (T,) [m] and directions (T,3) between the centres of two grains, from the second to the first."""
    step = grains.centre[pair[:, 0]] - grains.centre[pair[:, 1]]
    length = np.sqrt(np.square(step).sum(axis=1))
    return length, step / np.maximum(length, 1e-300)[:, None]


def _relative(stiffness: Floats, count: int) -> Floats:
    """Stiffnesses over the mean of the first `count` of them."""
    return np.asarray(stiffness / stiffness[:count].mean()) if count else stiffness
