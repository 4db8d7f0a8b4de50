"""How fast cracks follow from forces: the impact of the paper, growth with size, the iteration, memory, a slider.

The lattices are those of random points in a box of 2 : 1 : 0.5, about as many shared faces as the paper's wall has;
the cracks of each case are counted in its name. References: the paper's own time (Smith, Witkin, Baraff 2001, section
1: 90 s for 16,474 faces on a 195 MHz R10000), and what the machine needs to move as many bytes.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import eigsh

from core.breaking.constraint_lattice.crack import CrackOptions
from core.breaking.constraint_lattice.dual import Dual
from core.breaking.constraint_lattice.growth import strong
from core.breaking.constraint_lattice.method import solver_of
from core.breaking.constraint_lattice.params import ConstraintLatticeParams
from core.breaking.constraint_lattice.schedule import steps_of
from core.breaking.constraint_lattice.structure import overload, truss_of, welded_of
from core.cutting.cut import cut
from core.cutting.units import units
from core.pieces import PARTITIONS
from core.pieces.voronoi_complex import voronoi_complex
from core.types import Impact
from tests import shapes
from tests.bench.measure import extra_mib, growth, seconds
from tests.struck import struck
from tests.tetrahedral_lattice import box, pushed
from tests.verification.lattice_reference import jacobian
from tests.verification.lattices import crack, verdict

#: Points that give about 16,500, 72,000 and 300,000 shared faces.
PAPER, SIZES = 1300, (1300, 5500, 22600)
PAPER_S = 90.0
STEPS = steps_of("0 0, 0.5 1, 1 0", 30)
#: Peak of the impact over the force under which the first bar breaks.
PEAK = 3.0
ROUNDS = 200
#: Lattices of each size: iterations differ by a factor of three, by what lies where the force acts.
SEEDS = 4
TURNS = 5
MEMORY = """
from tests.bench import bench_constraint_lattice as bench
from tests.tetrahedral_lattice import box
grains, joints = box({points})
"""


def run() -> Iterator[dict]:
    grains, joints = box(PAPER)
    for name in ("dual", "braced", "welded"):
        yield _impact(name, grains, joints)
    yield from _sizes()
    yield from _iterations()
    mib = extra_mib(MEMORY.format(points=SIZES[-1]), "bench.impact('dual', grains, joints)")
    yield {"case": f"memory above the lattice's own, {SIZES[-1]} points", "ours_s": 0.0, "peak_mib": mib}
    yield from _sliders()
    yield from _walls()


def impact(name, grains, joints, worst_first=False):
    """Set up a structure, let the paper's impact act on it, and return what broke."""
    structure = _structure(name, grains, joints)
    solver, load = solver_of(structure), pushed(grains)
    holds = np.ones(len(structure.pair), np.bool_)
    found = solver.solve(holds, load, 1e-4, 5000, solver.blank())
    first = overload(structure, found.force, structure.strength, 8.0).max()
    manner = CrackOptions(STEPS, 1e-5, strong, settle=worst_first, worst_share=0.5 if worst_first else 0.0)
    return crack(structure, joints, solver, PEAK / first * load, manner)


def _structure(name, grains, joints):
    if name == "welded":
        return welded_of(grains, joints, by_area=True)
    return truss_of(grains, joints, name == "braced", by_area=False)


def _impact(name, grains, joints) -> dict:
    outcome = impact(name, grains, joints)
    best = seconds(lambda: impact(name, grains, joints), 3, warm_up=False)
    told = f"{len(joints.pair)} faces, {name}, 30 steps, {outcome.broken.sum()} break, {outcome.solutions} solutions"
    return {"case": told, "ours_s": best, "reference": "the paper, 16474 faces", "reference_s": PAPER_S}


def _sizes() -> Iterator[dict]:
    """Time of one step of an impact, with all it takes, against the number of faces."""
    faces, times = [], []
    for points in SIZES:
        found = [_step(*box(points, seed=seed), points) for seed in range(SEEDS)]
        count, iterations, best = np.array(found).T
        faces.append(count.mean())
        times.append(best.mean())
        told = f"{faces[-1]:.0f} faces, one step, {iterations.min():.0f} to {iterations.max():.0f} iterations"
        yield {"case": told, "ours_s": times[-1]}
    yield {"case": f"one step grows as faces^{growth(faces, times):.2f} (1.2 at most)", "ours_s": times[-1]}
    for points in SIZES[:-1]:
        grains, joints = box(points)
        iterations = _step(grains, joints, points)[1]
        kappa = _condition(_structure("dual", grains, joints))
        roots = iterations / float(np.sqrt(kappa))
        told = f"{len(joints.pair)} faces, {iterations} iterations, {roots:.1f} roots of the condition {kappa:.1e}"
        yield {"case": told, "ours_s": 0.0}


def _step(grains, joints, points) -> tuple[int, int, float]:
    """Faces of a lattice, iterations and CPU seconds of a solution from nothing: in no step does it take more."""
    structure = _structure("dual", grains, joints)
    solver, load = Dual(structure), pushed(grains, count=max(20, points // 65))
    holds = np.ones(len(structure.pair), np.bool_)
    ask = partial(solver.solve, holds, load, 1e-3, 5000)
    iterations = ask(solver.blank()).iterations
    return len(structure.pair), iterations, seconds(lambda: ask(solver.blank()))


def _matrix(structure) -> csr_array:
    """J W J^T, scaled to a unit diagonal."""
    J = jacobian(structure)
    A = J @ diags_array(np.repeat(structure.inverse_mass, 3)) @ J.T
    scale = diags_array(1.0 / np.sqrt(A.diagonal()))
    return (scale @ A @ scale).tocsr()


def _condition(structure) -> float:
    """Largest over smallest eigenvalue of the scaled matrix, by Lanczos."""
    A = _matrix(structure)
    n = A.shape[0]
    large = eigsh(A, 1, which="LA", return_eigenvectors=False, tol=1e-2)[0]
    flipped = csr_array((np.full(n, large), (np.arange(n), np.arange(n))), shape=(n, n)) - A
    small = large - eigsh(flipped, 1, which="LA", return_eigenvectors=False, tol=1e-6, maxiter=20000)[0]
    return float(large / max(small, 1e-300))


def _iterations() -> Iterator[dict]:
    """One iteration against moving the bytes of one on J W J^T by rows: 12 for each entry and 80 for each row."""
    for points in SIZES:
        grains, joints = box(points)
        structure = _structure("dual", grains, joints)
        solver, load = Dual(structure), pushed(grains)
        holds = np.ones(len(structure.pair), np.bool_)
        size = 12 * _matrix(structure).nnz + 80 * len(structure.pair)
        source = np.zeros(size // 16)
        target = np.empty_like(source)
        ask = partial(solver.solve, holds, load, 1e-300, ROUNDS, solver.blank())
        copy = partial(_copies, target, source)  # as many bytes are read and written
        # As many of each at once, in turns: what else the machine does slows down both alike.
        pairs = [[seconds(work, 1, warm_up=False) / ROUNDS for work in (ask, copy)] for _ in range(TURNS)]
        best, bound = (min(times) for times in zip(*pairs, strict=True))
        case = f"{len(structure.pair)} faces, one iteration"
        yield {"case": case, "ours_s": best, "reference": "moving its bytes", "reference_s": bound}


def _copies(target, source):
    for _ in range(ROUNDS):
        np.copyto(target, source)


def _sliders() -> Iterator[dict]:
    """Another strength of the material on pieces that are cut: grains, lattice, forces and cracks anew."""
    low, high = np.zeros(3), np.array([2.0, 1.0, 0.5])
    body = shapes.box(low, high)
    blow = Impact(np.array([1.0, 0.5, 0.5]), np.array([0.0, 0.0, -1.0]), 0.1, 10.0, 0.1, 0.0)
    hard = replace(blow, strength=0.5)  # of that lattice less breaks under the same strength
    sites = np.random.default_rng(0).uniform(low, high, (1150, 3))
    method = PARTITIONS["tetrahedra"]
    voronoi = voronoi_complex(sites, low, high)
    tetrahedra = method.run(body, [blow], method.params(corners="skin", count=3700, layout="uniform"), 1, 0)
    for pieces, partition, lattice, hit in (
        ("tetrahedra", tetrahedra, "dual", hard),
        ("Voronoi cells", voronoi, "welded", blow),
    ):
        cells = cut(body, partition)
        graph, params = units(cells), ConstraintLatticeParams(lattice=lattice)
        asked = struck(graph, hit, cells=cells)
        found = verdict(asked, params)
        best = seconds(partial(verdict, asked, params), 3, warm_up=False)
        told = f"tweak on {len(graph.links)} faces of {pieces}, {lattice}, {found.cracked.sum()} crack"
        yield {"case": told, "ours_s": best, "reference": "0.3 s, a live slider", "reference_s": 0.3}


def _walls() -> Iterator[dict]:
    """A blow on a pane of flat tetrahedra, which bends far more easily than it stretches."""
    body = shapes.box((0.0, 0.0, 0.0), (1.0, 1.0, 0.006))
    blow = Impact(np.array([0.45, 0.55, 0.006]), np.array([0.0, 0.0, -1.0]), 1.0, 5.0, 0.05, 0.0)
    method = PARTITIONS["tetrahedra"]
    for count in (600, 2000):
        cells = cut(body, method.run(body, [blow], method.params(corners="skin", count=count), 1, 0))
        graph = units(cells)
        asked = struck(graph, blow, cells=cells)
        found = verdict(asked, ConstraintLatticeParams())
        best = seconds(partial(verdict, asked, ConstraintLatticeParams()), 3, warm_up=False)
        told = f"pane of {len(graph.volume)} flat tetrahedra, {found.cracked.sum()} of {len(graph.links)} faces crack"
        yield {"case": " ".join((told, *found.notes)), "ours_s": best, "reference": "3 s", "reference_s": 3.0}
