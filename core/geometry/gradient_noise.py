"""Gradient noise of vectors: a smooth random field n(y) in R^3 with analytic derivative, for kernels.

Perlin, "Improving noise" (2002): lattice corners hold random gradients g, and n = sum of w(t) g.(t - corner) over the
eight corners around a point, t in 0..1 within its cell, w the product of the three fades 6 t^5 - 15 t^4 + 10 t^3 (or
one less it). Here each of the three components has its own unit gradients. Octave o has wavelength lambda / 2^o,
amplitude 2^-o and its own random offset of the lattice. Two derivatives are continuous. The field repeats after 256
wavelengths.

The mean square of one octave of one component is 8 A B^2, where B is the integral of (1 - fade)^2 over 0..1 and A that
of t^2 (1 - fade)^2: eight corners, a third of |t|^2 for each random direction, and no correlation between corners.
"""

import math
from typing import NamedTuple

import numpy as np

from ..arithmetic.draws import normal
from ..arithmetic.products import norm
from ..jit import device_inlined, device_no_refs, njit_no_refs, sealed_floats, sealed_ints
from ..types import Floats, Ints

#: Names the random numbers of the noise beside the seed.
STREAM = 301

#: Root of 8 A B^2 with A = 535 / 18018 and B = 181 / 462: rms of a component of one octave of amplitude 1.
RAW_RMS = math.sqrt(8.0 * (535.0 / 18018.0)) * (181.0 / 462.0)
#: 99 % quantile of the second derivative along any direction times wavelength^2 / amplitude, for 0..4 octaves.
CURVATURE = (0.0, 37.0, 74.0, 148.0, 295.0)
#: Largest |n| relative to the amplitude, but for 2 points in 10,000; none of 10 million was above 5.2.
LARGEST_NOISE = 4.15

#: Most octaves.
OCTAVES = len(CURVATURE) - 1


class Noise(NamedTuple):
    """What a field of noise is made of: the tables of its random gradients, and its octaves."""

    gradient: Floats  #: (256,9) unit gradients of the three components, one after the other
    order: Ints  #: (3,256) permutations of 0..255: corner i, j, k has row `order[0, i] ^ order[1, j] ^ order[2, k]`
    octave: Floats  #: (octaves,5) 1 / wavelength [1/m], factor of the raw noise [m], offset of the lattice (3)


def make_noise(amplitude: float, wavelength: float, octaves: int, seed: int, origin: Floats) -> Noise:
    """A field of `octaves` (0..4) octaves whose components have the rms `amplitude` [m] over all space.

    Scaled with the body (amplitude, wavelength and points about `origin (3,)`), it is the same pattern.
    """
    rng = np.random.default_rng([seed, STREAM])
    gradient = normal(rng, (256, 3, 3))
    gradient /= norm(gradient)[:, :, None]
    order = np.stack([rng.permutation(256) for _ in range(3)])
    offset = rng.uniform(0.0, 256.0, (OCTAVES, 3))[:octaves]
    halving = np.ldexp(1.0, -np.arange(octaves))
    frequency = 1.0 / (wavelength * halving)
    height = amplitude * halving / (RAW_RMS * norm(halving))
    octave = np.column_stack((frequency, height, offset - frequency[:, None] * origin))
    return Noise(sealed_floats(gradient.reshape(256, 9)), sealed_ints(order), sealed_floats(octave))


@device_inlined
def _fade(t: float) -> float:
    return t * t * t * (t * (6.0 * t - 15.0) + 10.0)


@device_inlined
def _fade_slope(t: float) -> float:
    rest = t - t * t
    return 30.0 * rest * rest


@device_no_refs
def noise_at(gradient: Floats, order: Ints, octave: Floats, x: float, y: float, z: float) -> tuple[float, float, float]:
    """The field at a point, from the arrays of a `Noise`."""
    n0, n1, n2 = 0.0, 0.0, 0.0
    for o in range(len(octave)):
        px, py, pz = octave[o, 0] * x + octave[o, 2], octave[o, 0] * y + octave[o, 3], octave[o, 0] * z + octave[o, 4]
        i, j, k = math.floor(px), math.floor(py), math.floor(pz)
        tx, ty, tz = px - i, py - j, pz - k
        fx, fy, fz = _fade(tx), _fade(ty), _fade(tz)
        for corner in range(8):
            a, b, c = corner >> 2, (corner >> 1) & 1, corner & 1
            dx, dy, dz = tx - a, ty - b, tz - c
            w = octave[o, 1] * (fx if a else 1.0 - fx) * (fy if b else 1.0 - fy) * (fz if c else 1.0 - fz)
            g = gradient[(order[0, (i + a) & 255] ^ order[1, (j + b) & 255] ^ order[2, (k + c) & 255]) & 255]
            n0 += w * (g[0] * dx + g[1] * dy + g[2] * dz)
            n1 += w * (g[3] * dx + g[4] * dy + g[5] * dz)
            n2 += w * (g[6] * dx + g[7] * dy + g[8] * dz)
    return n0, n1, n2


@njit_no_refs
def sample_noise(gradient: Floats, order: Ints, octave: Floats, points: Floats, values: Floats) -> None:
    """Write the field into `values (n,3)` at `points (n,3)`."""
    for i in range(len(points)):
        n = noise_at(gradient, order, octave, points[i, 0], points[i, 1], points[i, 2])
        values[i, 0], values[i, 1], values[i, 2] = n[0], n[1], n[2]


@device_no_refs
def noise_slope_at(gradient: Floats, order: Ints, octave: Floats, x: float, y: float, z: float) -> tuple[float, ...]:
    """As `noise_at`, followed by the nine derivatives dn_i/dy_j, row by row."""
    n0, n1, n2 = 0.0, 0.0, 0.0
    d00, d01, d02, d10, d11, d12, d20, d21, d22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for o in range(len(octave)):
        # Fades along x carry the amplitude of the slope, distances the unit of length: sums need no factors.
        dense, long, steep = octave[o, 0], 1.0 / octave[o, 0], octave[o, 0] * octave[o, 1]
        px, py, pz = dense * x + octave[o, 2], dense * y + octave[o, 3], dense * z + octave[o, 4]
        i, j, k = math.floor(px), math.floor(py), math.floor(pz)
        tx, ty, tz = px - i, py - j, pz - k
        fx, fy, fz = steep * _fade(tx), _fade(ty), _fade(tz)
        sx, sy, sz = steep * dense * _fade_slope(tx), dense * _fade_slope(ty), dense * _fade_slope(tz)
        tx, ty, tz = long * tx, long * ty, long * tz
        for corner in range(8):
            a, b, c = corner >> 2, (corner >> 1) & 1, corner & 1
            dx, dy, dz = tx - long if a else tx, ty - long if b else ty, tz - long if c else tz
            wx, wy, wz = fx if a else steep - fx, fy if b else 1.0 - fy, fz if c else 1.0 - fz
            w, qx = wx * (wy * wz), (sx if a else -sx) * (wy * wz)
            qy, qz = (sy if b else -sy) * wx * wz, (sz if c else -sz) * wx * wy
            g = gradient[(order[0, (i + a) & 255] ^ order[1, (j + b) & 255] ^ order[2, (k + c) & 255]) & 255]
            v = g[0] * dx + g[1] * dy + g[2] * dz
            d00, d01, d02 = d00 + (w * g[0] + qx * v), d01 + (w * g[1] + qy * v), d02 + (w * g[2] + qz * v)
            n0 += w * v
            v = g[3] * dx + g[4] * dy + g[5] * dz
            d10, d11, d12 = d10 + (w * g[3] + qx * v), d11 + (w * g[4] + qy * v), d12 + (w * g[5] + qz * v)
            n1 += w * v
            v = g[6] * dx + g[7] * dy + g[8] * dz
            n2 += w * v
            d20, d21, d22 = d20 + (w * g[6] + qx * v), d21 + (w * g[7] + qy * v), d22 + (w * g[8] + qz * v)
    return n0, n1, n2, d00, d01, d02, d10, d11, d12, d20, d21, d22
