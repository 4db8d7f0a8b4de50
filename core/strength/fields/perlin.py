"""Random textures: gradient noise over all space (`geometry.gradient_noise`), one of its components for each octave.

Each octave has an offset and a turn of its own lattice, so that neither the origin nor the axes can be seen. It repeats
after 256 of its wavelengths, turned with its lattice.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...arithmetic.draws import normal
from ...arithmetic.products import apply, norm
from ...arithmetic.small_matrices import rotation_matrices
from ...config.params import param
from ...geometry.gradient_noise import RAW_RMS, Noise, sample_noise
from ...jit import sealed_floats, sealed_ints
from ...types import Floats

#: Mean of |noise|, over ten million places of fifty lattices.
MEAN_SIZE = 0.1563
#: Values of the noise farther than this many rms from 0 count as this far: about 1 in 200. By eye: more leaves the ends
#: unused, less cuts off more.
SPAN = 2.5


@dataclass(frozen=True, slots=True)
class Texture:
    """What all random fields have: how large their spots are, how rich in detail, and which of all it is."""

    # Defaults are by eye.
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
    """One octave, and how its lattice lies."""

    noise: Noise  #: one octave of wavelength 1, of which the first component counts
    turn: Floats  #: (3,3) the noise at a point p is that at turn p


def draw_lattice(rng: np.random.Generator, wavelength: float) -> Lattice:
    """Random gradients at the corners of a lattice that lies at random."""
    gradient = normal(rng, (3, 256))
    gradient /= np.sqrt(np.square(gradient).sum(axis=0))
    order = np.stack([rng.permutation(256) for _ in range(3)])
    q = normal(rng, (1, 4))
    turn = rotation_matrices(q / norm(q)[:, None])[0] / wavelength
    octave = np.concatenate([[1.0, 1.0], rng.uniform(0.0, 256.0, 3)])[None]
    columns = np.concatenate([gradient.T, np.zeros((256, 6))], axis=1)
    return Lattice(Noise(sealed_floats(columns), sealed_ints(order), sealed_floats(octave)), turn)


def lattice_noise(lattice: Lattice, points: Floats) -> Floats:
    """(n,) noise at the points (n,3); it is 0 at all corners of the lattice."""
    values = np.empty((len(points), 3))
    sample_noise(*lattice.noise, sealed_floats(apply(lattice.turn, points)), values)
    return values[:, 0]


def octaves(points: Floats, texture: Texture, stream: int) -> Iterator[tuple[float, Floats]]:
    """Weight 2^-o and raw noise (n,) of each octave o at the points (n,3)."""
    rng = np.random.default_rng([texture.seed, stream])
    for octave in range(texture.detail):
        halved = math.ldexp(1.0, -octave)
        yield halved, lattice_noise(draw_lattice(rng, texture.size * halved), points)


def perlin_noise(points: Floats, texture: Texture, stream: int) -> Floats:
    """The sum of octaves, mapped to 0..1 with the mean 1/2; its rms about that is 1 / (2 SPAN)."""
    total, square = np.zeros(len(points)), 0.0
    for weight, values in octaves(points, texture, stream):
        total += weight * values
        square += weight * weight
    return np.asarray(np.clip(0.5 + total / (2.0 * SPAN * RAW_RMS * math.sqrt(square)), 0.0, 1.0))


def turbulence(points: Floats, texture: Texture, stream: int) -> Floats:
    """The sum of the sizes of octaves, mapped to 0..1 with the mean of about 1/2: creases of 0, rounded in between."""
    total, weights = np.zeros(len(points)), 0.0
    for weight, values in octaves(points, texture, stream):
        total += weight * np.abs(values)
        weights += weight
    return np.asarray(np.minimum(total / (2.0 * MEAN_SIZE * weights), 1.0))
