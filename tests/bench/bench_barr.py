"""How fast an impact is: loads and fragments of Barr's rule, against the paper's own loop over cells.

`run()` gives rows {case, ours_s, reference, reference_s, peak_mib}. The slope is that of log time over log H;
the paper promises O(H), whatever the number of triangles (section 3).
"""

import time
import tracemalloc
from collections.abc import Callable, Iterator

import numpy as np
from scipy.spatial import Delaunay

from core.breaking import ImpactContext
from core.breaking.impact_factor import ImpactFactorParams, impact_factor_loads
from core.cutting.cut import cut
from core.cutting.units import units
from core.geometry.graph import components
from core.pieces.voronoi_complex import voronoi_complex
from core.types import Units
from tests.shapes import icosphere, moved
from tests.struck import struck
from tests.unit_graphs import hit, units_of
from tests.verification.barr_algorithm import algorithm_1

SIZES = (1_000, 10_000, 64_000)
L, F, D_REF = 2.0, 1.0, 0.1


def run() -> list[dict]:
    return [*_sizes(), *_meshes()]


def _impact(blow: ImpactContext, durability: float) -> int:
    graph, members = blow.units, blow.members
    params = ImpactFactorParams(durability=durability, locality=L)
    cracked = impact_factor_loads(blow, params).cracked
    return int(components(len(members), graph.links, ~cracked, members).max()) + 1


def _struck(graph: Units) -> ImpactContext:
    return struck(graph, hit((0.5, 0.5, 0.5), F, D_REF), strength=np.ones(len(graph.links)))


def _solid(count: int) -> Units:
    """Random sites in the unit cube with the links of their Delaunay mesh: the graph of their Voronoi cells."""
    site = np.random.default_rng(1).uniform(0.0, 1.0, (count, 3))
    start, neighbour = Delaunay(site).vertex_neighbor_vertices
    first = np.repeat(np.arange(count), np.diff(start))
    return units_of(site, np.stack((first, neighbour), axis=1)[first < neighbour])


def _sizes() -> Iterator[dict]:
    seconds, theirs = [], []
    for count in SIZES:
        graph = _solid(count)
        durability = 0.01 * (1000 / count) ** (1 / 3)
        blow = _struck(graph)
        ours, peak = _measured(lambda b=blow, u=durability: _impact(b, u), 15)
        reference, _ = _measured(
            lambda g=graph, u=durability: algorithm_1(g, hit((0.5, 0.5, 0.5), F, D_REF), u, L, range(len(g.volume))), 1
        )
        seconds.append(ours)
        theirs.append(reference)
        yield _row(f"impact on {count} units", ours, "the paper's loop in Python", reference, peak)
    slope, their_slope = (float(np.polyfit(np.log(SIZES), np.log(times), 1)[0]) for times in (seconds, theirs))
    yield _row("slope of log time over log H", slope, "slope of the paper's loop", their_slope, 0.0)


def _meshes() -> Iterator[dict]:
    """The same sites in a coarse and in a fine ball: an impact does not see the triangles."""
    rng = np.random.default_rng(2)
    site = rng.normal(size=(1000, 3))
    site *= 0.45 * rng.uniform(0.0, 1.0, (1000, 1)) ** (1 / 3) / np.linalg.norm(site, axis=1, keepdims=True)
    times = {}
    for subdivisions in (3, 6):
        ball = moved(icosphere(subdivisions, 0.5), (0.5, 0.5, 0.5))
        graph = units(cut(ball, voronoi_complex(site + 0.5, np.zeros(3), np.ones(3))))
        blow = _struck(graph)
        times[len(ball.triangles)], peak = _measured(lambda b=blow: _impact(b, 0.01), 51)
    (coarse, one), (fine, two) = times.items()
    yield _row(f"impact on a ball of {fine} triangles", two, f"the same sites, {coarse} triangles", one, peak)


def _measured(work: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Best CPU seconds of one thread and peak of allocated memory [MiB]; the first run compiles and does not count."""
    if repeats > 1:
        work()
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    tracemalloc.start()
    if repeats > 1:
        work()
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return min(seconds), peak


def _row(case: str, ours: float, reference: str, theirs: float, peak: float) -> dict:
    return {
        "case": case,
        "ours_s": ours,
        "reference": reference,
        "reference_s": theirs,
        "peak_mib": peak,
    }
