"""Position correction: overlaps are pushed apart as displacements, without giving velocity."""

import math

from ...jit import device_inlined, device_no_refs, njit_no_refs
from ...record_arrays import Record, Records
from ...types import Floats, Ints
from ..narrow.manifold_update import REST_OFFSET
from ..quaternion import rotate_quaternion
from ..solver_state import update_transform

#: By time; 2, the prototype's, were tried before.
_SWEEPS = 4
CORRECTION_RATE = 0.6  # of an overlap that is taken back in a substep; by eye; 0.2, the prototype's, was tried before
# Gap to which what overlaps is moved, in radii: not just out of it, to be back there at each substep; by eye.
_CLEARANCE = 1e-4
_ROUND_OFF = 1e-8  # overlap that counts as none, in radii: things may begin where they touch; chosen
LARGEST_CORRECTION = 0.2  # displacement in a substep, in radii; the prototype's


@njit_no_refs
def correct_positions(
    contacts: Records, active: Ints, blocks: Records, rows: Records, bodies: Records, which: Ints
) -> float:
    """Move overlapping bodies apart by a part of their overlap; returns the deepest one, in radii, 0 if there was none.

    What rests lies between touching and the rest offset, and is left alone.

    The displacements are those that impulses would give to resting bodies within a unit of time. They are counted for
    the energy budget. `which` are all bodies that may move.
    """
    deepest = 0.0
    for i in active:
        contact = contacts[i]
        for k in range(contact.count):
            contact.before[k] = 0.0
            deepest = max(deepest, overlap_at(contact, k) / contact.extent)
    if deepest <= _ROUND_OFF:
        return 0.0
    for k in which:
        for x in range(6):
            bodies[k].moved[x] = 0.0
    for _ in range(_SWEEPS):
        for i in range(len(active)):
            block = blocks[i]
            push_apart(contacts[active[i]], block, rows, bodies[block.body[0]], bodies[block.body[1]])
    for k in which:
        apply_displacement(bodies[k])
    return deepest


@device_inlined
def overlap_at(contact: Record, k: int) -> float:
    """How deep the bodies are in each other at point k [m], negative where they are apart."""
    return float(-contact.gap[k] - REST_OFFSET * contact.extent)


@device_no_refs
def push_apart(contact: Record, block: Record, rows: Records, a: Record, b: Record) -> None:
    """One sweep over the points of a contact."""
    n, before, A, B = block.normal, contact.before, a.moved, b.moved
    for k in range(contact.count):
        deep = overlap_at(contact, k)
        if deep > _ROUND_OFF * contact.extent:
            deep += _CLEARANCE * contact.extent
        wanted = min(CORRECTION_RATE * deep, LARGEST_CORRECTION * contact.extent)
        if wanted <= 0.0 and before[k] == 0.0:
            continue
        row = rows[block.first + k]
        u = 0.0
        for x in range(3):
            u += n[x] * (A[x] - B[x]) + row.jacobian[0, x] * A[3 + x] + row.jacobian[1, x] * B[3 + x]
        e = max(0.0, before[k] + (wanted - u) / row.inverse_effective_mass) - before[k]
        before[k] += e
        contact.carried = 1
        if a.inverse_mass > 0.0 and b.inverse_mass > 0.0:
            keep_angular_momentum(a, b, e, n)
        for x in range(3):
            A[x] += e * a.inverse_mass * n[x]
            B[x] -= e * b.inverse_mass * n[x]
            A[3 + x] += e * row.inverse_mass_jacobian[0, x]
            B[3 + x] += e * row.inverse_mass_jacobian[1, x]


@device_inlined
def keep_angular_momentum(a: Record, b: Record, e: float, n: Floats) -> None:
    """Give both bodies the spin that their momenta lose where they are moved by e n (3,) over their masses."""
    for x in range(3):
        y, z = (x + 1) % 3, (x + 2) % 3
        u, v = a.velocity[y] - b.velocity[y], a.velocity[z] - b.velocity[z]
        lost = 0.5 * e * (n[y] * v - n[z] * u)  # half of e n x (v_a - v_b)
        a.angular_momentum[x] -= lost
        b.angular_momentum[x] -= lost


@device_inlined
def apply_displacement(b: Record) -> None:
    """Apply the displacement of one body."""
    m = b.moved
    some = False
    for x in range(6):
        some = some or m[x] != 0.0
    if not some or b.inverse_mass == 0.0:
        return
    for x in range(6):
        b.pushed[x] += m[x]
    for x in range(3):
        b.position[x] += m[x]
    rotate_quaternion(b.rotation, m[3], m[4], m[5])
    b.rotation_angle += math.sqrt(m[3] * m[3] + m[4] * m[4] + m[5] * m[5])
    update_transform(b)
