"""How fast bodies of elements move: beside the arithmetic that a step takes, the bytes that it moves, and numpy.

`run()` gives rows {case, ours_s, reference, reference_s}. The arithmetic is counted as 420 operations an element at the
rate at which this machine multiplies and adds in one go in the same run; the bytes are those that a step reads and
writes, at the rate at which long arrays are copied. Then the steps of a second of glass in 5 mm with capped damping,
beside those of the paper's limit, and a second of soft matter in implicit steps beside explicit ones.
"""

import dataclasses
from collections.abc import Iterator

import numba
import numpy as np

from core.continuum.finite_element.advance_elements import ElementBody, ElementMotion, build_elements, free_loads
from core.continuum.finite_element.element_rates import (
    cap_damping,
    element_step_count,
    paper_element_step,
    stable_element_step,
)
from core.continuum.finite_element.implicit_motion import ImplicitMotion
from core.continuum.finite_element.state import ElementState
from tests.bench.bench_spring_lattice import copy_rate
from tests.bench.measure import seconds
from tests.element_bodies import GLASS, TABLE_1, body_of, rough_bar

COUNTS = ((6, 6, 4), (12, 10, 9), (28, 25, 24))  # cubes of six elements: 864, 6480 and 100800
OPERATIONS = 420  # of an element in a step, by hand
ELEMENT_STEPS = 2_000_000  # a run: many steps of a small body
FUSED = 1 << 16  # times that a short array is multiplied and added to
SIDE = 0.005  # [m]


def run() -> Iterator[dict]:
    rate, fused = copy_rate(), fused_rate()
    for counts in COUNTS:
        body = glass(counts)
        count = len(body.mesh.element_node)
        case = f"a step of {count} tetrahedra"
        ours = step_seconds(body)
        state = stretched(body)
        again = seconds(lambda: step_in_numpy(body, state, 1e-7))  # noqa: B023
        for name, reference in (
            (f"{OPERATIONS} operations at {fused / 1e9:.0f} G/s, fused", count * OPERATIONS / fused),
            ("its bytes moved", bytes_of_step(body) / rate),
            ("numpy", again),
        ):
            yield {"case": case, "ours_s": ours, "reference": name, "reference_s": reference}
    yield steps_of_a_second()
    yield soft_second()


def glass(counts, capped: bool = True) -> ElementBody:
    """Glass of Table 1 in elements of 5 mm."""
    body = body_of(rough_bar(counts, SIDE), GLASS)
    return build_elements(body.mesh, cap_damping(body.shapes, body.material)) if capped else body


def stretched(body: ElementBody) -> ElementState:
    """A wave of a thousandth."""
    place = body.mesh.node_material
    return ElementState(place + 0.001 * SIDE * np.sin(place / SIDE), np.cos(place / SIDE))


def step_seconds(body: ElementBody) -> float:
    """Of one step in a long run."""
    steps = max(ELEMENT_STEPS // len(body.mesh.element_node), 1)
    dt = 0.5 * stable_element_step(body.shapes, body.material)
    return seconds(lambda: ElementMotion(body, stretched(body), free_loads()).run(dt, steps), 5) / steps


def steps_of_a_second() -> dict:
    """Glass at 5 mm, damping of Table 1 cut to what is of use, and as it is."""
    body, plain = glass(COUNTS[1]), glass(COUNTS[1], capped=False)
    each = step_seconds(body)
    ours = element_step_count(1.0, stable_element_step(body.shapes, body.material))
    papers = element_step_count(1.0, paper_element_step(plain.shapes, plain.material), 1.0)
    return {
        "case": f"a second of glass in 5 mm, {len(body.mesh.element_node)} tetrahedra: {ours} steps",
        "ours_s": ours * each,
        "reference": f"by the paper's limit, {papers} steps",
        "reference_s": papers * each,
    }


def soft_second() -> dict:
    """A bar of the matter of the bowls that bends under its weight: steps of 1/240 s, and explicit ones."""
    body = body_of(rough_bar(COUNTS[1], SIDE), TABLE_1["bowl 1"])
    capped = build_elements(body.mesh, cap_damping(body.shapes, body.material))
    place = body.mesh.node_material
    loads = dataclasses.replace(free_loads(np.array([0.0, 0.0, -9.81])), held=place[:, 0] < 1e-9)
    still = ElementState(place, np.zeros_like(place))
    steps = element_step_count(1.0, stable_element_step(capped.shapes, capped.material))
    return {
        "case": f"a second of soft matter, {len(body.mesh.element_node)} tetrahedra: 240 implicit steps",
        "ours_s": 10.0 * seconds(lambda: ImplicitMotion(body, still, loads).run(1.0 / 240.0, 24)),
        "reference": f"{steps} explicit steps",
        "reference_s": steps * step_seconds(capped),
    }


def bytes_of_step(body: ElementBody) -> int:
    """Blocks read; motion read, and the other one written; forces written, read, and written."""
    return body.blocks.node.nbytes + body.blocks.row.nbytes + len(body.mass) * (48 + 48 + 4 * 24 + 8)


def fused_rate() -> float:
    """Operations by second where a short array is multiplied and added to again and again, two for each such step."""
    array = np.linspace(0.0, 1.0, 1024)
    return 2.0 * 32 * FUSED * len(array) / 64 / seconds(lambda: _multiply_add(array, FUSED // 64), 5)


@numba.njit(fastmath={"contract"}, error_model="numpy")
def _multiply_add(array, times):
    for _ in range(times):
        for i in range(len(array)):
            x = array[i]
            for _ in range(32):
                x = x * 0.999 + 1e-3
            array[i] = x


def step_in_numpy(body: ElementBody, state: ElementState, dt: float) -> ElementState:
    """A symplectic step, in batches of small matrices."""
    node, shapes, material = body.mesh.element_node, body.shapes, body.material
    x, v = state.position[node], state.velocity[node]
    f, rate = np.swapaxes(x, 1, 2) @ shapes.gradient, np.swapaxes(v, 1, 2) @ shapes.gradient
    strain = np.swapaxes(f, 1, 2) @ f - np.eye(3)
    half = np.swapaxes(f, 1, 2) @ rate
    turning = half + np.swapaxes(half, 1, 2)
    even = material.lame_lambda * np.trace(strain, axis1=1, axis2=2)
    even = even + material.bulk_damping * np.trace(turning, axis1=1, axis2=2)
    stress = even[:, None, None] * np.eye(3) + 2.0 * material.lame_mu[:, None, None] * strain
    stress = stress + 2.0 * material.shear_damping[:, None, None] * turning
    force = (-0.5 * shapes.volume)[:, None, None] * (shapes.gradient @ (stress @ np.swapaxes(f, 1, 2)))
    total = [np.bincount(node.ravel(), part, len(body.mass)) for part in force.reshape(-1, 3).T]
    velocity = state.velocity + dt * np.stack(total, axis=1) / body.mass[:, None]
    return ElementState(state.position + dt * velocity, velocity)
