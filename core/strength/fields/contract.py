"""What every field takes and gives.

Fields are fixed to the object as it came: places are in its own axes, from the middle of its box, in lengths of the
diagonal of that box. So a field turns with the object, is the same at every size, and stays where it was in pieces
that are cut anew.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from ...types import Floats, Frozen

#: What a field acts on: factors of the strength of bonds, factors of the density of cells, tension across bonds [Pa].
STRENGTH, DENSITY, PRESTRESS = "strength", "density", "prestress"


def _no_values() -> Floats:
    return np.zeros(0)


def _no_vectors() -> Floats:
    return np.zeros((0, 3))


@dataclass(frozen=True, eq=False, slots=True)
class Sample(Frozen):
    """Places (n of them) at which fields are asked: bonds, or cells, of which both ends are the cell itself."""

    points: Floats  #: (n,3) centroids of bonds or cells, in diagonals
    ends: Floats  #: (n,2,3) centroids of the two cells of each bond, in diagonals
    normal: Floats  #: (n,3) unit normals of bonds; 0 of cells
    area: Floats  #: (n,) of bonds, relative to the mean bond; 1 of cells
    volume: Floats  #: (n,) mean of the two cells, relative to the mean cell
    extent: Floats  #: (3,) of the object's box along its own axes, in diagonals
    #: (n,) distance to the skin over half of the wall's thickness there, 0..1. Empty where no field asks for it.
    depth: Floats = field(default_factory=_no_values)
    inward: Floats = field(default_factory=_no_vectors)  #: (n,3) unit, away from the nearest place of the skin
    #: (n,) values of each paint by its source and name, of the nearest place of the artist's own skin
    painted: Mapping[tuple[str, str], Floats] = field(default_factory=dict)


#: (sample, params) -> (n,) factors, or tension [Pa]. Finite wherever the params are within their limits.
FieldValues: TypeAlias = Callable[[Sample, Any], Floats]


@dataclass(frozen=True, slots=True)
class Field:
    """A kind of field."""

    acts: str  #: STRENGTH, DENSITY or PRESTRESS
    values: FieldValues
    of_skin: bool = False  #: whether it asks for `depth` and `inward`


def interpolate_clamped(low: float, high: float, t: Floats) -> Floats:
    """From `low` where t (n,) is 0 or less to `high` where it is 1 or more, along a straight line."""
    t = np.clip(t, 0.0, 1.0)
    return np.asarray(low * (1.0 - t) + high * t)  # exact at both ends


def smooth(t: Floats) -> Floats:
    """From 0 where t (n,) is 0 or less to 1 where it is 1 or more, level at both ends."""
    t = np.clip(t, 0.0, 1.0)
    return np.asarray(t * t * (3.0 - 2.0 * t))


def step(t: Floats, edge: float) -> Floats:
    """0 where t (n,) is below 0 and 1 above, sharp, or over a smooth edge of this whole width."""
    return smooth(0.5 + t / edge) if edge > 0.0 else np.where(t >= 0.0, 1.0, 0.0)


def direction_along(direction: tuple[float, float, float], extent: Floats) -> Floats:
    """A unit vector (3,) along a direction; along the longest side, the first of equals, where it is all zero."""
    vector = np.array(direction)
    largest = np.abs(vector).max()
    if largest == 0.0:
        return np.asarray(np.eye(3)[np.round(extent, 6).argmax()])
    vector = vector / largest  # squares of very small or large numbers would leave the range of floats
    return np.asarray(vector / np.sqrt(np.square(vector).sum()))
