"""The impulse clamp of Su, Schroeder, Fedkiw 2009, section 4: no impulse may add kinetic energy to a pair."""

from ...jit import device
from ...record_arrays import Record
from ...types import Floats


@device
def clamp_impulse(j: Floats, tau_a: Floats, tau_b: Floats, a: Record, b: Record, arm: Floats) -> float:
    """The part 0..1 of an impulse that leaves the kinetic energy of two bodies no larger than it was.

    j (3,) and tau_a (3,) act on a, -j and -tau_b on b. The velocities and inertias of `a` and `b` are those of one
    instant, whatever the impulse was computed from. Of a kinematic body, which has no terms of its own, the velocity at
    the contact is taken off: the other body is seen from a frame that moves with that point; `arm` (3,) leads to it
    from the kinematic body's centre.

        eps = 2 (j.v_b + tau_b.w_b - j.v_a - tau_a.w_a)
              / (|j|^2/m_b + tau_b.I_b^-1 tau_b + |j|^2/m_a + tau_a.I_a^-1 tau_a)

    The paper writes one j_tau for both bodies; each has its own.
    """
    v, w = a.velocity, b.velocity
    gain = 0.0
    square = 0.0
    for x in range(3):
        y, z = (x + 1) % 3, (x + 2) % 3
        other = w[x]
        if b.mass == 0.0:
            other += w[3 + y] * arm[z] - w[3 + z] * arm[y]
        gain += j[x] * (v[x] - other) + tau_a[x] * v[3 + x]
        if b.mass > 0.0:
            gain -= tau_b[x] * w[3 + x]
        square += j[x] * j[x] * (a.inverse_mass + b.inverse_mass)
        for i in range(3):
            square += tau_a[x] * a.inverse_inertia[x, i] * tau_a[i] + tau_b[x] * b.inverse_inertia[x, i] * tau_b[i]
    if square <= 0.0:
        return 0.0
    eps = -2.0 * gain / square
    return min(1.0, max(0.0, eps))
