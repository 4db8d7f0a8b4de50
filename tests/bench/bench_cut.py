"""The cutter beside what ships with it: manifold3d on the same cells, and Qhull's Delaunay of the same sites.

Every time is CPU seconds, the best of some runs after a warm-up; ratios are what counts, since both sides run on the
same machine in the same run. `ours` is the partition, the cut and all self-checks. Where Cell Fracture is to be
compared with, name the folder that holds `object_fracture_cell`: CELL_FRACTURE=<folder> make bench NAME=cut.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial import Delaunay

from core.cutting.cut import cut
from core.fragments.outline import find_outline
from core.pieces.delaunay_complex import delaunay_complex
from core.pieces.voronoi_complex import voronoi_complex
from core.types import Body, Floats
from tests import shapes
from tests.bench import in_blender, peers
from tests.bench.measure import extra_mib, growth, seconds

SAMPLED = 200  #: regions that manifold3d cuts from the whole body; its time is scaled to all of them
SITES = (100, 1_000, 10_000, 100_000)
TRIANGLES = (8_000, 30_000, 120_000, 480_000)

Row = dict[str, Any]


def sites_in(body: Body, count: int) -> Floats:
    """Uniform sites in the body's box."""
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    return np.random.default_rng(count).uniform(low, high, (count, 3))


def whole_cut(body: Body, sites: Floats) -> Any:
    """What is measured: partition, cut, checks."""
    return cut(body, voronoi_complex(sites, body.vertices.min(axis=0), body.vertices.max(axis=0)))


def run() -> Iterator[Row]:
    """One row per case and reference."""
    yield from in_blender.rows()  # first: later rows leave a heap that no artist's Blender has
    small, large = shapes.scan(30_000), shapes.scan(250_000)
    yield from against_manifold("30k triangles x 1,000 cells", small, 1_000)
    yield from against_manifold("250k triangles x 1,000 cells", large, 1_000)
    yield from against_manifold("250k triangles x 10,000 cells", large, 10_000)
    yield against_delaunay("30k triangles x 10,000 cells", small, 10_000)
    yield against_delaunay("250k triangles x 10,000 cells", large, 10_000)
    yield against_delaunay("30k triangles x 100,000 cells", small, 100_000, runs=1)
    yield from tetrahedra(small)
    yield live(small)
    yield memory()
    yield from growths(small)


def against_manifold(case: str, body: Body, count: int) -> Iterator[Row]:
    """Beside both ways of manifold3d on the same cells."""
    sites = sites_in(body, count)
    ours = seconds(lambda: whole_cut(body, sites))
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    solid = peers.solid_of(body)
    corners = peers.corners_of(voronoi_complex(sites, low, high))
    picked = np.random.default_rng(0).permutation(count)[:SAMPLED]
    one_by_one = seconds(lambda: peers.cut_one_by_one(solid, corners, picked), runs=1, warm_up=False)
    yield row(case, ours, "manifold3d, cell by cell", one_by_one * count / len(picked))
    boxes = seconds(lambda: peers.cut_by_boxes(solid, corners, low, high), runs=1, warm_up=False)
    yield row(case, ours, "manifold3d, box tree", boxes)


def against_delaunay(case: str, body: Body, count: int, runs: int = 3) -> Row:
    """Beside Qhull's Delaunay tetrahedra of the same sites; ratio 0.4 is a cut that takes 2.5 times as long."""
    sites = sites_in(body, count)
    ours = seconds(lambda: whole_cut(body, sites), runs)
    return row(case, ours, "Delaunay of the sites", seconds(lambda: Delaunay(sites), runs))


def tetrahedra(body: Body, points: int = 2_900) -> Iterator[Row]:
    """About 10,000 Delaunay tetrahedra in the body, beside the Delaunay of their points and beside manifold3d."""
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    place = sites_in(body, points)
    pattern = delaunay_complex(place, low, high)
    used = np.unique(cut(body, pattern).region)
    case = f"30k triangles x {len(used)} tetrahedra"
    ours = seconds(lambda: cut(body, delaunay_complex(place, low, high)), runs=5)
    yield row(case, ours, "Delaunay of the points", seconds(lambda: Delaunay(place), runs=5))
    solid, corners = peers.solid_of(body), peers.corners_of(pattern)
    picked = np.random.default_rng(0).permutation(used)[:SAMPLED]
    one_by_one = seconds(lambda: peers.cut_one_by_one(solid, corners, picked), runs=1, warm_up=False)
    yield row(case, ours, "manifold3d, cell by cell", one_by_one * len(used) / len(picked))


def live(body: Body) -> Row:
    """A slider has moved: another pattern in the same body, up to the lines that are drawn."""
    counts = iter(range(100, 10_000))

    def again() -> None:
        find_outline(whole_cut(body, sites_in(body, next(counts))), body)

    return row("30k triangles x 100 cells, live, to the lines", seconds(again, runs=10))


def memory() -> Row:
    """The largest memory that a fresh process needs beyond body and sites."""
    code = "from tests.bench.bench_cut import *; body = shapes.scan(250_000); sites = sites_in(body, 10_000)"
    small = "ball = shapes.icosphere(3); whole_cut(ball, sites_in(ball, 1_000))"  # loads all machine code
    return {
        "case": "250k triangles x 10,000 cells, memory",
        "peak_mib": extra_mib(f"{code}; {small}", "whole_cut(body, sites)"),
    }


def growths(body: Body) -> Iterator[Row]:
    """Exponents of time against cells and against triangles, fitted; n log n has 1.1 over these ranges."""
    times = [seconds(lambda n=n: whole_cut(body, sites_in(body, n)), runs=2) for n in SITES]
    yield row(f"growth with cells, 30k triangles: n^{growth(SITES, times):.2f}", times[-1])
    bodies = [shapes.scan(count) for count in TRIANGLES]
    times = [seconds(lambda b=b: whole_cut(b, sites_in(b, 1_000)), runs=2) for b in bodies]
    yield row(f"growth with triangles, 1,000 cells: t^{growth(TRIANGLES, times):.2f}", times[-1])


def row(case: str, ours: float, reference: str | None = None, reference_s: float | None = None) -> Row:
    """A row of the table."""
    return {"case": case, "ours_s": ours, "reference": reference, "reference_s": reference_s}
