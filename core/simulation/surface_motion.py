"""How the pieces of an object that deforms move on: each as the surface around it moved, in place and in turn.

What is inside of an object that deforms is not known; only its surface is seen. A unit takes the velocity field that
fits the surface best, with more weight on what is near (moving least squares, Levin 1998): its own skin, and for one
inside that around it. First a rigid motion is fitted, then, to what that leaves, how the surface stretches, in those
directions in which it is spread. So a unit of a part that moves as a whole, with a bone, moves as that part, and
one of an object that grows or shears all through moves exactly as the field says where it is.
"""

from dataclasses import dataclass

import numpy as np

from ..arithmetic.elementary import power
from ..arithmetic.products import apply, dot, multiply, sum_rows
from ..arithmetic.small_matrices import pseudo_inverse_symmetric
from ..breaking.contract import UnitImpulses
from ..fragments.mass import cells_of, masses
from ..geometry.graph import components
from ..geometry.mesh import cross_rows
from ..geometry.packed import fan_triangles
from ..geometry.sums import summed
from ..types import Bools, Floats, Frozen, Ints
from .spec import FractureModel, SurfaceMotion

#: Spread of the surface across a line, relative to that along it and squared, below which a turn about it is not told.
#: Chosen: a thousandth of the width.
_NARROW = 1e-6
#: Spread in a direction, relative to the widest one and squared, below which no stretch along it is told. By eye: a
#: tenth of the width; of thinner ones a stretch across would be mostly noise.
_FLAT = 1e-2
#: Square of the distance at which the weight of the surface falls to a sixteenth, in squares of a unit's size. By eye:
#: half of its size.
_REACH = 0.25


@dataclass(frozen=True, eq=False, slots=True)
class _Skins(Frozen):
    """The skin of some units: its area, and sums over it about its middle, each times the area."""

    unit: Ints  #: (n,)
    area: Floats  #: (n,) [m^2]
    place: Floats  #: (n,3) middle [m]
    velocity: Floats  #: (n,3) mean [m/s]
    spread: Floats  #: (n,3,3) of places with places
    flow: Floats  #: (n,3,3) of velocities with places


def unit_momenta(model: FractureModel, moving: SurfaceMotion) -> UnitImpulses:
    """The momentum and the angular momentum of each unit of a model, as the surface of its body moved.

    The body must be made of the mesh whose surface it is. All is 0 where nothing of that surface is left.
    """
    count = len(model.units.volume)
    each = [np.array([unit]) for unit in range(count)]
    mass = masses(model.cells, *cells_of(model.cells.unit, each), model.density)
    velocity, spin = _fitted(model, _skins(model, moving), mass.centre)
    momentum = mass.mass[:, None] * velocity
    about = cross_rows(mass.centre - model.units.centroid, momentum)  # where the density varies within a unit
    return UnitImpulses(momentum, apply(mass.inertia, spin) + about)


def _skins(model: FractureModel, moving: SurfaceMotion) -> _Skins:
    """Sums over the outer faces, exact for a velocity that is linear on each: three points, in the middles of sides.

    Places are those of the mesh, not of what repairs made of it: there the velocity is known.
    """
    cells, body = model.cells, model.body
    corner, face = fan_triangles(cells.outer_start, np.arange(len(cells.outer_vertex)))
    at = cells.vertices[cells.outer_vertex[corner]]
    turned = cross_rows(at[:, 1] - at[:, 0], at[:, 2] - at[:, 0])
    area = 0.5 * np.sqrt(dot(turned, turned))
    triangle = cells.outer_triangle[face]
    weight = cells.outer_weight[corner]  # in the body's triangle
    if len(body.weight):
        weight = multiply(weight, body.weight[triangle])
    row = body.source[triangle]
    place, velocity = multiply(weight, moving.place[row]), multiply(weight, moving.velocity[row])
    sides = [(0.5 * (a[:, k] + a[:, k - 1]) for a in (place, velocity)) for k in range(3)]
    return _summed(cells.unit[cells.outer_cell[face]], area, [tuple(side) for side in sides], len(model.units.volume))


def _summed(unit: Ints, area: Floats, sides: list[tuple[Floats, ...]], count: int) -> _Skins:
    """Points and velocities (n,3) of three places on each of n faces, which have a third of its area each."""
    third = area[:, None] / 3.0
    total = summed(area[:, None], unit, count)[:, 0]
    safe = np.where(total > 0.0, total, 1.0)[:, None]
    place = sum(summed(third * x, unit, count) for x, _ in sides) / safe
    velocity = sum(summed(third * v, unit, count) for _, v in sides) / safe
    spread, flow = np.zeros((count, 9)), np.zeros((count, 9))
    for x, v in sides:
        r, u = x - place[unit], v - velocity[unit]
        spread += summed((third[:, :, None] * r[:, :, None] * r[:, None, :]).reshape(-1, 9), unit, count)
        flow += summed((third[:, :, None] * u[:, :, None] * r[:, None, :]).reshape(-1, 9), unit, count)
    some = np.flatnonzero(total > 0.0)
    square = spread.reshape(-1, 3, 3)[some], flow.reshape(-1, 3, 3)[some]
    return _Skins(some, total[some], place[some], velocity[some], *square)


def _fitted(model: FractureModel, skins: _Skins, centre: Floats) -> tuple[Floats, Floats]:
    """The velocity (U,3) and the spin (U,3) of the field that fits the surface best around each centre (U,3)."""
    count = len(centre)
    if not len(skins.unit):
        return np.zeros((count, 3)), np.zeros((count, 3))
    links = model.units.links
    whole = components(count, links, np.ones(len(links), np.bool_), np.arange(count))
    size = _REACH * power(model.units.volume, 2.0 / 3.0)
    sums = np.array([_around(skins, whole[skins.unit] == whole[u], centre[u], float(size[u])) for u in range(count)])
    mean, shift = sums[:, 0:3], sums[:, 3:6]  # of velocity, and of place from the centre
    spread, flow = sums[:, 6:15].reshape(-1, 3, 3), sums[:, 15:24].reshape(-1, 3, 3)
    resists = np.trace(spread, axis1=1, axis2=2)[:, None, None] * np.eye(3) - spread
    turn = apply(pseudo_inverse_symmetric(resists, _NARROW), _axial(flow))
    left = flow - np.cross(turn[:, None, :], spread, axisb=1, axisc=1)
    stretch = multiply(left, pseudo_inverse_symmetric(spread, _FLAT))
    return mean - cross_rows(turn, shift) - apply(stretch, shift), turn + 0.5 * _axial(stretch)


def _around(skins: _Skins, same: Bools, centre: Floats, reach: float) -> Floats:
    """(24,) the weighted mean of velocity and of place, seen from a centre (3,), and the sums about these.

    Parts that nothing joins to the unit have no weight, if it has any skin.
    """
    r = skins.place - centre
    near = reach / (dot(r, r) + reach)
    near = near * near * near * near * skins.area
    if same.any():
        near = np.where(same, near, 0.0)
    near = near / near.max()
    total = near.sum()
    velocity, place = sum_rows(near, skins.velocity) / total, sum_rows(near, r) / total
    u, r, share = skins.velocity - velocity, r - place, (near / skins.area)[:, None]
    spread = (near[:, None, None] * r[:, :, None] * r[:, None, :]).reshape(-1, 9) + share * skins.spread.reshape(-1, 9)
    flow = (near[:, None, None] * u[:, :, None] * r[:, None, :]).reshape(-1, 9) + share * skins.flow.reshape(-1, 9)
    return np.concatenate([velocity, place, spread.sum(axis=0), flow.sum(axis=0)])


def _axial(m: Floats) -> Floats:
    """The vectors (n,3) of what is antisymmetric in matrices (n,3,3): of the outer products b a^T those of a x b."""
    return np.stack([m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]], axis=1)
