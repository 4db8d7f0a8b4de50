"""The same bits everywhere: pinned hashes of three motions, on every Python, numpy and numba that ships.

Blender's versions differ in all three, and a scene must not move otherwise when it is opened in the next one.
"""

import hashlib
import platform

import numpy as np
import pytest

from core.rigid import MOTIONS
from core.stepwise import result_of
from tests.core.rigid.shapes_of import FLOOR, box, placed
from tests.rigid_bodies import join_bodies

FRAMES = 40
DT = 1 / 24


def heap(count=12):
    """Turned boxes that fall on each other; all numbers are short binary fractions."""
    whole = None
    for i in range(count):
        one = box(0.25 + 0.0625 * (i % 3), 0.25, 0.1875, friction=0.5, restitution=0.25)
        turn = (1.0, 0.25 * (i % 4), 0.125 * (i % 5), -0.25 * (i % 3))
        part = one, placed(one, [0.0625 * (i % 3), 0.03125 * (i % 2), 0.25 + 0.375 * i], turn)
        whole = part if whole is None else join_bodies(whole, part)
    return whole


def tower(count=6):
    """Boxes that stand on each other."""
    whole = None
    for i in range(count):
        one = box(0.25, 0.25, 0.25, friction=0.5)
        part = one, placed(one, [0, 0, 0.125 + 0.25 * i])
        whole = part if whole is None else join_bodies(whole, part)
    return whole


def spinning():
    """A plate that spins in flight and lands."""
    one = box(1.0, 0.5, 0.0625, friction=0.5)
    return one, placed(one, [0, 0, 1.0], velocity=[0.5, 0, 0], spin=[1.0, 4.0, 2.0])


SCENES = {
    ("heap", "rigid"): (heap, "c12346ebc0bab1d5"),
    ("tower", "rigid"): (tower, "045e42e7d35b3c4b"),
    ("spinning", "su"): (spinning, "8dc24d765646577c"),
}


@pytest.mark.parametrize("name", SCENES, ids=lambda name: "-".join(name))
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="pinned on x86-64: others fuse operations")
def test_the_bits_of_a_motion_are_pinned(name):
    make, pinned = SCENES[name]
    bodies, state = make()
    motion = MOTIONS[name[1]]
    digest = hashlib.sha256()
    for _ in range(FRAMES):
        state, _ = result_of(motion.run(bodies, state, FLOOR, DT, motion.params()))
        for field in (state.position, state.rotation, state.velocity, state.angular_momentum):
            digest.update(np.ascontiguousarray(field).tobytes())
    assert np.isfinite(state.position).all()
    assert digest.hexdigest()[:16] == pinned
