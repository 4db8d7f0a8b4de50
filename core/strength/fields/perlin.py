"""Gradient noise (Perlin 2002, "Improving Noise", with random unit gradients) over all space, by numpy.

Each octave has an offset and a turn of its own lattice, so that neither the origin nor the axes can be seen. Two
derivatives are continuous. An octave repeats after 256 of its wavelengths, turned with its lattice.

The mean square of the noise is 8 A B^2, where B is the integral of (1 - fade)^2 over 0..1 and A that of
t^2 (1 - fade)^2: eight corners, a third of |t|^2 for each random direction, and no correlation between corners.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...arithmetic.draws import normal
from ...config.params import param
from ...types import Floats, Ints

#: Root of 8 A B^2 with A = 535 / 18018 and B = 181 / 462.
RMS = math.sqrt(8.0 * (535.0 / 18018.0) * (181.0 / 462.0) * (181.0 / 462.0))
#: Mean of |noise|, over ten million places of fifty lattices.
MEAN_SIZE = 0.1563
#: Places that are worked on at a time: their arrays stay in the cache.
PLACES_AT_ONCE = 2048
#: Values of the noise farther than this many rms from 0 count as this far: about 1 in 200.
SPAN = 2.5


@dataclass(frozen=True, slots=True)
class Texture:
    """What all random fields have: how large their spots are, how rich in detail, and which of all it is."""

    size: float = param(
        0.2,
        "Size",
        "Size of the largest spots relative to the object's diagonal",
        unit="1",
        limits=(0.01, 10.0),
        soft=(0.03, 1.0),
    )
    detail: int = param(
        1, "Detail", "Sizes of spots, each half of the one before and half as strong", limits=(1, 6), soft=(1, 4)
    )
    seed: int = param(0, "Seed", "Another seed, other spots; the pieces stay as they are", limits=(0, 2**31 - 1))


class Lattice(NamedTuple):
    """One octave: its random tables, and how its lattice lies."""

    gradient: Floats  #: (3,256) unit gradients
    order: Ints  #: (3,256) permutations of 0..255: corner i, j, k has column `order[0,i] ^ order[1,j] ^ order[2,k]`
    turn: Floats  #: (3,3) a point p lies at turn p + offset among the whole numbers
    offset: Floats  #: (3,)


def draw_lattice(rng: np.random.Generator, wavelength: float) -> Lattice:
    """Random gradients at the corners of a lattice that lies at random."""
    gradient = normal(rng, (3, 256))
    gradient /= np.sqrt(np.square(gradient).sum(axis=0))
    order = np.stack([rng.permutation(256) for _ in range(3)])
    return Lattice(gradient, order, _turn(rng) / wavelength, rng.uniform(0.0, 256.0, 3))


def _turn(rng: np.random.Generator) -> Floats:
    """A random rotation (3,3), from a unit quaternion."""
    w, x, y, z = (q := normal(rng, 4)) / np.sqrt(np.square(q).sum())
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def gradient_noise(table: Lattice, points: Floats) -> Floats:
    """(n,) noise at the points (n,3); it is 0 at all corners of the lattice."""
    result = np.empty(len(points))
    for begin in range(0, len(points), PLACES_AT_ONCE):
        result[begin : begin + PLACES_AT_ONCE] = _block(table, *points[begin : begin + PLACES_AT_ONCE].T)
    return result


def _block(table: Lattice, x: Floats, y: Floats, z: Floats) -> Floats:
    place = np.stack([row[0] * x + row[1] * y + row[2] * z for row in table.turn]) + table.offset[:, None]
    floor = np.floor(place)
    way = place - floor
    fade = way * way * way * (way * (6.0 * way - 15.0) + 10.0)
    ways = way, way - 1.0  # from the lower corner along each axis, and from the upper one
    corner = floor.astype(np.int64) & 255
    near, far = ([row.take(at) for row, at in zip(table.order, c, strict=True)] for c in (corner, (corner + 1) & 255))
    hashed = near, far
    planes = []
    for a in (0, 1):
        lines = []
        for b in (0, 1):
            column = hashed[a][0] ^ hashed[b][1]
            across = ways[a][0], ways[b][1]
            low, high = (_ramp(table.gradient, column ^ hashed[c][2], *across, ways[c][2]) for c in (0, 1))
            lines.append(_mixed(low, high, fade[2]))
        planes.append(_mixed(lines[0], lines[1], fade[1]))
    return _mixed(planes[0], planes[1], fade[0])


def _ramp(gradient: Floats, column: Ints, x: Floats, y: Floats, z: Floats) -> Floats:
    """The gradients of some corners times the way from there. In place, as all below: half of the time."""
    total = gradient[0].take(column, mode="clip")  # no column is outside: "clip" only spares a copy
    total *= x
    for axis, way in ((1, y), (2, z)):
        term = gradient[axis].take(column, mode="clip")
        term *= way
        total += term
    return np.asarray(total)


def _mixed(low: Floats, high: Floats, share: Floats) -> Floats:
    """The arrays `low` and `high` mixed; both are used up."""
    high -= low
    high *= share
    low += high
    return low


def octaves(points: Floats, texture: Texture, stream: int) -> Iterator[tuple[float, Floats]]:
    """Weight 2^-o and raw noise (n,) of each octave o at the points (n,3)."""
    rng = np.random.default_rng([texture.seed, stream])
    for octave in range(texture.detail):
        halved = math.ldexp(1.0, -octave)
        yield halved, gradient_noise(draw_lattice(rng, texture.size * halved), points)


def perlin_noise(points: Floats, texture: Texture, stream: int) -> Floats:
    """The sum of octaves, mapped to 0..1 with the mean 1/2; its rms about that is 1 / (2 SPAN)."""
    total, square = np.zeros(len(points)), 0.0
    for weight, values in octaves(points, texture, stream):
        total += weight * values
        square += weight * weight
    return np.asarray(np.clip(0.5 + total / (2.0 * SPAN * RMS * math.sqrt(square)), 0.0, 1.0))


def turbulence(points: Floats, texture: Texture, stream: int) -> Floats:
    """The sum of the sizes of octaves, mapped to 0..1 with the mean of about 1/2: creases of 0, rounded in between."""
    total, weights = np.zeros(len(points)), 0.0
    for weight, values in octaves(points, texture, stream):
        total += weight * np.abs(values)
        weights += weight
    return np.asarray(np.minimum(total / (2.0 * MEAN_SIZE * weights), 1.0))
