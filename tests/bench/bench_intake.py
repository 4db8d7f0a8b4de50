"""How fast a mesh is let in, and the tests that this rests on: crossings, inside, nearest.

`run()` gives rows {case, ours_s, reference, reference_s, peak_mib} in seconds of CPU, warm. The references do
less: manifold3d checks edges but neither crossings nor nesting; a k-d tree of the vertices finds no faces.
"""

import time
import tracemalloc
from collections.abc import Callable, Iterator

import manifold3d
import numpy as np
from scipy.spatial import cKDTree

from core.geometry.crossings import crossing_pairs
from core.geometry.inside import winding_number
from core.geometry.intake import intake
from core.geometry.nearest import nearest
from core.types import Mesh
from tests.core.geometry.solids import box, bumpy, joined, moved, soup, sphere, subdivided, torus

POINTS = 10_000


def run() -> list[dict]:
    return [*_intakes(), *_crossings(), *_queries()]


def _meshes() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    yield "bumpy sphere, 33k", *moved(bumpy(6), seed=1)
    yield "torus, 250k", *moved(torus(1.0, 0.4, 500, 250), seed=1)
    cube = box()
    for _ in range(7):
        cube = subdivided(*cube)
    yield "flat cube, 197k", *moved(cube, seed=1)


def _intakes() -> Iterator[dict]:
    for name, vertices, triangles in _meshes():
        mesh = Mesh(name, vertices, triangles)
        yield _row(
            f"intake of a {name}",
            lambda m=mesh: intake(m),
            "manifold3d takes it",
            lambda v=vertices, t=triangles: _manifold(v, t),
        )
    mesh = Mesh("soup", *soup(*bumpy(6)))
    yield _row("intake of a soup, 33k", lambda: intake(mesh))


def _crossings() -> Iterator[dict]:
    for name, vertices, triangles in _meshes():
        yield _row(f"crossings of a {name}", lambda v=vertices, t=triangles: crossing_pairs(v, t))
    pair = joined(sphere(6), moved(sphere(6), (0.7, 0.1, 0.2)))
    yield _row(f"crossings of two spheres: {len(crossing_pairs(*pair))}", lambda: crossing_pairs(*pair))


def _queries() -> Iterator[dict]:
    vertices, triangles = moved(bumpy(6), seed=1)
    points = np.random.default_rng(0).uniform(vertices.min(axis=0), vertices.max(axis=0), (POINTS, 3))
    yield _row(
        "inside, 10k points in 33k",
        lambda: winding_number(vertices, triangles, points),
        "solid angles in numpy, x100",
        lambda: _solid_angles(vertices, triangles, points[: POINTS // 100]),
        100.0,
    )
    yield _row(
        "nearest, 10k points in 33k",
        lambda: nearest(vertices, triangles, points),
        "k-d tree of the vertices",
        lambda: cKDTree(vertices).query(points),
    )
    surface = vertices[triangles[::3]].mean(axis=1)
    yield _row("nearest, 11k points on the surface", lambda: nearest(vertices, triangles, surface))


def _manifold(vertices: np.ndarray, triangles: np.ndarray) -> None:
    data = manifold3d.Mesh64(np.array(vertices), np.array(triangles, dtype=np.uint64))
    if manifold3d.Manifold(data).status() != manifold3d.Error.NoError:
        raise RuntimeError("manifold3d refuses the mesh")


def _solid_angles(vertices: np.ndarray, triangles: np.ndarray, points: np.ndarray) -> None:
    """van Oosterom and Strackee 1983."""
    for point in points:
        a, b, c = (vertices[triangles[:, k]] - point for k in range(3))
        la, lb, lc = (np.sqrt(np.einsum("ti,ti->t", x, x)) for x in (a, b, c))
        ab, bc, ca = (np.einsum("ti,ti->t", x, y) for x, y in ((a, b), (b, c), (c, a)))
        det = np.einsum("ti,ti->t", a, np.cross(b, c))
        np.arctan2(det, la * lb * lc + ab * lc + bc * la + ca * lb).sum()


def _seconds(work: Callable[[], object]) -> float:
    """Best CPU time of three runs after one that compiles."""
    work()
    best = np.inf
    for _ in range(3):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return float(best)


def _row(
    case: str, work: Callable[[], object], name: str | None = None, other: Callable[[], object] | None = None, times=1.0
) -> dict:
    ours = _seconds(work)
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    row = {"case": case, "ours_s": ours, "peak_mib": peak}
    if other is not None:
        theirs = times * _seconds(other)
        row |= {"reference": name, "reference_s": theirs}
    return row
