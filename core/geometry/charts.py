"""Charts: flat patterns laid onto sheets, by closed forms both ways.

A chart takes flat points (X, Y, Z) to real ones; X and Y run along a wall, Z stands out from it. Around the axis
e2 of a cylinder of radius R, X = R theta, Y = z and Z = r - R. About the centre of a sphere, sqrt(X^2 + Y^2) = R phi
is the arc from the flat origin (azimuthal equidistant map), and Z = r - R. The flat origin h lies on the wall, with
the right-handed directions e1, e2 along it and p out of it. Both are one formula,

    x - h = (1 + Z/R) S (X e1 + c Y e2) + (1 - c) Y e2 + (Z cos phi - rho^2 (sin(phi/2) / (phi/2))^2 / (2 R)) p

with c = 1 on a sphere and 0 on a cylinder, rho^2 = X^2 + c Y^2, phi = rho / R and S = sin(phi) / phi. Counted from h,
it loses nothing where R is a thousand times the body; nothing in it is singular at phi = 0.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..arithmetic.angles import arctan2, cos, sin
from ..arithmetic.products import dot
from ..errors import InputError
from ..jit import device_no_refs
from ..types import Floats, Frozen

#: Kinds of charts, the first number of `Chart.numbers`.
NO_CHART, SPHERE, CYLINDER = 0, 1, 2
#: Largest second derivative times R of a straight line at r = R, in flat space. On a cylinder 2 / sqrt(3), on a sphere
#: that at phi = 0..90 degrees: 1.16 within 10 degrees, 2.06 at 90; it grows without bound towards the antipode.
BENDING = {SPHERE: 2.1, CYLINDER: 1.2}
#: A sphere has no image within this angle of the point across from the flat origin [rad]. By eye: lengths along circles
#: are 35 times too long there.
ANTIPODE = math.radians(5.0)
#: Nearer to the middle than this, relative to the radius, a point has no direction. Chosen.
_MIDDLE = 1e-6
#: Makes 0 / 0 zero or one below, where the numerator vanishes with it. The smallest normal number is 2e-308.
_TINY = 1e-300


@dataclass(frozen=True, eq=False, slots=True)
class Chart(Frozen):
    """A sphere or a cylinder onto which flat space is laid; made by `sphere` or `cylinder`."""

    kind: int  #: SPHERE or CYLINDER
    radius: float  #: [m]
    origin: Floats  #: (3,) where the flat origin lies [m]
    axes: Floats  #: (3,3) orthonormal, right-handed rows: e1, e2 along the wall, p out of it; e2 is a cylinder's axis

    @property
    def curvature(self) -> float:
        """Second derivative [1/m] of straight real lines in flat space: a segment L leaves its chord by it L^2 / 8."""
        return BENDING[self.kind] / self.radius

    @property
    def numbers(self) -> Floats:
        """(14,) kind, 1 / radius, origin, and the axes as columns, row by row: what `chart_at` reads."""
        return np.concatenate(([self.kind, 1.0 / self.radius], self.origin, self.axes.T.ravel()))


def no_chart() -> Floats:
    """The numbers (14,) that leave everything in its place."""
    return np.concatenate(([NO_CHART, 0.0, 0.0, 0.0, 0.0], np.eye(3).ravel()))


def sphere(centre: Floats, radius: float, direction: Floats) -> Chart:
    """The chart of a sphere whose flat origin lies where the unit `direction (3,)` from the centre meets it."""
    out = np.asarray(direction, dtype=np.float64)
    across = np.zeros(3)
    across[np.argmin(np.abs(out))] = 1.0
    return _chart(SPHERE, centre, radius, np.cross(out, across), out)


def cylinder(point: Floats, axis: Floats, radius: float, direction: Floats) -> Chart:
    """The chart of a cylinder about the axis through `point (3,)`, with theta = 0 on the side of `direction (3,)`.

    The flat origin is level with the point; of the direction only what is across the axis counts.
    """
    axis = np.asarray(axis, dtype=np.float64)
    out = direction - axis * np.sum(axis * direction)
    return _chart(CYLINDER, point, radius, axis, out)


def _chart(kind: int, middle: Floats, radius: float, e2: Floats, out: Floats) -> Chart:
    """With the flat origin one radius out from the middle; the directions are square to each other, of any length."""
    e2, out = (v / math.sqrt(float(np.sum(v * v))) for v in (e2, out))
    return Chart(kind, float(radius), middle + radius * out, np.stack((np.cross(e2, out), e2, out)))


@device_no_refs
def chart_at(chart: Floats, x: float, y: float, z: float) -> tuple[float, ...]:
    """The real point of a flat one, then the nine derivatives dx_i/du_j row by row, from the numbers of a chart."""
    if chart[0] == NO_CHART:
        return x, y, z, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0
    round_y, bend = 1.0 if chart[0] == SPHERE else 0.0, chart[1]  # c and 1 / R
    qx, qy = bend * x, bend * round_y * y
    half = 0.5 * np.sqrt(qx * qx + qy * qy) + _TINY
    sine = sin(half)
    small = sine / half
    cosine, S, g = 1.0 - 2.0 * sine * sine, small * cos(half), 1.0 + bend * z
    ux, uy, more = 0.5 * qx / half, 0.5 * qy / half, cosine - S
    # Place and derivatives along e1, e2 and p.
    p0, p1 = g * S * x, g * S * round_y * y + (1.0 - round_y) * y
    p2 = z * cosine - 0.5 * (qx * x + qy * y) * small * small
    a00, a01, a02 = g * (S + more * ux * ux), g * more * ux * uy, S * qx
    a10, a11, a12 = a01, round_y * g * (S + more * uy * uy) + (1.0 - round_y), S * qy
    a20, a21, a22 = -g * S * qx, -g * S * qy, cosine
    e = chart[5:]
    return (
        chart[2] + (e[0] * p0 + e[1] * p1 + e[2] * p2),
        chart[3] + (e[3] * p0 + e[4] * p1 + e[5] * p2),
        chart[4] + (e[6] * p0 + e[7] * p1 + e[8] * p2),
        e[0] * a00 + e[1] * a10 + e[2] * a20,
        e[0] * a01 + e[1] * a11 + e[2] * a21,
        e[0] * a02 + e[1] * a12 + e[2] * a22,
        e[3] * a00 + e[4] * a10 + e[5] * a20,
        e[3] * a01 + e[4] * a11 + e[5] * a21,
        e[3] * a02 + e[4] * a12 + e[5] * a22,
        e[6] * a00 + e[7] * a10 + e[8] * a20,
        e[6] * a01 + e[7] * a11 + e[8] * a21,
        e[6] * a02 + e[7] * a12 + e[8] * a22,
    )


def rolled(chart: Chart | None, flat: Floats) -> Floats:
    """Real points (n,3) of flat ones (n,3)."""
    if chart is None:
        return flat.copy()
    real: Floats = np.stack(chart_at(chart.numbers, *flat.T)[:3], axis=-1)
    return real


def unrolled(chart: Chart | None, real: Floats, guess: Floats | None = None) -> Floats:
    """Flat points (n,3) of real ones (n,3).

    On a cylinder theta is in (-pi, pi]; with flat points `guess (n,3)` it is the angle nearest to theirs, so that they
    say on which side of the seam a point is meant.
    Raises InputError for points on the axis, at the centre, or across from the flat origin of a sphere.
    """
    if chart is None:
        return real.copy()
    R = chart.radius
    x, y, z = (dot(real - chart.origin, axis) + 0.0 for axis in chart.axes)  # + 0: no -0
    on_sphere = chart.kind == SPHERE
    square = x * x + y * y if on_sphere else x * x
    along = np.sqrt(square)
    r = np.sqrt(np.square(R + z) + square)
    angle = arctan2(along if on_sphere else x, R + z)
    _refuse(chart, r, angle)
    flat: Floats = np.stack((x, y, (2.0 * R * z + z * z + square) / (r + R)), axis=-1)
    if on_sphere:
        flat[:, :2] *= (R * angle / (along + _TINY))[:, None]
        return flat
    if guess is not None:
        angle += 2.0 * np.pi * np.round((guess[:, 0] / R - angle) / (2.0 * np.pi))
    flat[:, 0] = R * angle
    return flat


def _refuse(chart: Chart, r: Floats, angle: Floats) -> None:
    """Raise InputError where a point at the distances r and angles has no flat image."""
    if np.any(r < _MIDDLE * chart.radius):
        where = "centre" if chart.kind == SPHERE else "axis"
        raise InputError(
            f"The pattern cannot be bent around the mesh: some of it lies on the {where} of the curved wall."
        )
    if chart.kind == SPHERE and np.any(angle > np.pi - ANTIPODE):
        raise InputError("The pattern cannot be bent around the mesh: it reaches the side opposite to the impact.")
