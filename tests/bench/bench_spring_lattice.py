"""How fast a lattice of springs moves, beside the time in which its bytes are moved, and how fast pairs are found.

`run()` gives rows {case, ours_s, reference, reference_s}. The bytes are those that a substep reads and writes, at the
rate at which this machine copies long arrays in the same run; the other references are the same substep in numpy, and
one of bond-based peridynamics in numpy, on a bar of as many nodes with the usual horizon. Then scenes in Blender, from
the click to the written file.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.spatial import cKDTree

from core.continuum.spring_lattice.advance_lattice import advance_lattice, frame_substeps
from core.continuum.spring_lattice.contact_pairs import find_contact_pairs
from core.continuum.spring_lattice.lattice import SpringLattice
from core.continuum.spring_lattice.material import SpringMaterial
from core.continuum.spring_lattice.state import LatticeLaws, rest_state
from core.stepwise import result_of
from tests.bench.measure import growth, seconds, told_by
from tests.spring_lattices import Around, slab, springs

SIDES = (21, 45)  # cells of cubes with 1e4 and 1e5 nodes
SUBSTEPS = 100
LOOSE = (2000, 4000, 8000, 16000)  # nodes
COPIED = 10_000_000  # numbers
BAR = (64, 12, 11)  # cells of a bar with 1e4 nodes
HORIZON = np.pi  # of peridynamics, in distances of nodes: what is usual
SCENES = {"teapot": "the teapot on its spout, 2 s, cut and written", "jelly": "jelly Suzanne, 100 frames, written"}
SCENE_SECONDS = 600
JELLY = SpringMaterial(1e5, 1000.0, 10.0, damping_ratio=0.02)


def run() -> Iterator[dict]:
    rate = copy_rate()
    for side in SIDES:
        lattice = slab((side,) * 3, (1.0,) * 3, JELLY)
        state = rest_state(lattice, 0.01 * np.sin(9.0 * lattice.rest_position))
        step = 1.0 / frame_substeps(lattice, LatticeLaws(), 1.0)
        around = Around((SUBSTEPS - 0.5) * step)
        moved = seconds(lambda: result_of(advance_lattice(lattice, state, LatticeLaws(), around)))  # noqa: B023
        again = seconds(lambda: substep_in_numpy(lattice, state.position, state.velocity, step))  # noqa: B023
        case = f"a substep of {len(lattice.mass)} nodes, {len(lattice.rest_length)} bonds"
        for name, reference in (("its bytes moved", bytes_of_substep(lattice) / rate), ("numpy", again)):
            yield {"case": case, "ours_s": moved / SUBSTEPS, "reference": name, "reference_s": reference}
    yield beside_peridynamics()
    times = [seconds(search(count), 5) for count in LOOSE]
    for count, time in zip(LOOSE, times, strict=True):
        yield {"case": f"pairs of {count} loose nodes", "ours_s": time}
    yield {"case": f"exponent of these: {growth(LOOSE, times):.2f}", "ours_s": sum(times)}
    for name, case in SCENES.items():
        told = told_by("tests.bench.soft_scenes", name, limit=SCENE_SECONDS)
        yield {"case": f"{case}: {told['pieces']} pieces", "ours_s": told["cpu_s"], "peak_mib": told["peak_mib"]}


def beside_peridynamics() -> dict:
    """A substep of a bar, and a step of the bonds between all nodes of it within the horizon."""
    lattice = slab(BAR, tuple(map(float, BAR)), JELLY)
    state = rest_state(lattice, 0.01 * np.sin(9.0 * lattice.rest_position))
    step = 1.0 / frame_substeps(lattice, LatticeLaws(), 1.0)
    around = Around((SUBSTEPS - 0.5) * step)
    ours = seconds(lambda: result_of(advance_lattice(lattice, state, LatticeLaws(), around)))
    pairs = cKDTree(lattice.rest_position).query_pairs(HORIZON, output_type="ndarray").astype(np.int64)
    families = replace(springs(lattice.rest_position, pairs), mass=lattice.mass, damping=np.zeros(len(pairs)))
    reference = seconds(lambda: substep_in_numpy(families, state.position, state.velocity, step))
    return {
        "case": f"a substep of a bar of {len(lattice.mass)} nodes",
        "ours_s": ours / SUBSTEPS,
        "reference": f"peridynamics in numpy, {len(pairs)} bonds",
        "reference_s": reference,
    }


def copy_rate() -> float:
    """Bytes read and written by second where a long array is copied."""
    there, here = np.zeros(COPIED), np.ones(COPIED)
    return 16.0 * COPIED / seconds(lambda: np.copyto(there, here), 5)


def bytes_of_substep(lattice: SpringLattice) -> int:
    """Springs, ends and tensions of bonds, these written and read; half bonds; motions read twice and written."""
    n, b = len(lattice.mass), len(lattice.rest_length)
    return b * (32 + 8 + 8 + 8) + len(lattice.half_bond) * 8 + n * (2 * 48 + 48 + 16)


def substep_in_numpy(lattice, position, velocity, dt):
    """The motion after a symplectic step."""
    i, j = lattice.bond_node.T
    side, opening = position[j] - position[i], velocity[j] - velocity[i]
    r = np.sqrt((side * side).sum(axis=1))
    pull = lattice.stiffness * (r - lattice.rest_length) + lattice.damping * (side * opening).sum(axis=1) / r
    force = (pull / r)[:, None] * side
    total = [np.bincount(i, part, len(position)) - np.bincount(j, part, len(position)) for part in force.T]
    velocity = velocity + dt * np.stack(total, axis=1) / lattice.mass[:, None]
    return position + dt * velocity, velocity


def search(count: int):
    """The search among bonds of two nodes each, thrown into a box at one density."""
    rng = np.random.default_rng(5)
    place = rng.uniform(0.0, (count / 2.0) ** (1 / 3), (count // 2, 1, 3))
    position = (place + rng.uniform(-0.3, 0.3, (count // 2, 2, 3))).reshape(-1, 3)
    lattice = springs(position, np.arange(count).reshape(-1, 2))
    label, everyone = np.arange(count) // 2, np.ones(count, np.bool_)
    return lambda: find_contact_pairs(lattice, position, label, everyone, 0.1)
