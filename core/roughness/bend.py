"""Bent space: real point x = W(u) of a flat point u, and back.

First the chart takes u to y = T(u), then noise moves it: x = y + n(y). The noise lives in real space.
"""

import dataclasses
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arithmetic.products import dot
from ..errors import CutError
from ..geometry.charts import Chart, chart_at, no_chart, rolled, unrolled
from ..geometry.gradient_noise import CURVATURE, LARGEST_NOISE, make_noise, noise_at, noise_slope_at
from ..jit import device_no_refs, njit_no_refs, sealed_floats
from ..types import Floats, Frozen, Ints

#: The inverse is followed until a step of Newton's is this small, relative to the shortest wavelength: it squares the
#: error, so that what is left is below 1e-7 of the wavelength.
_CLOSE = 3e-5
#: Of them at most: chosen.
_STEPS = 40
#: No step is longer than this many of them. Shorter leaps go round in circles beside folds. By eye.
LEAP = 4.0


class BendField(NamedTuple):
    """What kernels need of a bend, as arrays. Pass it whole to a kernel and on to `bent_at`."""

    gradient: Floats  #: (256,9) see `Noise`
    order: Ints  #: (3,256)
    octave: Floats  #: (octaves,5)
    chart: Floats  #: (14,) see `Chart.numbers`


@dataclass(frozen=True, eq=False, slots=True)
class Bend(Frozen):
    """How space is bent; made by `rough`."""

    gradient: Floats  #: (256,9) as in `BendField`
    order: Ints  #: (3,256)
    octave: Floats  #: (octaves,5)
    chart: Chart | None
    noise_curvature: float  #: 99 % quantile of the second derivative of the noise along any direction [1/m]
    chart_curvature: float  #: second derivative of straight lines by the chart [1/m]; 0 without one
    reach: float  #: twice the largest move by the noise [m], but for 2 points in 10,000; 0 without noise
    finest: float  #: shortest wavelength [m]; inf without noise

    @property
    def field(self) -> BendField:
        """The arrays for kernels, read-only."""
        chart = no_chart() if self.chart is None else self.chart.numbers
        return BendField(self.gradient, self.order, self.octave, sealed_floats(chart))


def rough(
    amplitude: float,
    wavelength: float,
    octaves: int,
    seed: int,
    chart: Chart | None = None,
    origin: Floats | tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> Bend:
    """Space bent by a chart and by 0..4 octaves of noise; `amplitude` is the rms of a component of it all [m].

    `wavelength` [m] is that of the first octave, each more has half the wavelength and half the amplitude. Scaled with
    the body about `origin (3,)` [m], the field is the same. Up to amplitude / wavelength = 0.04 space does not fold.
    """
    field = make_noise(amplitude, wavelength, octaves, seed, np.asarray(origin, dtype=np.float64))
    return Bend(
        *field,
        chart=chart,
        noise_curvature=CURVATURE[octaves] * amplitude / (wavelength * wavelength) if octaves else 0.0,
        chart_curvature=0.0 if chart is None else chart.curvature,
        reach=2.0 * LARGEST_NOISE * amplitude if octaves else 0.0,
        finest=math.ldexp(wavelength, 1 - octaves) if octaves else math.inf,
    )


def halved(bend: Bend) -> Bend:
    """The same field with half the amplitude."""
    octave = bend.octave * np.array([1.0, 0.5, 1.0, 1.0, 1.0])
    return dataclasses.replace(bend, octave=octave, noise_curvature=0.5 * bend.noise_curvature, reach=0.5 * bend.reach)


def bent(bend: Bend, flat: Floats) -> Floats:
    """Real points (n,3) of flat ones (n,3): W(u)."""
    flat = sealed_floats(flat)
    real = np.empty(flat.shape)
    _bend(bend.field, flat, real)
    return real


def bent_checked(bend: Bend, flat: Floats) -> tuple[Floats, int]:
    """Real points (n,3) of flat ones (n,3), and at how many of them space is folded: `bent` and `folding` at once."""
    flat = sealed_floats(flat)
    real = np.empty(flat.shape)
    return real, _bend_checked(bend.field, flat, real)


def flattened(bend: Bend, real: Floats, guess: Floats | None = None) -> Floats:
    """Flat points (n,3) of real ones (n,3), to 1e-7 of the finest wavelength: the inverse of W.

    `guess (n,3)` are flat points near them: it saves steps, and says on which side of a cylinder's seam a point is.
    Raises InputError where the chart has no image (see `unrolled`), CutError where the noise folds space.
    """
    real = sealed_floats(real)
    if not len(bend.octave):
        return unrolled(bend.chart, real, guess)
    before = real.copy() if guess is None else rolled(bend.chart, guess)
    if _unmove(bend.gradient, bend.order, bend.octave, real, bend.finest, before):
        raise CutError("The broken faces are too rough for their wavelength: choose less roughness, or a longer wave.")
    return unrolled(bend.chart, before, guess)


def jacobians(bend: Bend, flat: Floats) -> Floats:
    """Derivatives (n,3,3) dx_i/du_j of W at flat points (n,3)."""
    flat = sealed_floats(flat)
    slope = np.empty((len(flat), 9))
    _slopes(bend.field, flat, slope)
    return slope.reshape(-1, 3, 3)


def folding(bend: Bend, flat: Floats) -> int:
    """At how many of the flat points (n,3) space is turned inside out or crushed: det dW/du <= 0.

    Charts keep the orientation, but for flat points beyond the centre or axis, which count as folded.
    """
    a, b, c = np.moveaxis(jacobians(bend, flat), 1, 0)
    return int(np.count_nonzero(dot(a, np.cross(b, c)) <= 0.0))


@device_no_refs
def bent_at(field: BendField, x: float, y: float, z: float) -> tuple[float, float, float]:
    """W of a flat point."""
    at = chart_at(field.chart, x, y, z)
    n = noise_at(field.gradient, field.order, field.octave, at[0], at[1], at[2])
    return at[0] + n[0], at[1] + n[1], at[2] + n[2]


@device_no_refs
def bent_slope_at(field: BendField, x: float, y: float, z: float) -> tuple[float, ...]:
    """W of a flat point, then the nine derivatives dx_i/du_j row by row: (1 + dn/dy) dT/du."""
    t = chart_at(field.chart, x, y, z)
    n = noise_slope_at(field.gradient, field.order, field.octave, t[0], t[1], t[2])
    return (
        t[0] + n[0],
        t[1] + n[1],
        t[2] + n[2],
        t[3] + (n[3] * t[3] + n[4] * t[6] + n[5] * t[9]),
        t[4] + (n[3] * t[4] + n[4] * t[7] + n[5] * t[10]),
        t[5] + (n[3] * t[5] + n[4] * t[8] + n[5] * t[11]),
        t[6] + (n[6] * t[3] + n[7] * t[6] + n[8] * t[9]),
        t[7] + (n[6] * t[4] + n[7] * t[7] + n[8] * t[10]),
        t[8] + (n[6] * t[5] + n[7] * t[8] + n[8] * t[11]),
        t[9] + (n[9] * t[3] + n[10] * t[6] + n[11] * t[9]),
        t[10] + (n[9] * t[4] + n[10] * t[7] + n[11] * t[10]),
        t[11] + (n[9] * t[5] + n[10] * t[8] + n[11] * t[11]),
    )


@njit_no_refs
def _bend(field: BendField, flat: Floats, real: Floats) -> None:
    """Fill the real points."""
    for n in range(len(flat)):
        real[n, 0], real[n, 1], real[n, 2] = bent_at(field, flat[n, 0], flat[n, 1], flat[n, 2])


@njit_no_refs
def _bend_checked(field: BendField, flat: Floats, real: Floats) -> int:
    """Fill the real points; returns at how many of them det dW/du is not positive."""
    folded = 0
    for n in range(len(flat)):
        w = bent_slope_at(field, flat[n, 0], flat[n, 1], flat[n, 2])
        real[n, 0], real[n, 1], real[n, 2] = w[0], w[1], w[2]
        det = w[3] * (w[7] * w[11] - w[8] * w[10]) + w[4] * (w[8] * w[9] - w[6] * w[11])
        if not det + w[5] * (w[6] * w[10] - w[7] * w[9]) > 0.0:
            folded += 1
    return folded


@njit_no_refs
def _slopes(field: BendField, flat: Floats, slope: Floats) -> None:
    """Fill the derivatives, nine a row."""
    for n in range(len(flat)):
        at = bent_slope_at(field, flat[n, 0], flat[n, 1], flat[n, 2])
        for k in range(9):
            slope[n, k] = at[3 + k]


@njit_no_refs
def _unmove(gradient: Floats, order: Ints, octave: Floats, real: Floats, finest: float, before: Floats) -> int:
    """Replace points `before` by those that the noise moves to `real`; returns how many were not found.

    Newton's steps for y + n(y) = x, none longer than LEAP of the finest wavelengths. Plain steps y = x - n(y) would
    creep where space is nearly folded.
    """
    lost = 0
    for row in range(len(real)):
        x, y, z = before[row, 0], before[row, 1], before[row, 2]
        lost += 1
        for _ in range(_STEPS):
            n = noise_slope_at(gradient, order, octave, x, y, z)
            rx, ry, rz = real[row, 0] - x - n[0], real[row, 1] - y - n[1], real[row, 2] - z - n[2]
            a, b, c, d, e, f, g, h, i = 1.0 + n[3], n[4], n[5], n[6], 1.0 + n[7], n[8], n[9], n[10], 1.0 + n[11]
            # Cramer's rule.
            A, B, C = e * i - f * h, f * g - d * i, d * h - e * g
            det = a * A + b * B + c * C
            dx = (A * rx + (c * h - b * i) * ry + (b * f - c * e) * rz) / det
            dy = (B * rx + (a * i - c * g) * ry + (c * d - a * f) * rz) / det
            dz = (C * rx + (b * g - a * h) * ry + (a * e - b * d) * rz) / det
            step = np.sqrt(dx * dx + dy * dy + dz * dz)
            shorter = min(1.0, LEAP * finest / step) if step > 0.0 else 1.0
            x, y, z = x + shorter * dx, y + shorter * dy, z + shorter * dz
            if step < _CLOSE * finest:
                lost -= 1
                break
        before[row, 0], before[row, 1], before[row, 2] = x, y, z
    return lost
