"""At which strain a material tears such that things of it break as wanted: a small cylinder is dropped again and again.

Norton et al. 1991 tune their thresholds so: a cylinder falls on a hard floor at a moderate speed, and the threshold is
halved in between until it breaks by what the blow does within it, and does not crumble at the first touch.
"""

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace

import numpy as np

from ...config.material import MEGAPASCAL, Material
from ...errors import InputError
from ...stepwise import result_of
from ...types import Floats, Frozen, Ints
from ...wording import percent
from ..contract import NearestSurface, TetrahedronOverlaps, no_overlaps
from .advance_lattice import advance_lattice
from .blocks import ring_complex
from .divided_body import microgeometry_of, spring_laws
from .lattice import SpringLattice, build_lattice
from .material import SpringMaterial, vary_thresholds
from .params import SpringLatticeParams
from .state import LatticeLaws, rest_state

#: The cylinder: cells around, through its wall and high; radii and height [m]. Scene NC of docs/papers/norton1991.md.
_CELLS, _RADII, _HEIGHT = (12, 1, 6), (0.08, 0.1), 0.2
#: Speeds of sound, in those of the fall, beyond which it is dropped softer, and bears as much more strain that the same
#: blow breaks it (see `divided_body`). By eye: strains stay within some percent.
_QUICKEST = 20.0
#: How often sound goes along the cylinder until it is looked at what broke, and what is looked at at a time [s]. By
#: eye: it has bounced by then.
_PASSES, _PART = 12.0, 1.0 / 240.0
_GRAVITY = 9.81  # [m/s^2]
_GAP = 1e-3  # above the floor at the start, in heights of the cylinder; chosen: it falls at once
#: Doublings and halvings at most, and how exactly the strain is found. Chosen: 1 % is not seen.
_DOUBLINGS, _HALVINGS, _EXACT = 24, 12, 0.01
#: Strains that are shown besides, in those that are found. Chosen: from crumbs to whole.
_SHOWN = (0.1, 0.25, 0.5, 1.5, 2.5)


@dataclass(frozen=True, eq=False, slots=True)
class FoundThreshold(Frozen):
    """Strains that were tried, and what they did to the cylinder."""

    failure_strain: float  #: the largest at which as much breaks as was wanted
    tried: Floats  #: (k,) strains, ascending
    broken: Ints  #: (k,) cells that broke at each
    cells: int  #: of the cylinder
    at_touch: bool  #: whether the first breaks as it touches the floor, and not by what the blow does within it


@dataclass(frozen=True)
class _Floor:
    """The `contract.Surroundings` of a part of the fall."""

    dt: float = _PART

    @property
    def gravity(self) -> Floats:
        return np.array([0.0, 0.0, -_GRAVITY])

    def find_nearest(self, points: Floats, share: float) -> NearestSurface:
        up = np.tile([0.0, 0.0, 1.0], (len(points), 1))
        return NearestSurface(points[:, 2] + _GAP * _HEIGHT, up, np.zeros_like(up))

    def find_overlaps(self, tetrahedra: Floats, share: float) -> TetrahedronOverlaps:
        return no_overlaps()  # springs ask for none


@dataclass(frozen=True)
class _Fall:
    """What is dropped, and how fast."""

    lattice: SpringLattice  #: its thresholds are the factors of its defects
    laws: LatticeLaws
    speed: float  #: [m/s]
    parts: int


def find_threshold_steps(
    params: SpringLatticeParams, material: Material, height: float, share: float, seed: int
) -> Generator[float, None, FoundThreshold]:
    """The failure strain at which a `share` 0..1 of a cylinder's cells breaks when it falls from a height [m].

    Yields the share of the work that is done. Raises InputError where nothing breaks it, or everything does.
    """
    speed = math.sqrt(2.0 * _GRAVITY * height)
    modulus = MEGAPASCAL * params.youngs_modulus
    sound = math.sqrt(modulus / material.density)
    soft = max(sound / (_QUICKEST * speed), 1.0)
    fall = _prepare_fall(params, material, modulus / (soft * soft), speed, seed)
    falls: dict[float, tuple[int, bool]] = {}
    wanted = max(1, math.ceil(share * len(fall.lattice.cell_node)))

    def breaks(strain: float) -> bool:
        falls[strain] = _count_broken(fall, strain)
        return falls[strain][0] >= wanted

    low, high = yield from _enclose(breaks, soft * speed / sound, soft)
    for k in range(_HALVINGS):
        if high <= low * (1.0 + _EXACT):
            break
        middle = math.sqrt(low * high)
        low, high = (middle, high) if breaks(middle) else (low, middle)
        yield 0.5 + 0.4 * k / _HALVINGS
    for k, factor in enumerate(_SHOWN):
        breaks(factor * low)
        yield 0.9 + 0.1 * k / len(_SHOWN)
    tried = np.array(sorted(falls))
    broken = np.array([falls[strain][0] for strain in tried.tolist()])
    return FoundThreshold(low / soft, tried / soft, broken, len(fall.lattice.cell_node), falls[low][1])


def _enclose(breaks: Callable[[float], bool], first: float, soft: float) -> Generator[float, None, tuple[float, float]]:
    """A strain at which enough breaks, and the double of it, at which less does; real ones are `soft` times less."""
    strain, less = first, breaks(first)
    for k in range(_DOUBLINGS):
        yield 0.5 * k / _DOUBLINGS
        strain = 2.0 * strain if less else 0.5 * strain
        if breaks(strain) != less:
            return (0.5 * strain, strain) if less else (strain, 2.0 * strain)
    if less:
        raise InputError("It breaks at any strain: drop it from less high.")
    raise InputError(f"It does not break at strains of {percent(first / soft)} and less: drop it from higher.")


def _prepare_fall(params: SpringLatticeParams, material: Material, modulus: float, speed: float, seed: int) -> _Fall:
    """The cylinder of a material with this modulus [Pa]."""
    springs = SpringMaterial(modulus, material.density, 1.0, params.damping)
    lattice = build_lattice(ring_complex(_CELLS, *_RADII, _HEIGHT), springs, microgeometry_of(params))
    defects = vary_thresholds(lattice.threshold, params.variation, np.random.default_rng(seed))
    seconds = _PASSES * _HEIGHT * math.sqrt(material.density / modulus)
    laws = spring_laws(params, material, modulus)
    return _Fall(replace(lattice, threshold=defects), laws, speed, math.ceil(seconds / _PART))


def _count_broken(fall: _Fall, strain: float) -> tuple[int, bool]:
    """How many cells break at a failure strain, and whether the first does as the floor is touched."""
    lattice = replace(fall.lattice, threshold=strain * fall.lattice.threshold)
    state = rest_state(lattice, np.tile([0.0, 0.0, -fall.speed], (len(lattice.mass), 1)))
    first, substep, floor = math.inf, _PART, _Floor()
    for part in range(fall.parts):
        state, report = result_of(advance_lattice(lattice, state, fall.laws, floor))
        if len(report.trip_time) and math.isinf(first):
            first, substep = part * _PART + float(report.trip_time[0]), _PART / report.substeps
    return int(state.cell_broken.sum()), first <= _GAP * _HEIGHT / fall.speed + substep
