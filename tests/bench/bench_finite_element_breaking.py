"""How fast failing nodes are found and split, and how much of a run that takes.

`run()` gives rows {case, ours_s, reference, reference_s}. Finding them is held against a step of the same elements,
which it is not done at each of, and against the spectral split of numpy; a split must cost the same in any mesh.
"""

import time
from collections.abc import Iterator

import numpy as np

from core.continuum.finite_element.advance_elements import ElementMotion, build_elements, free_loads
from core.continuum.finite_element.breaking_motion import BreakingMotion
from core.continuum.finite_element.failing_nodes import FailureLaw, find_failing_nodes
from core.continuum.finite_element.splitting.split_node import split_node
from core.continuum.finite_element.splitting.workspace import SplittingRules
from core.continuum.finite_element.state import ElementState
from tests.bench.measure import growth, seconds
from tests.tetrahedral_meshes import delaunay_box, started, stresses
from tests.verification.test_obrien1999_notch import pulled_plate

BOXES = ((60, 5), (1200, 12), (12000, 24))  # nodes inside, and along an edge: 6e2, 1e4 and 9e4 elements
SPLITS = 300
STEPS = 100
PLATE_SECONDS = 0.05  # until it has cracked


def run() -> Iterator[dict]:
    counts, times = [], []
    for inner, side in BOXES:
        mesh = delaunay_box(0, inner, side)
        cut = started(mesh, toughness=1e9)
        cut.position[:] += 1e-3 / side * np.random.default_rng(0).normal(size=cut.position.shape)
        case, law = f"failing nodes of {cut.element_count} tetrahedra", FailureLaw()
        ours = seconds(lambda: find_failing_nodes(cut, law), 5)  # noqa: B023
        yield {"case": case, "ours_s": ours, "reference": "a step", "reference_s": step_seconds(cut)}
        sigma = stresses(cut)
        yield {"case": case, "ours_s": ours, "reference": "eigh", "reference_s": seconds(lambda: np.linalg.eigh(sigma))}  # noqa: B023
        counts.append(cut.element_count)
        times.append(split_seconds(mesh))
        yield {"case": f"a split in {counts[-1]} tetrahedra", "ours_s": times[-1]}
    yield {"case": f"exponent of these: {growth(counts, times):.2f}", "ours_s": sum(times)}
    yield of_a_run()


def step_seconds(cut) -> float:
    """Of one step of the elements of a mesh."""
    body = build_elements(cut.as_mesh(), cut.material(np.arange(cut.element_count)))
    state = ElementState(cut.position.copy(), cut.velocity.copy())
    return seconds(lambda: ElementMotion(body, state, free_loads()).run(1e-9, STEPS)) / STEPS


def split_seconds(mesh) -> float:
    """Of one split at random, with all that is around it, in a mesh with room."""
    rng = np.random.default_rng(1)
    cut, rules = started(mesh, room=8), SplittingRules()
    split_node(cut, 0, np.array([1.0, 0.0, 0.0]), rules)
    begin = time.process_time()
    for _ in range(SPLITS):
        split_node(cut, int(rng.integers(cut.node_count)), rng.normal(size=3), rules)
    return (time.process_time() - begin) / SPLITS


class TimedMotion(BreakingMotion):
    """It notes how long splits take."""

    spent = 0.0

    def split(self, failing) -> None:
        begin = time.process_time()
        super().split(failing)
        self.spent += time.process_time() - begin


def of_a_run() -> dict:
    """The notched plate: all of it, and splits with all that is renewed after them."""
    motion = TimedMotion(pulled_plate(19, 0.0), FailureLaw(), SplittingRules())
    begin = time.process_time()
    motion.run(PLATE_SECONDS)
    whole = time.process_time() - begin
    case = f"{motion.done.splits} splits of a plate of {motion.cut.element_count} tetrahedra"
    return {"case": case, "ours_s": motion.spent, "reference": f"all of it, {motion.steps} steps", "reference_s": whole}
