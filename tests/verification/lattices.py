"""Lattices to try forces on: trusses by hand, blocks and tetrahedra made by formula, and solvers to judge others by."""

import itertools
from dataclasses import replace

import numpy as np
from scipy.spatial import Delaunay

from core.breaking.constraint_lattice.crack import CrackOptions, Outcome, crack_steps
from core.breaking.constraint_lattice.grains import Grains, Joints, grains_of, joints_of
from core.breaking.constraint_lattice.method import break_steps
from core.breaking.constraint_lattice.structure import Solution, Structure, truss_of, welded_of
from core.config.material import Material
from core.cutting.units import units as units_of
from core.geometry.graph import components
from core.stepwise import result_of
from core.types import Bools, Cells, Floats, Impact, Ints
from tests.core.cutting.built import blocks
from tests.struck import struck

from .lattice_reference import solve_by_cg

NOWHERE = Impact(np.zeros(3), np.array([0.0, 0.0, -1.0]), 0.0, 0.0, 1.0, 0.0)
#: Two tetrahedra with a common face (docs/papers/smith2001.md, V1).
PAIR = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)], float), np.array([(0, 1, 2, 3), (1, 2, 3, 4)])
KINDS = ("dual", "braced", "welded")


def crack(*given) -> Outcome:
    """The lattice broken, `crack_steps` run to their end at once."""
    return result_of(crack_steps(*given))


def verdict(fragment, params):
    """What the rule says of a fragment, its steps run to their end at once."""
    return result_of(break_steps(fragment, params))


def meshed(points, tetrahedra) -> Cells:
    """Tetrahedra (n,4) between points as cells; `built.tetrahedra` with true moments and for any mesh."""
    points, tets = np.asarray(points, float), np.array(tetrahedra, np.int64)
    turned = np.linalg.det(points[tets[:, 1:]] - points[tets[:, :1]]) < 0.0
    tets[turned] = tets[turned][:, [0, 1, 3, 2]]
    sides = tets[:, [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]]].reshape(-1, 3)  # counter-clockwise from outside
    owner = np.repeat(np.arange(len(tets)), 4)
    by_face: dict[tuple[int, ...], list[int]] = {}
    for row, side in enumerate(np.sort(sides, axis=1)):
        by_face.setdefault(tuple(side), []).append(row)
    inner = np.array([rows for rows in by_face.values() if len(rows) == 2], np.int64).reshape(-1, 2)
    outer = np.array([rows[0] for rows in by_face.values() if len(rows) == 1])
    lo, corner = inner[:, 0], points[sides[inner[:, 0]]]
    doubled = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    size = np.linalg.norm(doubled, axis=1)
    p = points[tets]
    volume = np.linalg.det(p[:, 1:] - p[:, :1]) / 6.0
    centre = p.mean(axis=1)
    arm = p - centre[:, None]
    return Cells(
        vertices=points,
        outer_start=3 * np.arange(len(outer) + 1),
        outer_vertex=sides[outer].ravel(),
        outer_weight=np.tile(np.eye(3), (len(outer), 1)),
        outer_triangle=np.arange(len(outer)),
        outer_cell=owner[outer],
        inner_start=3 * np.arange(len(inner) + 1),
        inner_vertex=sides[lo].ravel(),
        inner_bond=np.arange(len(inner)),
        bond_cells=owner[inner].reshape(-1, 2),
        bond_area=size / 2.0,
        bond_normal=doubled / size[:, None],
        bond_centroid=corner.mean(axis=1),
        bond_strength=np.ones(len(inner)),
        volume=volume,
        centroid=centre,
        second_moment=volume[:, None, None] / 20.0 * np.einsum("tki,tkj->tij", arm, arm),
        region=np.arange(len(tets)),
        site=centre,
        unit=np.arange(len(tets)),
        crumb=np.zeros(len(tets), np.bool_),
    )


def kuhn(count: int) -> Cells:
    """The unit cube in `count`^3 cubes of six tetrahedra around their diagonals each."""
    node = np.array(list(np.ndindex(*3 * [count + 1])))
    number = {tuple(p): i for i, p in enumerate(node)}
    tets = []
    for corner in np.ndindex(*3 * [count]):
        for order in itertools.permutations(range(3)):
            way = np.cumsum(np.concatenate([[corner], np.eye(3, dtype=int)[list(order)]]), axis=0)
            tets.append([number[tuple(p)] for p in way])
    return meshed(node / count, tets)


def plank(shape=(9, 4, 2), size=(3.0, 1.0, 0.2), seed=0) -> Cells:
    """A box with a grid of points, those inside of sides and body moved at random, in Delaunay tetrahedra."""
    rng, shape, size = np.random.default_rng(seed), np.array(shape), np.array(size)
    grid = np.array(list(np.ndindex(*shape))) / (shape - 1.0)
    free = (grid > 0.0) & (grid < 1.0)
    points = (grid + free * rng.uniform(-0.3, 0.3, grid.shape) / (shape - 1.0)) * size
    tets = Delaunay(points).simplices
    p = points[tets]
    solid = np.abs(np.linalg.det(p[:, 1:] - p[:, :1])) > 1e-9 * size.prod()  # flat ones on the sides
    return meshed(points, tets[solid])


def boxes(shape, size=(1.0, 1.0, 1.0), offset=0.0) -> Cells:
    """A box in `shape` blocks of some size, numbered with the last axis fastest."""
    size = np.asarray(size, float)
    _, cells = blocks(shape)
    vertices, face = cells.vertices * size + offset, cells.inner_vertex.reshape(-1, 4)
    volume = size.prod()
    return replace(
        cells,
        vertices=vertices,
        bond_area=volume / (np.abs(cells.bond_normal) @ size),
        bond_centroid=vertices[face].mean(axis=1),
        volume=np.full(len(cells.volume), volume),
        centroid=cells.centroid * size + offset,
        site=cells.site * size + offset,
        second_moment=np.tile(np.diag(volume * size**2 / 12.0), (len(cells.volume), 1, 1)),
    )


def told(cells: Cells, impacts=NOWHERE, tensile=1e-6, density=2500.0, prestress=None, bond=None, **changes):
    """A fragment of some cells; the strength of a joint is its area as it stands, 1 Pa, unless told otherwise."""
    result = struck(
        units_of(cells), impacts, cells=cells, material=Material(density=density, tensile=tensile), **changes
    )
    strengths = result.strengths
    if prestress is not None:
        strengths = replace(strengths, prestress=np.broadcast_to(prestress, len(cells.bond_area)).astype(float))
    if bond is not None:
        strengths = replace(strengths, bond=np.broadcast_to(bond, len(cells.bond_area)).astype(float))
    return replace(result, strengths=strengths)


def lattice(cells: Cells, kind: str, by_area=True, by_cell=False, **how) -> tuple[Structure, Joints]:
    """A structure of a kind and its joints; `how` as in `told`."""
    fragment = told(cells, **how)
    grains = grains_of(fragment, by_cell)
    joints = joints_of(fragment, grains)
    if kind == "welded":
        return welded_of(grains, joints, by_area), joints
    return truss_of(grains, joints, kind == "braced", by_area), joints


def bars(points, mass, pairs, anchored=(), strength=1.0, prestress=0.0) -> tuple[Structure, Joints]:
    """Point masses and bars between them."""
    points, pairs = np.asarray(points, float), np.asarray(pairs, np.int64).reshape(-1, 2)
    count, bar = len(points), len(pairs)
    fast = np.zeros(count, np.bool_)
    fast[list(anchored)] = True
    cell, unit = np.arange(count), np.arange(count)
    grains = Grains(cell, unit, np.asarray(mass, float), points, np.zeros((count, 3, 3)), fast)
    none = np.zeros((0, 2), np.int64)
    joints = Joints(
        pair=pairs,
        area=np.ones(bar),
        strength=np.broadcast_to(strength, bar).astype(float),
        nominal=np.broadcast_to(strength, bar).astype(float),
        prestress=np.broadcast_to(prestress, bar).astype(float),
        normal=np.zeros((bar, 3)),
        middle=points[pairs].mean(axis=1),
        spread=np.zeros((bar, 3, 3)),
        link=np.arange(bar),
        around=none,
        across=none,
    )
    return truss_of(grains, joints, braced=False, by_area=False), joints


def loads(structure: Structure, rng: np.random.Generator) -> Floats:
    """Random forces on all bodies, and moments on bodies that turn."""
    result = rng.normal(size=(len(structure.position), 6))
    result[:, 3:] *= not structure.points
    return result


def lambdas(structure: Structure, solution: Solution) -> Floats:
    """Lambda (T,) of the bars of a truss."""
    return np.einsum("ti,ti->t", solution.force[:, :3], structure.direction)


def all_of(structure: Structure) -> Bools:
    return np.ones(len(structure.pair), np.bool_)


def torque(structure: Structure, rows: Floats) -> Floats:
    """Sum (3,) of the moments of forces or momenta (N,6) about the origin."""
    return (np.cross(structure.position, rows[:, :3]) + structure.scale * rows[:, 3:]).sum(axis=0)


def once(**changes) -> CrackOptions:
    """One step of full force, in which all that is overloaded breaks; forces to 1e-9."""
    how = {"steps": np.ones(1), "dt": 1e-4, "tolerance": 1e-9, "most_iterations": 100_000}
    return CrackOptions(**(how | changes))


class ByCg:
    """The paper's solver, by which the fast ones are judged."""

    def __init__(self, structure: Structure, tolerance=1e-9) -> None:
        self.structure, self.tolerance = structure, tolerance

    def blank(self) -> Floats:
        return np.zeros(0)

    def solve(self, holds, load, tolerance, most, at) -> Solution:
        return solve_by_cg(self.structure, holds, load, self.tolerance)


class Tight:
    """A solver that is never allowed to be loose."""

    def __init__(self, solver, tolerance=1e-9) -> None:
        self.solver, self.tolerance, self.blank = solver, tolerance, solver.blank

    def solve(self, holds, load, tolerance, most, at) -> Solution:
        return self.solver.solve(holds, load, min(tolerance, self.tolerance), 100_000, at)


def parts(structure: Structure, broken: Bools) -> Ints:
    """Fragment (N,) of each body when some joints are broken."""
    count = len(structure.position)
    return components(count, structure.pair[: structure.joint_count], ~broken, np.arange(count))
