"""To be replaced: the fields of a bend that its users read, for a space that is not bent."""

from dataclasses import dataclass

from ...types import Floats, Frozen


@dataclass(frozen=True, eq=False, slots=True)
class Bend(Frozen):
    """What is known of a bend x = W(u) of flat space into real space."""

    noise_curvature: float  #: 99 % quantile of the second derivative of the noise [1/m]; 0 without noise
    chart_curvature: float  #: [1/m]; 0 without chart
    reach: float  #: twice the largest displacement [m]; 0 without noise
    finest: float  #: shortest wavelength [m]; inf without noise


def flattened(bend: Bend, real: Floats, guess: Floats | None = None) -> Floats:
    """Flat points (n,3) of real ones; here the same."""
    return real
