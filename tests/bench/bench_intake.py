"""How fast a mesh is let in and repaired, and the tests that this rests on: crossings, inside, nearest.

`run()` gives rows {case, ours_s, reference, reference_s, peak_mib} in seconds of CPU, warm. The reference of a repair
is the time that it may take, so its ratio is to be above 1; memory is that of a fresh process beyond the mesh itself,
and may be 500 MiB. The other references do less: manifold3d checks edges but neither crossings nor nesting, and unites
what is closed and simple; a k-d tree of the vertices finds no faces.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import manifold3d
import numpy as np
from scipy.spatial import cKDTree

from core.config.repair import Repair
from core.geometry.crossings import crossing_pairs
from core.geometry.inside import winding_number
from core.geometry.nearest import nearest
from core.intake.ladder import intake
from core.types import Mesh
from tests.bench.measure import extra_mib, seconds
from tests.core.geometry.solids import box, bumpy, joined, moved, soup, sphere, subdivided, torus
from tests.zoo import sheets, solids, teapot

POINTS = 10_000
#: In a fresh process: machine code is loaded before memory is measured.
PREPARE = """
from tests.bench.bench_intake import REPAIRS, SMALL, intake
for small in SMALL:
    intake(*small())
mesh, repair = REPAIRS[{name!r}].given()
"""


@dataclass(frozen=True)
class Job:
    """A mesh to take in, and how long that may take."""

    make: Callable[[], tuple[np.ndarray, np.ndarray]]
    limit: float | None = None  #: [s] of CPU
    options: tuple[tuple[str, object], ...] = ()

    def given(self) -> tuple[Mesh, Repair]:
        return Mesh("Bench", *self.make()), Repair(**dict(self.options))


def _flat_cube() -> tuple[np.ndarray, np.ndarray]:
    cube = box()
    for _ in range(7):
        cube = subdivided(*cube)
    return moved(cube, seed=1)


def _million() -> tuple[np.ndarray, np.ndarray]:
    return moved(torus(1.0, 0.4, 1000, 500), seed=1)


REPAIRS = {
    "clean torus, 250k": Job(lambda: moved(torus(1.0, 0.4, 500, 250), seed=1), 1.0),
    "clean flat cube, 197k": Job(_flat_cube, 1.0),
    "clean torus, 1M": Job(_million),
    "100 overlapping shells of 2k": Job(solids.overlapping_shells, 2.0),
    "a shell with 10k crossing pairs": Job(solids.many_crossings, 3.0),
    "noisy scan, 82k, 478 crossing pairs": Job(solids.scan),
    "remesh at grid 128, 33k": Job(lambda: bumpy(6), 3.0, (("remesh", True), ("resolution", 128))),
    "triangle soup, 33k": Job(lambda: soup(*bumpy(6))),
    "holes closed, 29k": Job(lambda: sheets.bumpy_with_holes(6)),
    "sheet thickened, 20k": Job(lambda: sheets.grid(100, 100)),
    "teapot of 32 shells, 26k": Job(lambda: teapot.teapot(20)),
}
#: One small mesh for every repair, to load the machine code.
SMALL = [
    Job(lambda: torus(1.0, 0.4, 24, 12)).given,
    Job(lambda: solids.overlapping_shells(4, 2)).given,
    Job(solids.figure_of_eight).given,
    Job(lambda: bumpy(3), None, (("remesh", True), ("resolution", 16))).given,
    Job(lambda: soup(*bumpy(2))).given,
    Job(sheets.bumpy_with_holes).given,
    Job(sheets.grid).given,
    Job(lambda: teapot.teapot(2)).given,
]


def run() -> Iterator[dict]:
    yield from _repairs()
    yield from _manifold3d()
    yield from _crossings()
    yield from _queries()


def _repairs() -> Iterator[dict]:
    for name, job in REPAIRS.items():
        mesh, repair = job.given()
        row = {"case": name, "ours_s": seconds(lambda m=mesh, r=repair: intake(m, r))}
        if job.limit is not None:
            row |= {"reference": "the time it may take", "reference_s": job.limit}
        yield row | {"peak_mib": extra_mib(PREPARE.format(name=name), "intake(mesh, repair)")}


def _manifold3d() -> Iterator[dict]:
    for name in ("clean torus, 250k", "clean flat cube, 197k"):
        mesh, repair = REPAIRS[name].given()
        yield _row(
            f"{name}: against manifold3d", lambda m=mesh, r=repair: intake(m, r), "manifold3d takes it",
            lambda m=mesh: _manifold(m.vertices, m.triangles),
        )  # fmt: skip
    mesh, repair = REPAIRS["100 overlapping shells of 2k"].given()
    size = len(mesh.vertices) // 100
    shells = [
        (mesh.vertices[k * size : (k + 1) * size], mesh.triangles[: len(mesh.triangles) // 100]) for k in range(100)
    ]
    yield _row(
        "100 shells: against manifold3d", lambda: intake(mesh, repair), "manifold3d unites them",
        lambda: manifold3d.Manifold.batch_boolean([_manifold(*s) for s in shells], manifold3d.OpType.Add).num_tri(),
    )  # fmt: skip


def _meshes() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    yield "bumpy sphere, 33k", *moved(bumpy(6), seed=1)
    yield "torus, 250k", *REPAIRS["clean torus, 250k"].make()
    yield "flat cube, 197k", *_flat_cube()


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


def _manifold(vertices: np.ndarray, triangles: np.ndarray) -> manifold3d.Manifold:
    data = manifold3d.Mesh64(np.array(vertices), np.array(triangles, dtype=np.uint64))
    solid = manifold3d.Manifold(data)
    if solid.status() != manifold3d.Error.NoError:
        raise RuntimeError("manifold3d refuses the mesh")
    return solid


def _solid_angles(vertices: np.ndarray, triangles: np.ndarray, points: np.ndarray) -> None:
    """van Oosterom and Strackee 1983."""
    for point in points:
        a, b, c = (vertices[triangles[:, k]] - point for k in range(3))
        la, lb, lc = (np.sqrt(np.einsum("ti,ti->t", x, x)) for x in (a, b, c))
        ab, bc, ca = (np.einsum("ti,ti->t", x, y) for x, y in ((a, b), (b, c), (c, a)))
        det = np.einsum("ti,ti->t", a, np.cross(b, c))
        np.arctan2(det, la * lb * lc + ab * lc + bc * la + ca * lb).sum()


def _row(
    case: str, work: Callable[[], object], name: str | None = None, other: Callable[[], object] | None = None, times=1.0
) -> dict:
    row = {"case": case, "ours_s": seconds(work)}
    if other is not None:
        row |= {"reference": name, "reference_s": times * seconds(other)}
    return row
