"""Tetrahedra with their corners on the skin: as many as asked for, and which of them are no part of the body."""

from typing import NamedTuple

import numpy as np

from ...arithmetic.elementary import exp, log, power
from ...errors import CutError
from ...geometry.inside import winding_number
from ...types import Bools, Floats
from ..convention import JITTER
from ..delaunay_complex import Tetrahedra, tetrahedra_between
from ..layouts.shape import Shape
from .corners import PER_CORNER, PER_INNER, TetrahedraCorners, mesh_corners, skin_corners
from .inner import CLEAR_OF_SKIN, CROWD, within
from .mesher import constrained
from .outside import outside, stout
from .parameters import TetrahedraParams
from .sizes import Sizes

#: Names this module's streams of random numbers beside the seed.
STREAM = 209
#: So often the number of corners is corrected until pieces come this near to the number asked for. Chosen between exact
#: numbers and time: each trial divides the body anew.
TRIALS, _NEAR = 6, 0.08
#: Between two trials the next one keeps this share of the way off both, and from a single one it changes the logarithm
#: of the number by no more than this: four times. Both chosen, against estimates that are far off.
_INNER, _LEAP = 0.1, 1.4
#: The least number of corners that is tried. Chosen: as many as a box has.
_LEAST = 8


class Fitted(NamedTuple):
    """Tetrahedra of a body of diagonal 1."""

    made: Tetrahedra
    dropped: Bools  #: (M,) no part of the body
    notes: tuple[str, ...] = ()


def with_corners_on_skin(shape: Shape, sizes: Sizes, params: TetrahedraParams, seed: int, attempt: int) -> Fitted:
    """Tetrahedra for `params.corners` "skin" or "mesh"."""
    if params.corners == "mesh":
        return _of_mesh(shape, sizes, params, seed, attempt)
    corners, made, dropped = _as_many(shape, sizes, params, seed)
    return Fitted(made, dropped) if attempt == 0 else Fitted(*_joined(shape, corners, seed, attempt))


def _of_mesh(shape: Shape, sizes: Sizes, params: TetrahedraParams, seed: int, attempt: int) -> Fitted:
    """By the mesher where there is one that succeeds, else by Delaunay."""
    corners, moved = mesh_corners(shape, params.inside, sizes, np.random.default_rng([seed, STREAM]))
    notes: tuple[str, ...] = ()
    if params.mesher == "auto":
        try:
            kept = _by_mesher(shape, corners, moved, seed, attempt)
        except CutError as failure:
            kept, notes = None, (str(failure),)
        if kept is not None:
            return Fitted(*kept)
    return Fitted(*_joined(shape, corners, seed, attempt), notes)


def scale_tetrahedra(made: Tetrahedra, origin: Floats, scale: float) -> Tetrahedra:
    """The same at their real place and size."""
    return made._replace(vertices=made.vertices * scale + origin)


def _as_many(
    shape: Shape, sizes: Sizes, params: TetrahedraParams, seed: int
) -> tuple[TetrahedraCorners, Tetrahedra, Bools]:
    """The trial that comes nearest to the number of pieces asked for.

    Pieces grow with corners, faster where inner points begin to fit: so the number of corners is sought between those
    of the trials that gave too few and too many, on a line in logarithms.
    """
    best: tuple[TetrahedraCorners, Tetrahedra, Bools] | None = None
    error, tried = np.inf, {}
    rng = np.random.default_rng([seed, STREAM, 2])
    count = _first_guess(shape, params, within(shape, 0, rng).depth)
    places = within(shape, round(params.inside * count), rng)
    for _ in range(TRIALS):
        rng = np.random.default_rng([seed, STREAM])
        corners = skin_corners(shape, count, params.inside, places, sizes, rng)
        made, dropped = _joined(shape, corners, seed, 0)
        pieces = stout(corners.place, made.number[made.corners[~dropped]])
        tried[count] = float(log(max(pieces, 1) / params.count))
        if best is None or abs(tried[count]) < error:
            best, error = (corners, made, dropped), abs(tried[count])
        count = max(
            _LEAST, min(_next_guess(tried), params.count)
        )  # on a ball without points inside, more make no pieces
        if error < _NEAR or count in tried:
            break
    assert best is not None
    return best


def _first_guess(shape: Shape, params: TetrahedraParams, depth: Floats) -> int:
    """Corners on the skin for as many pieces, from the depths of random places: inner points find room in the deep."""
    n = exp(np.linspace(log(float(_LEAST)), log(float(max(_LEAST + 1, params.count))), 64))
    clear = CLEAR_OF_SKIN * np.sqrt(2.0 * shape.area / n)
    deep = 1.0 - np.searchsorted(np.sort(depth), clear) / len(depth)
    pieces = n * (PER_CORNER + PER_INNER * params.inside * np.minimum(CROWD * deep, 1.0))
    return max(_LEAST, round(float(np.interp(params.count, pieces, n))))


def _next_guess(tried: dict[int, float]) -> int:
    """The next number of corners to try, from the logarithms of pieces found over pieces asked for."""
    few = max((n for n in tried if tried[n] < 0.0), default=None)
    many = min((n for n in tried if tried[n] >= 0.0 and (few is None or n > few)), default=None)
    if few is not None and many is not None:
        share = tried[few] / (tried[few] - tried[many])
        guess = few * float(power(many / few, min(max(share, _INNER), 1.0 - _INNER)))
    else:
        only = few if few is not None else min(tried)
        guess = only * float(exp(-np.clip(tried[only], -_LEAP, _LEAP)))
    return round(guess)


def _joined(shape: Shape, corners: TetrahedraCorners, seed: int, attempt: int) -> tuple[Tetrahedra, Bools]:
    """The Delaunay tetrahedra, and which are dropped by the paper's tests."""
    low, high = shape.body.vertices.min(axis=0), shape.body.vertices.max(axis=0)
    made = tetrahedra_between(corners.moved + _jitter(corners.moved, seed, attempt), low, high)
    return made, outside(shape.body, corners.place, made.number[made.corners])


def _by_mesher(
    shape: Shape, corners: TetrahedraCorners, moved: Floats, seed: int, attempt: int
) -> tuple[Tetrahedra, Bools] | None:
    """Tetrahedra that keep the faces of the mesh, and which are outside of it; None without a mesher."""
    triangles = shape.body.triangles
    used, corner = np.unique(triangles, return_inverse=True)
    corner = corner.reshape(-1, 3)
    surface = moved[used] + _jitter(moved[used], seed, attempt)
    made = constrained(surface, corner, corners.moved[corners.on_skin :])
    if made is None:
        return None
    return made, winding_number(surface, corner, made.vertices[made.corners].mean(axis=1)) < 1


def _jitter(points: Floats, seed: int, attempt: int) -> Floats:
    return JITTER * np.random.default_rng([seed, STREAM, 1, attempt]).uniform(-1.0, 1.0, points.shape)
