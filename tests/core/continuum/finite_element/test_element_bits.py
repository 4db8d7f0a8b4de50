"""Bodies of elements move with the same bits in machine code, where several are worked on at once, and without it."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from core.continuum.finite_element.advance_elements import advance_elements, build_elements
from core.continuum.finite_element.element_rates import stable_element_step
from core.continuum.finite_element.implicit_motion import ImplicitMotion
from core.continuum.finite_element.linear_laws import LinearLaws, isotropic_law
from core.continuum.finite_element.state import ElementState
from core.continuum.finite_element.stress import element_stress
from tests.element_bodies import GLASS, body_of, loads_of, rough_bar

ROOT = Path(__file__).resolve().parents[4]
DOWN = np.array([0.0, 0.0, -9.81])


def bits():
    """A hash of what explicit and implicit steps make of two blocks of elements, one of which is nearly empty."""
    mesh = rough_bar((3, 2, 1))
    law = isotropic_law(*GLASS.lame)[None]
    laws = LinearLaws(np.array([5]), law, 1e-4 * law)
    plain = body_of(mesh)
    body = build_elements(mesh, plain.material, laws)
    shift = np.random.default_rng(1).uniform(-0.01, 0.01, mesh.node_material.shape)
    state = ElementState(mesh.node_material + shift, 100.0 * shift)
    count = len(body.mass)
    plane = np.tile([0.0, 0.0, 1.0, 0.001, 0.0, 0.0, 0.1, 1e4, 1.0, 0.5, 0.01], (count, 1))
    loads = loads_of(DOWN, mesh.node_material[:, 0] < 1e-9, surfaces=(np.arange(count), plane))
    dt = 0.3 * stable_element_step(body.shapes, body.material)
    first, report = advance_elements(body, state, loads, dt, 8)
    assert report.pressed > report.inverted > 0 and report.impulse[2] > 0.0
    motion = ImplicitMotion(plain, ElementState(mesh.node_material + 0.1 * shift, shift), loads_of(DOWN))
    motion.run(1e-4, 1)
    last = motion.state()
    stress = element_stress(mesh, body.shapes, body.material, first, laws)
    arrays = first.position, first.velocity, last.position, last.velocity, stress
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()


def test_machine_code_and_plain_python_agree_to_the_bit():
    command = [sys.executable, "-m", "tests.core.continuum.finite_element.test_element_bits"]
    known = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(command, cwd=ROOT, env=known, capture_output=True, text=True, check=False, timeout=300)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == bits()


if __name__ == "__main__":
    print(bits())
