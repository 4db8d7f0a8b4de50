"""How long a cut takes beside Qhull's Delaunay of the same sites and beside manifold3d, piece by piece.

Every time is CPU seconds, the best of three after a warm-up; ratios are what counts, since both sides run on the same
machine. Run as `python -m tests.bench.bench_cut` from the root.
"""

import resource
import time
from collections.abc import Callable
from typing import Any

import manifold3d
import numpy as np
from scipy.spatial import Delaunay

from core.cells.cut import cut
from core.pieces.voronoi_complex import voronoi_complex
from core.types import Body, Partition
from tests import shapes

SAMPLED = 50  #: pieces that manifold3d cuts; its time is scaled to all of them


def sphere(triangles: int) -> Body:
    """A displaced sphere, not convex, of about this many triangles."""
    rings = round((triangles / 4) ** 0.5)
    body = shapes.uv_sphere(2 * rings, rings + 1)
    x, y, z = body.vertices.T
    radius = 1.0 + 0.2 * np.sin(5 * x + 1) * np.cos(4 * y) * np.sin(6 * z + 2)
    return shapes.body(body.vertices * radius[:, None], body.triangles)


def seconds(work: Callable[[], object], runs: int = 3) -> float:
    """Best CPU time of several runs after a warm-up."""
    work()
    times = []
    for _ in range(runs):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def peak_mib() -> float:
    """The largest memory that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _intersected(solid: manifold3d.Manifold, p: Partition, regions: list[int]) -> float:
    """Sum of volumes of the body intersected with the convex hulls of some regions."""
    total = 0.0
    for region in regions:
        facets = p.region_facet[p.region_start[region] : p.region_start[region + 1]]
        edges = np.concatenate([p.facet_edge[p.facet_start[f] : p.facet_start[f + 1]] for f in facets])
        corners = p.vertices[np.unique(p.edge_vertices[edges])]
        total += (solid ^ manifold3d.Manifold.hull_points(corners)).volume()
    return total


def _case(name: str, body: Body, count: int) -> list[dict[str, Any]]:
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    sites = np.random.default_rng(count).uniform(low, high, (count, 3))
    before = peak_mib()
    ours = seconds(lambda: cut(body, voronoi_complex(sites, low, high)))
    memory = peak_mib() - before
    p = voronoi_complex(sites, low, high)
    cells = cut(body, p)
    picked = np.random.default_rng(0).permutation(np.unique(cells.region))[:SAMPLED].tolist()
    solid = manifold3d.Manifold(manifold3d.Mesh64(body.vertices.copy(), body.triangles.astype(np.uint64)))
    scale = len(np.unique(cells.region)) / len(picked)
    references = {
        "scipy.spatial.Delaunay of the sites": seconds(lambda: Delaunay(sites)),
        "manifold3d, piece by piece": scale * seconds(lambda: _intersected(solid, p, picked), runs=1),
    }
    return [
        {
            "case": name,
            "ours_s": ours,
            "reference": reference,
            "reference_s": other,
            "peak_mib": memory,
        }
        for reference, other in references.items()
    ]


def run() -> list[dict[str, Any]]:
    """One row per case and reference; `ours_s` is complex, cut and all self-checks."""
    small = sphere(30_000)
    rows = []
    for count in (100, 1_000, 10_000):
        rows += _case(f"{len(small.triangles)} triangles x {count} sites", small, count)
    large = sphere(250_000)
    return rows + _case(f"{len(large.triangles)} triangles x 1000 sites", large, 1_000)
